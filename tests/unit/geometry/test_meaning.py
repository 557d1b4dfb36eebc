"""How a mismatch is answered: Listing 2.6, report mode, and the printed mistakes that the check reading refuses."""

import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from motionc.errors import Error
from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    WORLD,
    WORLD_FRAME,
    ArticulatedWrench,
    Body,
    Frame,
    JointVelocity,
    MotionBasis,
    Multipliers,
    Orientation,
    Pose,
    Position,
    RigidInertia,
    RowAcceleration,
    SemanticError,
    Twist,
    Wrench,
    reporting,
    unchecked,
)
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.factors import Rotation
from motionc.model import Attachment, Joint, JointType, KinematicChain, Link, Robot, Role, Segment, placed
from motionc.solvers.constraint import Constraint, resolve_constraints
from motionc.solvers.popov_vereshchagin import CONSTRAINED_DYNAMICS
from motionc.solvers.rows import Constraints
from motionc.sweeps import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.state import StateGraph
from motionc.sweeps.walk import walk
from repository import REPOSITORY
from rows import row

# ---------------------------------------------------------------- Listing 2.6

ONE, TWO = Body("Segment1.Link1"), Body("Segment2.Link2")
J2, L1 = Frame("j2", ONE, axes="J2"), Frame("l1", ONE, axes="L1")
J3, L2 = Frame("j3", TWO, axes="J3"), Frame("l2", TWO, axes="L2")
ANGLE, RATE, LENGTH = np.pi / 4, 0.8555, 0.35

# as printed on lines 7 and 8, with the first letter of l2 as it was meant (the extraction reads 12)
VELOCITY = "LinearVelocity(l2.Segment2.Link2|Segment2.Link2,Segment1.Link1,[J2.Segment1.Link1])"
ORIENTATION = "Orientation([L1.Segment1.Link1]|Segment1.Link1,[L2.Segment2.Link2]|Segment2.Link2,[L2.Segment2.Link2])"
REASON = f"* Coordinate Frame of {VELOCITY} != orientation frame of {ORIENTATION}"


def turn_about_z(angle: float) -> tuple[Rotation]:
    c, s = np.cos(angle), np.sin(angle)
    return (Rotation(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])),)


def twist_at_l2() -> Twist:
    """Of Segment2 wrt Segment1, brought from the joint to l2, still in [J2]."""
    at_joint = Twist(TWO, ONE, J3.origin, J2, np.array([[0, 0, RATE]]).T, np.zeros((3, 1)))
    reach = LENGTH * np.array([[np.cos(ANGLE), np.sin(ANGLE), 0]]).T
    return at_joint.change_point(Position(L2.origin, J3.origin, J2, reach))


def wrong_orientation() -> Orientation:
    """Of [L1] wrt [L2], where the twist is in [J2]."""
    return Orientation(L1, L2, turn_about_z(-ANGLE))


@row("motion-stack", 2)
def test_listing_2_6_is_raised_by_default():
    with pytest.raises(SemanticError) as caught:
        twist_at_l2().change_frame(wrong_orientation())
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{VELOCITY}.change_frame({ORIENTATION}) is NOK since:"
    assert lines[1] == REASON
    assert lines[2].strip() == "remedy: " + caught.value.remedy
    assert "Orientation of [J2.Segment1.Link1]" in caught.value.remedy
    assert isinstance(caught.value, Error)


@row("motion-stack", 2)
def test_listing_2_6_in_report_mode_is_printed_and_the_numbers_go_on():
    with reporting() as report:
        twist = twist_at_l2().change_frame(wrong_orientation())
    assert not report.ok
    assert [refusal.reasons for refusal in report.refusals] == [(REASON.removeprefix("* "),)]
    assert str(report).startswith(f"{VELOCITY}.change_frame({ORIENTATION}) is NOK since:\n{REASON}")
    # the printed numbers of lines 10: the orientation was wrong by name only
    assert np.allclose(twist.linear.ravel(), (0, 0.299425, 0), rtol=0, atol=1e-12)
    assert np.allclose(twist.angular.ravel(), (0, 0, 0.8555), rtol=0, atol=1e-15)


