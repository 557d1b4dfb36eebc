"""First derivatives of dynamics, ours and Pinocchio's, both called from Python: all matrices of one state at once."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.pinocchio import Peer
from motionc.benchmark.timing import ROUNDS, Absent, Array, Contender, State, Timing, calls, measure, one_core
from motionc.model import Robot
from motionc.runtime import Computation, forward_dynamics, inverse_dynamics

INVERSE = "derivatives of inverse dynamics"
FORWARD = "derivatives of forward dynamics"
OURS, THEIRS = "motionc, Python call", "Pinocchio, Python call"
STATES = 64


def race(robot: Robot, path: Path, rounds: int = ROUNDS) -> list[Timing]:
    """∂τ/∂(q, v, a) and ∂a/∂(q, v, τ), on one core."""
    try:
        pin = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    peer, rng = Peer(pin, robot, path), np.random.default_rng(0)
    states = [(robot.random(rng), *rng.uniform(-1, 1, (2, robot.nv))) for _ in range(STATES)]
    entries = (
        (INVERSE, pin.computeRNEADerivatives, ("dtau_dq", "dtau_dv", "M")),
        (
            FORWARD,
            pin.computeABADerivatives,
            ("ddq_dq", "ddq_dv", "Minv"),
        ),
    )
    ours = {
        INVERSE: inverse_dynamics(robot).derivative("tau", ["q", "v", "a"]),
        FORWARD: forward_dynamics(robot).derivative("a", ["q", "v", "tau"]),
    }
    found: list[Timing] = []
    with one_core():
        for question, function, names in entries:
            racing = {OURS: _called(ours[question], states), THEIRS: _theirs(peer, function, names, states)}
            found += measure(question, racing, rounds)
    return found


def _called(computation: Computation, states: list[State]) -> Contender:
    def answers() -> Array:
        return np.array([np.concatenate([x.ravel() for x in computation(*state).values()]) for state in states])

    return Contender(len(states), calls(computation, states), answers)


def _theirs(peer: Peer, function: Any, names: tuple[str, ...], states: list[State]) -> Contender:
    """It leaves its answers behind; of symmetric ones only the upper half."""
    asked = [(peer.model, peer.data, *peer.state(*state)) for state in states]
    where = np.ix_(peer.order, peer.order)

    def answer(state: State) -> Array:
        function(*state)
        matrices = [np.array(getattr(peer.data, name)) for name in names]
        matrices[2] = np.triu(matrices[2]) + np.triu(matrices[2], 1).T
        return np.concatenate([matrix[where].ravel() for matrix in matrices])

    return Contender(len(states), calls(function, asked), lambda: np.array([answer(state) for state in asked]))
