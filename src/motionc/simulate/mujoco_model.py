"""A plant as a model of MuJoCo's: the robot, what resists its joints, its stops, and geoms for its contacts alone.

Made from our model (formats.to_mjspec). Shapes of links touch nothing: what touches what is said by pairs, one for each
place of each contact, so that no other two things collide.

    point              a sphere of radius 1 µm; over a height field of 1 mm, and the field 1 mm lower
    sphere             a sphere
    capsule            on a plane or a height field two spheres, its ends; on a sphere or a capsule a capsule
    plane, solid       a plane; a sphere or a capsule on its frame's body
    height field       its hfield, two triangles a cell where ours is bilinear, and nothing beyond its border

Contacts, stops and friction at rest are constraints, as stiff as MuJoCo has them: solref (2 dt, 1), solimp 0.9999.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats import to_mjspec
from motionc.formats.mjcf import import_mujoco
from motionc.geometry.lie import Array, align_z, pose_inverse, quaternion_from_rotation
from motionc.model.robot import Robot
from motionc.model.shapes import Capsule, Sphere
from motionc.solvers.contact import Contact, HeightField, Plane, Solid

POINT = 1e-6
"""Radius of the sphere that a point is (m)."""
FIELD_POINT = 1e-3
"""The same over a height field, of whose cells MuJoCo finds smaller ones inexactly."""
REACH = 1e3
"""How far apart two things may be for MuJoCo to tell their gap (m)."""
FIELD_REACH = 0.01
"""The same where one is a height field, every cell of which within reach is looked at."""
MARGIN = 1.0
"""How far heights given with a run may be beyond those of their field (m), at least."""
IMPEDANCE = (0.9999, 0.9999, 1e-3, 0.5, 2.0)
"""As hard as MuJoCo lets constraints be, at any depth."""

COUPLING = 1e-4
"""Of what they are softened by, how much remains at joints that follow others."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something may touch: the geoms of surface and robot, and their pair, by number."""

    surface: int
    robot: int
    pair: int


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A height field: its input, its number, the height that 0 is in its data, and how much higher 1 is (m)."""

    port: str
    number: int
    lowest: float
    span: float

    def data(self, heights: Array) -> Array:
        """Its heights as MuJoCo has them: along x within y, from 0 to 1."""
        data = (np.asarray(heights, float).T - self.lowest) / self.span
        if data.min() < 0 or data.max() > 1:
            highest = self.lowest + self.span
            raise Error(
                f"{self.port}: heights from {heights.min():g} to {heights.max():g} m; MuJoCo's field takes "
                f"{self.lowest:g} to {highest:g}: make the HeightField with heights as high and as low"
            )
        return data


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A compiled model, where the plant's contacts and height fields are in it, and what the robot says of each of its
    coordinates: damping and friction.
    """

    model: Any
    places: tuple[Place, ...]
    fields: tuple[Field, ...]
    damping: Array
    friction: Array


def built(plant: Any) -> Built:
    """A plant as a `mujoco.MjModel`: `implicitfast`, its dt and gravity, its contacts; motors' forces are applied."""
    mujoco = import_mujoco()
    refuse_soft(plant.contacts)
    spec = to_mjspec(plant.robot)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    scene = _Scene(mujoco, spec, plant)
    pairs = [pair for contact in plant.contacts for pair in scene.touching(contact)]
    option = spec.option
    option.timestep, option.gravity = plant.dt, plant.gravity
    option.integrator, option.cone = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtCone.mjCONE_ELLIPTIC
    option.tolerance, option.iterations, option.impratio = 1e-14, 100, 10.0
    # a call is what its arguments say: nothing is remembered, and what diverges is not set back
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    model = spec.compile()
    damping, friction = model.dof_damping.reshape(model.nv, -1)[:, 0].copy(), model.dof_frictionloss.copy()
    _joints(model, plant)
    numbers = {model.geom(k).name: k for k in range(model.ngeom)}
    places = tuple(Place(numbers[on], numbers[of], k) for k, (on, of) in enumerate(pairs))
    fields = tuple(
        Field(field.name, model.hfield(name).id, low, span) for field, (name, low, span) in scene.fields.items()
    )
    return Built(model, places, fields, damping, friction)