@row("motion-stack", 2)
def test_with_the_right_orientation_listing_2_5_goes_through():
    twist = twist_at_l2().change_frame(Orientation(J2, L2, turn_about_z(-ANGLE)))
    assert str(twist) == "Twist(l2.Segment2.Link2|Segment2.Link2,Segment1.Link1,[L2.Segment2.Link2])"
    assert np.allclose(twist.linear.ravel(), (0, LENGTH * RATE, 0), rtol=0, atol=1e-15)
    pose = Pose.between(L2, J2, turn_about_z(ANGLE), LENGTH * np.array([np.cos(ANGLE), np.sin(ANGLE), 0]))
    assert str(pose) == (
        "Pose((l2.Segment2.Link2,[L2.Segment2.Link2])|Segment2.Link2,"
        "(j2.Segment1.Link1,[J2.Segment1.Link1])|Segment1.Link1,[J2.Segment1.Link1])"
    )


@row("motion-stack", 2)
def test_on_a_walk_listing_2_6_has_its_second_half_about_the_joint():
    """The program of Listing 2.5 with the wrong Orientation: what is NOK, and the data of the joint it is about."""
    listing = runpy.run_path(str(REPOSITORY / "examples" / "02_sweeps_step_by_step.py"))
    frames = listing["mechanism"].frames

    @operation(OUTWARD, needs=["joint_pose", "distal_pose", "joint_twist"], gives=["distal_twist"])
    def wrong_distal_twist(joint, parent, child):
        reach = child["joint_pose"].position.inverse().compose(child["distal_pose"].position)
        near, far = (frames[f"l{child.index + k}"][1].of for k in (0, 1))
        wrong = near if joint.name == "Joint1" else child["distal_pose"].wrt
        turn = child["distal_pose"].orientation.inverse().factors
        child["distal_twist"] = child["joint_twist"].change_point(reach).change_frame(Orientation(wrong, far, turn))

    right = listing["schedule"].sweeps[0].operations
    schedule = Schedule("listing 2.6", (sweep(*right[:-1], wrong_distal_twist),))
    with reporting() as report:
        graph = walk(schedule, listing["mechanism"], Problem(listing["inputs"]))
    lines = str(report).splitlines()
    assert lines[:2] == [f"{VELOCITY}.change_frame({ORIENTATION}) is NOK since:", REASON]
    assert lines[3:] == [
        "  in: operation wrong_distal_twist at joint Joint1",
        "Warning: can not return distal_twist data. Check whether the joint is correctly constructed",
    ]
    assert np.allclose(graph[1]["distal_twist"].linear.ravel(), (0, 0.299425, 0), rtol=0, atol=1e-12)
    with pytest.raises(SemanticError, match=r"(?s)Coordinate Frame of LinearVelocity.*at joint Joint1$"):
        walk(schedule, listing["mechanism"], Problem(listing["inputs"]))


# ---------------------------------------------------------------- report mode


def test_a_report_collects_every_refusal_in_order():
    twist, wrong = twist_at_l2(), Position(L1.origin, J2.origin, L1)
    with reporting() as report:
        twist.change_frame(wrong_orientation())
        twist.change_point(wrong)  # two reasons: the point and the axes
    assert len(report.refusals) == 3
    assert str(report).count("is NOK since:") == 3
    assert str(report).index("change_frame(") < str(report).index("change_point(")


def test_a_report_without_refusals_says_so():
    with reporting() as report:
        twist_at_l2()
    assert report.ok
    assert str(report) == "every relation fits"


def test_after_a_report_mismatches_raise_again():
    def fail_inside() -> None:
        with reporting():
            raise ValueError("on purpose")

    with reporting() as outer:
        with reporting() as inner:
            twist_at_l2().change_frame(wrong_orientation())
        assert (outer.ok, inner.ok) == (True, False)
        twist_at_l2().change_frame(wrong_orientation())
    assert len(outer.refusals) == 1
    with pytest.raises(ValueError, match="on purpose"):
        fail_inside()
    with pytest.raises(SemanticError):
        twist_at_l2().change_frame(wrong_orientation())


