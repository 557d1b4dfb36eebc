"""Levels, weights, units and limits of every robot that comes along, counted over random states: `python
benchmarks/acceptance/levels.py`, or with another number of states behind it.

What is compared with is hierarchical least squares by projections and singular values, tests/support/hierarchy.py.
Its ranks are decided in double precision; states where one is in doubt for the precision at hand are left out, counted.
"""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]

import motionc as mc  # noqa: E402
from acceptance import verdict  # noqa: E402
from hierarchy import Answer, Array, Units, Witness, random_states, short_of_best  # noqa: E402
from languages import RUNNERS, Job  # noqa: E402
from motionc.robots import robot_names, shipped_robot  # noqa: E402
from motionc.targets.target import Trial  # noqa: E402

C, J = mc.Constraint, mc.JointConstraint
Rows = list[mc.Constraint | mc.JointConstraint]
First = tuple[Array, Array, Array]
"""The Jacobian of the first level, its drift, and what is asked."""
SIX = "rx ry rz x y z"
ROUNDING = {"double": 2.0**-52, "single": 2.0**-23}
EXACT = {"double": 1e-11, "single": 1e-4}
FAR = 1000
"""An answer is wrong beyond so many roundings over the least share of a row that others leave. Roundings are those of
what is summed: light robots accelerate by 10⁴ rad/s² if no row stops them, and rows leave 1 of that.
"""
CHUNK = 2000
CALLED, RUN, ELSEWHERE = 200, 3, 8
PROCESSES = 2
OUTPUTS = ("a", "rank", "multipliers")


def figures(states: int = 10_000) -> Iterator[str]:
    """One line a robot, and what there is to say of all; two robots at a time."""
    totals, unsaid, names = np.zeros(4, int), 0, robot_names()
    with ProcessPoolExecutor(PROCESSES) as pool:
        for line, counts, short in pool.map(_robot, names, [states] * len(names)):
            totals += counts
            unsaid += short
            yield line
    asked, left_out, wrong, above = totals
    yield (
        f"{asked} answers, {left_out} in doubt; wanted 0 wrong, 0 of rank above the number of coordinates, 0 short of "
        f"the best under limits unsaid; are {wrong}, {above}, {unsaid} {verdict(not wrong + above + unsaid)}"
    )


def _robot(name: str, states: int) -> tuple[str, Array, int]:
    """Its line, how many answers there were, in doubt, wrong and of too high a rank, and how many are short unsaid."""
    robot, totals = mc.load(name), np.zeros(4, int)
    rows = _rows(robot)
    parts = [f"{name}: {robot.nv} coordinates, {sum(map(_size, rows))} rows"]
    for precision in ("double", "single"):
        text, counts = _levels(robot, rows, precision, states)
        parts.append(f"{precision} {text}")
        totals += counts
    parts.append(_elsewhere(robot, rows))
    parts.append(f"weights change {_weights(robot, states):.1e}")
    parts.append(f"units change {_units(name, states):.1e}")
    text, short = _limits(robot, states)
    return "; ".join([*parts, f"{text} {verdict(not totals[2:].any() and not short)}"]), totals, short


def _rows(robot: mc.Robot) -> Rows:
    """Feet, then the base, then joints; or the last link, then joints."""
    shipped = shipped_robot(robot.name)
    single = [name for name in robot.joint_names if len(range(robot.nv)[robot.v_index[name]]) == 1]
    if shipped is None or not shipped.floating:
        return [C(robot.link_names[-1], SIX), J(single, level=2)]
    feet = [link for link in robot.link_names if link.endswith(("_foot", "_sole"))]
    soles = [link for link in feet if link.endswith("_sole")]
    on = [C(link, SIX if soles else "xyz", source="contact") for link in soles or feet]
    return [*on, C(robot.link_names[0], SIX, level=2), J(single, level=3)]


def _size(rows: mc.Constraint | mc.JointConstraint) -> int:
    return len(rows.names) if isinstance(rows, J) else len(str(rows.rows).replace("xyz", "x y z").split())


@cache
def _answers(robot: mc.Robot, states: int) -> tuple[tuple[Array, ...], Array, Array, Answer, Array, First]:
    """States, how the robot accelerates in them, the most that is summed for it, what decided ranks, where the first
    level can be had, and its rows.
    """
    witness = Witness(robot, _rows(robot))
    given = random_states(robot, len(witness.levels), states, seed=11)
    found, summed, parts, reached, first = [], [], [], [], []
    one = witness.levels == 1
    for start in range(0, states, CHUNK):
        q, v, tau, b = (x[start : start + CHUNK] for x in given)
        witness.place(q, v)
        a, answer = witness.motion(tau, b)
        found.append(a)
        summed.append(np.maximum(1.0, np.abs(np.concatenate([a, witness.free(tau)], axis=1)).max(axis=1)))
        parts.append(answer)
        reached.append(witness.misses(a, b)[:, one].max(axis=1) < 1e-9)
        first.append((witness.J[:, one], witness.drift[:, one], b[:, one]))
    fields = ("y", "ranks", "weakest", "strongest_lost")
    whole = Answer(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))
    J, drift, b = (np.concatenate(part) for part in zip(*first, strict=True))
    return given, np.concatenate(found), np.concatenate(summed), whole, np.concatenate(reached), (J, drift, b)


