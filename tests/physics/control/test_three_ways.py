"""Impedance as motor forces, as a force at the frame, and as acceleration, against Pinocchio's Jacobian and SciPy."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from oracle import Array, error, oracle
from rows import row
from trials import trials

K, D = np.array([300.0, 200.0, 400.0, 30.0, 30.0, 30.0]), np.array([20.0, 30.0, 40.0, 3.0, 3.0, 3.0])
POSE = [3, 4, 5, 0, 1, 2]
"""Rows "xyz rx ry rz" among rx ry rz x y z."""


def missing(here: Array, goal: Array, axes: Array) -> Array:
    """x y z rx ry rz to go, SciPy's rotation vector, in some axes."""
    turn = Turn.from_matrix(goal[:3, :3] @ here[:3, :3].T).as_rotvec()
    return np.concatenate([axes.T @ (goal[:3, 3] - here[:3, 3]), axes.T @ turn])


def drawn(robot: mc.Robot, seed: int) -> tuple[Array, Array, Array, Array]:
    """A state, a goal and how it moves."""
    rng = np.random.default_rng(seed)
    goal = mc.placed(rng.normal(size=3), rng.uniform(-1, 1, 3))
    return robot.random(rng), rng.normal(size=robot.nv), goal, rng.normal(size=6)


@row("motion-stack", 36)
@pytest.mark.parametrize("axes", ["world", "link_7"])
def test_one_spring_three_ways(axes: str) -> None:
    """f = K e + D ė: b is f, f_art is f about the frame, tau is Jᵀ f; constrained dynamics takes each in its place."""
    robot, them = mc.load("lwr4"), oracle("lwr4")
    kind: Any = {"rows": "xyz rx ry rz", "moving": True, "as_seen_by": axes}
    by = {name: mc.control.impedance(robot, "link_7", K, D, gives=name, **kind) for name in ("tau", "f_art", "b")}
    free = mc.constrained_dynamics(
        robot, [], artificial_forces=[mc.Force("link_7", axes)], outputs=["a"], gravity=(0.0, 0.0, 0.0)
    )
    for seed in range(trials(6)):
        q, v, goal, twist = drawn(robot, seed)
        them.place(q, v)
        here, J = them.pose("link_7"), them.jacobian("link_7", axes=axes)
        turned = here[:3, :3] if axes == "link_7" else np.eye(3)
        f = K * missing(here, goal, turned) + D * (twist - J @ v)[POSE]
        got = {name: law.run(q, v, goal, twist) for name, law in by.items()}
        assert error(got["b"], f) < 1e-11
        assert error(got["f_art"][0], f[POSE]) < 1e-11
        assert error(got["tau"], J[POSE].T @ f) < 1e-11
        accelerated = them.forward_dynamics(q, v, J[POSE].T @ f + them.gravity_forces(q))
        assert error(free.run(q, v, np.zeros(7), np.zeros(0), got["f_art"]), accelerated) < 1e-9


def test_rows_that_are_not_asked_for_are_not_pushed() -> None:
    robot = mc.load("lwr4")
    law = mc.control.impedance(robot, "link_7", [300.0, 40.0], 0.0, rows="z rx", gives="f_art")
    q, v, goal, _ = drawn(robot, 3)
    here = mc.forward_kinematics(robot, "link_7").run(q)[0]
    away = missing(here, goal, np.eye(3))
    assert law.run(q, v, goal)[0] == pytest.approx([40 * away[3], 0, 0, 0, 0, 300 * away[2]], abs=1e-11)


def test_what_is_no_force_at_the_frame_is_refused() -> None:
    robot = mc.load("lwr4")
    for options, said in (
        ({"gives": "f_art", "wrt": "link_2"}, "leave out wrt and point"),
        ({"gives": "f_art", "point": (0.1, 0, 0)}, "leave out wrt and point"),
        ({"gives": "f_art", "rows": "x z", "as_seen_by": "link_7"}, "all shifts, all turns"),
        ({"gives": "b", "feedforward": "gravity"}, "no motor force"),
        ({"gives": "f_art", "joint_damping": 1.0}, "no motor force"),
        ({"gives": "force"}, "f_art"),
    ):
        with pytest.raises(mc.Error, match=said):
            mc.control.impedance(robot, "link_7", 1.0, 1.0, **options)


# ---------------------------------------------------------------- beta


@pytest.mark.parametrize("rows", ["xyz", "xyz rx ry rz"])
def test_beta_counts_accelerations_that_were_missed(rows: str) -> None:
    """b = K_P ΔX + K_D ΔẊ + K_a ΔẌ, with Pinocchio's Jacobian and its rate."""
    robot, them = mc.load("lwr4"), oracle("lwr4")
    asked = POSE if "rx" in rows else [3, 4, 5]
    count = len(asked)
    law = mc.control.beta(robot, "link_7", K[:count], D[:count], 0.3, rows=rows, moving=True)
    still = mc.control.beta(robot, "link_7", K[:count], D[:count], 0.3, rows=rows)
    for seed in range(trials(4)):
        q, v, goal, twist = drawn(robot, seed)
        a, change = np.random.default_rng(seed + 100).normal(size=(2, 7))[:, :7]
        change = change[:6]
        them.place(q, v)
        J, reached = them.jacobian("link_7"), them.frame_motion("link_7", q, v, a)[1]
        e = missing(them.pose("link_7"), goal, np.eye(3))[:count]
        given = {"q": q, "v": v, "a": a}
        given |= {"target_pose": goal, "target_twist": twist, "target_acceleration": change}
        if count == 3:
            given |= {"target_position": goal[:3, 3], "target_velocity": twist[3:], "target_acceleration": change[3:]}
        b = K[:count] * e + D[:count] * (twist - J @ v)[asked] + 0.3 * (change - reached)[asked]
        assert error(law.run(*(given[port.name] for port in law.inputs)), b) < 1e-11
        b = K[:count] * e - D[:count] * (J @ v)[asked] - 0.3 * reached[asked]
        assert error(still.run(*(given[port.name] for port in still.inputs)), b) < 1e-11