def test_numbers_go_on_as_if_a_sum_or_composition_had_been_right():
    a, b, c = Body("a"), Body("b"), Body("c")
    fa, fb, fc = Frame("fa", a), Frame("fb", b), Frame("fc", c)
    one, two = np.ones((3, 1)), 2 * np.ones((3, 1))
    with reporting() as report:
        total = Twist(b, a, fb.origin, fb, one, one) + Twist(c, a, fc.origin, fc, two, two)
        place = Position(fb.origin, fa.origin, fa, one).compose(Position(fc.origin, fc.origin, fc, two))
        pose = Pose.between(fb, fa, turn_about_z(1.0), (1, 0, 0)).compose(Pose.between(fc, fa, (), (1, 0, 0)))
        inertia = RigidInertia.about_center_of_mass(a, fa, 1.0, (0, 0, 0), np.eye(3))
        momentum = inertia @ Twist(b, a, fb.origin, fb, one, two)
    assert len(report.refusals) >= 7
    assert np.array_equal(total.linear, 3 * np.ones((3, 1)))
    assert np.array_equal(place.xyz, 3 * np.ones((3, 1)))
    assert np.allclose(pose.matrix[:3, 3], (1 + np.cos(1), np.sin(1), 0), rtol=0, atol=1e-12)
    assert np.array_equal(momentum.linear, two)


def test_unchecked_notices_nothing_and_computes_the_same():
    with unchecked():
        silent = twist_at_l2().change_frame(wrong_orientation())
    with reporting():
        heard = twist_at_l2().change_frame(wrong_orientation())
    assert np.array_equal(silent.linear, heard.linear)
    with pytest.raises(SemanticError):
        twist_at_l2().change_frame(wrong_orientation())


# ---------------------------------------------------------------- printed mistakes, typed in, without a number


def two_joint_arm() -> Robot:
    """Upper and lower arm in a plane, a tip at the end."""
    base = Segment("base", Link.rigid("base"), (Attachment("shoulder", Role.JOINT),))
    upper = Segment(
        "upper",
        Link.rigid("upper", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02)),
        (Attachment("near", Role.JOINT), Attachment("far", Role.JOINT, placed((0.4, 0, 0)))),
    )
    lower = Segment(
        "lower",
        Link.rigid("lower", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02), features={"tip": placed((0.4, 0, 0))}),
        (Attachment("near", Role.JOINT),),
    )
    joints = (
        Joint("hip", JointType.REVOLUTE, target=(upper, "near"), reference=(base, "shoulder")),
        Joint("knee", JointType.REVOLUTE, target=(lower, "near"), reference=(upper, "far")),
    )
    return Robot(KinematicChain("arm", joints))


class Checked:
    """The states that the check reading of constrained dynamics leaves, with the lower arm's joint at hand."""

    def __init__(self) -> None:
        mechanism = two_joint_arm().mechanism
        rows = resolve_constraints(mechanism, [Constraint("tip", "xy")])
        self.problem = Problem(
            dict.fromkeys(("q", "v", "tau", "b")), prescribed=frozenset(), options=(Constraints(rows),)
        )
        self.graph: StateGraph = walk(CONSTRAINED_DYNAMICS, mechanism, self.problem)
        self.world, self.parent, self.child = self.graph.world, self.graph[0], self.graph[1]
        self.joint = JointView(mechanism.bodies[1], self.parent.body, self.problem)
        self.S = self.joint.basis
        self.asked = rows[0].asks(self.problem.rows("b", rows[0].rows))
        self.rows = self.world.held_rows[0].rows


@pytest.fixture(scope="module")
def arm() -> Checked:
    return Checked()


def refusal(mistake: Callable[[], Any], *names: str, remedy: str) -> str:
    """The text of a refusal; it names both sides and says what to do."""
    with pytest.raises(SemanticError) as caught:
        mistake()
    for name in names:
        assert name in str(caught.value)
    assert remedy in caught.value.remedy
    return str(caught.value)


def test_no_number_is_in_the_states(arm: Checked):
    for state in (arm.parent, arm.child):
        assert (state.pose.matrix, state.bias.linear, state.acceleration.linear) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert arm.world.constraint_forces.values is UNKNOWN


def test_e1_the_apparent_inertia_in_the_braces_of_u_is_refused(arm: Checked):
    """(3.34) as printed: Sᵀ (F^A + H^a Ẍ_b). Corrected: Sᵀ (F^A + H^A Ẍ_b)."""
    S, child = arm.S, arm.child
    apparent = child.projector @ child.inertia
    refusal(
        lambda: S.pair(child.bias + apparent @ child.bias_acceleration),
        "ArticulatedWrench(near~.lower|lower,",
        "ApparentWrench(near~.lower|lower,upper,",
        "felt by upper, added to lower",
        remedy="near end of the joint",
    )
    refusal(
        lambda: S.pair(child.bias) + S.pair(apparent @ child.bias_acceleration),
        "MotionBasis(near~.lower|lower,upper,",
        "ApparentWrench(near~.lower|lower,upper,",
        remedy="before it is projected",
    )
    assert S.pair(child.bias + child.inertia @ child.bias_acceleration).joints == ("knee",)