def refuse_soft(contacts: Sequence[Contact]) -> None:
    """What MuJoCo's contacts cannot be."""
    for contact in contacts:
        what = f"MuJoCo's plant: the contact on {contact.frame}"
        if contact.law is not None:
            raise Error(f"{what} is compliant, which MuJoCo's are in a way of their own; leave law= out")
        if contact.restitution:
            raise Error(f"{what} has restitution={contact.restitution:g}, and MuJoCo has none; leave it out")


def _joints(model: Any, plant: Any) -> None:
    """Stops where the plant has limits, resistance where it has some; stops and friction at rest stiff as contacts."""
    stiff = (2 * plant.dt, 1.0)
    if plant.friction == "none":
        model.dof_damping[:] = 0.0
    if plant.friction != "stiction":
        model.dof_frictionloss[:] = 0.0
    if not plant.limits:
        model.jnt_limited[:] = 0
    model.jnt_solref[:], model.dof_solref[:], model.eq_solref[:] = stiff, stiff, stiff
    tie(model)
    model.jnt_solimp[:], model.dof_solimp[:], model.eq_solimp[:] = IMPEDANCE, IMPEDANCE, IMPEDANCE


def tie(model: Any) -> None:
    """Hold joints that follow others stiffer than MuJoCo would; again whenever it has weighed the model anew."""
    joints = model.eq_type == import_mujoco().mjtEq.mjEQ_JOINT
    tied = model.jnt_dofadr[np.concatenate([model.eq_obj1id[joints], model.eq_obj2id[joints]])]
    model.dof_invweight0[np.unique(tied)] *= COUPLING


class _Scene:
    """Geoms in the making, each surface once."""

    def __init__(self, mujoco: Any, spec: Any, plant: Any) -> None:
        self.mujoco, self.spec, self.plant = mujoco, spec, plant
        self.surfaces = dict[tuple[Any, float], str]()
        self.fields = dict[HeightField, tuple[str, float, float]]()
        self.numbers = count()
        self.where = Frames(plant.robot, [body.name for body in spec.bodies])

    def touching(self, contact: Contact) -> Iterator[tuple[str, str]]:
        """The geoms of surface and robot at each place of a contact, paired."""
        rough = isinstance(contact.surface, HeightField)
        surface = self._surface(contact.surface, FIELD_POINT if rough and contact.shape is None else 0.0)
        reach = FIELD_REACH if rough else REACH
        for shape, along in _pieces(contact):
            name = self._shape(shape, contact.frame, np.asarray(contact.point, float), along)
            self.spec.add_pair(
                geomname1=surface,
                geomname2=name,
                condim=3,
                friction=[contact.friction, contact.friction, 0.0, 0.0, 0.0],
                solref=[2 * self.plant.dt, 1.0],
                solimp=list(IMPEDANCE),
                margin=0.0 if _detects_beyond_margin() else reach,
                gap=reach,
            )
            yield surface, name

    def _surface(self, surface: Any, lower: float) -> str:
        """The geom of a surface, some way below it."""
        if (surface, lower) not in self.surfaces:
            self.surfaces[surface, lower] = self._made(surface, lower)
        return self.surfaces[surface, lower]

    def _made(self, surface: Any, lower: float) -> str:
        types = self.mujoco.mjtGeom
        match surface:
            case Solid(shape, frame, point):
                return self._shape(shape, frame, np.asarray(point, float), 0.0)
            case Plane(normal, point):
                pose = np.eye(4)
                pose[:3, :3], pose[:3, 3] = align_z(normal), point
                return self._geom("world", types.mjGEOM_PLANE, (0.0, 0.0, 1.0), pose)
            case HeightField():
                name, lowest, _ = self._field(surface)
                half = (np.array(np.shape(surface.heights)) - 1) * surface.spacing / 2
                pose = np.eye(4)
                pose[:3, 3] = np.asarray(surface.origin) + np.array([*half, lowest - lower])
                return self._geom("world", types.mjGEOM_HFIELD, (0.0, 0.0, 0.0), pose, hfieldname=name)
            case _:
                raise Error(f"MuJoCo's plant: {surface} is no surface it has")

    def _field(self, field: HeightField) -> tuple[str, float, float]:
        """The name of its data, what 0 is in them, and how much higher 1 is."""
        if field not in self.fields:
            heights = np.asarray(field.heights, float)
            room = max(float(np.ptp(heights)), MARGIN)
            name, lowest = f"field/{next(self.numbers)}", float(heights.min()) - room
            span = float(np.ptp(heights)) + 2 * room
            half, (rows, columns) = (np.array(heights.shape) - 1) * field.spacing / 2, heights.shape[::-1]
            data = ((heights.T - lowest) / span).ravel().tolist()
            self.spec.add_hfield(name=name, size=[*half, span, MARGIN], nrow=rows, ncol=columns, userdata=data)
            self.fields[field] = name, lowest, span
        return self.fields[field]

    def _shape(self, shape: Any, frame: str, point: Array, along: float) -> str:
        """A sphere or a capsule at a point of a frame, moved along its z."""
        body, pose = self.where[frame]
        pose = pose.copy()
        pose[:3, 3] += pose[:3, :3] @ (point + along * np.array([0.0, 0.0, 1.0]))
        types = self.mujoco.mjtGeom
        if isinstance(shape, Capsule):
            return self._geom(body, types.mjGEOM_CAPSULE, (shape.radius, shape.length / 2, 0.0), pose)
        return self._geom(body, types.mjGEOM_SPHERE, (shape.radius, 0.0, 0.0), pose)

    def _geom(self, body: str, kind: Any, size: Sequence[float], pose: Array, **more: Any) -> str:
        name = f"contact/{next(self.numbers)}"
        owner = self.spec.worldbody if body == "world" else self.spec.body(body)
        owner.add_geom(
            name=name,
            type=kind,
            size=list(size),
            pos=pose[:3, 3],
            quat=quaternion_from_rotation(pose[:3, :3]),
            contype=0,
            conaffinity=0,
            group=4,
            mass=0.0,
            **more,
        )
        return name


