"""A robot one can compute with: a valid chain, its coordinates q and v by name, and what may be asked about them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from motionc.errors import Error, suggestion
from motionc.model import compose, manifold
from motionc.model.chain import Array, Joint, KinematicChain, Limits, Role, Segment, placed
from motionc.model.configuration import Configuration, ConfigurationSpace
from motionc.model.findings import Findings, ModelError
from motionc.model.idle import idle_joints
from motionc.model.joints import FLOATING, JointType
from motionc.model.mechanism import CoordinateMap, Mechanism, build_mechanism
from motionc.model.rules import check_chain, followers

ROOT_JOINT = "root_joint"


@dataclass(frozen=True, slots=True, eq=False)
class LinkInfo:
    """A link as in the file: mass (kg), centre of mass (m) and inertia about it (kg m²) in the link's frame."""

    name: str
    mass: float | None
    com: Array
    inertia: Array
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Limits in the order of v; infinite where nothing is said.

    Of a planar joint they are those of θ, x, y. A quaternion has no lower and upper, of spherical and floating joints
    there are only limits of velocity and effort.
    """

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    effort: Array


class Robot:
    """A kinematic chain, fixed to the world or floating, with some joints held and others following.

    Args:
        chain: the model; a chain that breaks a rule raises ModelError with every finding.
        floating: whether the root link moves freely; its joint is called `root_joint`.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.
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
        self.findings = check_chain(chain) if findings is None else findings
        if not self.findings.ok:
            raise ModelError(chain.name, self.findings)
        if mimic not in ("follow", "independent"):
            raise Error(f'mimic={mimic!r} is unknown; say "follow" or "independent"')
        self.chain, self.name = chain, chain.name
        self._order = chain.depth_first
        self._joints = {joint.name: joint for joint in self._order}
        self.floating = self._check_floating(floating)
        self._follow = mimic == "follow"
        self._map = self._coordinates(self._held(fixed))
        self.nq, self.nv = self._map.nq, self._map.nv
        self._idle = dict[frozenset[str], tuple[str, ...]]()

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, nq={self.nq}, nv={self.nv})"

    # ---------------------------------------------------------------- names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable independent joints, in the order of v."""
        return tuple(self._map.v)

    @property
    def q_index(self) -> Mapping[str, slice]:
        """Where each joint's coordinates are in q."""
        return MappingProxyType(self._map.q)

    @property
    def v_index(self) -> Mapping[str, slice]:
        """Where each joint's rates are in v (and accelerations in a, forces in tau)."""
        return MappingProxyType(self._map.v)

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
    def frame_names(self) -> tuple[str, ...]:
        """Every frame that can be addressed: world, links, their attachments, `joint:NAME`."""
        names = dict.fromkeys(["world"])
        for segment, joint in zip(self.segments, (None, *self._order), strict=True):
            link = segment.link
            own = (frame.name for frame in (*link.frames, *segment.frames) if frame.role is Role.FEATURE)
            names |= dict.fromkeys(segment.name if name == link.reference else name for name in own)
            names |= {} if joint is None else {f"joint:{joint.name}": None}
        return tuple(names)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Root first, then depth-first."""
        return (self.chain.root, *(joint.child for joint in self._order))

    # ---------------------------------------------------------------- contents

    @property
    def links(self) -> tuple[LinkInfo, ...]:
        """Every link as it was written down, fixed ones too."""
        return tuple(_link_info(segment) for segment in self.segments)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Every joint as it was written down, depth-first."""
        return self._order

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

    def as_mechanism(self, *, normalise: bool = True) -> Mechanism:
        """The robot as sweeps see it; without normalisation every link and frame stays as the user wrote it."""
        return self.mechanism if normalise else self._as_mechanism(normalise=False)

    def _as_mechanism(self, *, normalise: bool) -> Mechanism:
        floating = ROOT_JOINT if self.floating else ""
        return build_mechanism(self.chain, self._map, floating, self._order, normalise=normalise)

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
        if self.floating and on == "world":
            raise Error(f"frame {name} on world: {self.name} floats, and nothing of it is there; name a frame of it")
        chain = compose.with_frame(self.chain, name, on, placed(xyz, rpy))
        mimic = "follow" if self._follow else "independent"
        return Robot(chain, floating=self.floating, fixed=self.held, mimic=mimic)

    # ---------------------------------------------------------------- configurations

    @cached_property
    def configurations(self) -> ConfigurationSpace:
        """The space of configurations: entries by name, limits, how q changes along v."""
        lower, upper = (tuple(map(float, ends)) for ends in (self.limits.lower, self.limits.upper))
        return ConfigurationSpace(self.name, self.joint_names, tuple(self.spaces()), lower, upper)

    def configuration(self, q: Any) -> Configuration:
        """A configuration that knows whose it is: calls about another robot refuse it by name.

        Args:
            q: numbers in the order of q, with axes of states in front if there are several.
        """
        for one in q if isinstance(q, list | tuple) else (q,):
            if isinstance(one, Configuration) and (reason := self.configurations.foreign(one.__space__)):
                raise Error(f"configuration of {self.name}: given {reason}")
        try:
            array = np.asarray(q, float)
        except (TypeError, ValueError):
            raise Error(f"q must be {self.nq} numbers, not {type(q).__name__}") from None
        if array.shape[-1:] != (self.nq,):
            raise Error(f"q has shape {array.shape}; {self.name} needs (…, {self.nq})")
        if not np.all(np.isfinite(array)):
            raise Error("q holds a value that is not finite")
        return Configuration(self.configurations, array)

    def neutral(self) -> Array:
        """The configuration at zero: every joint at 0, every quaternion the identity."""
        return manifold.neutral(self.spaces())

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A random configuration within the limits; ±π or ±1 m where there are none."""
        generator = np.random.default_rng(rng) if not isinstance(rng, np.random.Generator) else rng
        lower, upper = self.limits.lower, self.limits.upper
        return manifold.random(self.spaces(), lower, upper, generator)

    def integrate(self, q: Array | Configuration, v: Array, dt: float = 1.0) -> Array:
        """The configuration after moving with constant v for dt: the exact exponential."""
        q, v = self._placed(q, "q"), self._sized(v, self.nv, "v")
        if not _is_finite(dt):
            raise Error(f"dt={dt!r}; give a finite time in s")
        return manifold.integrate(self.spaces(), q, v, dt)

    def rates(self, q: Array | Configuration, v: Array) -> Array:
        """How fast q changes while the robot moves with v: q̇ = N(q) v, a quaternion keeping its length."""
        q, v = self._placed(q, "q"), self._sized(v, self.nv, "v")
        return manifold.rates(self.spaces(), q, v)

    def difference(self, q0: Array | Configuration, q1: Array | Configuration) -> Array:
        """The constant v that leads from q0 to q1 in unit time.

        Spherical, floating and planar joints turn the shorter way: the θ of a planar one arrives up to whole turns.
        """
        q0, q1 = self._placed(q0, "q0"), self._placed(q1, "q1")
        return manifold.difference(self.spaces(), q0, q1)

    # ---------------------------------------------------------------- construction

    def spaces(self) -> list[manifold.Space]:
        """Each joint's type and its places in q and v."""
        return [manifold.Space(self._type(name), self._map.q[name], self._map.v[name]) for name in self._map.v]

    def _type(self, name: str) -> JointType:
        return self._joints[name].type if name in self._joints else FLOATING

    def _placed(self, q: Any, name: str) -> Array:
        """A configuration of this robot as numbers."""
        if isinstance(q, Configuration) and (reason := self.configurations.foreign(q.__space__)):
            raise Error(f"{name} is given {reason}")
        return self._sized(np.asarray(q) if isinstance(q, Configuration) else q, self.nq, name)

    def _sized(self, values: Array, size: int, name: str) -> Array:
        try:
            array = np.asarray(values, float)
        except (TypeError, ValueError):
            raise Error(f"{name} must be {size} numbers, not {type(values).__name__}") from None
        if array.shape != (size,):
            raise Error(f"{name} has shape {array.shape}; {self.name} needs ({size},)")
        if not np.all(np.isfinite(array)):
            raise Error(f"{name} holds a value that is not finite")
        return array

    def _check_floating(self, floating: bool) -> bool:
        if not floating:
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
        if isinstance(fixed, str):
            fixed = [fixed]
        held = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys(fixed, 0.0)
        for name, value in held.items():
            if name not in self._joints:
                raise Error(f"fixed={name!r}: {self.name} has no such joint{suggestion(name, self._joints)}")
            if not _is_finite(value):
                raise Error(f"fixed={{{name!r}: {value!r}}}: hold it at a finite value in rad or m")
            if not self._joints[name].type.single and value != 0:
                raise Error(f"fixed={{{name!r}: {value}}}: a {self._joints[name].type} joint can only be held at 0")
        return held

    def _coordinates(self, held: dict[str, float]) -> CoordinateMap:
        """Give every independent joint its slices; resolve followers through chains of mimics."""
        follows = dict[str, tuple[str, float, float]]()
        if self._follow:
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


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))


def _link_info(segment: Segment) -> LinkInfo:
    link = segment.link
    at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
    pose = np.eye(4) if at is None else np.asarray(at.pose, float)
    moments = np.zeros((3, 3)) if link.inertia is None else np.asarray(link.inertia, float)
    rotation = pose[:3, :3]
    names = tuple(frame.name for frame in (*link.frames, *segment.frames))
    com, inertia = pose[:3, 3].copy(), rotation @ moments @ rotation.T
    for array in (com, inertia):
        array.setflags(write=False)
    return LinkInfo(segment.name, link.mass, com, inertia, names)
