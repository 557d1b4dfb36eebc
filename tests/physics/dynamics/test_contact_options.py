"""What a time step with contact is told besides: surfaces that move, friction of each contact, brakes, one stop alone.

Galileo, Newton and Coulomb are the witnesses: bodies of one piece whose motion is known in closed form.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Box, Compliant, Contact, Solid, Sphere, free_body

DT, G = 1e-3, 9.81
BALL = free_body("ball", Sphere(0.1), mass=0.5)
BLOCK = free_body("block", Box((0.2, 0.2, 0.1)), mass=2.0)
HINGE = mc.load(
    """<robot name="bars"><link name="base"/>
    <link name="bar"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="end"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="first" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="3" velocity="9"/></joint>
    <joint name="second" type="revolute"><parent link="bar"/><child link="end"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="9"/></joint></robot>"""
)
"""Two bars that turn about one axis, balanced on it: 0.7 and 0.2 kg m²."""


def stepped(step: mc.Computation, q: Any, v: Any, count: int, tau: Any = None, **more: Any) -> Any:
    """The last of so many steps, impulses carried on."""
    carried = {"state": step.start()} if any(port.name == "impulses" for port in step.inputs) else {}
    out, tau = None, np.zeros(len(v)) if tau is None else tau
    for _ in range(count):
        out = step(q, v, tau, **more, **carried)
        q, v, carried = out.q_next, out.v_next, {"state": out.state} if carried else {}
    return out


def in_the_world(robot: mc.Robot, out: Any, *frames: str) -> Any:
    """How free bodies move, (ω; v) in world axes, one after the other."""
    turns = mc.forward_kinematics(robot, list(frames))(out.q_next)[:, :3, :3]
    return np.concatenate([turns[k // 2] @ out.v_next[3 * k : 3 * k + 3] for k in range(2 * len(frames))])


def at(height: float, robot: mc.Robot = BALL) -> Any:
    return robot.neutral() + height * np.eye(7)[2]


# ---------------------------------------------------------------- surfaces that move


@pytest.mark.parametrize("law", [None, Compliant(2e3, 0.3)], ids=["hard", "gives way"])
def test_what_moves_with_a_surface_sees_no_difference(law: Compliant | None) -> None:
    """Galileo's: a table that comes towards a ball and sideways, and a ball that comes so to a table at rest."""
    given: Any = {"restitution": 0.5} if law is None else {"law": law}
    touches = Contact("ball", shape=Sphere(0.1), friction=0.3, **given)
    step = mc.step(BALL, DT, contacts=[touches], moving_surface=True, gravity=(0, 0, 0))
    table, start = np.array([0.4, -0.2, 1.0]), at(0.1 if law is None else 0.09)
    moving = in_the_world(BALL, stepped(step, start, np.zeros(6), 1, surface_velocity=[table]), "ball")
    resting = in_the_world(BALL, stepped(step, start, [0, 0, 0, *-table], 1, surface_velocity=[[0, 0, 0]]), "ball")
    assert moving == pytest.approx(resting + np.array([0, 0, 0, *table]), abs=1e-12)
    assert np.all(np.abs(moving[[0, 1, 3, 4, 5]]) > 1e-3)
    if law is None:
        assert moving[5] == pytest.approx(1.5 * table[2], abs=1e-12)


def test_each_contact_has_its_own_friction_and_its_own_belt() -> None:
    """A block on two rails: how it turns where one is rougher, and how it goes where they run at different speeds."""
    rails = [
        Contact("block", point=(x, y, -0.05), name=f"{x} {y}", friction=0.9) for y in (-0.1, 0.1) for x in (-0.1, 0.1)
    ]
    step = mc.step(
        BLOCK,
        DT,
        contacts=rails,
        moving_surface=True,
        contact_friction=True,
        sweeps=400,
        outputs=["v_next", "q_next", "contact_force"],
    )
    still, mu = np.zeros((4, 3)), np.array([0.1, 0.1, 0.2, 0.2])
    out = stepped(step, at(0.05, BLOCK), [0, 0, 0, 1.0, 0, 0], 1, surface_velocity=still, mu=mu)
    force = out.contact_force
    assert force[:, 0] == pytest.approx(-mu * force[:, 2], rel=1e-3)
    belts = np.array([[-1.0, 0, 0]] * 2 + [[1.0, 0, 0]] * 2)
    out = stepped(step, at(0.05, BLOCK), np.zeros(6), 1, surface_velocity=belts, mu=np.full(4, 0.2))
    assert out.contact_force[:, 0] == pytest.approx(np.sign(belts[:, 0]) * 0.2 * out.contact_force[:, 2], rel=1e-3)


