"""From iTaSC to Vereshchagin (specs/itasc.md §2.12, 6.36): a virtual chain's coordinates as rows of an arm's hand.

The hand of seven joints is seen in cylindrical coordinates: an angle, a radius and a height, then three angles. The
virtual chain is a robot like any other, so that Jf and J̇f χ̇f are its Jacobian and the Jacobian's rate.
"""

import numpy as np
import pytest

import motionc as mc
from motionc.robots import robot_file
from oracle import Array, Oracle, error
from rows import row

HAND = "link_7"
ASKED = np.array([1.3, -0.7])
STEPS = {
    "angle": (mc.JointType.REVOLUTE, (0, 0, 1)),
    "radius": (mc.JointType.PRISMATIC, (1, 0, 0)),
    "height": (mc.JointType.PRISMATIC, (0, 0, 1)),
    "yaw": (mc.JointType.REVOLUTE, (0, 0, 1)),
    "pitch": (mc.JointType.REVOLUTE, (0, 1, 0)),
    "roll": (mc.JointType.REVOLUTE, (1, 0, 0)),
}
GIVEN = np.eye(6)[[1, 2]]


def cylindrical() -> mc.Robot:
    """Massless links, all frames in one place at zero."""
    links = ["object", *STEPS]
    segments = {}
    for name in links:
        frames = [mc.Attachment(f"{name}:{end}", mc.Role.JOINT, np.eye(4)) for end in ("in", "out")]
        segments[name] = mc.Segment(name, mc.Link.rigid(name), tuple(frames))
    joints = [
        mc.Joint(f"to_{name}", type, (segments[name], f"{name}:in"), (segments[before], f"{before}:out"), axis)
        for before, (name, (type, axis)) in zip(links, STEPS.items(), strict=False)
    ]
    return mc.Robot(mc.KinematicChain("cylindrical", tuple(joints), segments["object"]))


def seen(pose: Array) -> Array:
    """The virtual chain's coordinates of a pose."""
    x, y, z = pose[:3, 3]
    angle = np.arctan2(y, x)
    R = mc.placed((0, 0, 0), (0, 0, -angle))[:3, :3] @ pose[:3, :3]
    yaw, pitch, roll = np.arctan2(R[1, 0], R[0, 0]), -np.arcsin(R[2, 0]), np.arctan2(R[2, 1], R[2, 2])
    return np.array([angle, np.hypot(x, y), z, yaw, pitch, roll])


class Instant:
    """An arm in a random state, and the rows (A, b) that (6.36) makes of ÿ."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.robot, self.virtual = mc.load("lwr4"), cylindrical()
        self.q, (self.v, self.tau) = self.robot.random(rng), rng.normal(size=(2, 7))
        self.poses = mc.forward_kinematics(self.robot, [HAND])
        self.world = Oracle(robot_file("lwr4"), self.robot)
        self.world.place(self.q, self.v)
        self.J, twist = self.world.jacobian(HAND), self.world.jacobian(HAND) @ self.v
        chi = seen(self.poses.run(self.q)[0])
        Jf = mc.jacobian(self.virtual, "roll").run(chi)
        drift = mc.jacobian_rate(self.virtual, "roll", outputs=["bias"]).run(chi, np.linalg.solve(Jf, twist))
        self.A = GIVEN @ np.linalg.inv(Jf)
        self.b = ASKED + self.A @ drift
        self.chi = chi

    def move(self, tau: Array) -> Array:
        """Constrained dynamics with a row for each coordinate that is given."""
        rows = mc.Constraint(HAND, self.A.T)
        return mc.constrained_dynamics(self.robot, [rows]).run(self.q, self.v, tau, self.b).a


@row("itasc", 46)
@pytest.mark.parametrize("seed", range(10))
def test_radius_and_height_accelerate_as_asked(seed: int) -> None:
    """Second differences of the hand's radius and height along q + v t + a t²/2."""
    x, step = Instant(seed), 1e-3
    assert error(mc.forward_kinematics(x.virtual, ["roll"]).run(x.chi)[0], x.poses.run(x.q)[0]) < 1e-12
    a = x.move(x.tau)

    def y(t: float) -> Array:
        return GIVEN @ seen(x.poses.run(x.q + x.v * t + a * t**2 / 2)[0])

    found = (16 * (y(step) + y(-step)) - (y(2 * step) + y(-2 * step)) - 30 * y(0)) / (12 * step**2)
    assert np.abs(found - ASKED).max() < 1e-5


@row("itasc", 46)
@pytest.mark.parametrize("seed", range(10))
def test_with_biases_compensated_it_is_the_weighted_pseudo_inverse(seed: int) -> None:
    """(3.19) with Mq = H: q̈ = H⁻¹ Aqᵀ (Aq H⁻¹ Aqᵀ)⁻¹ (b - A J̇ q̇), the least kinetic energy; dense, from Pinocchio."""
    x = Instant(seed)
    H, h = x.world.mass_matrix(x.q), x.world.bias_forces(x.q, x.v, (0, 0, -9.81))
    x.world.place(x.q, x.v)
    Aq, asked = x.A @ x.J, x.b - x.A @ x.world.bias(HAND)
    expected = np.linalg.solve(H, Aq.T) @ np.linalg.solve(Aq @ np.linalg.solve(H, Aq.T), asked)
    assert error(x.move(h), expected) < 1e-10
