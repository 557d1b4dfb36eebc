"""Random trees of joints of every type, some of which follow others, and Pinocchio's model of the same tree.

Pinocchio's model has no followers: what it says is brought to independent coordinates by G, q = G q_r + c.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from oracle import Array, Oracle

Kind = mc.JointType
KINDS = list(Kind)
SINGLE = (Kind.REVOLUTE, Kind.CONTINUOUS, Kind.PRISMATIC, Kind.HELICAL)
SEVERAL = [kind for kind in KINDS if kind not in (*SINGLE, Kind.FIXED)]


@dataclass(frozen=True)
class Piece:
    """A link and the joint it hangs on; the root's joint is not used."""

    name: str
    parent: int
    reference: Array
    target: Array
    mass: float
    com: Array
    inertia: Array
    joint: dict

    @property
    def kind(self) -> Kind:
        return self.joint["type"]


def random_tree(seed: int, kinds: Sequence[Kind] | None = None, rotors: bool | None = None) -> list[Piece]:
    """A root and as many links as kinds, three to eight unless they are named."""
    rng = np.random.default_rng(seed)
    if kinds is None:
        weights = np.array([4.0 if kind in SINGLE else 0.6 if kind is Kind.FIXED else 1.5 for kind in KINDS])
        kinds = [Kind(kind) for kind in rng.choice(KINDS, rng.integers(3, 9), p=weights / weights.sum())]
        kinds[0] = Kind(rng.choice(SINGLE))
    rotors = seed % 2 == 0 if rotors is None else rotors
    # leaders come earlier in some order that is not the tree's, so that mimics form chains and never circles
    single = [number for number, kind in enumerate(kinds, start=1) if kind in SINGLE]
    ranks = list(rng.permutation(single))
    pieces = [_piece(rng, 0, -1, {"type": Kind.FIXED})]
    for number, kind in enumerate(kinds, start=1):
        joint: dict = {"type": kind, "axis": random_axis(rng)}
        if kind is Kind.HELICAL:
            joint["pitch"] = float(rng.normal())
        if kind is Kind.UNIVERSAL and rng.random() < 0.7:
            first, other = np.array(joint["axis"]), rng.normal(size=3)
            joint["second_axis"] = tuple(np.cross(first, other) if rng.random() < 0.5 else other)
        if rotors:
            joint["transmission"] = mc.Transmission(rotor_inertia=float(rng.uniform(0, 0.3)))
        before = ranks[: ranks.index(number)] if number in single else []
        if before and rng.random() < 0.5:
            gain = float(rng.choice([0.0, 1.0, rng.normal(), -1.5], p=[0.1, 0.2, 0.5, 0.2]))
            joint["mimic"] = mc.Mimic(f"to_link{rng.choice(before)}", gain, float(rng.choice([0.0, rng.normal()])))
        pieces.append(_piece(rng, number, number - 1 if rng.random() < 0.6 else int(rng.integers(number)), joint))
    return pieces


def _piece(rng: np.random.Generator, number: int, parent: int, joint: dict) -> Piece:
    spread = np.cov(rng.normal(size=(3, 6))) / 20
    inertia = np.trace(spread) * np.eye(3) - spread
    places = [random_pose(rng), random_pose(rng)]
    return Piece(f"link{number}", parent, *places, rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), inertia, joint)


def random_axis(rng: np.random.Generator) -> tuple[float, ...]:
    """Along a coordinate axis, one way or the other, or anywhere."""
    axis = rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
    return tuple(float(x) for x in axis)


def random_pose(rng: np.random.Generator) -> Array:
    angles = rng.integers(-1, 3, 3) * np.pi / 2 if rng.random() < 0.5 else rng.uniform(-3, 3, 3)
    return mc.placed(0.4 * rng.normal(size=3), angles)


def build(pieces: Sequence[Piece], floating: bool = False, **options) -> mc.Robot:
    """The tree in the Python language."""
    segments = []
    for number, piece in enumerate(pieces):
        children = [child for child in pieces if child.parent == number]
        frames = [mc.Attachment(f"{child.name}:parent", mc.Role.JOINT, child.reference) for child in children]
        frames.append(mc.Attachment(f"{piece.name}:child", mc.Role.JOINT, piece.target))
        link = mc.Link.rigid(piece.name, piece.mass, piece.com, piece.inertia)
        segments.append(mc.Segment(piece.name, link, tuple(frames)))
    joints = [
        mc.Joint(
            f"to_{piece.name}",
            target=(segments[number], f"{piece.name}:child"),
            reference=(segments[piece.parent], f"{piece.name}:parent"),
            **piece.joint,
        )
        for number, piece in enumerate(pieces)
        if number
    ]
    return mc.Robot(mc.KinematicChain("tree", tuple(joints), segments[0]), floating=floating, **options)


# ---------------------------------------------------------------- Pinocchio, joint by joint


