"""One version of motionc in a process of its own: a question a line as JSON comes in, an answer a line goes out.

Started by versus.py with PYTHONPATH on the version's src. It uses what every version has alone, so that older ones
understand it. Times are in seconds.
"""

import gc
import inspect
import json
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import motionc as mc
from motionc.benchmark.timing import one_core

STATES = 256
BATCH = 8192


@cache
def robot(name: str, floating: bool | None, fixed: tuple[str, ...]) -> mc.Robot:
    return loaded(name, floating, fixed)


def loaded(name: str, floating: bool | None, fixed: tuple[str, ...]) -> mc.Robot:
    """Floating where that is said, as shipped where it is not."""
    options: dict[str, Any] = {"fixed": fixed} if fixed else {}
    return mc.load(name, **options) if floating is None else mc.load(name, floating=floating, **options)


def computations(of: mc.Robot) -> dict[str, Callable[[], Any]]:
    """Every public computation, asked what has one answer on any robot."""
    tip, joint = of.link_names[-1], of.joint_names[-1]
    row = mc.Constraint(tip, "x")
    motors = of.joint_names  # everywhere: what contacts and motors share is another question than it was
    return {
        "forward_kinematics": lambda: mc.forward_kinematics(of, frames=[tip, "world"]),
        "jacobian": lambda: mc.jacobian(of, tip, point=(0.1, 0, 0.2), as_seen_by=tip),
        "transform": lambda: mc.transform(of, "world", tip),
        "path_jacobian": lambda: mc.path_jacobian(of, "world", tip),
        "jacobian_rate": lambda: mc.jacobian_rate(of, tip),
        "frame_motion": lambda: mc.frame_motion(of, [tip]),
        "inverse_velocity": lambda: mc.inverse_velocity(of, tip, rows="x"),
        "inverse_kinematics, a step": lambda: mc.inverse_kinematics(of, tip).step,
        "inverse_dynamics": lambda: mc.inverse_dynamics(of),
        "bias_forces": lambda: mc.bias_forces(of),
        "gravity_forces": lambda: mc.gravity_forces(of),
        "forward_dynamics": lambda: mc.forward_dynamics(of),
        "forward_dynamics, a force from outside": lambda: mc.forward_dynamics(
            of, external_forces=[mc.Force(tip, as_seen_by=tip)]
        ),
        "hybrid_dynamics": lambda: mc.hybrid_dynamics(of, [joint]),
        "constrained_dynamics": lambda: mc.constrained_dynamics(of, [row], actuated=motors),
        "constrained_dynamics, within limits": lambda: mc.constrained_dynamics(of, [row], limits={joint: 0.5}),
        "constrained_dynamics, six rows": lambda: mc.constrained_dynamics(
            of, [six(tip)], actuated=motors, outputs=["a"]
        ),
        "operational_space": lambda: mc.operational_space(of, row),
        "impact": lambda: mc.impact(of, [mc.Constraint(tip, "x", source="contact")]),
        "mass_matrix": lambda: mc.mass_matrix(of),
        "mass_matrix_inverse": lambda: mc.mass_matrix_inverse(of),
        "mass_matrix_solve": lambda: mc.mass_matrix_solve(of),
        "mass_matrix_factor": lambda: mc.mass_matrix_factor(of),
        "center_of_mass": lambda: mc.center_of_mass(of),
        "centroidal_momentum": lambda: mc.centroidal_momentum(of),
        "energy": lambda: mc.energy(of),
        "regressor": lambda: mc.regressor(of),
        "derivatives of inverse_dynamics": lambda: mc.inverse_dynamics(of).derivative("tau", ["q", "v"]),
        "derivatives of forward_dynamics": lambda: mc.forward_dynamics(of).derivative("a", ["q", "v"]),
    }


def six(link: str) -> mc.Constraint:
    return mc.Constraint(link, "rx ry rz x y z", as_seen_by=link, kind="spatial")


# ---------------------------------------------------------------- what can be asked


def names(where: list[Any]) -> list[str]:
    return list(computations(_robot(where)))


def operations(where: list[Any], name: str) -> int | str:
    """Arithmetic operations of a state, or why there are none."""
    try:
        return sum(computations(_robot(where))[name]().operations.values())
    except mc.Error as error:
        return " ".join(str(error).split())


def call(where: list[Any], name: str) -> float:
    """The time of a call from Python, one after the other."""
    computation, states = _prepared(tuple(map(_hashable, where)), name)
    with one_core():
        start = time.perf_counter()
        for state in states:
            computation(*state)
        return (time.perf_counter() - start) / len(states)


def batch(where: list[Any], name: str) -> float:
    """The time of a state of a batch, on one thread."""
    computation, columns = _columns(tuple(map(_hashable, where)), name)
    with one_core():
        start = time.perf_counter()
        computation.batch(*columns, threads=1)
        return (time.perf_counter() - start) / BATCH


def trace(where: list[Any], name: str) -> float:
    """Processor time to trace, check and optimise, of a robot that nothing was asked of before."""
    fresh = loaded(where[0], where[1], tuple(where[2]))
    make = computations(fresh)[name]
    gc.collect()
    start = time.process_time()
    _ = make().program
    return time.process_time() - start


def public() -> dict[str, list[str]]:
    """Public names, and of those that can be called the names of their arguments."""
    found = dict[str, list[str]]()
    for name in mc.__all__:
        thing = getattr(mc, name)
        try:
            found[name] = list(inspect.signature(thing).parameters) if callable(thing) else []
        except (TypeError, ValueError):
            found[name] = []
    return found


def where() -> str:
    """Whose code this is."""
    return str(mc.__file__)


# ---------------------------------------------------------------- states


def _hashable(given: Any) -> Any:
    return tuple(given) if isinstance(given, list) else given


def _robot(where: list[Any]) -> mc.Robot:
    return robot(*map(_hashable, where))


@cache
def _prepared(where: tuple[Any, ...], name: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """A computation that was called before, and states for it."""
    of, rng = robot(*where), np.random.default_rng(0)
    computation = computations(of)[name]()
    states = [
        tuple(of.random(rng) if port.name == "q" else rng.uniform(-1, 1, port.shape) for port in computation.inputs)
        for _ in range(STATES)
    ]
    computation(*states[0])
    return computation, states


@cache
def _columns(where: tuple[Any, ...], name: str) -> tuple[Any, list[Any]]:
    computation, states = _prepared(where, name)
    columns = [np.array([state[k] for state in states] * (BATCH // STATES)) for k in range(len(states[0]))]
    computation.batch(*columns, threads=1)
    return computation, columns


ASKED: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (names, operations, call, batch, trace, public, where)
}


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # what is printed besides is no answer
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        print(json.dumps(ASKED[what](*arguments)), file=answers, flush=True)


if __name__ == "__main__":
    main()
