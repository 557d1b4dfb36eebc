"""The same closed loops on our plant and on MuJoCo's: arms and HyQ in flight, friction, stops, HyQ dropped.

Both run the same sensors, noise, controllers and actuators, compiled; the time step alone is another's. At 1 kHz.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc import simulate as sim
from motionc.benchmark.timing import Absent, Array

ROBOTS = {"LWR 4": "lwr4", "Panda": "panda", "HyQ in flight": "hyq"}
EXACT, STICKS, REST = 1e-9, 1e-4, 1e-3
"""What is wanted: rad and m without contact; rad where joints stick; m at rest."""
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")


def figures() -> Iterator[str]:
    """A line a robot, a kind of resistance, a drop."""
    if find_spec("mujoco") is None:
        raise Absent("MuJoCo is not installed; pip install mujoco")
    for title, name in ROBOTS.items():
        yield from _free(title, mc.load(name))
    yield from _resisted()
    yield from _stops()
    for sideways in (0.0, 0.3):
        yield from _dropped(sideways)


def both(
    plant: sim.Plant,
    start: Any,
    controller: mc.Computation | None = None,
    log: tuple[str, ...] = ("q", "v"),
    **given: Any,
) -> tuple[sim.Run, sim.Run, float]:
    """A run of ours, of MuJoCo's, and the seconds that the latter took."""
    ours = sim.closed(plant, controller, log=list(log))(start, **given)
    loop = sim.closed(sim.MujocoPlant(plant), controller, log=list(log)).build()
    shortly: dict[str, Any] = {**given, "seconds": 2 * plant.dt}
    loop(start, **shortly)
    begin = time.perf_counter()
    theirs = loop(start, **given)
    return ours, theirs, time.perf_counter() - begin


def _apart(ours: sim.Run, theirs: sim.Run, name: str = "q") -> float:
    return float(np.abs(ours[name] - theirs[name]).max())


def _line(what: str, error: float, bar: float, unit: str, more: str = "") -> str:
    return f"  {what:<66} {error:8.1e} {unit:<4} (wanted ≤ {bar:g}) {verdict(error <= bar)}{more}"


# ---------------------------------------------------------------- nothing touches


def _free(title: str, robot: mc.Robot) -> Iterator[str]:
    """PD with encoders that are noisy, 1 s."""
    rng, legs = np.random.default_rng(0), slice(6 if robot.floating else 0, robot.nv)
    swing = np.zeros(robot.nv)
    swing[legs] = 0.3 * rng.normal(size=swing[legs].shape)
    q = robot.random(1)
    plant = sim.Plant(robot, sensors=[sim.Encoder(noise=1e-3)])
    law = mc.control.pd(robot, 30.0, 2.0)
    target = robot.integrate(q, swing, 1.0)
    start = plant.start(q, 0.5 * rng.normal(size=robot.nv))
    ours, theirs, seconds = both(plant, start, law, target=target, seconds=1.0, seed=1)
    worst = max(_apart(ours, theirs), _apart(ours, theirs, "v"))
    turned = f"; {1e6 * seconds / len(theirs.q):.0f} µs a turn with MuJoCo"
    yield _line(f"{title}: PD, noisy encoders, 1 s: q, v", worst, EXACT, "", turned)


def _dressed(name: str, transmission: mc.Transmission) -> mc.Robot:
    chain = mc.load(name).chain
    joints = (replace(joint, transmission=transmission) if joint.type.moves else joint for joint in chain.joints)
    return mc.Robot(replace(chain, joints=tuple(joints)))


