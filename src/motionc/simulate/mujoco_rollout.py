"""Many open-loop runs of MuJoCo's at once, on threads of its own: nothing is decided in between (mujoco.rollout)."""

from importlib import import_module
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.model.joints import FLOATING
from motionc.model.order import PLACES
from motionc.model.orders import mujoco as mujoco_order
from motionc.model.robot import Robot
from motionc.runtime.arrays.batch import workers

Array = np.ndarray[Any, np.dtype[np.float64]]


def rolled_out(plant: Any, model: Any, q: Any, v: Any, tau: Any, threads: int | None) -> tuple[Array, Array]:
    """q and v after each step, (N, K, …), from states (N, …) under motors' forces (N, K, nv)."""
    what, robot = "MujocoPlant.roll_out", plant.robot
    _expect_nothing_between(plant)
    places = checked.numbers(f"{what}: q", q, f"give (N, {robot.nq}) finite numbers", (None, robot.nq))
    lanes = len(places)
    speeds = checked.numbers(f"{what}: v", v, f"give ({lanes}, {robot.nv}) finite numbers", (lanes, robot.nv))
    wanted = f"give ({lanes}, K, {robot.nv}) finite numbers"
    forces = checked.numbers(f"{what}: tau", tau, wanted, (lanes, None, robot.nv))
    count = forces.shape[1]
    _expect_axes_that_stay(robot, forces)
    several = min(workers(what, threads), lanes)
    if not lanes or not count:
        return np.empty((lanes, count, robot.nq)), np.empty((lanes, count, robot.nv))
    mujoco, order = import_mujoco(), mujoco_order(robot, model)
    start = np.zeros((lanes, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1 : 1 + model.nq], start[:, 1 + model.nq : 1 + model.nq + model.nv] = (
        order.q(places),
        order.v(speeds, places),
    )
    applied = np.stack([order.tau(one, place) for one, place in zip(forces, places, strict=True)])
    data = [mujoco.MjData(model) for _ in range(several)]
    spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    states, _ = import_module("mujoco.rollout").rollout(model, data, start, applied, control_spec=spec)
    found = order.our_q(states[..., 1 : 1 + model.nq])
    return found, order.our_v(states[..., 1 + model.nq : 1 + model.nq + model.nv], found)


def _expect_nothing_between(plant: Any) -> None:
    """Refuse what changes from step to step, or is not as the model has it."""
    changes = [name for name in ("pushes", "payloads", "brakes", "vary") if getattr(plant, name)]
    if plant.friction == "smooth":
        changes.append('friction="smooth"')
    if changes:
        raise Error(
            f"MujocoPlant.roll_out: the plant has {', '.join(changes)}, which changes from step to step; run it in a "
            "loop: mc.simulate.closed(plant).batch(…, streamed=['tau'])"
        )


def _expect_axes_that_stay(robot: Robot, forces: Array) -> None:
    """Refuse forces along axes that turn with a base: MuJoCo's stay, and what acts is said before it moves."""
    types = {joint.name: joint.type for joint in robot.joints}
    for name, where in robot.v_index.items():
        rates = types.get(name, FLOATING).rates
        if sum(rate in PLACES for rate in rates) > 1 and forces[..., where].any():
            raise Error(f"MujocoPlant.roll_out: tau has forces on {name}, whose axes turn with it; give 0 there")
