"""The plot beside the scene: one signal or one entry, with its own bands."""

from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Band, Mode, Recording, Reference, Signal
from motionc.simulate.recording import model_of

pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")

TIMES = np.linspace(0.0, 1.0, 101)
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def viewer() -> Any:
    robot = mc.load("planar2")
    q = np.stack([np.sin(3 * TIMES), 0.1 * TIMES], axis=1)
    edge = np.stack([q[:, 0] + 0.2, q[:, 1] + 0.05], axis=1)
    recording = Recording(
        signals=[
            Signal("q", TIMES, q, "rad", ("shoulder", MARKUP)),
            Signal("aim", [0.0], [[0.5, 0.1]]),
            Signal("edge", TIMES, edge),
        ],
        model=model_of(robot),
        bands=[
            Band("q", (-1.0, -0.3), (1.1, 0.3), "limits"),
            Band("q", -0.5, "edge", "near", during=("ON",)),
            Band("q", -0.2, 0.7, MARKUP),
        ],
        references=[Reference("aim", of="q")],
        modes=[Mode((0.0, 0.5), ("OFF", "ON"), MARKUP)],
    )
    with mc.view.show(recording, port=0, open_browser=False) as shown:
        yield shown


def test_of_all_entries_only_bands_that_they_share_are_drawn(viewer: Any) -> None:
    plot = viewer.timeline._plot
    plot.choose("q")
    assert [one.name for one in plot.stripes] == [MARKUP]
    assert plot._entry.options == ("all", "shoulder", MARKUP)


def test_an_entry_has_its_own_bands_and_reference_while_they_hold(viewer: Any) -> None:
    viewer.time = 0.75
    plot = viewer.timeline._plot
    plot.choose("q", "shoulder")
    assert [one.name for one in plot.stripes] == ["limits", "near", MARKUP]
    times, low, high, ends, rises, *_, values, aim = plot._chart.data
    np.testing.assert_array_equal(times, TIMES)
    assert (set(low), set(high)) == ({-1.0}, {1.1})
    on = TIMES >= 0.5
    assert np.isnan(ends[~on]).all()
    assert set(ends[on]) == {-0.5}
    np.testing.assert_allclose(rises[on], np.sin(3 * TIMES[on]) + 0.2)
    np.testing.assert_allclose(values[TIMES < 0.745], np.sin(3 * TIMES[TIMES < 0.745]))
    assert np.isnan(values[TIMES > 0.755]).all()
    assert set(aim) == {0.5}
    assert len(plot._chart.series) == len(plot._chart.data)
    assert plot._chart.scales["x"]["range"] == (0.0, 1.0)
    assert plot._chart.scales["y"]["range"][1] >= 1.1
    plot.choose("q", MARKUP)
    *_, values, aim = plot._chart.data
    np.testing.assert_allclose(values[TIMES < 0.745], 0.1 * TIMES[TIMES < 0.745])
    assert set(aim) == {0.1}


def test_time_is_counted_from_where_a_recording_begins() -> None:
    recording = Recording(signals=[Signal("q", TIMES + 5.0, np.stack([TIMES, TIMES], axis=1))])
    with mc.view.show(mc.load("planar2"), recording, port=0, open_browser=False) as shown:
        shown.time = 0.25
        times, first, _ = shown.timeline._plot._chart.data
        np.testing.assert_allclose(times, TIMES, atol=1e-12)
        assert np.isfinite(first).sum() == 26
        assert shown.timeline._plot._chart.scales["x"]["range"] == pytest.approx((0.0, 1.0))


def test_the_mode_that_is_on_is_said_and_words_stay_words(viewer: Any) -> None:
    (bar,) = viewer.timeline._bars
    viewer.time = 0.2
    assert "<b>OFF</b>" in bar.content
    viewer.time = 0.6
    assert "<b>ON</b>" in bar.content
    assert "width: 50.00%" in bar.content
    viewer.timeline._plot.choose("q")
    assert "<img" not in bar.content + viewer.timeline._plot._words.content
