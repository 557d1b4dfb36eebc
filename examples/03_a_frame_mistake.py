"""Two mistakes that shipped in flagship code, written down on relations: both are refused before any number exists."""

from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    WORLD,
    WORLD_FRAME,
    Body,
    ClassicalAcceleration,
    Frame,
    JointVelocity,
    MotionBasis,
    RigidInertia,
    SemanticError,
    Twist,
    Wrench,
    reporting,
)

hand, arm = Body("hand"), Body("arm")
at_hand, at_arm, center = Frame("hand", hand), Frame("arm", arm), Frame("center_of_mass", hand)

# a Jacobian at the centre of mass, against a velocity at the link's origin
jacobian = MotionBasis(hand, WORLD, center.origin, WORLD_FRAME, joints=("wrist",))
velocity = Twist(hand, WORLD, at_hand.origin, WORLD_FRAME)
try:
    error = velocity - jacobian.times(JointVelocity(("wrist",)))
except SemanticError as refusal:
    print(refusal, end="\n\n")

# a mass-matrix term in the parent's axes, against forces in the world's
inertia = RigidInertia(hand, at_hand.origin, at_arm)
rest, falling = (
    Twist(hand, WORLD, at_hand.origin, at_arm),
    ClassicalAcceleration(hand, FREE_FALL, at_hand.origin, at_arm),
)
force = Wrench(hand, ENVIRONMENT, at_hand.origin, WORLD_FRAME)
try:
    needed = inertia.required_wrench(falling, rest).without(force)
except SemanticError as refusal:
    print(refusal, end="\n\n")

# in report mode the same mistake is collected, and the numbers go on
with reporting() as report:
    error = velocity - jacobian.times(JointVelocity(("wrist",)))
print("refusals collected:", len(report.refusals))