def _resisted() -> Iterator[str]:
    robot = _dressed("ur5", mc.Transmission(0.3, 0.7, 2.0))
    begin = np.linspace(-0.4, 0.5, 6), np.linspace(1, -1, 6)
    plans: dict[str, tuple[dict[str, Any], float]] = {
        "rotors, smooth friction": ({"friction": "smooth"}, EXACT),
        "and a push, a payload picked up": (
            {
                "friction": "smooth",
                "pushes": [sim.Push("tool0", (30.0, -40.0, 5.0), start=0.1, seconds=0.3)],
                "payloads": [sim.Payload("tool0", 2.0, com=(0.1, 0.0, 0.05), picked=0.2)],
            },
            EXACT,
        ),
        "rotors, stiction": ({"friction": "stiction"}, STICKS),
        "stiction and a brake": ({"friction": "stiction", "brakes": [sim.Brake("shoulder_lift_joint", 300.0)]}, STICKS),
    }
    for what, (more, bar) in plans.items():
        plant = sim.Plant(robot, **more)
        ours, theirs, _ = both(plant, plant.start(*begin), tau=np.linspace(-5, 5, 6), seconds=1.0)
        yield _line(f"UR5: {what}, 1 s: q", _apart(ours, theirs), bar, "rad")


def _stops() -> Iterator[str]:
    robot = mc.load("lwr4")
    plant = sim.Plant(robot, limits=True, friction="smooth")
    upper = robot.limits.upper
    ours, theirs, _ = both(plant, plant.start(0.9 * upper, np.ones(7)), tau=np.full(7, 3.0), seconds=1.0)
    for whose, run in (("ours", ours), ("MuJoCo's", theirs)):
        beyond, at_rest = float((run.q - upper).max()), float((run.q[-1] - upper).max())
        bar = 1e-5 if run is ours else 2e-3  # theirs give by what they move in a step
        yield _line(f"LWR 4 into its stops, {whose}: beyond them", beyond, bar, "rad", f"; {at_rest:.0e} at rest")


# ---------------------------------------------------------------- HyQ dropped


def standing(robot: mc.Robot) -> Array:
    """HyQ on bent legs, knees to its middle."""
    q = robot.neutral()
    for leg in ("LF", "RF", "LH", "RH"):
        side = 1.0 if leg[1] == "F" else -1.0
        q[robot.q_index[f"{leg}_HFE"]], q[robot.q_index[f"{leg}_KFE"]] = 0.75 * side, -1.5 * side
    return q


def _dropped(sideways: float) -> Iterator[str]:
    robot = mc.load("hyq")
    plant = sim.Plant(robot, contacts=[sim.Contact(foot) for foot in FEET], actuators=sim.Position(2000.0, 60.0))
    start = plant.start(standing(robot), [0, 0, 0, 0, sideways, 0] + [0] * 12, height=0.05)
    log = ("q", "v", "contact_force", "gap")
    ours, theirs, seconds = both(plant, start, log=log, q_target=start["q"], seconds=3.0)
    manner = f"HyQ dropped from 5 cm{f', {sideways:g} m/s sideways' if sideways else ''}"
    base = float(np.abs(ours.q[-1, :3] - theirs.q[-1, :3]).max())
    turned = f"; {1e6 * seconds / len(theirs.q):.0f} µs a turn with MuJoCo"
    yield _line(f"{manner}: base at rest after 3 s", base, REST, "m", turned)
    angles = float(np.abs(ours.q[-1, 3:] - theirs.q[-1, 3:]).max())
    yield _line(f"{manner}: orientation and joints at rest", angles, 2 * REST, "")
    weight = 9.81 * sum(link.mass or 0.0 for link in robot.links)
    for whose, run in (("ours", ours), ("MuJoCo's", theirs)):
        share = abs(float(run.contact_force[-1][:, 2].sum()) / weight - 1)
        deep, creep = 1e3 * -run.gap.min(), 1e3 * np.abs(run.q[-1, :3] - run.q[-501, :3]).max() / 0.5
        more = f"; deepest {deep:.3f} mm, {1e3 * -run.gap[-1].min():.5f} at rest, base {creep:.4f} mm/s"
        yield _line(f"{manner}, {whose}: weight carried but for", share, 1e-3, "", more)