def _levels(robot: mc.Robot, rows: Rows, precision: str, states: int) -> tuple[str, Array]:
    """What lanes answer, and calls and the interpreter on some of the states."""
    given, a, summed, answer, reachable, first = _answers(robot, states)
    motors = robot.joint_names
    dynamics = mc.constrained_dynamics(robot, rows, actuated=motors, outputs=OUTPUTS, precision=precision)  # type: ignore[arg-type]
    out = dynamics.batch(*given)
    called = [dynamics(*state) for state in zip(*(x[:CALLED] for x in given), strict=True)]
    clear = answer.clear(EXACT[precision])

    def wrong(found: Array, rank: Array, count: int) -> Array:
        error = np.abs(found - a[:count]).max(axis=1) / summed[:count]
        off = ~(error * answer.share[:count] < FAR * ROUNDING[precision])
        return clear[:count] & (off | (rank != answer.ranks[:count].sum(axis=1)))

    lanes = wrong(out["a"], out["rank"], states)
    one_by_one = wrong(np.array([x.a for x in called]), np.array([x.rank for x in called]), len(called))
    above = np.sum(out["rank"] > min(robot.nv, sum(map(_size, rows))))
    missed = _first_missed(first, np.asarray(out["a"], float))
    worst = np.max((missed * answer.weakest[:, 0])[clear & reachable], initial=0.0) / ROUNDING[precision]
    text = f"{int(lanes.sum() + one_by_one.sum())} wrong, {int(np.sum(~clear))} of {states} in doubt, {above} of rank "
    text += f"above, level 1 missed by {np.max(missed[clear & reachable], initial=0.0):.1e} ({worst:.0f} roundings)"
    counts = [states + len(called), np.sum(~clear), lanes.sum() + one_by_one.sum(), above]
    return text, np.array(counts, int)


def _first_missed(first: First, a: Array) -> Array:
    """By how much the first level is missed, as a share of what is reached."""
    J, drift, b = first
    reached = np.einsum("smn,sn->sm", J, a) + drift
    bulk = np.einsum("smn,sn->sm", np.abs(J), np.abs(a)) + np.abs(drift)
    return np.abs(reached - b).max(axis=1) / np.maximum(1.0, bulk.max(axis=1))


def _elsewhere(robot: mc.Robot, rows: Rows) -> str:
    """The interpreter, the GPU's text as C++ and MATLAB's in Octave, where it is: how far they are from lanes."""
    dynamics = mc.constrained_dynamics(robot, rows, actuated=robot.joint_names, outputs=["a", "rank"])
    given = random_states(robot, sum(map(_size, rows)), ELSEWHERE, seed=12)
    out = dynamics.batch(*given)
    scale = np.maximum(1.0, np.abs(out["a"]).max(axis=1))
    apart = {"run": 0.0}
    for k, state in enumerate(zip(*(x[:RUN] for x in given), strict=True)):
        apart["run"] = max(apart["run"], float(np.abs(dynamics.run(*state).a - out["a"][k]).max() / scale[k]))
    trials = tuple(
        Trial(tuple(tuple(map(float, x[k])) for x in given), (tuple(map(float, out["a"][k])), (float(out["rank"][k]),)))
        for k in range(ELSEWHERE)
    )
    job = Job("levels", dynamics, trials)
    for runner in RUNNERS:
        if runner.target in ("cuda", "matlab") and runner.present:
            with tempfile.TemporaryDirectory() as folder:
                dynamics.emit(runner.target, Path(folder), "levels")
                ((a, _),) = runner.run(Path(folder), [job])
            apart[runner.target] = float(np.max(np.abs(a - out["a"][: len(a)]).max(axis=1) / scale[: len(a)]))
    return "apart from lanes " + ", ".join(f"{name} {value:.1e}" for name, value in apart.items())


def _weights(robot: mc.Robot, states: int) -> float:
    """By how much joints told to accelerate do otherwise where some weigh 1e12 times as much, on one level and two."""
    worst = 0.0
    single = [name for name in robot.joint_names if len(range(robot.nv)[robot.v_index[name]]) == 1]
    q, v, tau, b = random_states(robot, len(single), states, seed=13)
    where = [k for name in single for k in range(robot.nv)[robot.v_index[name]]]
    for levels in ((1, 1), (1, 2)):
        rows = [J(name, weight=(1e6, 1e-6)[number % 2], level=levels[number % 2]) for number, name in enumerate(single)]
        dynamics = mc.constrained_dynamics(robot, rows, actuated=robot.joint_names, outputs=["a", "rank"])
        out = dynamics.batch(q, v, tau, b)
        order = np.asarray(out["a"])[:, where]
        worst = max(worst, float(np.abs(order - b).max()), float(np.any(out["rank"] != len(single))))
    return worst


