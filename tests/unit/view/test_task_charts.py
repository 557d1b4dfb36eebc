"""Control graphs and ways: what of a lazy controller is drawn, and where."""

from pathlib import Path

import numpy as np
import pytest

from motionc import view
from motionc.model.chain import placed
from motionc.simulate import Band, Mode, Recording, Reference, Signal, Tube
from motionc.simulate.tubes import Course
from motionc.view.charts import Lap, Timeline
from motionc.view.task_charts import control_graphs, told_of, ways
from motionc.view.timeline_plots import CROWDED, laid_out

TIMES = np.linspace(0.0, 1.0, 11)
SWITCH, CRUISE = "TRANSITION_SECTION", "CRUISE_THROUGH_TUBE"


def _recording() -> Recording:
    rows = np.arange(11.0)
    signals = [
        Signal("speed", TIMES, 0.01 * rows, "m/s"),
        Signal("speed_wanted", TIMES, np.full(11, 0.05), "m/s"),
        Signal("position", TIMES, np.stack([rows, 2 * rows, 3 * rows], axis=1), "m"),
        Signal("error", TIMES, np.stack([rows, -rows], axis=1), "various"),
        Signal("command", TIMES, np.stack([0.1 * rows, -0.1 * rows], axis=1), "1"),
        *(
            Signal(f"{state}_{row}", TIMES, np.full(11, k), "1")
            for row in "xy"
            for k, state in enumerate(("filtered", "bias", "gain"))
        ),
        Signal("mode", TIMES, rows > 5),
        Signal("heat", TIMES, rows),
    ]
    bands = [Band("speed", 0.04, 0.06, "speed band"), Band("position", -5.0, 5.0, "tube along Y", (1,), during=("GO",))]
    modes = [Mode((0.0, 0.5), ("WAIT", "GO"))]
    return Recording(signals=signals, bands=bands, references=[Reference("speed_wanted", "speed")], modes=modes)


def test_each_direction_has_measured_error_controller_and_command() -> None:
    told = _recording()
    first, second = control_graphs(told)
    assert [chart.title for chart in (first, second)] == ["Direction X", "Direction Y"]
    assert [panel.title for panel in second.panels] == ["Y: position", "Y: error", "Y: controller", "Y: command"]
    measured, error, controller, command = second.panels
    assert np.array_equal(measured.lines[0].values, told["position"].values[:, 1])
    assert np.array_equal(error.lines[0].values, -np.arange(11.0))
    assert [line.name for line in controller.lines] == ["signs, low-passed", "bias", "gain"]
    assert [line.values[0] for line in controller.lines] == [0.0, 1.0, 2.0]
    assert command.lines[0].values[-1] == pytest.approx(-1.0)
    # tolerances where they hold, and what is wanted beside what is
    (stripe,) = measured.stripes
    low, high = stripe.at(np.array([0.2, 0.7]))
    assert np.isnan(low[0])
    assert (low[1], high[1]) == (-5.0, 5.0)
    assert [line.reference for line in first.panels[0].lines] == [False, True]
    assert first.columns == 2


def test_what_control_graphs_show_is_not_shown_again(tmp_path: Path) -> None:
    told = _recording()
    assert {"error", "command", "filtered_x", "gain_y", "position", "speed", "mode"} <= told_of(told)
    assert "heat" not in told_of(told)
    files = {file.stem for file in view.plots(told, tmp_path)}
    assert {"direction_x", "direction_y", "timeline", "signals"} <= files
    assert "heat" in (tmp_path / "signals.svg").read_text()
    assert "filtered_x" not in (tmp_path / "signals.svg").read_text()


def test_without_a_lazy_controller_there_is_none() -> None:
    plain = Recording(signals=[Signal("q", TIMES, TIMES), Signal("error", TIMES, TIMES)])
    assert control_graphs(plain) == []
    assert told_of(plain) == frozenset()


def test_a_way_is_seen_along_three_axes_with_the_axes_of_its_tubes(tmp_path: Path) -> None:
    poses = np.repeat([placed((1.0, 0.0, 0.0)), placed((1.0, 2.0, 0.0), (0.0, 0.0, np.pi / 2))], [6, 5], axis=0)
    path = np.stack([TIMES, np.zeros(11), 0.5 * TIMES], axis=1)
    course = Course(Tube("tool", poses[0], 0.1, 1.0), TIMES, poses, path, np.ones(11, bool))
    (seen,) = ways([course])
    assert [view.axes for view in seen.views] == [("X", "Z"), ("Y", "Z"), ("X", "Y")]
    assert np.array_equal(seen.views[0].way, path[:, [0, 2]])
    first, second = seen.views[2].tubes
    assert np.allclose(first, [(0, 0), (1, 0)])  # from beside where it began to the first frame
    assert np.allclose(second, [(1, 0), (1, 2)])  # and on to the next
    assert ways([]) == []


def test_crowded_timelines_name_modes_above_them() -> None:
    from matplotlib.figure import Figure

    laps = tuple(Lap(CRUISE if k % 2 else SWITCH, 0.1 * k, 0.1 * (k + 1)) for k in range(CROWDED + 2))
    crowded = laid_out(Figure, Timeline((("mode", laps),), ()), (0.0, 1.0))
    assert [text.get_text() for text in crowded.legends[0].get_texts()] == [SWITCH, CRUISE]
    few = laid_out(Figure, Timeline((("mode", laps[:3]),), ()), (0.0, 1.0))
    assert not few.legends
    assert [text.get_text() for text in few.axes[0].texts] == [SWITCH, CRUISE, SWITCH]


def test_a_band_that_holds_for_one_step_is_drawn(tmp_path: Path) -> None:
    """Alone between times at which it does not hold, it still has a width."""
    told = _recording()
    two = Recording(
        signals=[told["position"]],
        bands=[Band("position", -5.0, 5.0, "tube", (1,), during=("GO",))],
        modes=[Mode((0.0, 0.4, 0.6), ("WAIT", "GO", "WAIT"))],
    )
    text = next(file for file in view.plots(two, tmp_path) if file.stem == "signals").read_text()
    shape = text[text.index('id="FillBetweenPolyCollection') :]
    corners = shape[shape.index(' d="') : shape.index('"', shape.index(' d="') + 4)].split()
    across = {float(word) for word in corners if word.replace(".", "").isdigit()}
    assert max(across) - min(across) > 50


def test_tables_of_somebody_stand_in_the_page(tmp_path: Path) -> None:
    told = Recording(signals=[Signal("x", TIMES, TIMES)])
    table = view.Table("Who was lazy", ("", "work J"), [("<lazy>", "9.1"), ("stiff", "13.0")], [1], "Of one plant.")
    page = view.report(told, tmp_path / "r.html", tables=[table], pictures=False, replay=False).read_text()
    assert "Who was lazy" in page
    assert "&lt;lazy&gt;" in page
    assert '<td class="number">13.0</td>' in page
    assert "Of one plant." in page
