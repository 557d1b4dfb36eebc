"""Robots as DOT graphs: every link and joint is there, styles say what moves, and no name can break out."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionc as mc

STRING = r'"(?:[^"\\]|\\.)*"'
VALUE = rf"(?:{STRING}|[\w-]+)"
LIST = rf"(?: \[{VALUE}={VALUE}(?:, {VALUE}={VALUE})*\])?"
STATEMENT = re.compile(rf"  \w+(?: -> \w+)*{LIST};")


def one_joint(name: str = "hinge", type: str = "continuous") -> mc.KinematicChain:
    frames = (mc.Attachment("a", mc.Role.JOINT), mc.Attachment("b", mc.Role.JOINT))
    base, rod = (
        mc.Segment(link, mc.Link.rigid(link, 1.0, inertia=(1, 1, 1)), frames) for link in ("base", f"rod {name}")
    )
    return mc.KinematicChain(name, (mc.Joint(name, mc.JointType(type), (rod, "a"), (base, "b")),))


def statements(dot: str) -> list[str]:
    """The lines of a graph, each checked to be one statement."""
    first, *inner, last = dot.split("\n")
    assert re.fullmatch(rf"digraph {STRING} {{", first)
    assert last == "}"
    for line in inner:
        assert STATEMENT.fullmatch(line), line
    return inner


def test_every_link_and_joint_stands_between_its_ends() -> None:
    robot = mc.load("lwr4", floating=True, fixed=["joint_2"])
    lines = statements(mc.to_dot(robot))
    assert sum("kg" in line for line in lines) == 8
    edges = [line for line in lines if "->" in line]
    assert edges[:3] == ["  world -> root -> l0;", "  l0 -> j0 -> l1;", "  l1 -> j1 -> l2;"]
    assert edges[3] == "  l2 -> j2 -> l3 [style=dashed];"
    assert len(edges) == 8


def test_fixed_joints_are_dashed_and_followers_dotted() -> None:
    assert "  l0 -> j0 -> l1 [style=dashed];" in statements(mc.to_dot(one_joint(type="fixed")))
    first = one_joint("lead").joints[0]
    tip = mc.Segment("tip", mc.Link.rigid("tip", 1.0), (mc.Attachment("t", mc.Role.JOINT),))
    second = replace(
        first, name="follow", target=(tip, "t"), reference=(first.child, "b"), mimic=mc.Mimic("lead", -2, 0.5)
    )
    lines = statements(mc.to_dot(mc.KinematicChain("pair", (first, second))))
    assert '  j0 -> j1 [style=dotted, constraint=false, label="-2 q +0.5"];' in lines


@given(st.text(st.sampled_from('"\\\n\r\t\0<>&;{}[]=-/ NGLlrn\u2028\x7fé\ud800'), max_size=12))
def test_no_name_breaks_out_of_its_label(name: str) -> None:
    lines = statements(mc.to_dot(one_joint(name)))
    assert len(lines) == 5
    dot = "\n".join(lines)
    assert dot.isprintable() or set(dot) - {"\n"} == {letter for letter in set(dot) if letter.isprintable()}


def test_entities_and_escapes_of_graphviz_stay_letters() -> None:
    assert '[shape=ellipse, label="&amp;lt;\\\\N\\"\\ncontinuous"]' in mc.to_dot(one_joint('&lt;\\N"'))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is absent")
@pytest.mark.parametrize("name", ["plain", 'a"]; b -> c [x="', "\\", "\\N\\G", "&lt;b&gt;", "<b>", "\0\n"])
def test_graphviz_draws_it(name: str) -> None:
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=mc.to_dot(one_joint(name)), capture_output=True, text=True, check=True
    )
    assert drawn.stdout.count('class="node"') == 3
    assert drawn.stdout.count('class="edge"') == 2
