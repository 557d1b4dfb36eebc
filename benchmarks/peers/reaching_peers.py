"""Peers who find configurations for poses: a loop of Pinocchio's documentation, Pink, and PyKDL's two solvers."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.timing import Absent, Array
from motionc.model import Robot
from peers.kdl import chain_to, joint_array
from peers.pinocchio import Peer

Solve = Callable[[Array], Array]
"""From goals (N, 4, 4) to configurations (N, nq)."""


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """What is asked: a frame of a robot, where to start, poses to reach, and how exactly (m and rad)."""

    robot: Robot
    path: Path
    frame: str
    start: Array
    goals: Array
    tolerance: float


# ---------------------------------------------------------------- Pinocchio


def pinocchio_poses(poses: Poses) -> Callable[[Array], Array]:
    """Where Pinocchio says that the frame is."""
    pin, peer, frame = _pinocchio(poses)

    def placed(configurations: Array) -> Array:
        found: list[Array] = []
        for q in configurations:
            pin.framesForwardKinematics(peer.model, peer.data, peer.state(q)[0])
            found.append(peer.data.oMf[frame].homogeneous.copy())
        return np.array(found)

    return placed


def pinocchio_loop(poses: Poses) -> Solve:
    """The loop of its documentation: damped least squares on log6, steps of 0.1, a thousand of them; no limits."""
    pin, peer, frame = _pinocchio(poses)
    model, data = peer.model, peer.data
    start, damp, dt = peer.state(poses.start)[0], 1e-12 * np.eye(6), 0.1

    def solve(goal: Array) -> Array:
        q, wanted = start, pin.SE3(goal)
        for _ in range(1000):
            pin.framesForwardKinematics(model, data, q)
            missing = data.oMf[frame].actInv(wanted)
            error = pin.log6(missing).vector
            if np.abs(error).max() < poses.tolerance / 2:
                break
            J = -pin.Jlog6(missing.inverse()) @ pin.computeFrameJacobian(model, data, q, frame)
            v = -J.T @ np.linalg.solve(J @ J.T + damp, error)
            q = pin.integrate(model, q, v * dt)
        return peer.theirs.our_q(q)

    return lambda goals: np.array([solve(goal) for goal in goals])


def _pinocchio(poses: Poses) -> tuple[Any, Peer, int]:
    try:
        pin = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    peer = Peer(pin, poses.robot, poses.path)
    if not peer.model.existFrame(poses.frame, pin.FrameType.BODY):
        raise Absent(f"it has no frame {poses.frame}; name a link")
    return pin, peer, peer.model.getFrameId(poses.frame, pin.FrameType.BODY)


# ---------------------------------------------------------------- Pink


def pink_loop(poses: Poses) -> Solve:
    """One frame task, its limits of configuration, whole steps, a hundred of them."""
    try:
        pink = import_module("pink")
        limits, tasks = import_module("pink.limits"), import_module("pink.tasks")
        solver = import_module("qpsolvers").available_solvers[0]
    except (ImportError, IndexError):
        raise Absent("pink is not installed; pip install pin-pink daqp") from None
    pin, peer, _ = _pinocchio(poses)
    model, start = peer.model, peer.state(poses.start)[0]
    task = tasks.FrameTask(poses.frame, position_cost=1.0, orientation_cost=1.0, lm_damping=0.1)
    within = [limits.ConfigurationLimit(model)]

    def solve(goal: Array) -> Array:
        configuration = pink.Configuration(model, peer.data, start)
        task.set_target(pin.SE3(goal))
        for _ in range(100):
            error = task.compute_error(configuration)
            if np.abs(error).max() < poses.tolerance / 2:
                break
            try:
                v = pink.solve_ik(configuration, [task], 1.0, solver, damping=1e-12, limits=within)
            except pink.PinkError:
                break
            configuration.integrate_inplace(v, 1.0)
        return peer.theirs.our_q(configuration.q)

    return lambda goals: np.array([solve(goal) for goal in goals])


# ---------------------------------------------------------------- PyKDL


def kdl_lma(poses: Poses) -> Solve:
    """ChainIkSolverPos_LMA, which knows no limits; it counts a radian as much as a centimetre."""
    kdl = _kdl()
    chain = chain_to(kdl, poses.robot, poses.frame)
    solver = kdl.ChainIkSolverPos_LMA(chain, 0.01 * poses.tolerance / 2, 500, 1e-15)
    return _kdl_solve(kdl, poses, chain, solver)


def kdl_newton(poses: Poses) -> Solve:
    """ChainIkSolverPos_NR_JL on the pseudo-inverse: steps are cut off at limits."""
    kdl = _kdl()
    chain = chain_to(kdl, poses.robot, poses.frame)
    lower, upper = (joint_array(kdl, end) for end in (poses.robot.limits.lower, poses.robot.limits.upper))
    forward, velocity = kdl.ChainFkSolverPos_recursive(chain), kdl.ChainIkSolverVel_pinv(chain)
    solver = kdl.ChainIkSolverPos_NR_JL(chain, lower, upper, forward, velocity, 100, poses.tolerance / 2)
    return _kdl_solve(kdl, poses, chain, (solver, forward, velocity))


def _kdl_solve(kdl: Any, poses: Poses, chain: Any, solver: Any) -> Solve:
    """A call a pose; what a solver is made of must outlive it."""
    kept = solver if isinstance(solver, tuple) else (solver,)
    start, found = joint_array(kdl, poses.start), kdl.JntArray(poses.robot.nv)

    def solve(goal: Array) -> list[float]:
        turn = kdl.Rotation(*map(float, goal[:3, :3].ravel()))
        kept[0].CartToJnt(start, kdl.Frame(turn, kdl.Vector(*map(float, goal[:3, 3]))), found)
        return [found[k] for k in range(chain.getNrOfJoints())]

    return lambda goals: np.array([solve(goal) for goal in goals])


def _kdl() -> Any:
    try:
        return import_module("PyKDL")
    except ImportError:
        raise Absent("PyKDL is not installed; Debian calls it python3-pykdl") from None
