"""What a notebook shows: short lines, tables whose text cannot be HTML, names that complete."""

import inspect
import pydoc
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import motionc as mc

LINE, SCREEN = 200, 3000
HOSTILE = "<script>alert('&')</script>\x1b[2J"


@pytest.fixture(scope="module")
def humanoid() -> mc.Robot:
    return mc.load("humanoid")


@pytest.fixture(scope="module")
def hostile() -> mc.Robot:
    """Names that are HTML, and would move a cursor."""
    base = mc.Segment(HOSTILE, mc.Link.rigid(HOSTILE), (mc.Attachment("b", mc.Role.JOINT),))
    tip = mc.Link.rigid(f"{HOSTILE}tip", 1.0, (0.1, 0, 0), (1, 1, 1))
    joint = mc.Joint(
        f"{HOSTILE}j",
        mc.JointType.REVOLUTE,
        (mc.Segment(tip.name, tip, (mc.Attachment("t", mc.Role.JOINT),)), "t"),
        (base, "b"),
    )
    return mc.Robot(mc.KinematicChain(HOSTILE, (joint,)))


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.text, self.open = set[str](), "", list[str]()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert not attrs
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@cache
def things(robot: mc.Robot) -> dict[str, Any]:
    fd = mc.forward_dynamics(robot)
    still = robot.neutral(), np.zeros(robot.nv)
    return {
        "robot": robot,
        "joints": robot.joints,
        "links": robot.links,
        "limits": robot.limits,
        "findings": mc.Findings((mc.Finding.error("X1", robot.joints[0].place, HOSTILE * 9, "<b>"),) * 300),
        "computation": fd,
        "program": fd.program,
        "results": mc.energy(robot).run(*still),
        "inverse kinematics": mc.inverse_kinematics(robot, robot.link_names[-1]),
    }


def test_lines_are_short_and_lists_fit_a_screen(humanoid: mc.Robot) -> None:
    parts = [*humanoid.joints, *humanoid.links, *humanoid.segments, *(each.link for each in humanoid.segments)]
    parts += [*humanoid.segments[0].frames, humanoid.chain, humanoid.q_index["left_knee"]]
    assert max(len(repr(part)) for part in parts) <= LINE
    for name, thing in things(humanoid).items():
        assert len(repr(thing)) <= (SCREEN if name in ("joints", "links") else LINE), name
    for many in (humanoid.q_index, humanoid.v_index):
        assert len(repr(many)) <= SCREEN
    assert repr(humanoid.joints["left_knee"]).startswith("Joint('left_knee', revolute, 'left_thigh' → 'left_shank', [")


def test_tables_are_html_whatever_names_are(hostile: mc.Robot, humanoid: mc.Robot) -> None:
    for robot in (hostile, humanoid):
        for name, thing in things(robot).items():
            seen = Tags(thing._repr_html_())
            assert seen.tags <= {"div", "b", "table", "thead", "tbody", "tr", "th", "td"}, name
            assert seen.open == [], name
            assert repr(thing).isprintable() or name in ("joints", "links"), name
    assert "<script>alert('&')</script>" in Tags(hostile._repr_html_()).text
    assert "… and 200 more" in Tags(things(humanoid)["findings"]._repr_html_()).text


def test_tables_have_ports_with_units_and_results_with_values() -> None:
    robot = mc.load("planar2")
    cd = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")])
    assert "in tau(2,)N m, Nforce each motor makes" in Tags(mc.forward_dynamics(robot)._repr_html_()).text
    out = cd.run([0.1, 0.2], [0, 0], [0, 0], [0.5])
    assert "rank11" in Tags(out._repr_html_()).text  # without axes, of unit 1, and 1
    assert "a=[" in repr(out)
    assert repr(mc.energy(robot).run([0.1, 0.2], [0, 0])).startswith("Results(kinetic=0, potential=")


def test_names_complete_and_are_found_by_name(humanoid: mc.Robot) -> None:
    for named, name in (
        (humanoid.joints, "left_knee"),
        (humanoid.links, "left_foot"),
        (humanoid.q_index, "left_knee"),
        (humanoid.v_index, "left_knee"),
        (humanoid.frame_names, "joint:left_knee"),
    ):
        assert name in named._ipython_key_completions_()
        assert getattr(named[name], "name", name) == name
        with pytest.raises(KeyError, match="did you mean"):
            named[name.replace("left", "leff")]
    assert humanoid.joints[1] is humanoid.joints[humanoid.joints[1].name]
    assert humanoid.q_index == {name: humanoid.q_index[name] for name in humanoid.joint_names}


def test_help_shows_ports_with_units_and_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    fd = mc.forward_dynamics(mc.load("planar2"), gravity=(0, 0, -1.62))
    for _ in range(2):  # before and after the first call
        said = pydoc.plain(pydoc.render_doc(fd))
        assert "Computation(q, v, tau)" in said
        assert "tau (2,), N m, N: force each motor makes" in said
        assert "a (2,), rad/s², m/s²: dv/dt, component by component" in said
        assert "gravity=(0.0, 0.0, -1.62)" in said
        assert list(inspect.signature(fd).parameters) == ["q", "v", "tau"]
        fd([0, 0], [0, 0], [0, 0])
    opened = mc.forward_dynamics(mc.load("planar2"), parameters=["gravity", "forearm.mass"])
    assert str(inspect.signature(opened)) == "(q, v, tau, gravity, *parameters, **named)"
    maker = pydoc.plain(pydoc.render_doc(mc.forward_dynamics))
    assert "gravity: " in maker
    assert "-> motionc.runtime.computation.Computation" in maker
    assert "Returns:\n        Computation, to be called with arrays" in maker