def _pieces(contact: Contact) -> list[tuple[Any, float]]:
    """What touches, one at each place: a shape, and how far along the frame's z."""
    shape = contact.shape
    if shape is None:
        return [(Sphere(FIELD_POINT if isinstance(contact.surface, HeightField) else POINT), 0.0)]
    if isinstance(shape, Capsule) and contact.places() == 2:
        return [(Sphere(shape.radius), side * shape.length / 2) for side in (-1, 1)]
    return [(shape, 0.0)]


class Frames:
    """Frames of a robot on the bodies of a model: name → (body, pose in it)."""

    def __init__(self, robot: Robot, bodies: Sequence[str]) -> None:
        self._mechanism = robot.as_mechanism(normalise=False)
        self._bodies = dict[int, tuple[str, Array]]()
        for name in bodies:
            if name in self._mechanism.frames:
                index, pose = self._at(name)
                self._bodies.setdefault(index, (name, pose))
        self._bodies[-1] = ("world", np.eye(4))

    def _at(self, name: str) -> tuple[int, Array]:
        index, pose = self._mechanism.frames[name]
        return index, np.asarray(pose.matrix, float)

    def __getitem__(self, name: str) -> tuple[str, Array]:
        index, pose = self._at(name)
        if index not in self._bodies:
            raise Error(f"MuJoCo's plant: frame {name} belongs to a link without mass, which is no body there")
        body, place = self._bodies[index]
        return body, pose_inverse(place) @ pose


@cache
def _detects_beyond_margin() -> bool:
    """Whether MuJoCo's contacts are active up to their margin, and told of up to a gap beyond; else within it."""
    mujoco = import_mujoco()
    spec = mujoco.MjSpec()
    for name in ("one", "other"):
        body = spec.worldbody if name == "one" else spec.worldbody.add_body(pos=[0, 0, 2])
        body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.5, 0, 0])
    spec.add_pair(geomname1="one", geomname2="other", margin=0.0, gap=2.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.ncon == 1 and data.contact[0].includemargin == 0