def _units(name: str, states: int) -> float:
    """By how much accelerations change in millimetres and milligrams, over the least share, where ranks are clear."""
    robot, units = mc.load(name), Units(1e3, 1e6)

    def rows(length: float) -> Rows:
        tip = robot.link_names[-1]
        return [C(tip, "rx ry rz"), C(tip, "xyz", weight=1 / length), J(robot.joint_names[-1:], level=2)]

    with tempfile.TemporaryDirectory() as folder:
        other = units.robot(name, Path(folder))
    witness = Witness(robot, rows(1.0))
    last = len(witness.levels) - 6
    q, v, tau, b = random_states(robot, len(witness.levels), min(states, CHUNK), seed=14)
    witness.place(q, v)
    _, answer = witness.motion(tau, b)
    clear = answer.clear(1e-9)
    found = []
    for one, unit, state in ((robot, 1.0, (q, v, tau)), (other, 1e3, units.state(robot, q, v, tau))):
        scale = np.concatenate(
            [np.ones(3), np.full(3, unit), units.rates(robot)[-last:] if unit > 1 else np.ones(last)]
        )
        fall = (0, 0, -9.81 * unit)
        asked = mc.constrained_dynamics(one, rows(unit), actuated=one.joint_names, gravity=fall, outputs=["a"])
        found.append(asked.batch(*state, b * scale) / (units.rates(robot) if unit > 1 else 1.0))
    error = np.abs(found[1] - found[0]).max(axis=1) / np.maximum(1.0, np.abs(found[0]).max(axis=1))
    return float(np.max((error * answer.share)[clear], initial=0.0))


def _limits(robot: mc.Robot, states: int) -> tuple[str, int]:
    """How often motors could have done better, on the first level of all states and the second of some, unsaid.

    Bases that float have no motor; where a robot has no efforts, motors make 0.4 of the most that standing still takes.
    """
    single = [name for name in robot.joint_names if len(range(robot.nv)[robot.v_index[name]]) == 1]
    driven = [k for name in single for k in range(robot.nv)[robot.v_index[name]]]
    floating = len(driven) < robot.nv
    rows = [C(robot.link_names[-1], "xyz"), J(single, level=2)]
    witness = Witness(robot, rows)
    states = min(states, CHUNK) if floating else states
    q, v, tau, b = random_states(robot, len(witness.levels), states, seed=15)
    b = 20 * b
    limits = np.zeros(robot.nv)
    limits[driven] = 0.4 * np.asarray(robot.limits.effort, float)[driven]
    if not np.all(np.isfinite(limits)):
        weight = np.abs(mc.inverse_dynamics(robot).batch(q, 0 * v, 0 * v)).max(axis=0)
        limits = np.where(np.isfinite(limits), limits, 0.4 * np.maximum(weight, 0.1 * weight.max()))
    if floating:
        tau[:, [k for k in range(robot.nv) if k not in driven]] = 0.0
    asked = {name: float(limits[robot.v_index[name]][0]) for name in single}
    dynamics = mc.constrained_dynamics(robot, rows, limits=asked, actuated=single)
    out = dynamics.batch(q, v, tau, b)
    told = np.asarray(out["steps"]) > _most(dynamics) - 0.5
    short, some = [], min(states, 300)
    for start in range(0, states, CHUNK):
        part = slice(start, start + CHUNK)
        witness.place(q[part], v[part])
        short.append(short_of_best(witness, out["tau_command"][part], limits, b[part], levels=1)[:, 0])
    witness.place(q[:some], v[:some])
    second = short_of_best(witness, out["tau_command"][:some], limits, b[:some])[:, 1]
    first = np.sum((np.concatenate(short) > 1e-6) & ~told)
    later = np.sum((second > 1e-4) & ~told[:some])
    busy = np.mean(np.any(out["saturated"], axis=1))
    text = (
        f"limits ({busy:.0%} of states at some) short on level 1 unsaid {first} of {states}, on level 2 {later} of "
        f"{some}, notes {int(np.sum(told))}"
    )
    return text, int(first + later)


def _most(dynamics: mc.Computation) -> int:
    (steps,) = (port for port in dynamics.outputs if port.name == "steps")
    return int(steps.meaning.split(";")[1].split(":")[0])


if __name__ == "__main__":
    for line in figures(*map(int, sys.argv[1:])):
        print(line, flush=True)
