"""The rules of a model: for each one a chain that breaks it, found by name and place, and a way out."""

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from broken_chains import (
    ARM,
    BASE,
    BROKEN,
    HAND,
    SHAPE,
    Broken,
    arm,
    chain,
    counter_example,
    joint,
    long_arm,
    massless,
    mimics,
    rotor,
    with_link,
    with_link_frame,
    with_segment_frame,
)
from motionc.formats.urdf import read_urdf
from motionc.model import (
    Attachment,
    Finding,
    Findings,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    ModelError,
    Place,
    Robot,
    Role,
    Segment,
    Severity,
    check_chain,
    placed,
    rules,
)
from repository import REPOSITORY
from rows import row

PAGE = REPOSITORY / "docs" / "guide" / "rules.md"


def rule_functions() -> dict[str, Callable[..., object]]:
    """The functions of the rules' modules whose names start with a rule's name, by module and name."""
    modules = [
        importlib.import_module(f"{rules.__name__}.{each.name}") for each in pkgutil.iter_modules(rules.__path__)
    ]
    return {
        name: function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if re.match(r"[a-z]{2}\d+_", name) and function.__module__ == module.__name__
    }


@row("motion-stack", 5, 6, 8)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}: {broken.what}")
def test_a_broken_rule_is_found_by_name_and_place(broken: Broken):
    findings = check_chain(broken.build())
    found = [item for item in findings.of_rule(broken.rule) if item.place.element == broken.place]
    assert found
    finding = found[0]
    assert broken.says in finding.message
    assert finding.severity is broken.severity
    assert finding.remedy
    assert (
        str(finding)
        == f"{broken.place}: {finding.severity} {broken.rule}: {finding.message}\n  remedy: {finding.remedy}"
    )
    assert findings.ok is (broken.severity is not Severity.ERROR)


@row("motion-stack", 5, 6, 8)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}: {broken.what}")
def test_a_broken_chain_makes_no_robot_and_the_error_names_the_rule(broken: Broken):
    if broken.severity is not Severity.ERROR:
        assert Robot(broken.build()).findings.of_rule(broken.rule)
        return
    with pytest.raises(
        ModelError, match=rf"robot is not a valid model:\n(.*\n)*{broken.place}: error {broken.rule}: "
    ) as e:
        Robot(broken.build())
    assert e.value.findings.of_rule(broken.rule)


@row("motion-stack", 5, 6, 8)
def test_every_rule_has_a_chain_that_breaks_it():
    functions = rule_functions()
    assert {name.split("_")[0] for name in functions} == {broken.rule.lower() for broken in BROKEN}
    assert {"lk", "sg", "jt", "kc", "dy", "mg"} == {name[:2] for name in functions}


def test_every_rule_is_one_function_that_names_it_in_one_sentence():
    functions = rule_functions()
    ids = [name.split("_")[0] for name in functions]
    assert len(set(ids)) == len(ids)
    for name, function in functions.items():
        said = (function.__doc__ or "").strip()
        assert said.startswith(f"{name.split('_')[0].capitalize()}: ")
        assert said.endswith(".")
        assert "\n" not in said


def test_a_segment_obeys_all_rules_of_its_link():
    """Sg1: checking a segment is checking its link, then its own frames; the finding names the link's rule."""
    hand = with_link(mass=-1.0).joints[0].child
    assert [item.rule for item in rules.check_link(hand.link)] == ["Lk4"]
    assert [item.rule for item in rules.check_segment(hand)] == ["Lk4"]


@pytest.mark.parametrize("rule", sorted({broken.rule for broken in BROKEN}))
def test_the_page_of_rules_shows_every_rule_with_what_the_check_says(rule: str):
    page = PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith(f"| {rule} |")]
    assert len(rows) == 1
    said = {item.message for broken in BROKEN if broken.rule == rule for item in check_chain(broken.build())}
    assert any(message in rows[0] for message in said)


def test_the_page_of_rules_shows_what_readers_say():
    page, formats = PAGE.read_text(encoding="utf-8"), Path(mc.__file__).parent / "formats"
    named = {name for file in formats.glob("urdf*.py") for name in re.findall(r'"(Ur\d+)"', file.read_text("utf-8"))}
    assert len(named) >= 9
    assert all(f"| {name} |" in page for name in named)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 300.0])
