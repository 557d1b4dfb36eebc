"""A time step without contact: MuJoCo's integrators beside ours, orders, momentum and energy, what a call takes.

Both start alike and go on by themselves, at 1 kHz; joints swing freely, or servos pull them to a target. Errors are
relative to the largest entry, or to 1.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import Absent, Array, Contender, measure, one_core

ROBOTS = {"LWR 4": "lwr4", "Panda": "panda", "HyQ": "hyq"}
SERVO = {"stiffness": 100.0, "damping": 10.0}
DT = 1e-3
EULER, RK4, ORDER, MOMENTUM, ENERGY, CALL = 1e-12, 1e-6, 3.8, 1e-9, 1e-6, 1.0
"""What is wanted: three relative errors and an order between them, an error, and microseconds."""
ROUNDS, CALLS = 20_000, 100


def figures() -> Iterator[str]:
    """A line a robot and integrator, then order, momentum, energy and time."""
    for title, name in ROBOTS.items():
        for servo in ({}, SERVO):
            yield from _beside_mujoco(title, mc.load(name), servo)
    yield _order()
    yield _momentum()
    yield from _energies()
    yield _call()


def _start(robot: mc.Robot) -> tuple[Array, Array]:
    return robot.random(1), np.random.default_rng(0).normal(size=robot.nv)


def _gone(step: mc.Computation, start: tuple[Array, Array], count: int, *more: Array) -> Iterator[tuple[Array, Array]]:
    """Where steps lead, one by one; motors make nothing."""
    (q, v), still = start, np.zeros(len(start[1]))
    for _ in range(count):
        q, v = step(q, v, still, *more)
        yield q, v


def _error(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))


# ---------------------------------------------------------------- MuJoCo


def _beside_mujoco(title: str, robot: mc.Robot, servo: dict[str, float]) -> Iterator[str]:
    target = (robot.random(2),) if servo else ()
    manner = "servos" if servo else "free"
    for method, integrator, count, bar in (
        ("semi_implicit", "implicitfast", 1000, EULER),
        ("rk4", "RK4", 2000, RK4),
    ):
        step = mc.step(robot, DT, method=method, **servo)  # pyright: ignore[reportArgumentType]
        *_, (q, v) = _gone(step, _start(robot), count, *target)
        order, data = _theirs(robot, integrator, count, servo, *target)
        error = max(_error(order.q(q), data.qpos), _error(order.v(v, q), data.qvel))
        yield (
            f"  {title}, {manner}: {method} from MuJoCo's {integrator} after {count} steps: {error:.1e} "
            f"(wanted ≤ {bar:g}) {verdict(error <= bar)}"
        )


def mujoco_model(
    robot: mc.Robot, integrator: str, servo: dict[str, float], *target: Array, spec: Any = None
) -> tuple[Any, Any, Any]:
    """MuJoCo, the robot in it without limits and contacts, springs and dampers as servos, and its order; as a `spec`
    has it that was made of it before.
    """
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise Absent("MuJoCo is not installed; pip install mujoco") from None
    model = (mc.to_mjspec(robot) if spec is None else spec).compile()
    model.opt.timestep = DT
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    # limits and contacts
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    order = mc.orders.mujoco(robot, model)
    if servo:
        driven = model.jnt_type != mujoco.mjtJoint.mjJNT_FREE
        model.dof_damping.reshape(model.nv, -1)[model.jnt_dofadr[driven], 0] = servo["damping"]
        model.jnt_stiffness.reshape(model.njnt, -1)[driven, 0] = servo["stiffness"]
        model.qpos_spring[:] = order.q(target[0])
    return mujoco, model, order


def _theirs(robot: mc.Robot, integrator: str, count: int, servo: dict[str, float], *target: Array) -> tuple[Any, Any]:
    """MuJoCo's order of coordinates, and its state after so many steps from the same one."""
    mujoco, model, order = mujoco_model(robot, integrator, servo, *target)
    data = mujoco.MjData(model)
    q, v = _start(robot)
    data.qpos[:], data.qvel[:] = order.q(q), order.v(v, q)
    for _ in range(count):
        mujoco.mj_step(model, data)
    return order, data


