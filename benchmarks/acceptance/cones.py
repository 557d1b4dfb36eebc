"""Contacts with friction, stops and dry friction solved by fixed sweeps: beside Pinocchio's ADMM and SciPy, how many
sweeps it takes, what a few leave on a robot that is dropped, and derivatives.

Problems are random, or those of HyQ and of a humanoid dropped with Pinocchio's M, h and J; who else solves them is in
tests/support/cones.py. Where both are right and not the same there are several solutions, counted.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pinocchio as pin

from acceptance import ROOT, verdict

sys.path.insert(0, str(ROOT / "tests" / "support"))

from cones import (
    CLOSE,
    Array,
    Cones,
    by_admm,
    by_least_squares,
    contacts,
    random_cones,
    rows_of,
    solved,
    solving,
    turned,
    unmet,
)
from motionc.program.derive.differentiate import pushforward
from motionc.program.evaluate import evaluate
from motionc.program.kernels.cone_solve import cone_solve

COUNT, SAME, RIGHT = 400, 1e-7, 1e-8
ROWS = ("one_sided", "box", "cone", "box", "one_sided", "cone")
DT = 1e-3
STANDING = {"hyq": 1e-6, "humanoid": 1e-4}
"""Robots, and the residual that five warm sweeps may leave, in the middle, m/s."""


def figures() -> Iterator[str]:
    yield from _random()
    yield _rows()
    for name, bar in STANDING.items():
        yield from _dropped(name, bar)
    yield _derivatives()


# ---------------------------------------------------------------- random problems


def _random() -> Iterator[str]:
    rng, sweeps, off, others, slow, left_out = np.random.default_rng(12), list[int](), list[float](), 0, 0, 0
    for _ in range(COUNT):
        count, joints = int(rng.integers(1, 7)), int(rng.integers(6, 19))
        upright, kinds = contacts(rng, count, joints), ("cone",) * count
        expected, converged = by_admm(upright)
        cones, turn = turned(rng, upright)
        x, residual, taken = solved(kinds, cones)
        x = turn.T @ x
        slow += residual > CLOSE
        if residual > CLOSE or not converged or unmet(kinds, upright, expected) > RIGHT:
            left_out += residual <= CLOSE
            continue
        sweeps.append(taken)
        depend = np.linalg.matrix_rank(upright.A) < 3 * count
        error = float(np.max(np.abs(upright.A @ (x - expected)) if depend else np.abs(x - expected)))
        if error > 1e-3 and unmet(kinds, upright, x) < RIGHT:
            others += 1
        else:
            off.append(error)
    worst = max(off)
    yield (
        f"  {COUNT} random problems of 1 to 6 contacts, normals any way: {len(off)} as Pinocchio's ADMM, worst "
        f"{worst:.1e} N s or, where rows depend on each other, m/s (≤ {SAME:g}); {others} have several solutions, of "
        f"{left_out} ADMM has none to {RIGHT:g}, {slow} not solved in 20,000 sweeps {verdict(worst <= SAME)}"
    )
    middle, most = np.median(sweeps), np.quantile(sweeps, 0.95)
    yield f"  sweeps from nothing to {CLOSE:g} m/s, by 25: median {middle:.0f}, 95 % {most:.0f}, most {max(sweeps)}"


def _rows() -> str:
    rng, call, worst = np.random.default_rng(13), cone_solve(ROWS), 0.0
    for k in range(COUNT // 2):
        cones = random_cones(rng, call, ["", "compliant", "cold"][k % 3])
        for kind, at in rows_of(ROWS):
            cones.b[at] *= kind != "cone"
        x, _, _ = solved(ROWS, cones)
        worst = max(worst, float(np.max(np.abs(x - by_least_squares(ROWS, cones)))))
    said = f"{COUNT // 2} random problems of stops, boxes and contacts without friction"
    return f"  {said}: worst {worst:.1e} from SciPy's bounded least squares (≤ {SAME:g}) {verdict(worst <= SAME)}"


# ---------------------------------------------------------------- robots that are dropped


def _dropped(name: str, bar: float) -> Iterator[str]:
    problems = [*_falling(name)]
    kinds = ("cone",) * (len(problems[0].r) // 3)
    for sweeps in (5, 10, 25):
        solve, x, warm, cold = solving(kinds, sweeps), np.zeros(3 * len(kinds)), list[float](), list[float]()
        for cones in problems:
            out = solve(*cones._replace(x0=x))
            x = out.x
            warm.append(float(out.residual))
            cold.append(float(solve(*cones).residual))
        held = f" (≤ {bar:g}) {verdict(bool(np.median(warm) <= bar))}" if sweeps == 5 else ""
        cost = sum(cone_solve(kinds, sweeps).operations().values())
        yield (
            f"  {name} dropped, {len(kinds)} contacts, {sweeps:2d} sweeps ({cost:,} operations): residual, m/s, warm "
            f"median {np.median(warm):.1e}, 95 % {np.quantile(warm, 0.95):.1e}, worst {max(warm):.1e}; cold median "
            f"{np.median(cold):.1e}, 95 % {np.quantile(cold, 0.95):.1e}{held}"
        )


def _falling(name: str, steps: int = 500) -> Iterator[Cones]:
    """What is to be solved each millisecond: PD-held, from 2 to 5 cm, sideways at half a metre per second."""
    model = pin.buildModelFromUrdf(str(files("motionc.robots") / f"{name}.urdf"), pin.JointModelFreeFlyer())
    data, q, v, kp, kd = model.createData(), pin.neutral(model), np.zeros(model.nv), 400.0, 10.0
    corners: Sequence[Any] = [(0.0, 0.0)]
    if name == "hyq":
        feet = [f"{leg}_foot" for leg in ("LF", "LH", "RF", "RH")]
        bent = {"H": np.array([0.0, -0.7, 1.4]), "F": np.array([0.0, 0.7, -1.4])}
        q[7:] = np.concatenate([bent[joint[1]] for joint in list(model.names)[2::3]])
    else:
        feet, corners = ["left_sole", "right_sole"], [(x, y) for x in (-0.08, 0.12) for y in (-0.05, 0.05)]
    pin.framesForwardKinematics(model, data, q)
    q[2] = 0.05 - min(data.oMf[model.getFrameId(foot)].translation[2] for foot in feet)
    v[1] = 0.5
    wanted, x = q[7:].copy(), np.zeros(3 * len(feet) * len(corners))
    normal, friction, none = np.tile([0.0, 0.0, 1.0], len(x) // 3), np.full(len(x), 0.7), np.zeros(len(x))
    for _ in range(steps):
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        M[6:, 6:] += np.eye(model.nv - 6) * (DT * kd + DT**2 * kp)
        force = -pin.nonLinearEffects(model, data, q, v)
        force[6:] += kp * (wanted - q[7:] - DT * v[6:]) - kd * v[6:]
        free = v + DT * np.linalg.solve(M, force)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        rows, allowed = list[Array](), list[float]()
        for foot in feet:
            place = model.getFrameId(foot)
            pose, J = data.oMf[place], pin.getFrameJacobian(model, data, place, pin.LOCAL_WORLD_ALIGNED)
            for corner in corners:
                arm = pose.rotation @ np.array([*corner, 0.0])
                gap = float(pose.translation[2] + arm[2])
                rows.append(J[:3] - pin.skew(arm) @ J[3:])
                allowed += [0.0, 0.0, -gap / DT if gap > 0 else min(-0.1 * gap / DT, 0.5)]
        J = np.vstack(rows)
        A = J @ np.linalg.solve(M, J.T)
        cones = Cones((A + A.T) / 2, J @ free - np.array(allowed), none, normal, friction, none)
        yield cones
        x, _, _ = solved(("cone",) * (len(x) // 3), cones._replace(x0=x))
        v = free + np.linalg.solve(M, J.T @ x)
        q = pin.integrate(model, q, DT * v)


# ---------------------------------------------------------------- derivatives


def _derivatives() -> str:
    """Along a change of everything that is given, where no contact changes what it does."""
    rng, kinds, step, worst = np.random.default_rng(14), ("cone",) * 4, 1e-6, 0.0
    forward, compared, does = pushforward(solving(kinds, 1).program, ["x"], ["A", "r", "b"]), 0, dict[str, int]()
    for _ in range(COUNT // 4):
        cones, by = contacts(rng, 4, 18), contacts(rng, 4, 18)
        by = by._replace(n=0 * by.n, A=0.1 * by.A)
        ends = [Cones(*(part + s * change for part, change in zip(cones, by, strict=True))) for s in (step, 0.0, -step)]
        found = [solved(kinds, end, 1e-12) for end in ends]
        states = {_states(end, x) for end, (x, _, _) in zip(ends, found, strict=True)}
        if len(states) > 1 or max(residual for _, residual, _ in found) > 1e-12:
            continue
        given = dict(zip(Cones._fields, cones._replace(x0=found[1][0]), strict=True))
        pushed = evaluate(forward, {**given, "dA": by.A, "dr": by.r, "db": by.b})["dx"]
        slope = (found[0][0] - found[2][0]) / (2 * step)
        worst = max(worst, float(np.max(np.abs(pushed - slope)) / (1 + np.max(np.abs(slope)))))
        compared += 1
        for state in next(iter(states)):
            does[state] = does.get(state, 0) + 1
    said = ", ".join(f"{number} {state}" for state, number in sorted(does.items()))
    return (
        f"  derivative beside central differences on {compared} problems ({said}): worst {worst:.1e} "
        f"(≤ 1e-06) {verdict(worst <= 1e-6)}"
    )


def _states(cones: Cones, x: Array) -> tuple[str, ...]:
    w = cones.A @ x + cones.r
    return tuple(
        "open" if x[k + 2] < CLOSE else "sticking" if np.linalg.norm(w[k : k + 3]) < 1e-8 else "sliding"
        for k in range(0, len(x), 3)
    )
