"""Plots: what is drawn is what was recorded, limits and bands beside it, peaks and all."""

import re
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc import simulate as sim
from motionc.simulate.declarations import Band, Mark, Mode, Reference
from motionc.simulate.recording import model_of
from motionc.simulate.signals import Signal
from motionc.view.charts import Chart, Lap, Line, Panel, charts, timeline
from motionc.view.plotting import LINES, drawn, envelope
from motionc.view.verdicts import of_limits

pytest.importorskip("matplotlib")
TIMES = np.linspace(0, 1, 401)


def test_a_line_of_a_plot_is_the_signal() -> None:
    """Read back from the SVG: as a polynomial of degree one of what went in."""
    values = np.sin(9 * TIMES) * np.exp(-TIMES)
    chart = Chart("x", "x", (Panel("x", "m", (Line("", TIMES, values),)),))
    svg = drawn(chart, (0.0, 1.0)).decode()
    (path,) = re.findall(rf'<path d="([^"]+)"[^>]*stroke: {LINES[0]}', svg)
    places = np.array(re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path), float)
    times = np.interp(places[:, 0], [places[0, 0], places[-1, 0]], [0, 1])
    slope, start = np.polyfit(np.interp(times, TIMES, values), places[:, 1], 1)
    assert slope < 0  # up is less in SVG
    assert np.abs(slope * np.interp(times, TIMES, values) + start - places[:, 1]).max() < 0.6  # pixels
    assert "Date" not in svg
    assert "creator" not in svg.lower()


def test_peaks_and_gaps_stay_where_lines_are_thinned() -> None:
    values = np.where(np.arange(30_000) == 12_345, 9.0, 0.1 * np.sin(np.arange(30_000)))
    values[20_000:20_010] = np.nan
    times, kept = envelope(Line("", np.arange(30_000) * 1e-3, values), 100)
    assert len(times) < 320
    assert np.nanmax(kept) == 9.0
    assert np.isnan(kept).any()
    assert np.all(np.diff(times) > 0)


def test_joints_have_panels_with_their_limits_and_bases_charts_of_their_own() -> None:
    robot = mc.load("hyq")
    signals = [
        Signal("q", TIMES, np.zeros((401, robot.nq))),
        Signal("v", TIMES, np.zeros((401, robot.nv))),
        Signal("motor_force", TIMES, np.zeros((401, robot.nv))),
    ]
    found = {chart.key: chart for chart in charts(sim.Recording(signals=signals), robot)}
    base = found["positions_several"].panels
    assert [(panel.title, panel.unit) for panel in base] == [
        ("root_joint: x, y, z", "m"),
        ("root_joint: qw, qx, qy, qz", "1"),
    ]
    assert [line.entry for panel in base for line in panel.lines] == list(range(7))
    for key, entry, low, high in (
        ("positions", 7, -1.22173, 0.436332),
        ("velocities", 6, -12, 12),
        ("motor_forces", 6, -150, 150),
    ):
        first = found[key].panels[0]
        assert (first.title, first.lines[0].entry, len(found[key].panels)) == ("LF_HAA", entry, 12)
        assert np.allclose((first.low, first.high), (low, high), atol=1e-5)
    assert "motor_forces_several" not in found  # nobody drives the base


def test_references_and_bands_go_where_their_signal_is() -> None:
    signals = [
        Signal("q", TIMES, np.stack([TIMES, -TIMES], axis=-1), "rad", ("a", "b")),
        Signal("target", [0.0], [[0.9, -0.8]], "rad", ("a", "b")),
        Signal("height", TIMES, TIMES, "m"),
    ]
    told = sim.Recording(
        signals=signals,
        bands=[Band("q", (-1.1,), (0.1,), "tube", (1,)), Band("height", -0.1, 0.7, "corridor")],
        references=[Reference("target", of="q")],
    )
    found = {chart.key: chart for chart in charts(told, None)}
    first, second = found["positions"].panels
    assert [line.values[-1] for panel in (first, second) for line in panel.lines if line.reference] == [0.9, -0.8]
    assert not first.stripes
    assert (second.stripes[0].low, second.stripes[0].high) == (-1.1, 0.1)
    assert [panel.title for panel in found["signals"].panels] == ["height"]  # targets are drawn with what they are of
    verdicts = {check.name: check for check in of_limits(list(found.values()))}
    assert verdicts["joint positions within tube"].passed
    worst = verdicts["other signals within corridor"]
    assert (worst.value, worst.limit, worst.passed, worst.beside) == (1.0, 0.7, False, "height")


def test_the_last_of_a_reference_holds_to_the_end() -> None:
    signals = [Signal("x", TIMES, TIMES, "m"), Signal("aim", [0.0, 0.5], [0.2, 0.7], "m")]
    told = sim.Recording(signals=signals, references=[Reference("aim", of="x")])
    (panel,) = charts(told, None)[0].panels
    (aim,) = (line for line in panel.lines if line.reference)
    assert (aim.times.tolist(), aim.values.tolist()) == ([0.0, 0.5, 1.0], [0.2, 0.7, 0.7])


