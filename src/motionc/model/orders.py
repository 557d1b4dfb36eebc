"""How do others write the states of a robot? Pinocchio's, MuJoCo's and ROS' orders of q, v, a and τ, and the ways back.

Joints are found by their names in somebody else's model, whose own objects are read; nothing of theirs is imported.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, WrongType, suggestion
from motionc.model.joints import FLOATING, JointType
from motionc.model.order import PLACES, QUATERNION, JointOrder, Order
from motionc.model.robot import Robot

__all__ = ["Order", "mujoco", "pinocchio", "ros"]


def pinocchio(robot: Robot, model: Any) -> Order:
    """Pinocchio's order: joints as in its model, quaternions x y z w, a free body's v linear first, a point of a circle
    for an angle that turns on and on.

    Args:
        robot: the robot.
        model: a pinocchio.Model with joints of the same names, such as pin.buildModelFromUrdf gives; its free flyer is
            called root_joint. Joints that are held here stand still there. It ignores the axis of planar joints, which
            move in x and y of their frame there: with another axis, both models agree on names only.
    """
    made = _Making("Pinocchio's order", robot)
    _expect(made.what, model, "pinocchio.Model", "names", "joints", "nq", "nv")
    for number, name in enumerate(model.names):
        if number == 0:
            continue
        theirs, kind = model.joints[number], made.type_of(name)
        q_words, v_words = _body_words(kind)
        if theirs.nq == len(q_words) + 1:
            q_words = [*q_words[:-1], f"cos {q_words[-1]}", f"sin {q_words[-1]}"]
        if (theirs.nq, theirs.nv) != (len(q_words), len(v_words)):
            raise Error(f"{made.what} of {robot.name}: its joint {name} has {theirs.nv} rates, ours has {kind.nv}")
        made.add(name, _counted(q_words, theirs.idx_q), _counted(v_words, theirs.idx_v))
    return made.order(model.nq, model.nv)


def mujoco(robot: Robot, model: Any) -> Order:
    """MuJoCo's order: joints as in its model, quaternions w x y z, a free body's v linear first and as seen by the
    world, ω as seen by the body. Joints it has not are several of its own, as `motionc.to_mjcf` writes them.

    Args:
        robot: the robot, read from the model's file, or written to it by `motionc.to_mjcf` or `motionc.to_mjspec`.
        model: the mujoco.MjModel. Joints that are held here stand still there.
    """
    made = _Making("MuJoCo's order", robot)
    _expect(made.what, model, "mujoco.MjModel", "joint", "njnt", "jnt_qposadr", "jnt_dofadr")
    numbers = {model.joint(k).name or f"joint_{k}": k for k in range(model.njnt)}
    places = {name: (int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])) for name, k in numbers.items()}
    for name in (*robot.joint_names, *robot.followers, *(name for name in robot.held if name in numbers)):
        kind, joint, whole = made.type_of(name), made.written.get(name), name in numbers
        their_q, their_v = dict[str, int](), dict[str, int]()
        for part, q_words, v_words in _mujoco_parts(name, kind, whole):
            if part not in places:
                raise Error(f"{made.what} of {robot.name}: the model has no joint {part!r}{suggestion(part, places)}")
            their_q |= _counted(q_words, places[part][0])
            their_v |= _counted(v_words, places[part][1])
        turn = None
        if joint is not None and "qw" in their_q and not (kind is FLOATING and whole):
            turn = np.asarray(joint.child.pose(joint.target[1]), float)[:3, :3]
        made.add(name, their_q, their_v, in_place=len({*PLACES} & {*kind.rates}) > 1, turn=turn)
        if joint is not None and "pitch" in joint.type.reads and f"{name}/slide" in places:
            at, rate = places[f"{name}/slide"]
            made.add(name, {kind.coordinates[0]: at}, {kind.rates[0]: rate}, tied=joint.pitch)
    return made.order(model.nq, model.nv)


def ros(robot: Robot, names: Iterable[str] | None = None) -> Order:
    """ROS' order: positions, velocities and efforts of a JointState by its names; a floating base stands in front as
    Odometry has it, x y z and a quaternion x y z w, its twist linear first and as seen by the base.

    Args:
        robot: the robot.
        names: those of the message, in its order; joints that follow others, or are held, may be among them. Without
            them all joints of one coordinate, followers last.
    """
    made, nq, nv = _Making("ROS' order", robot), 0, 0
    base = [name for name in robot.joint_names if made.type_of(name) is FLOATING]
    listed = [name for name in (*robot.joint_names, *robot.followers) if name not in base]
    given = listed if names is None else checked.names("ROS' order: names", names)
    for name in (*base, *given):
        kind = made.type_of(name)
        if not kind.single and name not in base:
            raise Error(
                f"{made.what} of {robot.name}: joint {name} has {kind.nv} coordinates, a JointState one a joint"
            )
        q_words, v_words = _body_words(kind)
        made.add(name, _counted(q_words, nq), _counted(v_words, nv))
        nq, nv = nq + kind.nq, nv + kind.nv
    return made.order(nq, nv)


def _expect(what: str, model: Any, kind: str, *read: str) -> None:
    if isinstance(model, type) or not all(hasattr(model, name) for name in read):
        raise checked.refusal(f"{what}: model", model, f"give a {kind}", kind=WrongType)


def _body_words(kind: JointType) -> tuple[list[str], list[str]]:
    """Entries of q and v in our words, w behind its vector, and linear first where rates are those of a body."""
    q_words = sorted(kind.coordinates, key=lambda word: word == "qw")
    return q_words, sorted(kind.rates, key=lambda word: word not in PLACES)


def _mujoco_parts(name: str, kind: JointType, whole: bool) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Its joints for one of ours: name, and its entries of q and v in our words."""
    if kind.single or whole:
        yield name, kind.coordinates, _body_words(kind)[1]
        return
    turns = [word for word in kind.rates if word not in PLACES]
    yield from ((f"{name}/{word}", (word,), (word,)) for word in PLACES if word in kind.rates)
    if "qw" in kind.coordinates:
        yield f"{name}/turn", QUATERNION, turns
    else:
        yield from ((f"{name}/{'angle' if word == 'rz' else word}", (word,), (word,)) for word in turns)


