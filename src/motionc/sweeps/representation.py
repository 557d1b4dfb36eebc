"""Where the quantities of a body are kept: its home, a point and three axes (specs/multibody-methodology.md §2.1.4).

    body        at the body's own origin, in its own axes
    inertial    at the body's own origin, in the world's axes
    absolute    at that point of the body which is now at the world's origin, in the world's axes

Sweeps do not know which: they read homes, S and H off a mechanism. Here is the same mechanism with its homes elsewhere,
which holds at one configuration. It does not compute anything else: no solver is written here a second time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from motionc.geometry import WORLD_FRAME, Body, Frame, MotionBasis, MotionBasisRate, Orientation, Pose
from motionc.geometry.coordinates import UNKNOWN, Coordinates
from motionc.model.mechanism import Mechanism
from motionc.model.moving_joint import MovingJoint
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem

Representation = Literal["body", "inertial", "absolute"]


@dataclass(frozen=True, slots=True, eq=False)
class JointBetweenHomes(MovingJoint):
    """A joint at one configuration: `reference` is all of the way from the parent's home to the child's.

    `own` is the joint in the body's own frame, and `home` the pose of that frame wrt the child's home.
    """

    directions: MotionBasis = field(kw_only=True)
    own: MovingJoint = field(kw_only=True)
    home: Pose = field(kw_only=True)

    def relative_pose(self, q: Coordinates) -> Pose:
        return Pose.between(self.target, self.reference.of)

    def basis(self, of: Body, wrt: Body, q: Coordinates = UNKNOWN) -> MotionBasis:
        return self.directions

    def basis_rate(self, of: Body, wrt: Body, q: Coordinates, v: Coordinates) -> MotionBasisRate:
        X = self.home
        return self.own.basis_rate(of, wrt, q, v).change_frame(X.orientation).change_point(X.position.inverse())


@dataclass(frozen=True, slots=True, eq=False)
class FramesAtHome(Mapping[str, tuple[int, Pose]]):
    """Every frame by name: (body index, Pose wrt that body's home)."""

    frames: Mapping[str, tuple[int, Pose]]
    homes: Mapping[int, Pose]

    def __getitem__(self, name: str) -> tuple[int, Pose]:
        index, pose = self.frames[name]
        return index, self.homes[index].compose(pose)

    def __iter__(self) -> Iterator[str]:
        return iter(self.frames)

    def __len__(self) -> int:
        return len(self.frames)


def at_home(mechanism: Mechanism, representation: Representation, inputs: Mapping[str, Coordinates]) -> Mechanism:
    """The mechanism at the configuration `inputs["q"]`, its bodies at home where the representation says."""
    if representation == "body":
        return mechanism
    problem, way_home = Problem(inputs), _inertial if representation == "inertial" else _absolute
    bodies = list(mechanism.bodies)
    # of each body's own frame wrt its home
    own = {-1: Pose.between(WORLD_FRAME, WORLD_FRAME)}
    for body in mechanism.bodies:
        joint = JointView(body, mechanism.body_frame(body.parent).body, problem)
        carried = own[body.parent].compose(joint.pose)
        way = way_home(body.frame, carried)
        X = own[body.index] = way.inverse().compose(carried).multiplied_out()
        # what is constant in the body's own frame, brought home
        S = joint.basis.change_frame(X.orientation).change_point(X.position.inverse())
        H = joint.inertia.change_frame(X.orientation).change_point(X.position.inverse())
        bodies[body.index] = replace(body, frame=way.of, joint=_between_homes(body.joint, way, S, X), inertia=H)
    return replace(mechanism, bodies=tuple(bodies), frames=FramesAtHome(mechanism.frames, own))


def _inertial(frame: Frame, carried: Pose) -> Pose:
    """The way to a home at the frame's origin, in the axes of the parent's home, which are the world's."""
    home = replace(frame, axes="<inertial>")
    return Pose(Orientation(home, carried.wrt, ()), carried.position)


def _absolute(frame: Frame, carried: Pose) -> Pose:
    """No way at all: every home is where the world's is."""
    return Pose.between(Frame("<absolute>", frame.body), carried.wrt)


def _between_homes(joint: MovingJoint, way: Pose, directions: MotionBasis, home: Pose) -> JointBetweenHomes:
    kept = joint.q, joint.v, joint.gain, joint.offset, joint.rotor, joint.damping, joint.friction, joint.follows
    return JointBetweenHomes(joint.name, joint.part, way, way.of, *kept, directions=directions, own=joint, home=home)
