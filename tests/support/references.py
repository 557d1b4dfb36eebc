"""Where joints are to be over time, as blocks on the clock: target, target_v and target_a, for laws of control."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import motionc as mc


def sines(robot: mc.Robot, middle: Sequence[float], sway: Sequence[float], hertz: Sequence[float]) -> mc.Computation:
    """Each joint sways about its middle."""
    q0, high, pace = np.array(middle), np.array(sway), 2 * np.pi * np.array(hertz)

    def along(time: Any) -> dict[str, Any]:
        sine, cosine = (np.array([getattr(w * time, f)() for w in pace]) for f in ("sin", "cos"))
        return {"target": q0 + high * sine, "target_v": high * pace * cosine, "target_a": -high * pace**2 * sine}

    return _on_clock(robot, along)


def cubic(robot: mc.Robot, start: Sequence[float], end: Sequence[float], seconds: float) -> mc.Computation:
    """From rest to rest, then stay."""
    q0, way = np.array(start), np.array(end) - np.array(start)

    def along(time: Any) -> dict[str, Any]:
        s = (time / seconds).minimum(1.0)
        rate, change = 6 * (s - s * s) / seconds, (s < 1.0).select((6 - 12 * s) / seconds**2, 0.0)
        return {"target": q0 + way * (3 * s * s - 2 * s * s * s), "target_v": way * rate, "target_a": way * change}

    return _on_clock(robot, along)


def _on_clock(robot: mc.Robot, along: Callable[[Any], dict[str, Any]]) -> mc.Computation:
    ports = mc.control.computed_torque(robot, 1.0, 1.0).inputs
    clock = mc.Port("time", (), "s", "since the run began")
    return mc.block("reference", along, [clock], [port for port in ports if port.name.startswith("target")])


def geared(name: str, rotor: float = 0.01) -> mc.Robot:
    """A shipped planar arm with rotors at its joints, as the setups of specs/motion-stack.md §3 have them."""
    chain, gear = mc.load(name).chain, mc.Transmission(rotor_inertia=rotor)
    moving = (joint.type is not mc.JointType.FIXED for joint in chain.joints)
    joints = (
        replace(joint, transmission=gear) if moves else joint for joint, moves in zip(chain.joints, moving, strict=True)
    )
    return mc.Robot(mc.KinematicChain(name, tuple(joints), chain.base))
