"""A first look at a robot in motion: dropped, holding its posture, pushed, or with its motors off.

Whatever such a try needs is chosen by rule (chosen.py) and said; it runs in pieces, so that whoever waits sees it go on
and can stop it, and what was reached is told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np

from motionc import checked
from motionc.computations import gravity_forces, jacobian, mass_matrix
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.simulate.actuators import Position, Torque
from motionc.simulate.chosen import feet, holding_frequency, holding_gains, posture
from motionc.simulate.closed_loop import closed
from motionc.simulate.happenings import Push
from motionc.simulate.loops import Loop
from motionc.simulate.plant import Method, Plant
from motionc.simulate.runs import Run
from motionc.solvers.contact import Contact

Array = np.ndarray[Any, np.dtype[np.float64]]
Do = Literal["drop", "hold", "push", "swing"]

SECONDS: dict[str, float] = {"drop": 3.0, "hold": 3.0, "push": 3.0, "swing": 5.0}
"""How long each takes unless said."""
HEIGHT = 0.05
"""From which a robot is dropped (m)."""
SHARE, BEGIN, LENGTH = 0.1, 1.0, 0.2
"""A push: its force as a share of the weight, when it begins, and how long it lasts (s)."""
NUDGE = 0.3
"""How far from its posture each joint starts to swing (rad, m)."""
WEIGHTLESS = 1e-9
"""N m, N: below which gravity is no force."""
SPREAD = 0.05
"""Standard deviation of the starts of lanes but the first (rad, m)."""
FRICTION = 0.7
SWEEPS = 20
"""Of the contact solver: legs that are stiff and straight share what they carry slowly."""
DT = 1e-3
OFTEN = 10
"""Turns from one row to the next where there are many lanes; of one all are kept."""
PATIENCE = 0.2
"""Seconds that a piece may take."""


@dataclass(frozen=True)
class Doing:
    """A plant, where each lane starts, what is held, the posture, and what was chosen, sentences by subject."""

    do: Do
    plant: Plant
    starts: dict[str, Array]
    held: dict[str, Any]
    posture: Array
    chosen: dict[str, str]
    push: Push | None = None
    log: tuple[str, ...] = ("q", "v")

    @property
    def count(self) -> int:
        return len(self.starts["q"])

    @property
    def gains(self) -> dict[str, tuple[Any, Any]]:
        """Stiffness and damping of each joint that has some."""
        servo = self.plant.actuators
        if not isinstance(servo, Position):
            return {}
        stiffness, damping = (dict(gains) for gains in (servo.stiffness, servo.damping) if isinstance(gains, Mapping))
        return {name: (stiffness[name], damping[name]) for name in stiffness}


@dataclass(frozen=True)
class Reached:
    """What was reached, as far as it went: the run, the seconds it took, whether it went to its end."""

    run: Run
    wall: float
    seconds: float
    whole: bool


# ---------------------------------------------------------------- what is done


def doing(robot: Robot, do: Do, *, count: int = 1, seed: int = 0, dt: float = DT, method: Method = "rk4") -> Doing:
    """The plant of a try, and what it is given; refused where the robot cannot do that. `method` is that of a swing."""
    checked.one_of("do", do, get_args(Do))
    lanes = checked.whole("count", count, 1, "give how many lanes, ≥ 1")
    q, said = posture(robot), dict[str, str]()
    said["posture"] = "joints at 0, or a tenth of their range inside limits that leave 0 out"
    if do == "swing":
        return _swing(robot, q, said, lanes, seed, dt, method)
    if do == "drop" and not robot.floating:
        raise Error(
            f"{robot.name} is fixed to the world and cannot fall: --do swing lets it swing, --floating sets it loose"
        )
    contacts = feet(robot, q, FRICTION) if robot.floating else []
    if contacts:
        said["contacts"] = f"{_names(contacts)} on the ground z = 0, friction {FRICTION:g}; nothing else touches"
    frequency = holding_frequency(robot, q, contacts)
    stiffness, damping = holding_gains(robot, q, contacts, frequency=frequency)
    said["gains"] = f"{frequency:.2g} Hz for what each joint feels, critically damped: {_gains(stiffness, damping)}"
    servo = Position(_by_joint(robot, stiffness), _by_joint(robot, damping)) if np.any(stiffness) else Torque()
    push = _push(robot, q) if do == "push" else None
    if push is not None:
        size = float(np.linalg.norm(push.force))
        along = ", ".join(f"{x:.3g}" for x in np.asarray(push.force) / size)
        said["push"] = (
            f"{size:.4g} N on {push.frame} along ({along}), {SHARE:.0%} of the weight, "
            f"from {push.start:g} to {push.start + push.seconds:g} s"
        )
    plant = Plant(robot, dt, contacts=contacts, actuators=servo, pushes=[push] if push else [], sweeps=SWEEPS)
    height = (HEIGHT if do == "drop" else 0.0) if contacts else None
    if height:
        said["height"] = f"{height:g} m above the ground"
    starts = [plant.start(each, height=height) for each in _spread(robot, q, lanes, seed)]
    log = ("q", "v", "motor_force", *(["contact_force", "contact_point"] if contacts else []))
    held = {plant.command.name: q if isinstance(servo, Position) else np.zeros(plant.command.shape)}
    return Doing(do, plant, _stacked(starts), held, q, said, push, log)


def _swing(robot: Robot, q: Array, said: dict[str, str], lanes: int, seed: int, dt: float, method: Method) -> Doing:
    if robot.floating:
        raise Error(
            f"{robot.name} floats, and nothing holds it to swing from: --fixed-base hangs it up, --do drop lets it fall"
        )
    away = np.zeros(robot.nv)
    for name in robot.joint_names:
        at = robot.v_index[name]
        room = np.where(
            np.isfinite(robot.limits.upper[at]), robot.limits.upper[at] - q[robot.q_index[name]][:1], np.inf
        )
        away[at] = NUDGE * np.where(room > NUDGE, 1.0, -1.0) if at.stop - at.start == 1 else 0.0
    q = robot.integrate(q, away)
    said["posture"] += f"; then {NUDGE:g} away from it"
    said["motors"] = "off; neither friction nor limits act, so that energy stays what it is"
    plant = Plant(robot, dt, method=method)
    weightless = np.abs(gravity_forces(robot).run(q)).max() < WEIGHTLESS
    if weightless:
        said["speed"] = "1 rad/s, m/s in every joint: gravity does nothing along them"
    starts = [plant.start(each, np.full(robot.nv, float(weightless))) for each in _spread(robot, q, lanes, seed)]
    return Doing("swing", plant, _stacked(starts), {plant.command.name: np.zeros(plant.command.shape)}, q, said)


def _push(robot: Robot, q: Array) -> Push:
    """At the last link of a fixed robot, or at the base, in the direction in which it gives way most."""
    frame = robot.links[0].name if robot.floating else _last(robot)
    rows = np.asarray(jacobian(robot, frame).run(q), float)[3:]
    rows = rows[:2] if robot.floating else rows
    gives = rows @ np.linalg.solve(np.asarray(mass_matrix(robot).run(q), float), rows.T)
    along = np.zeros(3)
    along[: len(rows)] = np.linalg.eigh(gives)[1][:, -1]
    along *= np.sign(along[np.argmax(np.abs(along))])
    x, y, z = map(float, SHARE * 9.81 * sum(link.mass or 0.0 for link in _moving(robot)) * along)
    return Push(frame, (x, y, z), start=BEGIN, seconds=LENGTH)


def _moving(robot: Robot) -> list[Any]:
    """The links that are not fixed to the world."""
    still = set[str]() if robot.floating else {robot.chain.root.name}
    for joint in robot.joints:
        if joint.parent.name in still and joint.name not in robot.v_index:
            still.add(joint.child.name)
    return [link for link in robot.links if link.name not in still]


def _last(robot: Robot) -> str:
    """The link farthest from the base, by the number of joints that move it; of several the last."""
    depth = {robot.chain.root.name: 0}
    for joint in robot.joints:
        depth[joint.child.name] = depth[joint.parent.name] + (joint.name in robot.v_index)
    return max(reversed(depth), key=lambda name: depth[name])


def _spread(robot: Robot, q: Array, lanes: int, seed: int) -> list[Array]:
    """The posture itself, then others about it."""
    rng = np.random.default_rng(seed)
    changes = SPREAD * rng.normal(size=(lanes, robot.nv))
    changes[0] = 0.0
    if robot.floating:
        changes[:, 3:6] = 0.0
    return [robot.integrate(q, change) for change in changes]


# ---------------------------------------------------------------- letting it run


def carried_out(
    done: Doing,
    seconds: float,
    *,
    seed: int = 0,
    engine: Callable[[Plant], Any] | None = None,
    tell: Callable[[float], None] = lambda _: None,
) -> Reached:
    """The run, piece by piece: `tell` hears how many seconds were reached; Ctrl-C ends it, and keeps what there is."""
    plant = done.plant if engine is None else engine(done.plant)
    every = 1 if done.count == 1 else OFTEN
    loop = closed(plant, log=dict.fromkeys(done.log, every))
    loop.build(batch=done.count > 1)
    turns = loop.runs.asked.turns(None, seconds)
    pieces, made, length, began, whole = list[Run](), 0, every, perf_counter(), True
    begun: Mapping[str, Any] = done.starts if done.count > 1 else {name: one[0] for name, one in done.starts.items()}
    state, call = begun, loop.batch if done.count > 1 else loop
    try:
        while made < turns:
            before, steps = perf_counter(), min(length, turns - made)
            pieces.append(call(state, steps=steps, seed=seed, turn=made, **done.held))
            state, made = dict(pieces[-1].state.items()), made + steps
            tell(made * plant.dt)
            took = perf_counter() - before
            length = max(every, length * 2 if took < PATIENCE / 4 else length // 2 if took > PATIENCE else length)
            if not np.any(pieces[-1].finite):
                break
    except KeyboardInterrupt:
        whole = False
    if not pieces:
        raise KeyboardInterrupt
    wall = perf_counter() - began
    return Reached(_joined(loop, pieces, {**begun, **done.held}, made), wall, made * plant.dt, whole)


def _joined(loop: Loop, pieces: Sequence[Run], given: Mapping[str, Any], steps: int) -> Run:
    """Pieces of a run as one: rows behind each other, turns added up as long as a lane is finite."""
    last, logs = pieces[-1].record, len(loop.runs.loop.logs)
    axis = 0 if last.axis is None else 1
    rows = [np.concatenate([np.asarray(piece.record[k]) for piece in pieces], axis=axis) for k in range(logs)]
    finite = np.array([piece.finite for piece in pieces])
    alive = np.cumprod(np.concatenate([np.ones_like(finite[:1]), finite[:-1]]).astype(int), axis=0)
    turns = np.sum(alive * np.array([piece.turns for piece in pieces]), axis=0)
    states = [last[k] for k in range(logs, len(last) - 2)]
    record = type(last)([*rows, *states, turns, np.all(finite, axis=0)])
    return Run(
        pieces[0].plant, record, pieces[0].seed, steps=steps, loop=loop.runs, given=given, declared=loop.declared
    )


# ---------------------------------------------------------------- in words


def _stacked(starts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    return {name: np.array([start[name] for start in starts]) for name in ("q", "v")}


def _by_joint(robot: Robot, gains: Array) -> dict[str, Any]:
    return {name: _one(gains[at]) for name, at in robot.v_index.items() if np.any(gains[at])}


def _one(values: Array) -> Any:
    return float(values[0]) if len(values) == 1 else values.tolist()


def _names(contacts: Sequence[Contact]) -> str:
    links = list(dict.fromkeys(contact.frame for contact in contacts))
    each = len(contacts) / len(links)
    return f"{len(contacts)} points of " * (each > 1) + ", ".join(links)


def _gains(stiffness: Array, damping: Array) -> str:
    used = stiffness[stiffness > 0]
    if not used.size:
        return "no joint has a motor"
    k, d = (f"{values.min():.3g} to {values.max():.3g}" for values in (used, damping[damping > 0]))
    return f"stiffness {k}, damping {d} (N m, N; rad, m)"