def _counted(words: Sequence[str], start: int) -> dict[str, int]:
    return {word: start + k for k, word in enumerate(words)}


class _Making:
    """An order while it is made, joint by joint."""

    def __init__(self, what: str, robot: Robot) -> None:
        checked.instance(f"{what}: robot", robot, Robot, "give a robot, such as mc.load gives")
        self.what, self.robot = what, robot
        self.written = {joint.name: joint for joint in robot.joints}
        self._joints, self._held, self._seen = list[JointOrder](), dict[int, float](), set[str]()

    def type_of(self, name: str) -> JointType:
        """The type of a joint of ours; of a follower, as its leader's, whose coordinates it reads."""
        leader = self.robot.followers[name][0] if name in self.robot.followers else name
        kind = self.written[leader].type if leader in self.written else FLOATING
        if not kind.moves or leader not in (*self.robot.v_index, *self.robot.held):
            near = suggestion(name, self.robot.v_index)
            raise Error(
                f"{self.what} of {self.robot.name}: there is no movable joint {name!r} here{near}; load the robot with "
                "it, or leave it out there"
            )
        return kind

    def add(
        self, name: str, their_q: dict[str, int], their_v: dict[str, int], tied: float | None = None, **how: Any
    ) -> None:
        """A joint of ours at these entries of theirs, or another of theirs that is `tied` to it by a gain."""
        robot, kind = self.robot, self.type_of(name)
        if name in self._seen and tied is None:
            raise Error(f"{self.what} of {robot.name}: joint {name} is there twice; name it once")
        self._seen.add(name)
        times = 1.0 if tied is None else tied
        if name in robot.held:
            own = kind.neutral() if not kind.single else np.array([times * robot.held[name]])
            joint = JointOrder(kind, slice(0, kind.nq), slice(0, kind.nv), their_q, their_v, **how)
            self._held |= dict(zip(their_q.values(), joint.place(own).tolist(), strict=True))
            return
        leader, gain, offset = robot.followers.get(name, (name, 1.0, 0.0))
        where = robot.q_index[leader], robot.v_index[leader]
        follows = name in robot.followers or tied is not None
        joint = JointOrder(kind, *where, their_q, their_v, times * gain, times * offset, follows, **how)
        self._joints.append(joint)

    def order(self, nq: int, nv: int) -> Order:
        for name in self.robot.joint_names:
            if name not in self._seen:
                raise Error(
                    f"{self.what} of {self.robot.name}: joint {name} is not among its names; hold it here (fixed=[…]), "
                    "or add it there"
                )
        rest = np.zeros(nq)
        rest[list(self._held)] = list(self._held.values())
        return Order(self.what, self.robot, nq, nv, self._joints, rest)
