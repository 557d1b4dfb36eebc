"""What is a pose, a twist, a wrench? Relations that carry their meaning, over numbers, symbols or nothing."""

from motionc.geometry.amounts import Duration, RowAmounts
from motionc.geometry.articulated import ApparentInertia, ArticulatedInertia, Projector
from motionc.geometry.command import Command
from motionc.geometry.displacement import Displacement
from motionc.geometry.entities import (
    ENVIRONMENT,
    FREE_FALL,
    INERTIA,
    JOINTS,
    ROBOT,
    WORLD,
    WORLD_FRAME,
    Body,
    Frame,
    Point,
)
from motionc.geometry.force import (
    ApparentWrench,
    ArticulatedWrench,
    KineticEnergy,
    Momentum,
    PotentialEnergy,
    Wrench,
)
from motionc.geometry.impulse import Impulses, JointImpulse, RowTwist, TwistJump
from motionc.geometry.inertia import RigidInertia
from motionc.geometry.joint_inertia import JointInertia
from motionc.geometry.joint_space import (
    CoordinateRate,
    JointAcceleration,
    JointBias,
    JointCoordinates,
    JointDamping,
    JointDisplacement,
    JointFactor,
    JointForce,
    JointMobility,
    JointResponse,
    JointVelocity,
    RestingVelocity,
    RotorInertia,
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
from motionc.geometry.motion_basis import MotionBasis, MotionBasisRate
from motionc.geometry.pose import Orientation, Pose, Position
from motionc.geometry.row_error import RowError
from motionc.geometry.row_space import Coupling, JointRows, Multipliers, RowAcceleration, RowStack, RowVelocity
from motionc.geometry.six import SixVector
from motionc.geometry.support import Support
from motionc.geometry.task_space import JointSway, OperationalInertia, RowSway
from motionc.geometry.whole_body import UnitMotions
from motionc.geometry.wrench_basis import MomentumBasis, WrenchBasis

__all__ = [
    "ENVIRONMENT",
    "FREE_FALL",
    "INERTIA",
    "JOINTS",
    "ROBOT",
    "WORLD",
    "WORLD_FRAME",
    "Acceleration",
    "ApparentInertia",
    "ApparentWrench",
    "ArticulatedInertia",
    "ArticulatedWrench",
    "Body",
    "ClassicalAcceleration",
    "Command",
    "CoordinateRate",
    "Coupling",
    "Displacement",
    "DrivenAcceleration",
    "Duration",
    "Frame",
    "Impulses",
    "JointAcceleration",
    "JointBias",
    "JointCoordinates",
    "JointDamping",
    "JointDisplacement",
    "JointFactor",
    "JointForce",
    "JointImpulse",
    "JointInertia",
    "JointMobility",
    "JointResponse",
    "JointRows",
    "JointSway",
    "JointVelocity",
    "KineticEnergy",
    "Momentum",
    "MomentumBasis",
    "MotionBasis",
    "MotionBasisRate",
    "Multipliers",
    "ObservedAcceleration",
    "OperationalInertia",
    "Orientation",
    "Point",
    "Pose",
    "Position",
    "PotentialEnergy",
    "Projector",
    "Report",
    "RestingVelocity",
    "RigidInertia",
    "RotorInertia",
    "RowAcceleration",
    "RowAmounts",
    "RowError",
    "RowStack",
    "RowSway",
    "RowTwist",
    "RowVelocity",
    "SemanticError",
    "SixVector",
    "SpatialAcceleration",
    "Support",
    "Twist",
    "TwistJump",
    "UnitMotions",
    "Wrench",
    "WrenchBasis",
    "reporting",
    "unchecked",
]
