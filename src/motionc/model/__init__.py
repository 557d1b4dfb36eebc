"""What is a robot? Links, segments, joints, chains, the rules they obey, and the Robot one computes with."""

from motionc.model import orders
from motionc.model.chain import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.model.findings import Finding, Findings, ModelError, ModelWarning, Place, Severity
from motionc.model.mount import attach
from motionc.model.robot import Robot
from motionc.model.rules import check_chain

__all__ = [
    "Attachment",
    "Finding",
    "Findings",
    "Joint",
    "JointType",
    "KinematicChain",
    "Limits",
    "Link",
    "Mimic",
    "ModelError",
    "ModelWarning",
    "Place",
    "Robot",
    "Role",
    "Segment",
    "Severity",
    "Transmission",
    "attach",
    "check_chain",
    "orders",
    "placed",
]