def test_e4_gravity_as_the_acceleration_of_the_world_is_refused(arm: Checked):
    """L1706 as printed: Ẍ₀ = g. Corrected: the world accelerates wrt free fall by -g."""
    gravity = arm.problem.free_fall_field()
    refusal(
        lambda: setattr(arm.world, "acceleration", gravity),
        "acceleration of world = SpatialAcceleration(world.world|<free_fall>,world,[world.world])",
        "is <free_fall>, but that of world is world",
        remedy="what belongs to that body",
    )
    assert (gravity.inverse().of, gravity.inverse().wrt) == (WORLD, FREE_FALL)
    arm.world.acceleration = gravity.inverse()


def test_e4_what_is_asked_wrt_the_world_is_not_compared_with_what_is_reached_wrt_free_fall(arm: Checked):
    """b without gravity's share: an "XY-constrained" tip would be told to fall."""
    child = arm.child
    reached = arm.rows.pair(child.acceleration)
    asked = RowAcceleration(arm.asked.rows, child.body, WORLD, "spatial")
    text = refusal(
        lambda: asked.minus(reached),
        "RowAcceleration(lower,world,spatial;",
        "RowAcceleration(lower,<free_fall>,spatial;",
        "wrt differ: world != <free_fall>",
        remedy="gravity's share",
    )
    assert "compose with the acceleration of <free_fall> wrt world" in text
    assert arm.rows.along(child.at_rest).compose(asked).minus(reached).wrt == FREE_FALL


def test_e4_a_classical_request_is_not_taken_for_a_spatial_one(arm: Checked):
    """E6 beside it: b_spatial = b_classical - Aᵀ (ω × v)."""
    at_rest = arm.rows.along(arm.child.at_rest)
    refusal(lambda: at_rest.compose(arm.asked), "spatial", "classical", remedy="to_spatial")


def test_e5_the_articulated_share_of_the_constraint_is_no_torque(arm: Checked):
    """L1870 as printed: joint torque = Sᵀ (A ν). It is articulated: no motor makes it."""
    S, child = arm.S, arm.child
    for share in (
        S.pair(child.unit_wrenches.times(arm.world.constraint_forces)),
        S.pair(child.unit_wrenches).times(arm.world.constraint_forces),
    ):
        refusal(
            lambda share=share: setattr(child, "joint_force", share),
            "joint_force of lower = JointBias(knee)",
            "JointBias is not a JointForce",
            remedy="compute a JointForce",
        )


def test_e5_the_constraint_force_of_the_environment_is_no_torque_of_one_joint_either(arm: Checked):
    """Paired at the constrained body it must first be handed down as rigid bodies do."""
    physical = arm.rows.times(arm.world.constraint_forces)
    refusal(lambda: arm.S.pair(physical), "environment", "upper", remedy="compose with what relates")


def test_e5_the_sum_in_braces_is_no_torque(arm: Checked):
    """L1977 as printed: τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b) + A ν) is D q̈, not what a motor makes."""
    S, child, joint = arm.S, arm.child, arm.joint
    braces = joint.force - S.pair(child.bias) - S.pair(child.inertia @ child.locked_acceleration)
    for wrong in (braces, braces + S.pair(child.unit_wrenches).times(arm.world.constraint_forces)):
        refusal(
            lambda wrong=wrong: setattr(child, "joint_force", wrong),
            "joint_force of lower = JointBias(knee)",
            "JointBias is not a JointForce",
            remedy="means something else",
        )
    refusal(lambda: joint.force + braces, "JointForce(knee)", "JointBias(knee)", remedy="a motor's force")
    assert child.projector.inertia.solve(braces).joints == ("knee",)


# ---------------------------------------------------------------- two published mistakes

LINK = Body("link")
ORIGIN, COM = Frame("origin", LINK), Frame("com", LINK)
JOINTS = ("j1", "j2")