def test_a_robot_of_any_size_is_one(scale: float):
    """Lengths, masses and moments as they grow with the size, of 0.1 mm or of a ship."""
    assert not check_chain(long_arm(scale, mass=scale**3)).items


@pytest.mark.parametrize(
    "changes",
    [
        {"limits": Limits(-20 * math.pi, 20 * math.pi)},  # ten whole turns
        {"limits": Limits(-1e16, 1e16)},  # somebody's infinity
        {"limits": Limits(-12.0, 12.0)},
        {"limits": Limits(-170.0, 170.0), "type": JointType.HELICAL, "pitch": 0.001},  # a screw
        {"limits": Limits(-170.0, 170.0), "type": JointType.PRISMATIC},
        {"limits": Limits(-1.0, 1.0, 2.0, 0.0)},  # nobody drives it
        {"limits": Limits(0.0, 0.0, 0.0, 0.0), "mimic": Mimic("one")},
    ],
)
def test_odd_limits_that_some_robots_have_are_no_findings(changes: dict[str, Any]):
    assert not check_chain(arm(**changes)).items


def test_a_length_stands_out_from_several_others_by_far_or_not_at_all():
    assert not check_chain(long_arm(offset=3.0)).items
    assert not check_chain(long_arm(inertia=(1e-9, 1e-9, 1e-9))).items  # all but a point
    pendulum = Segment(
        "rod", Link.rigid("rod", 1.0, (0, 0, -5.0)), (Attachment("pin", Role.JOINT, placed((0.01, 0, 0))),)
    )
    assert not check_chain(chain(joint("two", (BASE, "b1"), (pendulum, "pin")))).items


@pytest.mark.parametrize("kind", [JointType.FIXED, JointType.PRISMATIC])
def test_where_a_robot_stands_in_the_world_is_no_length_of_it(kind: JointType):
    first, *rest = (robot := long_arm()).joints
    base = replace(robot.root, frames=(*robot.root.frames, Attachment("foot", Role.JOINT)))
    world = Segment("world", Link.rigid("world"), (Attachment("here", Role.JOINT, placed((5000.0, 0, 0))),))
    stand = joint("stand", (world, "here"), (base, "foot"), type=kind)
    moved = KinematicChain("robot", (stand, replace(first, reference=(base, "out")), *rest))
    assert not check_chain(moved).items


@pytest.mark.parametrize(
    "broken", [b for b in BROKEN if b.rule in ("Lk1", "Lk4", "Sg5", "Jt3", "Kc1", "Kc6", "Dy1")], ids=lambda b: b.what
)
def test_one_mistake_breaks_one_rule(broken: Broken):
    assert {item.rule for item in check_chain(broken.build())} == {broken.rule}


def test_a_sound_chain_has_no_findings():
    feature = (Attachment("camera", Role.FEATURE, placed((0, 0, 1), (1, 2, 3))), SHAPE)
    assert str(check_chain(arm())) == "no findings"
    assert len(check_chain(with_link_frame(*feature))) == 0
    assert len(check_chain(with_segment_frame(feature[0]))) == 0
    assert len(check_chain(chain(base=BASE))) == 0
    assert len(check_chain(mimics("one", -2.0, 0.3))) == 0


@row("motion-stack", 8)
def test_the_counter_example_of_the_thesis_would_make_the_base_a_child():
    """Each joint is sound by itself; together they are rejected, and exchanging Joint2's ends repairs them."""
    wrong = counter_example()
    assert not any(list(rules.check_joint(each)) for each in wrong.joints)
    assert [str(item.place) for item in check_chain(wrong).of_rule("Kc2")] == ["joint Joint2"]
    first, second = wrong.joints
    repaired = chain(first, replace(second, target=second.reference, reference=second.target))
    assert check_chain(repaired).ok
    assert repaired.root.name == "A"


@row("motion-stack", 8)
def test_a_joint_that_points_inward_is_rejected():
    """Inconsistent polarity: base → arm ← hand."""
    inward = chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (HAND, "near"), (ARM, "far")))
    findings = check_chain(inward)
    (finding,) = findings
    assert (finding.rule, str(finding.place)) == ("Kc3", "joint two")
    assert "exchange parent and child of two" in finding.remedy


