"""Frames of joints stand where constants vanish, and nobody outside can tell."""

import warnings
from math import cos, sin

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.model.placing import placed
from motionc.sweeps.trace import trace

LEG = """<robot name="leg"><link name="base"><inertial><mass value="4"/>
<inertia ixx=".1" iyy=".2" izz=".15" ixy="0" ixz="0" iyz="0"/></inertial></link>
{links}
<joint name="haa" type="revolute"><parent link="base"/><child link="a"/><origin xyz=".3 .1 0" rpy="{turn} 0 0"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="hfe" type="{kind}"><parent link="a"/><child link="b"/><origin xyz=".06 0 0" rpy="-{turn} 0 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="kfe" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 .1 -.3" rpy="0 0 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""
LINK = """<link name="{0}"><inertial><origin xyz=".02 .03 -.1" rpy=".3 .2 .1"/><mass value="1.5"/>
<inertia ixx=".02" iyy=".03" izz=".01" ixy=".001" ixz=".002" iyz=".003"/></inertial></link>"""


def leg(turn: float, kind: str = "revolute") -> str:
    return LEG.format(links="".join(LINK.format(name) for name in "abc"), turn=turn, kind=kind)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_hip_that_is_mounted_askew_costs_no_more_than_a_straight_one(kind: str) -> None:
    """A frame that is turned about its own axis on its way in, and back on its way out, as ANYmal's."""
    straight, askew = (mc.load(leg(turn, kind), floating=True) for turn in (0.0, 2.61799387799))
    for make in (mc.inverse_dynamics, mc.forward_dynamics, mc.mass_matrix):
        counts = [sum(make(robot).operations.values()) for robot in (straight, askew)]
        assert counts[1] <= 1.08 * counts[0]  # the inertia of that one link is seen askew


@pytest.mark.parametrize("turn", [0.3, 2.61799387799])
def test_offsets_along_the_next_axis_and_the_one_before_cost_nothing(turn: float) -> None:
    """Counted with frames at those places, whether or not they are taken in the end."""
    robot = mc.load(leg(turn), floating=True)
    for make, promised in ((mc.inverse_dynamics, 522), (mc.mass_matrix, 182)):
        program = trace(make(robot).solver, mechanism=robot.mechanism)
        assert sum(program.operations.values()) <= promised


def test_a_link_without_mass_is_placed_without_a_word() -> None:
    text = leg(0.3).replace('<mass value="1.5"/>', '<mass value="0"/>', 1)
    text = text.replace(
        'ixx=".02" iyy=".03" izz=".01" ixy=".001" ixz=".002" iyz=".003"',
        'ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"',
        1,
    )
    bodies = mc.load(text, floating=True).as_mechanism().bodies
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert all(np.isfinite(place).all() for place in placed(bodies).values())


def test_joints_side_by_side_have_their_offset_along_the_axis_in_one_place() -> None:
    robot = mc.load(leg(0.0), floating=True)
    positions = [np.asarray(body.joint.reference.position.xyz, float).ravel() for body in robot.mechanism.bodies[1:]]
    written = [body.joint.reference.position.xyz for body in robot.as_mechanism(normalise=False).bodies[1:]]
    assert sum(np.count_nonzero(each) for each in positions) <= sum(np.count_nonzero(each) for each in written)


@pytest.mark.parametrize("turn", [0.0, 0.3, 2.61799387799])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_numbers_are_pinocchios(turn: float, kind: str) -> None:
    text, rng = leg(turn, kind), np.random.default_rng(0)
    robot = mc.load(text)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    inverse, jacobian = mc.inverse_dynamics(robot), mc.jacobian(robot, "c")
    for _ in range(50):
        q, v, a = robot.random(rng), rng.normal(size=3), rng.normal(size=3)
        np.testing.assert_allclose(inverse(q, v, a), pin.rnea(model, data, q, v, a), rtol=0, atol=1e-12)
        frame = pin.computeFrameJacobian(model, data, q, model.getFrameId("c"), pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(jacobian(q), frame[[3, 4, 5, 0, 1, 2]], rtol=0, atol=1e-12)


def test_what_is_straight_stays_where_it_is() -> None:
    robot = mc.load("hyq")
    assert placed(robot.as_mechanism(normalise=False).bodies) == {}
    assert robot.standing_mechanism is robot.mechanism


def test_places_are_on_the_axis() -> None:
    robot = mc.load(leg(0.4), floating=True)
    places = placed(robot.standing_mechanism.bodies)
    assert places
    for index, place in places.items():
        assert robot.mechanism.bodies[index].joint.type.coaxial
        angle = np.arctan2(place[1, 0], place[0, 0])
        expected = [
            [cos(angle), -sin(angle), 0, 0],
            [sin(angle), cos(angle), 0, 0],
            [0, 0, 1, place[2, 3]],
            [0, 0, 0, 1],
        ]
        np.testing.assert_allclose(place, expected, atol=1e-15)


def test_an_offset_along_its_own_axis_is_no_offset() -> None:
    """A joint slides back to where the way to it vanishes, for the next one is away anyway."""
    text = leg(0.0).replace('<origin xyz=".06 0 0" rpy="-0.0 0 0"/>', '<origin xyz="0 .06 0" rpy="0 0 0"/>')
    joint = mc.load(text, floating=True).mechanism.bodies[2].joint
    assert joint.name == "hfe"
    assert not np.any(np.asarray(joint.reference.position.xyz, float))


@pytest.mark.parametrize("name", ["ur5", "youbot", "panda"])
def test_where_links_own_frames_matter_more_frames_stay_where_they_were(name: str) -> None:
    robot = mc.load(name)
    assert robot.mechanism.moved
    for make in (mc.regressor, mc.centroidal_momentum, mc.inverse_dynamics, mc.mass_matrix):
        solver = make(robot).solver
        both = [
            sum(trace(solver, mechanism=each).operations.values())
            for each in (robot.mechanism, robot.standing_mechanism)
        ]
        assert sum(solver.program.operations.values()) == min(both)
        assert solver.mechanism is (robot.mechanism if both[0] <= both[1] else robot.standing_mechanism)
    # a robot whose frames are well placed is there once
    planar = mc.load("planar3")
    assert planar.standing_mechanism is planar.mechanism
