"""What is a pose, a twist, a wrench? Relations that carry their meaning, over numbers, symbols or nothing."""

from motionc.geometry.basis import MomentumBasis, MotionBasis, MotionBasisRate, WrenchBasis
from motionc.geometry.entities import ENVIRONMENT, FREE_FALL, INERTIA, WORLD, WORLD_FRAME, Body, Frame, Point
from motionc.geometry.force import (
    ApparentWrench,
    ArticulatedWrench,
    KineticEnergy,
    Momentum,
    PotentialEnergy,
    Wrench,
)
from motionc.geometry.inertia import ApparentInertia, ArticulatedInertia, Projector, RigidInertia
from motionc.geometry.joint_space import (
    Coupling,
    JointAcceleration,
    JointBias,
    JointFactor,
    JointForce,
    JointInertia,
    JointMobility,
    JointResponse,
    JointRows,
    JointVelocity,
    Multipliers,
    RowAcceleration,
)
from motionc.geometry.meaning import Report, SemanticError, reporting, unchecked
from motionc.geometry.motion import (
    Acceleration,
    ClassicalAcceleration,
    DrivenAcceleration,
    ObservedAcceleration,
    SpatialAcceleration,
    Twist,
)
from motionc.geometry.pose import Orientation, Pose, Position
from motionc.geometry.six import SixVector

__all__ = [
    "ENVIRONMENT",
    "FREE_FALL",
    "INERTIA",
    "WORLD",
    "WORLD_FRAME",
    "Acceleration",
    "ApparentInertia",
    "ApparentWrench",
    "ArticulatedInertia",
    "ArticulatedWrench",
    "Body",
    "ClassicalAcceleration",
    "Coupling",
    "DrivenAcceleration",
    "Frame",
    "JointAcceleration",
    "JointBias",
    "JointFactor",
    "JointForce",
    "JointInertia",
    "JointMobility",
    "JointResponse",
    "JointRows",
    "JointVelocity",
    "KineticEnergy",
    "Momentum",
    "MomentumBasis",
    "MotionBasis",
    "MotionBasisRate",
    "Multipliers",
    "ObservedAcceleration",
    "Orientation",
    "Point",
    "Pose",
    "Position",
    "PotentialEnergy",
    "Projector",
    "Report",
    "RigidInertia",
    "RowAcceleration",
    "SemanticError",
    "SixVector",
    "SpatialAcceleration",
    "Twist",
    "Wrench",
    "WrenchBasis",
    "reporting",
    "unchecked",
]