def test_soft_contact_takes_the_friction_it_is_given_and_pushes_both_bodies() -> None:
    soft = Contact("ball", shape=Sphere(0.1), friction=0.3, law=Compliant(2e3, slip_speed=1e-6))
    step = mc.step(BALL, DT, contacts=[soft], contact_friction=True, outputs=["v_next", "q_next", "contact_force"])
    force = step(at(0.09), [0, 0, 0, 1.0, 0, 0], np.zeros(6), mu=[0.8]).contact_force[0]
    assert force == pytest.approx([-0.8 * 20, 0, 20], rel=1e-9)
    both = mc.attach(BALL, free_body("other", Sphere(0.2), mass=1.5), "world", prefix="b_", floating=True)
    soft = replace(soft, surface=Solid(Sphere(0.15), "b_other", (0, 0, 0.05)))
    step = mc.step(both, DT, contacts=[soft], gravity=(0, 0, 0), outputs=["q_next", "v_next", "contact_point", "gap"])
    q, v = both.neutral(), np.array([0, 0, 0, 0.2, 0, 0, 0, 0, 0, 0, 0.1, 0])
    q[:3] = 0.1, 0.05, 0.27
    out = step(q, v, np.zeros(12))
    assert out.gap[0] == pytest.approx(np.linalg.norm(q[:3] - [0, 0, 0.05]) - 0.25, abs=1e-12)
    assert out.gap[0] < 0
    jumps = in_the_world(both, out, "ball", "b_other") - v
    given, taken = 0.5 * jumps[3:6], 1.5 * jumps[9:]
    assert given == pytest.approx(-taken, abs=1e-12)
    assert np.linalg.norm(given) > 1e-3
    # angular momentum about where they touch: neither has any
    for middle, moment, spin, pushed in (
        (q[:3], 0.4 * 0.5 * 0.1**2, jumps[:3], given),
        (q[7:10], 0.4 * 1.5 * 0.2**2, jumps[6:9], taken),
    ):
        assert moment * spin == pytest.approx(np.cross(out.contact_point[0] - middle, pushed), abs=1e-12)


# ---------------------------------------------------------------- how hard it is solved


def test_what_is_deep_comes_out_no_faster_than_half_a_metre_a_second() -> None:
    step = mc.step(BALL, DT, contacts=[Contact("ball", shape=Sphere(0.1))])
    for depth, speed in ((0.08, 0.5), (1e-3, 0.1)):
        assert stepped(step, at(0.1 - depth), np.zeros(6), 1).v_next[5] == pytest.approx(speed, abs=1e-9)


def test_one_sweep_a_step_finds_what_a_block_rests_on_from_what_it_had_before() -> None:
    """Its impulses are carried on: cold, one sweep over four corners would be as wrong in every step."""
    corners = [Contact("block", point=(x, y, -0.05), name=f"{x} {y}") for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    step = mc.step(BLOCK, DT, contacts=corners, sweeps=1, outputs=["q_next", "v_next", "contact_residual"])
    start = at(0.05, BLOCK), np.zeros(6)
    first, later = (float(stepped(step, *start, count).contact_residual) for count in (1, 60))
    assert later < 1e-3 * first


# ---------------------------------------------------------------- along joints


def test_brakes_are_numbered_as_named_and_as_strong_as_their_motors() -> None:
    step = mc.step(HINGE, DT, brakes=["second", "first"], sweeps=60, outputs=["v_next", "joint_friction_force"])

    def pulled(tau: Any, brake: Any) -> Any:
        out = step(np.zeros(2), np.zeros(2), tau, brake=brake, state=step.start())
        return out.v_next, out.joint_friction_force

    for shut, tau, wanted in (([1.0, 0.0], [1.0, 0.0], [DT / 0.7, 0.0]), ([0.0, 1.0], [0.0, 1.0], [0.0, DT / 0.2])):
        assert pulled(tau, shut)[0] == pytest.approx(wanted, abs=1e-9)
    for tau, holds in (([2.9, 0.0], True), ([3.1, 0.0], False), ([0.0, 2.9], True), ([0.0, 5.1], False)):
        v, force = pulled(tau, [1.0, 1.0])
        assert bool(np.abs(v).max() < 1e-9) == holds
        assert np.all(np.abs(force) <= [3.0 + 1e-9, 5.0 + 1e-9])


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["upper", "lower"])
def test_a_joint_with_one_stop_is_free_the_other_way(side: float) -> None:
    limits = mc.Limits(upper=0.5) if side > 0 else mc.Limits(lower=-0.5)
    joints = tuple(replace(joint, limits=limits) for joint in HINGE.chain.joints)
    robot = mc.Robot(replace(HINGE.chain, joints=joints))
    step = mc.step(robot, DT, limits=True)
    q = 0.499 * side
    assert stepped(step, [q, 0.0], [4.0 * side, 0.0], 3).q_next[0] == pytest.approx(0.5 * side, abs=1e-12)
    away = stepped(step, [q, 0.0], [-4.0 * side, 0.0], 300).q_next[0]
    assert away == pytest.approx(q - side * 1.2, abs=1e-9)


def test_friction_that_is_given_holds_joints_whose_file_has_none() -> None:
    step = mc.step(HINGE, DT, stiction=True, parameters=["second.friction"])
    for friction, moves in ((1.1, False), (0.9, True)):
        out = stepped(step, np.zeros(2), np.zeros(2), 5, [0.0, 1.0], **{"second.friction": friction})
        assert bool(np.abs(out.v_next).max() > 1e-6) == moves
