"""The rules of dynamics, Dy1 and Dy2: every movable joint moves some inertia, and what resists it is asked for."""

from collections.abc import Iterator

from motionc.model.chain import Joint, KinematicChain
from motionc.model.findings import Finding
from motionc.model.idle import idle_joints
from motionc.model.rules.couplings import followers

MOST_NAMES = 3
"""Joints that a finding about many of them names."""


def dy1_moves_inertia(chain: KinematicChain) -> Iterator[Finding]:
    """Dy1: every movable joint moves some inertia of its own (its rotor's counts): M is regular."""
    joints = {joint.name: joint for joint in chain.joints}
    follows, held = followers(joints)
    for name in idle_joints(chain, held=held, follows=follows):
        yield Finding.warning(
            "Dy1",
            joints[name].place,
            f"movable joint {name} moves no inertia of its own: the mass matrix is singular in every configuration",
            "give it, or the links beyond it, mass and inertia that the joints beyond it leave to it, fix the joint "
            "(fixed=[...]), or give it a rotor inertia; kinematics and inverse dynamics work as it is, forward "
            "dynamics does not",
        )


def dy2_friction(chain: KinematicChain) -> Iterator[Finding]:
    """Dy2: damping and friction of joints act in dynamics where they are asked for."""
    resisting = [joint for joint in chain.joints if joint.type.moves and resists(joint)]
    if resisting:
        names = [joint.name for joint in resisting]
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said = f"joint {names[0]} has" if len(names) == 1 else f"joints {', '.join(names[:MOST_NAMES])}{more} have"
        yield Finding.note(
            "Dy2",
            resisting[0].place,
            f"{said} damping or friction, which dynamics leave out unless they are asked with friction=True",
            "say so where it matters: mc.forward_dynamics(robot, friction=True), inverse, hybrid and constrained "
            "dynamics alike",
        )


def resists(joint: Joint) -> bool:
    """Whether something but inertia resists a joint's motion."""
    return bool(joint.transmission.damping or joint.transmission.friction)
