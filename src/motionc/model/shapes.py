"""What a link looks like, and what that says about its mass: simple shapes and meshes, with density or mass.

A shape's own frame has its origin at the centre (a mesh: where its file has it); cylinders and capsules stand along z.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from importlib import import_module
from math import pi
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.findings import Place

Array = np.ndarray[Any, np.dtype[np.float64]]
T = TypeVar("T")
Find = Callable[[str], Path]
"""From a mesh's name in a file to the file itself; raises Error where it is not to be read."""


@dataclass(frozen=True, slots=True)
class Box:
    """Edges along x, y, z (m)."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Radius and length along z (m)."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder of this radius and length (m) with half a sphere on each end."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Sphere:
    """Radius (m)."""

    radius: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """A file by the name it has in the model, and a scale for each axis."""

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Geometry = Box | Cylinder | Capsule | Sphere | Mesh

WRITTEN: dict[type, str] = {
    Sphere: "Sphere(radius)",
    Box: "Box((x, y, z))",
    Cylinder: "Cylinder(radius, length)",
    Capsule: "Capsule(radius, length)",
}
"""How a simple shape is written."""


def checked_shape(what: str, shape: Any, *kinds: type[T]) -> T:
    """A simple shape, one of these, of finite lengths > 0; or a sentence."""
    wanted = f"give {' or '.join(WRITTEN[kind] for kind in kinds)}, of finite lengths > 0 in metres"
    checked.instance(what, shape, kinds, wanted)
    lengths: dict[str, Any] = {}
    for part in fields(shape):
        given = getattr(shape, part.name)
        values = checked.numbers(f"{what}: {part.name}", given, wanted, (3,) if part.name == "size" else ())
        if not np.all(values > 0):
            raise checked.refusal(f"{what}: {part.name}", given, wanted)
        lengths[part.name] = tuple(map(float, values)) if values.ndim else float(values)
    return type(shape)(**lengths)


@dataclass(frozen=True, slots=True)
class Material:
    """A name, a colour (red, green, blue, opacity from 0 to 1), a texture's file."""

    name: str = ""
    rgba: tuple[float, float, float, float] | None = None
    texture: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A geometry placed on a link, to look at or to collide with."""

    geometry: Geometry
    pose: Any = field(default_factory=lambda: np.eye(4))
    purpose: Literal["visual", "collision"] = "visual"
    name: str = ""
    material: Material | None = None
    place: Place = field(default_factory=lambda: Place("shape"))


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Mass (kg), centre of mass (m), and inertia about it (kg m²), in the frame the shape is placed in."""

    mass: float
    com: Array
    inertia: Array

    @staticmethod
    def seen_from(frame: Any, mass: float, com: Any, moments: Any) -> "MassProperties":
        """Of a body whose inertia is given about the origin of a frame, in its axes: I_com = I - m (c² 1 - c cᵀ).

        `frame` is where it stands (4×4), `com` and `moments` (3×3) are as seen from there: the kinematics language's
        `ref_frame`, many CAD programs' output coordinate system.

        >>> place = np.eye(4) + [[0, 0, 0, 1.0]] * np.eye(4)[:, :1]
        >>> rod = MassProperties.seen_from(place, 3.0, (0.5, 0, 0), np.diag([0, 1, 1]))
        >>> rod.com.tolist(), rod.inertia.diagonal().tolist()
        ([1.5, 0.0, 0.0], [0.0, 0.25, 0.25])
        """
        place, centre = np.asarray(frame, float), np.asarray(com, float)
        turn = place[:3, :3]
        about_com = np.asarray(moments, float) - _lever(mass, centre)
        return MassProperties(mass, place[:3, 3] + turn @ centre, turn @ about_com @ turn.T)


# ---------------------------------------------------------------- mass from shape


def mass_properties(
    shape: Shape | Geometry, *, density: float | None = None, mass: float | None = None, find: Find = Path
) -> MassProperties:
    """What a homogeneous body of this shape weighs; say its density (kg/m³) or its mass (kg), not both.

    >>> mass_properties(Box((1.0, 2.0, 3.0)), mass=12.0).inertia.diagonal()
    array([13., 10.,  5.])
    """
    if (density is None) == (mass is None):
        raise Error("say either density= (kg/m³) or mass= (kg)")
    given = mass if density is None else density
    if given is None or not (np.isfinite(given) and given > 0):
        raise Error(f"{'mass' if density is None else 'density'}={given}; give a finite number > 0")
    shape = shape if isinstance(shape, Shape) else Shape(shape)
    volume, centre, moments = _unit(shape.geometry, find)
    if not (np.isfinite(volume) and volume > 0):
        raise Error(f"{shape.geometry} has no volume, so no mass; give sizes > 0")
    scale = given if density is not None else given / volume
    pose = np.asarray(shape.pose, float)
    rotation = pose[:3, :3]
    inertia = rotation @ moments @ rotation.T * scale
    return MassProperties(volume * scale, pose[:3, 3] + rotation @ centre, (inertia + inertia.T) / 2)