@row("motion-stack", 8)
def test_a_loop_through_the_base_is_rejected():
    loop = chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, "far"), (BASE, "b2")))
    assert [str(item.place) for item in check_chain(loop).of_rule("Kc2")] == ["joint two"]


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC])
def test_an_axis_reads_the_same_in_target_and_reference_coordinates(kind: JointType):
    """Jt3: the frames coincide at q = 0 and the axis does not turn: given in reference coordinates it is right too."""
    axis = np.array([0.48, -0.6, 0.64])
    robot = Robot(chain(joint("one", (BASE, "b1"), (ARM, "near"), type=kind, axis=tuple(axis))))
    moving = robot.as_mechanism(normalise=False).bodies[0].joint
    basis = moving.basis(moving.target.body, moving.reference.of.body)
    for q in (-2.0, 0.0, 0.7):
        seen = basis.change_frame(moving.relative_pose(np.full((1, 1), q)).orientation)
        assert seen.as_seen_by == moving.reference.of
        assert np.allclose(seen.angular + seen.linear, basis.angular + basis.linear, rtol=0, atol=1e-15)
    assert np.allclose((basis.angular + basis.linear).ravel(), axis, rtol=0, atol=1e-15)


def test_a_circle_of_followers_is_told_once_as_the_circle():
    circle = chain(
        joint("one", (BASE, "b1"), (ARM, "near"), mimic=Mimic("two")),
        joint("two", (ARM, "far"), (HAND, "near"), mimic=Mimic("one")),
    )
    (finding,) = check_chain(circle)
    assert (finding.rule, str(finding.place)) == ("Kc6", "joint one")
    assert finding.message == "joints mimic one another in a circle: one → two → one"


def test_a_rotor_or_mass_further_out_is_inertia():
    assert not check_chain(massless(transmission=rotor(0.1))).of_rule("Dy1")
    ends = (Attachment("in", Role.JOINT), Attachment("out", Role.JOINT, placed((0.3, 0, 0))))
    bare = Segment("bare", Link.rigid("bare"), ends)
    through = chain(joint("one", (BASE, "b1"), (bare, "in")), joint("two", (bare, "out"), (HAND, "near")))
    assert not check_chain(through).of_rule("Dy1")
    assert not check_chain(massless(type=JointType.FIXED)).of_rule("Dy1")


def test_errors_come_first_and_findings_can_be_added():
    note = Finding("Xx1", Severity.NOTE, Place("x"), "said", "do")
    both = Findings((note,)) + check_chain(counter_example())
    assert [item.severity for item in both] == sorted((item.severity for item in both), key=list(Severity).index)
    assert both.items[-1] is note
    assert len(both) == len(both.errors) + 1
    assert str(Findings()) == "no findings"


# ---------------------------------------------------------------- components, ports and connections

GRAMMAR = {
    "a property without a reference frame": ("Lk5", "mass without a frame"),
    "a property in an unknown frame": ("Lk3", "an inertia frame on a frame that is not there"),
    "an inertia that is not positive definite": ("Lk4", "a negative moment"),
    "a joint without an axis": ("Jt3", "no direction"),
    "(i) a component without a port": ("Sg4", "no joint frame"),
    "(iii) an orphan port": ("Jt1", "an end that is not there"),
    "(iv) a connection that ends in no port": ("Jt1", "an end that is a feature"),
    "(v) a connection with itself": ("Jt2", "both ends on one segment"),
    "(vii) two connections of one port": ("Kc1", "one frame for two joints"),
    "(vii) parallel connections": ("Kc7", "two joints in parallel"),
    "an open port": ("Kc8", "a joint frame without a joint"),
}


@row("multibody-methodology", 4)
def test_every_mistake_in_the_grammar_of_component_diagrams_has_a_message_of_its_own():
    """specs/multibody-methodology.md §2.2; roman numbers are those of the grammar."""
    cases = {(broken.rule, broken.what): broken for broken in BROKEN}
    messages = list[str]()
    for broken in (cases[key] for key in GRAMMAR.values()):
        found = check_chain(broken.build()).of_rule(broken.rule)
        messages += [item.message for item in found if broken.says in item.message][:1]
    assert len(set(messages)) == len(GRAMMAR)


