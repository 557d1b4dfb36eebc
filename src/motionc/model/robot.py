"""A robot one can compute with: a valid chain, its coordinates q and v by name, and what may be asked about them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry.regression import parameters
from motionc.model import compose, manifold
from motionc.model.chain import Array, Joint, KinematicChain, Limits, Role, Segment, placed
from motionc.model.configuration import ConfigurationSpace
from motionc.model.findings import Findings, ModelError
from motionc.model.idle import idle_joints
from motionc.model.info import JointLimits, LinkInfo, link_info
from motionc.model.joints import FLOATING, JointType
from motionc.model.mechanism import CoordinateMap, Mechanism, build_mechanism
from motionc.model.rules import check_chain, followers
from motionc.model.state_space import StateSpace
from motionc.model.words import Index, Joints, Links, Names, line, robot_table

ROOT_JOINT = "root_joint"


class Robot(StateSpace):
    """A kinematic chain, fixed to the world or floating, with some joints held and others following.

    Args:
        chain: the model; a chain that breaks a rule raises ModelError with every finding.
        floating: whether the root link moves freely; its joint is called `root_joint`.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.

    `source` is the name of a robot that comes along, or of the file it was loaded from; empty where neither says it.
    """

    def __init__(
        self,
        chain: KinematicChain,
        *,
        floating: bool = False,
        fixed: Iterable[str] | Mapping[str, float] = (),
        mimic: Literal["follow", "independent"] = "follow",
        findings: Findings | None = None,
    ) -> None:
        checked.instance(
            "Robot: chain", chain, KinematicChain, "give a KinematicChain; mc.load(…) makes robots of files"
        )
        if findings is not None:
            checked.instance("Robot: findings", findings, Findings, "give what a check found, or leave it out")
        self.findings = check_chain(chain) if findings is None else findings
        if not self.findings.ok:
            raise ModelError(chain.name, self.findings)
        checked.one_of("mimic", mimic, ("follow", "independent"))
        self.chain, self.name = chain, chain.name
        self._order = chain.depth_first
        self._joints = {joint.name: joint for joint in self._order}
        self.floating = self._check_floating(floating)
        self.mimic: Literal["follow", "independent"] = mimic
        self.source = ""
        self._map = self._coordinates(self._held(fixed))
        self.nq, self.nv = self._map.nq, self._map.nv
        self._idle = dict[frozenset[str], tuple[str, ...]]()
        self._parted = frozenset[str]()

    def __repr__(self) -> str:
        return line("Robot", self.name, f"nq={self.nq}", f"nv={self.nv}")

    def _repr_html_(self) -> str:
        return robot_table(self)

    # ---------------------------------------------------------------- names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable independent joints, in the order of v."""
        return tuple(self._map.v)

    @property
    def q_index(self) -> Mapping[str, slice]:
        """Where each joint's coordinates are in q."""
        return Index(self._map.q)

    @property
    def v_index(self) -> Mapping[str, slice]:
        """Where each joint's rates are in v (and accelerations in a, forces in tau)."""
        return Index(self._map.v)

    @property
    def followers(self) -> Mapping[str, tuple[str, float, float]]:
        """Joints that follow another: name → (leader, gain, offset)."""
        return MappingProxyType(self._map.follows)

    @property
    def held(self) -> Mapping[str, float]:
        """Joints that are held, and at which value (rad or m)."""
        return MappingProxyType(self._map.locked)

    @property
    def link_names(self) -> tuple[str, ...]:
        return tuple(segment.name for segment in self.segments)

    @cached_property
    def frame_names(self) -> Names:
        """Every frame that can be addressed: world, links, their attachments, `joint:NAME`."""
        return Names(self._carriers)

    @cached_property
    def _carriers(self) -> dict[str, str | None]:
        """By frame, the joint that carries its link; None of what belongs to the root."""
        carriers: dict[str, str | None] = {"world": None}
        for segment, joint in zip(self.segments, (None, *self._order), strict=True):
            link, by = segment.link, None if joint is None else joint.name
            own = (frame.name for frame in (*link.frames, *segment.frames) if frame.role is Role.FEATURE)
            names = [segment.name if name == link.reference else name for name in own]
            for name in (*names, *(() if joint is None else (f"joint:{joint.name}",))):
                carriers.setdefault(name, by)
        return carriers

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Root first, then depth-first."""
        return (self.chain.root, *(joint.child for joint in self._order))

    # ---------------------------------------------------------------- contents

    @property
    def links(self) -> Links[LinkInfo]:
        """Every link as it was written down, fixed ones too; by number or by name."""
        return Links(link_info(segment) for segment in self.segments)

    @property
    def weighing_links(self) -> Links[LinkInfo]:
        """The links whose inertia motors feel: those that move and have a mass."""
        moving = self.mechanism.frames
        return Links(link for link in self.links if link.mass is not None and moving[link.name][0] >= 0)

    def inertial_parameters(self) -> Array:
        """φ, the inertial parameters of all links that move and have a mass, as `mc.regressor` takes them: τ = Y φ.

        Ten for each of `weighing_links`, in their order: m, m c (three), and Ixx Ixy Ixz Iyy Iyz Izz about the link's
        origin in its axes. Pinocchio's are m, m c, Ixx Ixy Iyy Ixz Iyz Izz: of ten numbers, [0 1 2 3 4 5 7 6 8 9].

        >>> import motionc as mc
        >>> robot = mc.load("planar2")
        >>> tau = mc.regressor(robot)([0.1, 0.2], [0, 0], [0, 0]) @ robot.inertial_parameters()
        >>> bool(abs(tau - mc.gravity_forces(robot)([0.1, 0.2])).max() < 1e-12)
        True
        """
        return np.concatenate([np.zeros(0), *(_parameters(link) for link in self.weighing_links)])

    @cached_property
    def joints(self) -> Joints[Joint]:
        """Every joint as it was written down, depth-first; by number or by name."""
        return Joints(self._order)

    @cached_property
    def limits(self) -> JointLimits:
        names, rows = list[str](), list[tuple[float, float, float, float]]()
        for name, where in self._map.v.items():
            joint, size = self._joints.get(name), where.stop - where.start
            each = (Limits(),) * size if joint is None else joint.coordinate_limits or (joint.limits,) * size
            free = "limits" not in self._type(name).reads
            names += [name] * size
            for one in each:
                lower, upper = (-np.inf, np.inf) if free else (one.lower, one.upper)
                rows.append((lower, upper, one.velocity, one.effort))
        table = np.array(rows, float).reshape(-1, 4).T
        table.setflags(write=False)  # computations have read them, or will
        return JointLimits(tuple(names), table[0], table[1], table[2], table[3])

    @cached_property
    def mechanism(self) -> Mechanism:
        """The robot as sweeps see it, normalised for compilation."""
        return self._as_mechanism(normalise=True)

    @cached_property
    def standing_mechanism(self) -> Mechanism:
        """The same, the frames of joints where on their axes the user put them; itself where none stands elsewhere."""
        return self._as_mechanism(normalise=True, place=False) if self.mechanism.moved else self.mechanism

    def as_mechanism(self, *, normalise: bool = True) -> Mechanism:
        """The robot as sweeps see it; without normalisation every link and frame stays as the user wrote it."""
        return self.mechanism if normalise else self._as_mechanism(normalise=False)

    def _as_mechanism(self, *, normalise: bool, place: bool = True) -> Mechanism:
        floating, told = ROOT_JOINT if self.floating else "", {"normalise": normalise, "place": place}
        return build_mechanism(self.chain, self._map, floating, self._order, parted=self._parted, **told)

    @property
    def idle_joints(self) -> tuple[str, ...]:
        """Movable joints that move no inertia of their own (rule Dy1): M is singular in every configuration."""
        return self.idle_besides(())

    def idle_besides(self, prescribed: Iterable[str]) -> tuple[str, ...]:
        """Movable joints that move no inertia of their own where these accelerate as they are told to."""
        told = frozenset(prescribed)
        if told not in self._idle:
            floating = ROOT_JOINT if self.floating else ""
            self._idle[told] = idle_joints(
                self.chain, held=self.held, follows=self.followers, floating=floating, prescribed=told
            )
        return self._idle[told]

    def with_frame(
        self, name: str, on: str, xyz: Iterable[float] = (0, 0, 0), rpy: Iterable[float] = (0, 0, 0)
    ) -> "Robot":
        """The same robot with one more frame.

        Args:
            name: of the frame; one that no link, attachment or frame has.
            on: the frame it is fixed to: a link, an attachment, or joint:NAME.
            xyz: where it is wrt that frame (m).
            rpy: how it is turned there: roll, pitch, yaw (rad).

        >>> import motionc as mc
        >>> robot = mc.load("planar2").with_frame("tcp", "tip", xyz=(0, 0.1, 0))
        >>> mc.forward_kinematics(robot, ["tcp"])([0, 0])[0][1, 3]
        np.float64(0.9)
        """
        checked.name("with_frame: name", name, "give the new frame a name")
        checked.name("with_frame: on", on, "give the name of a frame")
        if self.floating and on == "world":
            raise Error(f"frame {name} on world: {self.name} floats, and nothing of it is there; name a frame of it")
        chain = compose.with_frame(self.chain, name, on, placed(xyz, rpy))
        return Robot(chain, floating=self.floating, fixed=self.held, mimic=self.mimic)

    def parted_at(self, joints: Iterable[str]) -> "Robot":
        """The same robot to ask what joints carry that do not move: sweeps take the links beyond them for bodies of
        their own, so that the wrench between them is one of their quantities. Motion and answers are the same.

        Args:
            joints: names of joints, fixed or held; others are between bodies anyway.
        """
        names = checked.names("parted_at: joints", joints, "give names of joints")
        for name in names:
            if name not in self._joints:
                raise Error(f"parted_at: {self.name} has no joint {name!r}{suggestion(name, self._joints)}")
        robot = Robot(self.chain, floating=self.floating, fixed=self.held, mimic=self.mimic, findings=self.findings)
        robot.source, robot._parted = self.source, self._parted | {*names}
        return robot

    def carrier(self, frame: str) -> str | None:
        """The joint that carries a frame's link; None of what belongs to the root.

        Args:
            frame: name of a link, attachment or `joint:NAME`.
        """
        checked.name("carrier: frame", frame, "give the name of a frame")
        if frame not in self.frame_names:
            raise Error(f"carrier: {self.name} has no frame {frame!r}{suggestion(frame, self.frame_names)}")
        return self._carriers[frame]

    # ---------------------------------------------------------------- configurations

    @cached_property
    def configurations(self) -> ConfigurationSpace:
        """The space of configurations: entries by name, limits, how q changes along v."""
        lower, upper = (tuple(map(float, ends)) for ends in (self.limits.lower, self.limits.upper))
        return ConfigurationSpace(self.name, self.joint_names, tuple(self.spaces()), lower, upper)

    @cached_property
    def reach(self) -> tuple[Array, Array]:
        """Least and most of every coordinate in the order of v, so that joints that follow others are within theirs."""
        ends = self.led(self.limits.lower, self.limits.upper)
        for end in ends:
            end.setflags(write=False)
        return ends

    def led(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Of limits in the order of v what leaves joints that follow others within their own."""
        lower, upper = lower.copy(), upper.copy()
        for name, (leader, gain, offset) in self.followers.items():
            own, k = self._joints[name].limits, self._map.v[leader].start
            if gain:
                ends = sorted(((own.lower - offset) / gain, (own.upper - offset) / gain))
                lower[k], upper[k] = max(lower[k], ends[0]), min(upper[k], ends[1])
            if lower[k] > upper[k] or not (gain or own.lower <= offset <= own.upper):
                raise Error(
                    f"{self.name}: {name} follows {leader} as {gain:g} {leader} + {offset:g}, and nowhere are both "
                    'within their limits; mend the limits, or load with mimic="independent"'
                )
        return lower, upper

    # ---------------------------------------------------------------- construction

    def spaces(self) -> list[manifold.Space]:
        """Each joint's type and its places in q and v."""
        return [manifold.Space(self._type(name), self._map.q[name], self._map.v[name]) for name in self._map.v]

    def _type(self, name: str) -> JointType:
        return self._joints[name].type if name in self._joints else FLOATING

    def _check_floating(self, floating: bool) -> bool:
        if not checked.flag("floating", floating):
            return False
        root = self.chain.root
        for joint in self._order:
            if joint.parent is root and joint.type.nv == 6:
                raise Error(f"{self.name} floats already (joint {joint.name}); load it without floating=True")
        if ROOT_JOINT in self._joints:
            raise Error(f"{self.name} has a joint called {ROOT_JOINT}; rename it to load the robot floating")
        if root.name == "world":
            raise Error(f"the root link of {self.name} is the world itself; load it without floating=True")
        return True

    def _held(self, fixed: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
        wanted = "give names of joints, or {name: value in rad or m}"
        held = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys(checked.names("fixed", fixed, wanted), 0.0)
        for name, value in held.items():
            checked.name("fixed", name, wanted)
            if name not in self._joints:
                raise Error(f"fixed={name!r}: {self.name} has no such joint{suggestion(name, self._joints)}")
            wanted = "hold it at a finite value in rad or m"
            held[name] = checked.number(f"fixed: {name}", value, wanted)
            if not self._joints[name].type.single and value != 0:
                raise Error(f"fixed={{{name!r}: {value}}}: a {self._joints[name].type} joint can only be held at 0")
        return held

    def _coordinates(self, held: dict[str, float]) -> CoordinateMap:
        """Give every independent joint its slices; resolve followers through chains of mimics."""
        follows = dict[str, tuple[str, float, float]]()
        if self.mimic == "follow":
            follows, held = followers(self._joints, held)
        q, v = dict[str, slice](), dict[str, slice]()
        nq = nv = 0
        names = [ROOT_JOINT] * self.floating + [joint.name for joint in self._order]
        for name in names:
            kind = self._type(name)
            if not kind.moves or name in held or name in follows:
                continue
            q[name], v[name] = slice(nq, nq + kind.nq), slice(nv, nv + kind.nv)
            nq, nv = nq + kind.nq, nv + kind.nv
        return CoordinateMap(q, v, follows, held, nq, nv)


def _parameters(link: LinkInfo) -> Array:
    """φ of one link."""
    assert link.mass is not None
    return parameters(link.mass, link.com, link.inertia)
