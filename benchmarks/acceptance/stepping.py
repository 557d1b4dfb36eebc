"""A loop that a user writes, v ← v + dt a, q ← q ⊕ v dt, against the same loop with Pinocchio's Python; random states.

Both loops start alike, and where they arrive is compared before anything is timed; rounds are interleaved on one core.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from entries import ENTRIES, ROBOTS, Entry
from motionc.benchmark.timing import Absent, Array, Contender, Timing, measure, one_core
from peers.pinocchio import Peer

WALKERS = {"HyQ": Entry(ROBOTS / "hyq_no_sensors.urdf", "lf_foot", floating=True), "Panda": ENTRIES["Panda"]}
STEPS, DT, ROUNDS = 200, 1e-3, 100
WANTED, DRAWN, SECONDS = 2.0, 100_000, 0.2
OURS, THEIRS = "motionc", "Pinocchio"


def figures(rounds: int = ROUNDS) -> Iterator[str]:
    """A line a robot, and one for random states."""
    for title, entry in WALKERS.items():
        if entry.absent:
            yield f"  not measured: {title}: {entry.absent}"
            continue
        ours, theirs = race(entry, rounds)
        if ours.microseconds is None or theirs.microseconds is None:
            yield f"  {title}: {theirs.note} {verdict(False)}"
            continue
        ratio = theirs.microseconds / ours.microseconds
        yield (
            f"  {title}, a step of forward dynamics and integrate: ours {ours.microseconds:.2f} µs, {THEIRS} "
            f"{theirs.microseconds:.2f} µs, {ratio:.2f} times as long (wanted ≥ {WANTED:g}) {verdict(ratio >= WANTED)}"
        )
    if not WALKERS["HyQ"].absent:
        taken = draw(WALKERS["HyQ"].load())
        holds = verdict(taken < SECONDS)
        yield f"  HyQ, {DRAWN:,} random configurations: {taken:.3f} s (wanted < {SECONDS:g} s) {holds}"


def race(entry: Entry, rounds: int) -> list[Timing]:
    """Both loops from one state; they arrive at the same configuration."""
    try:
        pin = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    robot = entry.load()
    peer, accelerate = Peer(pin, robot, entry.path), mc.forward_dynamics(robot)
    q, v, tau = robot.random(0), np.random.default_rng(0).normal(size=robot.nv), np.zeros(robot.nv)
    at, rate, force = peer.state(q, v, tau)

    def ours() -> Array:
        return walked(accelerate, robot.integrate, q, v, tau)

    def theirs() -> Array:
        return their_walk(pin, peer, at, rate, force)

    contenders = {
        OURS: Contender(STEPS, ours, lambda: np.array([robot.difference(q, ours())])),
        THEIRS: Contender(STEPS, theirs, lambda: np.array([robot.difference(q, peer.theirs.our_q(theirs()))])),
    }
    with one_core():
        return measure("a step", contenders, rounds)


def walked(accelerate: Any, integrate: Callable[..., Array], q: Array, v: Array, tau: Array) -> Array:
    """The loop as a user writes it."""
    dt = DT
    for _ in range(STEPS):
        v = v + dt * accelerate(q, v, tau)
        q = integrate(q, v, dt)
    return q


def their_walk(pin: Any, peer: Peer, q: Array, v: Array, tau: Array) -> Array:
    """The same with Pinocchio's functions."""
    model, data, dt = peer.model, peer.data, DT
    for _ in range(STEPS):
        v = v + dt * pin.aba(model, data, q, v, tau)
        q = pin.integrate(model, q, dt * v)
    return q


def draw(robot: mc.Robot) -> float:
    """Seconds to draw many configurations, the least of three."""
    taken = list[float]()
    for seed in range(3):
        start = perf_counter()
        robot.random(seed, size=DRAWN)
        taken.append(perf_counter() - start)
    return min(taken)