def test_joints_that_slide_have_forces_and_those_that_turn_torques() -> None:
    robot = mc.load(
        """<robot name="r"><link name="a"/>
        <link name="b"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="c"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="rail" type="prismatic"><parent link="a"/><child link="b"/>
        <limit lower="-2" upper="1" effort="3" velocity="4"/></joint>
        <joint name="hinge" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"""
    )
    names = ("q", "v", "tau", "motor_force")
    told = sim.Recording(signals=[Signal(name, TIMES, np.ones((401, 2))) for name in names])
    found = {
        panel.title + " " + chart.key: (panel.unit, panel.low, panel.high)
        for chart in charts(told, robot)
        for panel in chart.panels
    }
    free = (-np.inf, np.inf)
    assert found == {
        "rail positions": ("m", -2.0, 1.0),
        "hinge positions": ("rad", *free),
        "rail velocities": ("m/s", -4.0, 4.0),
        "hinge velocities": ("rad/s", *free),
        "rail joint_forces": ("N", -3.0, 3.0),
        "hinge joint_forces": ("N m", *free),
        "rail motor_forces": ("N", -3.0, 3.0),
        "hinge motor_forces": ("N m", *free),
    }


def test_forces_of_contacts_have_a_panel_each_along_the_axes_of_the_world() -> None:
    forces = np.tile([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], (401, 1, 1))
    labels = tuple(f"{foot}.{axis}" for foot in ("left", "right") for axis in "xyz")
    (chart,) = charts(sim.Recording(signals=[Signal("contact_force", TIMES, forces, "N", labels)]), None)
    assert [panel.title for panel in chart.panels] == ["left", "right"]
    assert [(line.name, line.values[0]) for panel in chart.panels for line in panel.lines] == [
        *zip("xyz", (1.0, 2.0, 3.0), strict=True),
        *zip("xyz", (4.0, 5.0, 6.0), strict=True),
    ]


def test_limits_that_are_out_of_sight_are_said_in_words() -> None:
    def words(low: float, high: float) -> str:
        panel = Panel("elbow", "rad", (Line("", TIMES, TIMES),), low, high)
        return drawn(Chart("x", "x", (panel,)), (0.0, 1.0)).decode()

    assert ">limits ±9 rad<" in words(-9.0, 9.0)
    assert ">limits −8 to 9 rad<" in words(-8.0, 9.0)
    assert ">limit 9 rad<" in words(-0.5, 9.0)
    assert "limit" not in words(-0.5, 1.5).replace("beyond limits", "")


def test_limits_are_checked_at_the_joint_with_the_least_room() -> None:
    robot = mc.load("ur5")
    force = np.zeros((401, 6))
    force[200, 4], force[100, 0] = -29.0, 140.0  # of 28 and 150 N m
    told = sim.Recording(signals=[Signal("motor_force", TIMES, force)], model=model_of(robot))
    (check,) = of_limits(charts(told, told.robot()))
    assert (check.name, check.value, check.limit, check.at) == ("motor forces within limits", -29.0, -28.0, "least")
    assert (check.beside, check.passed) == ("wrist_2_joint", False)


def test_marks_that_end_others_become_one_lap() -> None:
    told = sim.Recording(
        signals=[Signal("x", TIMES, TIMES)],
        marks=[
            Mark(0.2, "push"),
            Mark(0.3, "end of push"),
            Mark(0.6, "push"),
            Mark(0.7, "end of push"),
            Mark(0.5, "!"),
        ],
        modes=[Mode((0.0, 0.4, 0.5), ("A", "A", "B"), "machine")],
    )
    found = timeline(told)
    assert found is not None
    assert found.rows == (
        ("machine", (Lap("A", 0.0, 0.5), Lap("B", 0.5, 1.0))),
        ("", (Lap("push", 0.2, 0.3), Lap("push", 0.6, 0.7))),
    )
    assert found.marks == ((0.5, "!"),)
    assert timeline(sim.Recording(signals=[Signal("x", TIMES, TIMES)])) is None
    svg = drawn(found, (0.0, 1.0)).decode()
    assert all(f">{word}<" in svg for word in ("A", "B", "push", "!", "machine", "marks"))


def test_many_panels_are_counted_and_files_have_the_names_of_charts(tmp_path: Path) -> None:
    told = sim.Recording(signals=[Signal(f"s{k}", [0.0, 1.0], [0.0, 1.0]) for k in range(50)])
    (chart,) = charts(told, None)
    assert len(chart.panels) == 48
    assert chart.note == "The first 48 of 50; the other 2 are not drawn."
    few = sim.Recording(signals=[Signal("s", [0.0, 1.0], [0.0, 1.0])])
    assert [file.name for file in mc.view.plots(few, tmp_path, form="png")] == ["signals.png"]
    with pytest.raises(mc.Error, match="form"):
        mc.view.plots(few, tmp_path, form="pdf")