# ---------------------------------------------------------------- order, momentum, energy


def _order() -> str:
    """Of RK4 on HyQ in flight: how errors shrink as steps are halved."""
    robot, seconds = mc.load("hyq"), 0.2
    ends = list[Array]()
    for count in (16, 32, 64):
        step = mc.step(robot, seconds / count, method="rk4")
        *_, end = _gone(step, _start(robot), count)
        ends.append(np.concatenate(end))
    order = float(np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()))
    return f"  HyQ in flight: RK4 is of order {order:.2f} (wanted ≥ {ORDER:g}) {verdict(order >= ORDER)}"


def _momentum() -> str:
    """What is not gravity's, after a second of flight; beside it what Euler's steps leave."""
    robot = mc.load("hyq")
    momentum, weight = mc.centroidal_momentum(robot), np.zeros(6)
    weight[5] = -9.81 * mc.center_of_mass(robot, outputs=["mass"])(robot.neutral())
    start = _start(robot)
    before = momentum(*start)

    def drift(q: Array, v: Array) -> float:
        apart = momentum(q, v) - before - weight
        return float(max(np.abs(apart[part]).max() / np.linalg.norm(before[part]) for part in (slice(3), slice(3, 6))))

    rk4, euler = (
        drift(*list(_gone(mc.step(robot, DT, method=method), start, 1000))[-1]) for method in ("rk4", "semi_implicit")
    )
    forward, (q, v) = mc.forward_dynamics(robot), start
    for _ in range(1000):
        v = v + DT * forward(q, v, np.zeros(robot.nv))
        q = robot.integrate(q, v, DT)
    return (
        f"  HyQ, 1 s of flight at 1 kHz: momentum drifts by {rk4:.1e} of its size with RK4 (wanted < {MOMENTUM:g}), by "
        f"{euler:.1e} with semi_implicit, by {drift(q, v):.1e} where the base is kicked in its own axes "
        f"{verdict(rk4 < MOMENTUM)}"
    )


def _energies() -> Iterator[str]:
    """Ten seconds of RK4 at 1 kHz: how far the sum is from where it was, beside how much went to and fro."""
    for title, name, gravity in (
        ("double pendulum", "planar2", (0.0, -9.81, 0.0)),
        ("HyQ, falling freely", "hyq", (0.0, 0.0, -9.81)),
        ("HyQ, weightless", "hyq", (0.0, 0.0, 0.0)),
    ):
        robot = mc.load(name)
        energy, start = mc.energy(robot, gravity=gravity), _start(robot)
        kinetic, potential = np.array(
            [
                tuple(energy(q, v))
                for q, v in [start, *_gone(mc.step(robot, DT, method="rk4", gravity=gravity), start, 10_000)]
            ]
        ).T
        # without gravity it is exchanged between bodies alone: all that there is may be
        whole, exchanged = kinetic + potential, float(np.ptp(potential) if any(gravity) else kinetic[0])
        drift = float(np.abs(whole - whole[0]).max()) / exchanged
        yield (
            f"  {title}, 10 s of RK4 at 1 kHz: energy drifts by {drift:.1e} of the largest exchange, {exchanged:.3g} J "
            f"(wanted < {ENERGY:g}) {verdict(drift < ENERGY)}"
        )


# ---------------------------------------------------------------- what a call takes


def _call() -> str:
    """From Python, arrays in and arrays out."""
    robot = mc.load("panda")
    step, (q, v), tau = mc.step(robot, DT), _start(robot), np.zeros(robot.nv)

    def block() -> None:
        for _ in range(CALLS):
            step(q, v, tau)

    with one_core():
        (timing,) = measure(
            "a step", {"motionc": Contender(CALLS, block, lambda: np.concatenate(tuple(step(q, v, tau)))[None])}, ROUNDS
        )
    assert timing.microseconds is not None
    holds = verdict(timing.microseconds <= CALL)
    return f"  Panda: a step from Python takes {timing.microseconds:.2f} µs (wanted ≤ {CALL:g}) {holds}"
