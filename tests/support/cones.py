"""Problems of cone_solve, the kernel as a computation, and who else solves them.

Pinocchio's ADMM solves contacts with friction, SciPy's bounded least squares what has none.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from scipy.optimize import lsq_linear

import motionc as mc
from motionc.program.kernels import Call
from motionc.program.kernels.cone_solve import KINDS, cone_solve
from motionc.program.port import Precision

Array = np.ndarray[Any, np.dtype[np.float64]]
CLOSE = 1e-10


class Cones(NamedTuple):
    """All that the kernel takes."""

    A: Array
    r: Array
    x0: Array
    n: Array
    b: Array
    c: Array

    @property
    def flat(self) -> Array:
        return np.concatenate([np.ravel(part) for part in self])


def rows_of(kinds: tuple[str, ...]) -> list[tuple[str, slice]]:
    """Blocks by kind, and where their rows are."""
    found, start = list[tuple[str, slice]](), 0
    for kind in kinds:
        found.append((kind, slice(start, start + (3 if kind == "cone" else 1))))
        start = found[-1][1].stop
    return found


@cache
def solving(kinds: tuple[str, ...], sweeps: int, precision: Precision = "double") -> mc.Computation:
    """The kernel alone."""
    call = cone_solve(kinds, sweeps)

    def solve(A, r, x0, n, b, c):
        *x, residual = A[0, 0].writer.call(call, A, r, x0, n, b, c)
        return {"x": np.array(x, object), "residual": residual}

    m = call.size
    sizes = {"A": (m, m), **dict.fromkeys(("r", "x0", "n", "b", "c"), (m,))}
    given = [mc.Port(name, shape, "1", "…") for name, shape in sizes.items()]
    found = [mc.Port("x", (m,), "1", "impulses"), mc.Port("residual", (), "1", "of them")]
    return mc.block("cones", solve, given, found, precision=precision)


def solved(kinds: tuple[str, ...], cones: Cones, close: float = CLOSE, most: int = 20_000) -> tuple[Array, float, int]:
    """The solution, 25 sweeps after 25 until its residual is so small; that, and after how many sweeps."""
    solve, sweeps, out = solving(kinds, 25), 0, None
    while out is None or (out.residual > close and sweeps < most):
        out, sweeps = solve(*cones), sweeps + 25
        cones = cones._replace(x0=out.x)
    return out.x, float(out.residual), sweeps


# ---------------------------------------------------------------- problems


def contacts(rng: np.random.Generator, count: int, joints: int, friction: tuple[float, float] = (0.1, 0.8)) -> Cones:
    """Points of a robot of so many joints that moves, normals along z; with few joints they depend on each other."""
    m = 3 * count
    J, masses = rng.normal(size=(m, joints)), 10 ** rng.uniform(-0.5, 0.5, joints)
    normal, bound = np.tile([0.0, 0.0, 1.0], count), np.repeat(rng.uniform(*friction, count), 3)
    return Cones(J / masses @ J.T, J @ rng.normal(size=joints), np.zeros(m), normal, bound, np.zeros(m))


def turned(rng: np.random.Generator, cones: Cones) -> tuple[Cones, Array]:
    """The same with every contact's rows along other axes, and how those are turned."""
    turn = np.zeros_like(cones.A)
    for k in range(0, len(turn), 3):
        turn[k : k + 3, k : k + 3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    A = turn @ cones.A @ turn.T
    return cones._replace(A=(A + A.T) / 2, r=turn @ cones.r, n=turn @ cones.n), turn


def random_cones(rng: np.random.Generator, call: Call, special: str = "") -> Cones:
    """Rows of any kind, some of which depend on others, have nothing that gives way, or friction that may jam."""
    m = call.size
    rows = rng.normal(size=(m, m + 2))
    if special == "dependent":
        rows[:, max(1, m // 2) :] = 0.0
    if special == "nothing gives way":
        rows[: m // 2 + 1] = 0.0
    r, x, normal, bound = rng.normal(size=m), rng.normal(size=m), np.zeros(m), rng.uniform(0.0, 1.0, m)
    for kind, at in rows_of(tuple(KINDS[k] for k in call.pattern[1:])):
        if kind == "cone":
            direction = rng.normal(size=3)
            normal[at] = direction / np.linalg.norm(direction)
    bound = bound * (20.0 if special == "rough" else 1.0)
    compliance = rng.uniform(0.0, 0.1, m) * (special == "compliant")
    return Cones(rows @ rows.T, r, x * (special != "cold"), normal, bound, compliance)


# ---------------------------------------------------------------- who else says so


def unmet(kinds: tuple[str, ...], cones: Cones, x: Array) -> float:
    """How far x is from what it must be, as a velocity; block by block, by nothing that the kernel has."""
    K = cones.A + np.diag(cones.c)
    w, off = K @ x + cones.r, [0.0]
    for kind, at in rows_of(kinds):
        own, there, n = x[at], w[at], cones.n[at]
        if kind == "one_sided":
            off += [abs(min(there[0], K[at, at][0, 0] * own[0]))]
        elif kind == "box":
            size = K[at, at][0, 0]
            limit = size * cones.b[at][0]
            off += [abs(size * own[0] - np.clip(size * own[0] - there[0], -limit, limit))]
        else:
            P, size = np.eye(3) - np.outer(n, n), float(n @ K[at, at] @ n)
            across = max(np.linalg.eigvalsh(P @ K[at, at] @ P))
            aim, limit = P @ (across * own - there), across * cones.b[at.start] * (n @ own)
            aim *= min(1.0, limit / max(np.linalg.norm(aim), 1e-300))
            off += [abs(min(n @ there, size * (n @ own))), float(np.linalg.norm(P @ (across * own) - aim))]
    return float(max(off))


def by_admm(cones: Cones, precision: float = 1e-11) -> tuple[Array, bool]:
    """Impulses by Pinocchio's ADMM, normals along z, and whether it says that they are right."""
    models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in cones.b[::3]:
        model = pin.PointContactConstraintModel(pin.Model(), 0, pin.SE3.Identity())
        model.setFriction(float(friction))
        models.append(pin.ConstraintModel(model))
    for model in models:
        data.append(model.createData())
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.max_iterations = 20_000
    for of in ("absolute_complementarity", "absolute_feasibility", "relative_complementarity", "relative_feasibility"):
        setattr(settings, f"{of}_tol", precision)
    matrix = pin.DelassusOperatorDense(cones.A + np.diag(cones.c))
    done = pin.ADMMConstraintSolver(len(cones.r)).solve(matrix, cones.r, models, data, settings, result)
    return np.array(result.retrieveConstraintImpulses()), bool(done)


def by_least_squares(kinds: tuple[str, ...], cones: Cones) -> Array:
    """Impulses without friction by SciPy: ½ xᵀ K x + rᵀ x least within bounds, of contacts along their normals."""
    along, low, high = list[Array](), list[float](), list[float]()
    for kind, at in rows_of(kinds):
        column = np.zeros(len(cones.r))
        column[at] = cones.n[at] if kind == "cone" else 1.0
        along.append(column)
        low.append(-cones.b[at][0] if kind == "box" else 0.0)
        high.append(cones.b[at][0] if kind == "box" else np.inf)
    B = np.transpose(along)
    L = np.linalg.cholesky(B.T @ (cones.A + np.diag(cones.c)) @ B)
    best = lsq_linear(L.T, -np.linalg.solve(L, B.T @ cones.r), (low, high), method="bvls", tol=1e-14, max_iter=1000)
    return B @ best.x