@row("multibody-methodology", 4)
@pytest.mark.parametrize("mistake", [mistake for mistake, (rule, _) in GRAMMAR.items() if rule not in ("Lk4", "Kc8")])
def test_a_mistake_in_the_grammar_makes_no_robot(mistake: str):
    """Moments no body has are a warning (public robots have them), and an open port is allowed."""
    (broken,) = (each for each in BROKEN if (each.rule, each.what) == GRAMMAR[mistake])
    with pytest.raises(ModelError, match=broken.rule):
        Robot(broken.build())


@row("multibody-methodology", 4)
def test_moments_no_body_has_are_refused_where_a_joint_feels_them():
    hand = Segment("hand", Link.rigid("hand", 1.0, (0, 0, 0.1), (2, 2, -1)), (Attachment("near", Role.JOINT),))
    robot = Robot(chain(joint("two", (BASE, "b1"), (hand, "near"))))
    assert "none may be negative" in robot.findings.of_rule("Lk4")[0].message
    with pytest.raises(mc.Error, match="joint two"):
        mc.forward_dynamics(robot)


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("text", "rule", "place", "element"),
    [
        ('<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>', "Kc2", (5, 1), "robot/joint[k]"),
        ('<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>', "Kc7", (5, 1), "robot/joint[k]"),
        ('<link name="c"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
         '</inertial></link><joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>',
         "Lk4", (5, 32), "robot/link[c]/inertial/mass"),
    ],
)  # fmt: skip
def test_a_finding_in_a_file_has_line_and_column(text: str, rule: str, place: tuple[int, int], element: str):
    source = (
        '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n'
        f'<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>\n{text}\n</robot>'
    )
    (finding, *_) = read_urdf(source, "file.urdf").findings.of_rule(rule)
    assert (finding.place.line, finding.place.column) == place
    assert str(finding).startswith(f"file.urdf:{place[0]}:{place[1]}: {element}: error {rule}: ")


def test_a_joint_written_in_python_is_found_by_its_name():
    hand = replace(HAND, frames=())
    findings = check_chain(chain(Joint("two", JointType.REVOLUTE, target=(hand, "near"), reference=(BASE, "b1"))))
    assert findings.errors[0].place.element == "joint two"


# ---------------------------------------------------------------- what no rule notices yet


def point_mass_on_the_axis() -> KinematicChain:
    hand = Segment("hand", Link.rigid("hand", 1.0, (0, 0, 0.5)), (Attachment("near", Role.JOINT),))
    return chain(joint("two", (BASE, "b1"), (hand, "near")))


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(point_mass_on_the_axis, id="a point mass on the axis of its joint (D = 0)"),
        pytest.param(
            lambda: with_segment_frame(Attachment("near", Role.JOINT, placed((1, 0, 0)))),
            id="one name twice on a segment",
        ),
        pytest.param(
            lambda: with_link(frames=(Attachment("hand", Role.FEATURE, placed((1, 0, 0))),)), id="a displaced reference"
        ),
        pytest.param(
            lambda: with_link(inertia=np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])), id="an asymmetric inertia"
        ),
        pytest.param(lambda: arm(limits=Limits(1.0, -1.0)), id="a lower limit above the upper"),
        pytest.param(lambda: arm(limits=Limits(math.nan, 1.0)), id="a limit that is no number"),
        pytest.param(lambda: arm(transmission=rotor(-1.0)), id="a negative rotor inertia"),
        pytest.param(lambda: arm(transmission=rotor(math.nan)), id="a rotor inertia that is no number"),
        pytest.param(lambda: arm(type="ball"), id="a type that does not exist"),
        pytest.param(lambda: chain(), id="neither joints nor base"),
        pytest.param(lambda: arm(axis=("x", 0, 0)), id="an axis of words"),
        pytest.param(lambda: with_link(mass="heavy"), id="a mass of words"),
    ],
)
def test_what_should_be_noticed(build: Callable[[], KinematicChain]):
    assert len(check_chain(build())) > 0