def combined(parts: list[MassProperties]) -> MassProperties:
    """Several bodies, placed in one frame, as one."""
    if not parts:
        raise Error("there are no bodies to combine")
    mass = sum(part.mass for part in parts)
    com = np.sum([part.mass * part.com for part in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        inertia += part.inertia + _lever(part.mass, part.com - com)
    return MassProperties(mass, com, inertia)


def _lever(mass: float, arm: Array) -> Array:
    """The parallel-axis term: a point mass at the end of an arm."""
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def inertia_matrix(
    xx: float, yy: float, zz: float, xy: float, xz: float, yz: float, *, products: Literal["tensor", "moments"]
) -> Array:
    """The matrix of six numbers. Nobody can guess which sign the products have, so it has to be said:

    "tensor": they are the matrix's own entries, I_xy = -∫ x y dm (URDF, MuJoCo);
    "moments": they are the products of inertia, ∫ x y dm, and get a minus (the kinematics language, many CAD programs).

    >>> inertia_matrix(1, 2, 3, 0.1, 0, 0, products="moments")[0, 1]
    np.float64(-0.1)
    """
    if products not in ("tensor", "moments"):
        raise Error(f"products={products!r}; say 'tensor' for -∫ x y dm or 'moments' for +∫ x y dm")
    sign = 1.0 if products == "tensor" else -1.0
    return np.array([[xx, sign * xy, sign * xz], [sign * xy, yy, sign * yz], [sign * xz, sign * yz, zz]], float)


def _unit(geometry: Geometry, find: Find) -> tuple[float, Array, Array]:
    """Volume, centre, and moments about the centre, at density 1."""
    match geometry:
        case Box((x, y, z)):
            volume = x * y * z
            return volume, np.zeros(3), volume / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
        case Sphere(radius):
            volume = 4 / 3 * pi * radius**3
            return volume, np.zeros(3), 2 / 5 * volume * radius**2 * np.eye(3)
        case Cylinder(radius, length):
            return _round(radius, length, caps=False)
        case Capsule(radius, length):
            return _round(radius, length, caps=True)
        case Mesh():
            return _mesh(geometry, find)


def _round(radius: float, length: float, *, caps: bool) -> tuple[float, Array, Array]:
    rod = pi * radius**2 * length
    along, across = rod * radius**2 / 2, rod * (3 * radius**2 + length**2) / 12
    volume = rod
    if caps:
        ball = 4 / 3 * pi * radius**3
        along += 2 / 5 * ball * radius**2
        # half a ball's centre lies 3/8 r from its plane, which lies length/2 from the middle
        across += ball * (2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
        volume += ball
    return volume, np.zeros(3), np.diag([across, across, along])


def _mesh(mesh: Mesh, find: Find) -> tuple[float, Array, Array]:
    try:
        import trimesh

        if mesh.file.lower().endswith(".dae"):
            import_module("collada")
    except ImportError as error:
        raise Error(f"mass from the mesh {mesh.file!r} needs {error.name}: pip install 'motionc[mesh]'") from error
    path = find(mesh.file)
    try:
        loaded: Any = trimesh.load(path, force="mesh")
        loaded.apply_scale(np.multiply(mesh.scale, _metre(path)))
    except Exception as error:
        raise Error(f"the mesh {path} cannot be read: {error}") from error
    if not loaded.is_watertight:
        raise Error(f"the mesh {path} is not closed, so it has no volume; close it, or give mass and inertia")
    if loaded.volume < 0:  # its faces look inward
        loaded.invert()
    return float(loaded.volume), np.array(loaded.center_mass), np.array(loaded.moment_inertia)


def _metre(path: Path) -> float:
    """How long a unit of a mesh is (m): what Collada's <unit> says, which trimesh leaves alone, or 1."""
    if path.suffix.lower() != ".dae":
        return 1.0
    said = re.search(rb"<unit\b[^>]*?\bmeter\s*=\s*[\"']([^\"']*)[\"']", path.read_bytes())
    return float(said[1]) if said else 1.0
