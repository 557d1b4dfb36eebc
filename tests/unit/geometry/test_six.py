"""One chain in many coordinates: the physics is the same, and orders of six numbers do not mix."""

import numpy as np
import pinocchio as pin
import pytest

from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Body, Frame, Pose, SemanticError, SixVector, Twist, Wrench
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.factors import Rotation
from motionc.geometry.lie import quaternion_from_rotation, rotation_from_quaternion, rotation_from_rpy
from rows import row

LINKS = [Frame(name, Body(name)) for name in "abc"]
RNG = np.random.default_rng(5)
STEPS = [(rotation_from_rpy(*RNG.uniform(-2, 2, 3)), RNG.uniform(-1, 1, 3)) for _ in LINKS]


def by_matrix(of: Frame, wrt: Frame, rotation: np.ndarray, xyz: np.ndarray) -> Pose:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, xyz
    return Pose.from_matrix(of, wrt, matrix)


def by_quaternion(of: Frame, wrt: Frame, rotation: np.ndarray, xyz: np.ndarray) -> Pose:
    q = quaternion_from_rotation(rotation)
    return Pose.between(of, wrt, (Rotation(rotation_from_quaternion(3.0 * q)),), xyz)


def by_parts(of: Frame, wrt: Frame, rotation: np.ndarray, xyz: np.ndarray) -> Pose:
    return Pose.between(of, wrt, (Rotation(rotation),), xyz)


@row("motion-stack", 3)
@pytest.mark.parametrize("make", [by_matrix, by_quaternion, by_parts])
@pytest.mark.parametrize("order", ["angular first", "linear first"])
def test_a_chain_is_the_same_in_all_coordinates(make, order) -> None:
    """Poses multiplied out, and a tip's twist and wrench carried home, against Pinocchio's SE3."""
    chain, expected, parent = None, pin.SE3.Identity(), WORLD_FRAME
    for link, (rotation, xyz) in zip(LINKS, STEPS, strict=True):
        step = make(link, parent, rotation, xyz)
        chain = step if chain is None else chain.compose(step)
        expected, parent = expected * pin.SE3(rotation, xyz), link
    assert np.allclose(chain.matrix, expected.homogeneous, rtol=0, atol=1e-12)

    tip, numbers = LINKS[-1], RNG.normal(size=6)
    given = SixVector(numbers if order == "linear first" else np.roll(numbers, 3), order)
    home = (chain.orientation, chain.position.inverse())
    for kind, theirs in ((Twist, expected.act(pin.Motion(numbers))), (Wrench, expected.act(pin.Force(numbers)))):
        at_tip = kind(tip.body, WORLD, tip.origin, tip).with_six(given)
        here = at_tip.change_frame(home[0]).change_point(home[1]).six(order)
        assert np.allclose(here.in_order("linear first").values[:, 0], theirs.vector, rtol=0, atol=1e-12)


@row("motion-stack", 3)
def test_orders_do_not_mix() -> None:
    numbers = np.arange(1.0, 7.0)
    ours, theirs = SixVector(numbers, "angular first"), SixVector(numbers, "linear first")
    for mix in (lambda: ours + theirs, lambda: theirs - ours):
        with pytest.raises(SemanticError, match="bring the second into the order of the first") as refused:
            mix()
        assert "angular first" in str(refused.value)
        assert "linear first" in str(refused.value)
    assert np.array_equal((ours + theirs.in_order("angular first")).values[:, 0], [5, 7, 9, 5, 7, 9])
    assert np.array_equal((theirs - ours.in_order("linear first")).values[:, 0], [-3, -3, -3, 3, 3, 3])
    twist = Twist(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME)
    with pytest.raises(SemanticError, match="say in which order"):
        twist.with_six(np.arange(6.0))
    assert twist.six().values is UNKNOWN
    with pytest.raises(Error, match="say 'angular first' or 'linear first'"):
        SixVector(np.zeros(6), "v first")
    with pytest.raises(Error, match="6 numbers, not 5"):
        SixVector(np.zeros(5), "linear first")
