"""Arithmetic operations of compiled solvers: what we promise, and that meaning costs none of it."""

from collections.abc import Callable

import pytest

import motionc as mc
from motionc.geometry import unchecked
from oracle import load
from rows import SHARED, needs_shared

pytestmark = needs_shared

# six rows on the last link, spatial, as seen by it
HELD = mc.Constraint("panda_link7", "rx ry rz x y z", as_seen_by="panda_link7", kind="spatial")

PROMISES: dict[str, tuple[Callable[[], mc.Computation], int]] = {
    "panda inverse": (lambda: mc.inverse_dynamics(panda()), 808),
    "panda forward": (lambda: mc.forward_dynamics(panda()), 1583),
    "panda constrained, acceleration": (lambda: mc.constrained_dynamics(panda(), [HELD], outputs=["a"]), 3324),
    "panda constrained, everything": (lambda: mc.constrained_dynamics(panda(), [HELD]), 3521),
    "panda mass matrix": (lambda: mc.mass_matrix(panda()), 407),
    "panda mass matrix inverse": (lambda: mc.mass_matrix_inverse(panda()), 751),
    "panda gravity": (lambda: mc.gravity_forces(panda()), 220),
    "panda centroidal momentum": (lambda: mc.centroidal_momentum(panda()), 550),
    "talos mass matrix": (lambda: mc.mass_matrix(load("talos_reduced")), 3585),
    "talos floating-base inverse": (lambda: mc.hybrid_dynamics(load("talos_reduced"), talos_joints()), 8900),
    "talos inverse": (lambda: mc.inverse_dynamics(load("talos_reduced")), 4918),
    "talos forward": (lambda: mc.forward_dynamics(load("talos_reduced")), 10242),
}


def panda() -> mc.Robot:
    """The arm alone: both fingers fixed."""
    return mc.load(SHARED / "robots" / "panda.urdf", fixed=["panda_finger_joint1", "panda_finger_joint2"])


def talos_joints() -> list[str]:
    """All but the base."""
    return [name for name in load("talos_reduced").joint_names if name != "root_joint"]


@pytest.mark.parametrize("solver", PROMISES)
def test_no_more_operations_than_promised_and_none_for_meaning(solver: str, record_property: Callable) -> None:
    make, promised = PROMISES[solver]
    operations = make().operations
    record_property("operations", sum(operations.values()))
    assert sum(operations.values()) <= promised
    with unchecked():
        assert make().operations == operations


def test_sine_and_cosine_of_each_angle_are_taken_once() -> None:
    """Six joints of seven: turning about the vertical changes no force."""
    operations = mc.inverse_dynamics(panda()).operations
    assert operations["sin"] == operations["cos"] == 6
    assert set(operations) <= {"add", "sub", "mul", "div", "neg", "sin", "cos"}
