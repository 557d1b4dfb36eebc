"""The same mechanism with symbols under those of its constants that are open, or numbers, or nothing.

Links that cannot move against each other are one body, and stay so: of each body that something open belongs to, the
inertia is put together again from its links, what is constant first. Where a joint sits moves all that is fixed to it:
further links, their frames, the joints on them. What nothing open touches stays as it is, and costs the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from motionc.geometry import Body, Frame, Pose, RigidInertia
from motionc.geometry.coordinates import Coordinates, assemble, is_known, is_symbolic, known_or_unknown, zeros
from motionc.model.chain import Role
from motionc.model.mechanism import Mechanism, MovingBody, link_inertia, snap
from motionc.model.robot import Robot
from motionc.sweeps.parameters import AT_JOINTS, INERTIAL, Array, Parameter, origin, ten_of

Given = Mapping[tuple[str, str], Coordinates]
"""(kind, owner) → what is given, a column."""


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """By which way something was away from where it would be without open joints before it, and by which way it is."""

    was: Array
    now: Coordinates

    def plus(self, was: Array, now: Coordinates) -> "Shift":
        return Shift(self.was + was, self.now + now)

    def rest(self, pose: Pose) -> Pose:
        """Where something was, less this way."""
        return replace(pose, position=replace(pose.position, xyz=snap(pose.position.xyz - self.was)))

    def moved(self, pose: Pose) -> Pose:
        """Where something is that was there."""
        place = self.rest(pose).position
        return replace(pose, position=replace(place, xyz=place.xyz + self.now))


@dataclass(frozen=True, slots=True, eq=False)
class OpenFrames(Mapping[str, tuple[int, Pose]]):
    """Every frame by name: (body index, Pose wrt that body's frame), some of them shifted."""

    frames: Mapping[str, tuple[int, Pose]]
    shifts: Mapping[str, Shift]

    def __getitem__(self, name: str) -> tuple[int, Pose]:
        index, pose = self.frames[name]
        return index, self.shifts[name].moved(pose) if name in self.shifts else pose

    def __iter__(self) -> Iterator[str]:
        return iter(self.frames)

    def __len__(self) -> int:
        return len(self.frames)


def opened(
    mechanism: Mechanism, robot: Robot, parameters: Sequence[Parameter], inputs: Mapping[str, Coordinates]
) -> Mechanism:
    """The mechanism with these parameters as they are in the inputs."""
    if not parameters:
        return mechanism
    given = {(one.kind, one.owner): known_or_unknown(inputs[one.name]) for one in parameters}
    bodies = list(mechanism.bodies)
    links, joints = _shifts(mechanism, robot, given)
    for index, shift in joints.items():
        joint = bodies[index].joint
        bodies[index] = replace(bodies[index], joint=replace(joint, reference=shift.moved(joint.reference)))
    for body in bodies:
        at_joint = {field: given.get((kind, body.joint.name)) for kind, field in AT_JOINTS.items()}
        # without coordinates the one in the file will do: a number has no meaning to check
        open = {field: value for field, value in at_joint.items() if value is not None and is_known(value)}
        if open:
            plain = {field: value if is_symbolic(value) else float(value[0, 0]) for field, value in open.items()}
            bodies[body.index] = replace(body, joint=replace(body.joint, **plain))
    frames = OpenFrames(mechanism.frames, _of_frames(robot, links))
    for index, inertia in _inertias(mechanism, robot, given, links, frames).items():
        bodies[index] = replace(bodies[index], inertia=inertia)
    return replace(mechanism, bodies=tuple(bodies), frames=frames)


# ---------------------------------------------------------------- places


def _shifts(mechanism: Mechanism, robot: Robot, given: Given) -> tuple[dict[str, Shift], dict[int, Shift]]:
    """Of links, and of the joints of bodies, in the axes of the body they belong to."""
    links, joints = dict[str, Shift](), dict[int, Shift]()
    moving: dict[str, int] = {}
    for body in mechanism.bodies:
        moving.setdefault(body.joint.name, body.index)
    for joint in robot.joints:
        shift = links.get(joint.parent.name)
        if ("origin", joint.name) in given:
            place = given["origin", joint.name]
            turn = mechanism.frames[joint.parent.name][1].orientation
            was = turn.apply(origin(joint).reshape(3, 1))
            shift = (shift or Shift(zeros(3, 1), zeros(3, 1))).plus(was, turn.apply(place))
        if shift is None:
            continue
        if joint.name in moving:
            joints[moving[joint.name]] = shift
        else:
            links[joint.child.name] = shift
    return links, joints


def _of_frames(robot: Robot, links: Mapping[str, Shift]) -> dict[str, Shift]:
    """Frames move with their links, and that of a joint with the link beyond it."""
    shifts: dict[str, Shift] = {}
    for joint in robot.joints:
        segment = joint.child
        if segment.name in links:
            features = (frame for frame in (*segment.link.frames, *segment.frames) if frame.role is Role.FEATURE)
            # a link's reference is asked for by the name of its segment
            others = (frame.name for frame in features if frame.name != segment.link.reference)
            shifts |= dict.fromkeys((segment.name, f"joint:{joint.name}", *others), links[segment.name])
    return shifts


# ---------------------------------------------------------------- masses


def _inertias(
    mechanism: Mechanism, robot: Robot, given: Given, shifts: Mapping[str, Shift], frames: OpenFrames
) -> dict[int, RigidInertia]:
    """Of each body to which something open belongs, its links together and what hangs on them."""
    weighed = {owner for kind, owner in given if kind in (*INERTIAL, "inertial", "payload")}
    touched = {frames.frames[name][0] for name in (*weighed, *shifts)} - {-1}
    # constants first, those that move together in one place
    constant = dict[tuple[int, Shift | None], RigidInertia]()
    variable: list[tuple[int, RigidInertia]] = []
    for segment, link in zip(robot.segments, robot.links, strict=True) if touched else ():
        index, pose = frames.frames[link.name]
        if index not in touched:
            continue
        if any((kind, link.name) in given for kind in (*INERTIAL, "inertial")):
            variable.append((index, _weighed(_ten(given, link.name, ten_of(link)), frames[link.name][1])))
        elif link.mass is not None:
            shift = shifts.get(link.name)
            place = _group(mechanism.bodies[index], shift)
            own = link_inertia(segment.link, place, (shift.rest(pose) if shift else pose).matrix, snap)
            constant[index, shift] = constant[index, shift] + own if (index, shift) in constant else own
    for (kind, owner), ten in given.items():
        if kind == "payload":
            index, pose = frames[owner]
            variable.append((index, _weighed(_split(ten), pose)))
    for (index, shift), own in constant.items():
        way = Pose.between(own.as_seen_by, mechanism.bodies[index].frame, (), shift.now) if shift else None
        variable.append((index, own if way is None else _brought(own, way)))
    inertias: dict[int, RigidInertia] = {}
    for index, part in variable:
        inertias[index] = inertias[index] + part if index in inertias else part
    return inertias


def _group(body: MovingBody, shift: Shift | None) -> Frame:
    """The frame of a body, or one in its axes that moves with what is shifted."""
    return body.frame if shift is None else Frame("<shifted>", body.body)


Ten = tuple[Coordinates, Coordinates, Coordinates]
"""Mass, centre of mass and inertia about it, each a column."""


def _ten(given: Given, link: str, constant: Array) -> Ten:
    """What is given of a link, and what else it was written down with."""
    if ("inertial", link) in given:
        return _split(given["inertial", link])
    mass, com, moments = (given.get((kind, link), constant[where].reshape(-1, 1)) for kind, where in INERTIAL.items())
    return mass, com, moments


def _split(ten: Coordinates) -> Ten:
    mass, com, moments = (ten[where, :] for where in INERTIAL.values())
    return mass, com, moments


def _weighed(ten: Ten, pose: Pose) -> RigidInertia:
    """The inertia of something in a frame that is at this pose, about the body's origin in its axes."""
    mass, com, six = ten
    body: Body = pose.wrt.body
    center = Frame(f"{pose.of.name}:center", body)
    xx, xy, xz, yy, yz, zz = (six[k, 0] for k in range(6))
    moments = assemble([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    inertia = RigidInertia(body, center.origin, center, mass, zeros(3, 1), moments)
    return _brought(inertia, pose.compose(Pose.between(center, pose.of, (), com)))


def _brought(inertia: RigidInertia, pose: Pose) -> RigidInertia:
    """The same about the origin of the frame that the pose is wrt, in its axes."""
    return inertia.change_frame(pose.orientation).change_point(pose.position.inverse())
