"""The rule of dynamics, Dy1: every movable joint moves some inertia."""

from collections.abc import Iterator

from motionc.model.chain import KinematicChain
from motionc.model.findings import Finding
from motionc.model.idle import idle_joints
from motionc.model.rules.couplings import followers


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