def test_a_jacobian_at_the_centre_of_mass_gives_no_velocity_of_the_link_origin():
    """J_com q̇ is the velocity at the centre of mass; v_origin = v_com + ω × r is missing."""
    jacobian = MotionBasis(LINK, WORLD, COM.origin, WORLD_FRAME, joints=JOINTS)
    twist = jacobian.times(JointVelocity(JOINTS))
    at_origin = Twist(LINK, WORLD, ORIGIN.origin, WORLD_FRAME)
    at_com, there = "Twist(com.link|link,world,[world.world])", "Twist(origin.link|link,world,[world.world])"
    for compared in (lambda: at_origin - twist, lambda: at_origin + twist):
        refusal(
            compared,
            at_com,
            there,
            "origin.link|link != com.link|link",
            remedy="change_point with a Position of com.link|link wrt origin.link|link, or the other way round",
        )
    refusal(lambda: twist - at_origin, at_com, there, remedy="change_point with a Position of origin.link|link wrt com")
    # the remedy works
    moved = twist.change_point(Position(ORIGIN.origin, COM.origin, WORLD_FRAME))
    assert (moved - at_origin).point == ORIGIN.origin


def test_a_jacobian_at_the_centre_of_mass_takes_no_wrench_at_the_link_origin():
    """τ = J_comᵀ f with f reduced to the link origin."""
    jacobian = MotionBasis(LINK, WORLD, COM.origin, WORLD_FRAME, joints=JOINTS)
    wrench = Wrench(LINK, WORLD, ORIGIN.origin, WORLD_FRAME)
    refusal(
        lambda: jacobian.pair(wrench),
        "MotionBasis(com.link|link,world,[world.world])",
        "Wrench(origin.link|link,world,[world.world])",
        remedy="change_point with a Position of origin.link|link wrt com.link|link",
    )
    assert jacobian.change_point(Position(ORIGIN.origin, COM.origin, WORLD_FRAME)).pair(wrench).joints == JOINTS


def test_a_mass_matrix_term_in_parent_coordinates_does_not_meet_world_frame_forces(arm: Checked):
    """H S and its pairing with S in the parent's axes, the wrench in the world's."""
    X, S = arm.child.pose, arm.S
    S_parent = S.change_frame(X.orientation).change_point(X.position.inverse())
    composite = arm.child.inertia.change_frame(X.orientation).change_point(X.position.inverse())
    term = composite.along(S_parent)
    assert S_parent.pair(term).joints == ("knee",)  # in one place it is a term of the mass matrix
    world_wrench = ArticulatedWrench(term.of, S.wrt, term.point, WORLD_FRAME)
    parent_axes, world_axes = "[near~.upper]", "[world.world]"

    # paired with it
    refusal(
        lambda: S_parent.pair(Wrench(term.of, S.wrt, term.point, WORLD_FRAME)),
        f"MotionBasis(near~.upper|lower,upper,{parent_axes})",
        f"Wrench(near~.upper|lower,upper,{world_axes})",
        remedy=f"change_frame with an Orientation of {world_axes} wrt {parent_axes}, or the other way round",
    )
    # added to it, column by column at some strength
    column = term.times(Multipliers(term.rows))
    refusal(
        lambda: world_wrench + column,
        f"ArticulatedWrench(near~.upper|lower,upper,{world_axes})",
        f"ArticulatedWrench(near~.upper|lower,upper,{parent_axes})",
        remedy=f"change_frame with an Orientation of {parent_axes} wrt {world_axes}, or the other way round",
    )
    refusal(lambda: world_wrench + term, str(world_wrench), str(term), remedy="bring it to an ArticulatedWrench first")
    # the inertia itself against a world-frame acceleration
    in_world = arm.child.acceleration.change_frame(Orientation(arm.child.frame, WORLD_FRAME))
    refusal(lambda: arm.child.inertia @ in_world, str(arm.child.inertia), str(in_world), remedy="change_frame")
    # the remedy works
    turned = column.change_frame(Orientation(arm.parent.frame, WORLD_FRAME))
    assert (world_wrench + turned).as_seen_by == WORLD_FRAME


def test_the_momentum_of_a_link_in_its_own_axes_does_not_meet_world_frame_forces():
    """The rigid form of the same mistake: H V ×* in link axes, minus a force in the world's."""
    inertia = RigidInertia(LINK, ORIGIN.origin, ORIGIN)
    twist = Twist(LINK, WORLD, ORIGIN.origin, ORIGIN)
    pushed = Wrench(LINK, ENVIRONMENT, ORIGIN.origin, WORLD_FRAME)
    refusal(
        lambda: (inertia @ twist).rate(twist).without(pushed),
        "Wrench(origin.link|link,<inertia>,[origin.link])",
        "Wrench(origin.link|link,<environment>,[world.world])",
        remedy="change_frame with an Orientation of [world.world] wrt [origin.link], or the other way round",
    )