class JointByJoint(Oracle):
    """Pinocchio's model of a tree whose joints are all independent, in the order of `robot`."""

    def __init__(self, pieces: Sequence[Piece], robot: mc.Robot) -> None:
        self.model, self.robot = pin.Model(), robot
        home: dict[int, tuple[int, pin.SE3]] = {}
        kinds = {f"to_{piece.name}": piece.kind for piece in pieces} | {"root_joint": Kind.FLOATING}
        names = [piece.name for piece in pieces]
        # depth-first: Pinocchio takes the joints of a branch for neighbours
        for number in map(names.index, robot.link_names):
            piece = pieces[number]
            name = f"to_{piece.name}" if number else "root_joint"
            joint, here = home[piece.parent] if number else (0, pin.SE3.Identity())
            if number:
                here = here * pin.SE3(piece.reference)
            if name in robot.v_index:
                model, turn = their_joint(kinds[name], piece.joint)
                joint, here = self.model.addJoint(joint, model, here * turn, name), turn.inverse()
                moved = self.model.joints[joint]
                if number and "transmission" in piece.joint:
                    rotor = piece.joint["transmission"].rotor_inertia
                    self.model.armature[moved.idx_v : moved.idx_v + moved.nv] = rotor
            if number:
                self.model.addFrame(pin.Frame(name, joint, here, pin.FrameType.JOINT))
                here = here * pin.SE3(piece.target).inverse()
            self.model.addFrame(pin.Frame(piece.name, joint, here, pin.FrameType.BODY))
            self.model.appendBodyToJoint(joint, pin.Inertia(piece.mass, piece.com, piece.inertia), here)
            home[number] = joint, here
        self.data = self.model.createData()
        self._read_order()


def their_joint(kind: Kind, said: dict) -> tuple[object, pin.SE3]:
    """Pinocchio's joint, and how its frame is turned against ours."""
    axis = np.array(said.get("axis", (0, 0, 1.0)))
    axis, straight = axis / np.linalg.norm(axis), pin.SE3.Identity()
    turning, sliding = pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)
    if kind is Kind.PLANAR:
        return pin.JointModelPlanar(), pin.SE3(plane(axis), np.zeros(3))
    if kind is Kind.UNIVERSAL:
        second = np.array(said.get("second_axis", plane(axis)[:, 1]))
        second = second / np.linalg.norm(second)
        if abs(axis @ second) < 1e-12:
            return pin.JointModelUniversal(axis, second), straight
        return _both(turning, pin.JointModelRevoluteUnaligned(second)), straight
    if kind is Kind.CYLINDRICAL:
        return _both(turning, sliding), straight
    simple = {
        Kind.FLOATING: pin.JointModelFreeFlyer(),
        Kind.SPHERICAL: pin.JointModelSpherical(),
        Kind.HELICAL: pin.JointModelHelicalUnaligned(axis, said.get("pitch", 0.0)),
        Kind.PRISMATIC: sliding,
    }
    return simple.get(kind, turning), straight


def plane(normal: Array) -> Array:
    """+z turned onto the normal by the shortest way; for a normal that points down, -z, after half a turn about x."""
    start = np.array([0, 0, 1.0 if normal[2] >= 0 else -1.0])
    across = np.cross(start, normal)
    sine = np.linalg.norm(across)
    shortest = Turn.from_rotvec(across / sine * np.arctan2(sine, start @ normal) if sine else np.zeros(3)).as_matrix()
    return shortest @ np.diag([1.0, start[2], start[2]])


def _both(first: object, second: object) -> pin.JointModelComposite:
    joint = pin.JointModelComposite(2)
    joint.addJoint(first)
    joint.addJoint(second)
    return joint


# ---------------------------------------------------------------- followers


class Coupled:
    """A tree with followers beside the same tree without: q = q(q_r), v = G v_r."""

    def __init__(self, pieces: Sequence[Piece], floating: bool = False) -> None:
        self.robot, self.free = build(pieces, floating), build(pieces, floating, mimic="independent")
        self.world = JointByJoint(pieces, self.free)
        self.said = {f"to_{piece.name}": piece.joint.get("mimic") for piece in pieces}
        self.G = np.zeros((self.free.nv, self.robot.nv))
        for name, where in self.free.v_index.items():
            gain, leader = 1.0, name
            while (mimic := self.said.get(leader)) is not None:
                gain, leader = gain * mimic.gain, mimic.leader
            self.G[where, self.robot.v_index[leader]] = gain * np.eye(where.stop - where.start)

    def whole(self, q: Array) -> Array:
        """Every joint's coordinates, followers' too."""
        return np.concatenate([self._own(name, q) for name in self.free.q_index])

    def _own(self, name: str, q: Array) -> Array:
        mimic = self.said.get(name)
        return q[self.robot.q_index[name]] if mimic is None else mimic.gain * self._own(mimic.leader, q) + mimic.offset


class Moving(Coupled):
    """Such a tree in a random state, with M and h of its independent coordinates; gravity is Pinocchio's own."""

    def __init__(self, seed: int, kinds: Sequence[Kind] | None = None, mimic: bool = True) -> None:
        pieces = random_tree(seed, kinds)
        if not mimic:
            said = [{name: value for name, value in piece.joint.items() if name != "mimic"} for piece in pieces]
            pieces = [replace(piece, joint=joint) for piece, joint in zip(pieces, said, strict=True)]
        # a root that lets a link fly off it does not fly itself
        still = any(piece.parent == 0 and piece.kind is Kind.FLOATING for piece in pieces)
        super().__init__(pieces, seed % 3 == 0 and not still)
        self.rng = rng = np.random.default_rng(2000 + seed)
        self.q, nv = self.robot.random(rng), self.robot.nv
        self.v, self.a, self.tau = rng.normal(size=(3, nv))
        # the same of all joints, followers too
        self.Q, self.V, self.A = self.whole(self.q), self.G @ self.v, self.G @ self.a
        self.M = self.G.T @ self.world.mass_matrix(self.Q) @ self.G
        self.h = self.G.T @ self.world.bias_forces(self.Q, self.V, (0, 0, -9.81))
        self.world.place(self.Q, self.V)
        self.links = [name for name in self.robot.link_names if self.world.jacobian(name).any()]
