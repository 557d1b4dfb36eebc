"""Arithmetic operations of compiled solvers: what we promise, and that meaning costs none of it."""

from collections.abc import Callable

import pytest

import motionc as mc
from motionc.geometry import unchecked
from oracle import load
from public_robots import needs_public, public_file
from trials import some

pytestmark = needs_public

# six rows on the last link, spatial, as seen by it
HELD = mc.Constraint("panda_link7", "rx ry rz x y z", as_seen_by="panda_link7", kind="spatial")

FEET = [f"{leg}_foot" for leg in ("LF", "RF", "LH", "RH")]

PROMISES: dict[str, tuple[Callable[[], mc.Computation], int]] = {
    "panda inverse": (lambda: mc.inverse_dynamics(panda()), 767),
    "panda forward": (lambda: mc.forward_dynamics(panda()), 1332),
    "panda constrained, acceleration": (lambda: mc.constrained_dynamics(panda(), [HELD], outputs=["a"]), 2810),
    "panda constrained, everything": (lambda: mc.constrained_dynamics(panda(), [HELD]), 3056),
    "panda mass matrix": (lambda: mc.mass_matrix(panda()), 366),
    "panda mass matrix inverse": (lambda: mc.mass_matrix_inverse(panda()), 710),
    "panda gravity": (lambda: mc.gravity_forces(panda()), 199),
    "panda centroidal momentum": (lambda: mc.centroidal_momentum(panda()), 519),
    "panda coriolis matrix": (lambda: mc.coriolis_matrix(panda()), 2224),
    # its first joints carry nothing but the next
    "youbot coriolis matrix": (lambda: mc.coriolis_matrix(mc.load("youbot")), 2161),
    "panda held by its centre of mass": (
        lambda: mc.constrained_dynamics(panda(), [mc.CenterOfMass()], outputs=["a"]),
        2976,
    ),
    "panda step": (lambda: mc.step(panda(), 1e-3), 1360),
    "panda step with a servo": (lambda: mc.step(panda(), 1e-3, stiffness=100.0, damping=10.0), 1399),
    "hyq step on four feet": (
        lambda: mc.step(mc.load("hyq"), 1e-3, contacts=FEET, stiffness=400.0, damping=10.0),
        12174,
    ),
    # eliminated along its branches, not in the order of v
    "hyq mass matrix inverse": (lambda: mc.mass_matrix_inverse(mc.load("hyq")), 3280),
    "hyq integrate": (lambda: mc.integrate(load("hyq_no_sensors")), 176),
    "hyq difference": (lambda: mc.difference(load("hyq_no_sensors")), 177),
    # a base that is free carries all along: some of its columns need no solve
    "hyq forward, by q and v": (lambda: mc.forward_dynamics(mc.load("hyq")).derivative("a", ["q", "v"]), 18097),
    # of six rows a planar arm moves three
    "planar arm, held": (
        lambda: mc.constrained_dynamics(mc.load("planar2"), [mc.Constraint("tip", "rx ry rz x y z")], outputs=["a"]),
        273,
    ),
    "talos mass matrix": (lambda: mc.mass_matrix(load("talos_reduced")), 3500),
    "talos floating-base inverse": (lambda: mc.hybrid_dynamics(load("talos_reduced"), talos_joints()), 8678),
    "talos inverse": (lambda: mc.inverse_dynamics(load("talos_reduced")), 4917),
    "talos forward": (lambda: mc.forward_dynamics(load("talos_reduced")), 10198),
}
UNCHECKED = some(PROMISES, 12)
"""Solvers that are traced a second time, without their meaning: those of few joints show it as well."""


def panda() -> mc.Robot:
    """The arm alone: both fingers fixed."""
    return mc.load(public_file("panda"), fixed=["panda_finger_joint1", "panda_finger_joint2"])


def talos_joints() -> list[str]:
    """All but the base."""
    return [name for name in load("talos_reduced").joint_names if name != "root_joint"]


@pytest.mark.parametrize("solver", PROMISES)
def test_no_more_operations_than_promised_and_none_for_meaning(solver: str, record_property: Callable) -> None:
    make, promised = PROMISES[solver]
    operations = make().operations
    record_property("operations", sum(operations.values()))
    assert sum(operations.values()) <= promised
    if solver in UNCHECKED:
        with unchecked():
            assert make().operations == operations


def test_sine_and_cosine_of_each_angle_are_taken_once() -> None:
    """Six joints of seven: turning about the vertical changes no force."""
    operations = mc.inverse_dynamics(panda()).operations
    assert operations["sin"] == operations["cos"] == 6
    assert set(operations) <= {"add", "sub", "mul", "div", "neg", "sin", "cos"}
