"""What do MuJoCo's geoms look like: shapes of a link, where MuJoCo has compiled them, meshes by the name of their file.

Geoms in groups 0 to 2, those MuJoCo draws unless told otherwise, are to look at; those that may touch others, and those
in further groups, to collide with. One that is both gives two shapes. Planes, height fields and ellipsoids have no
place in the model; nor have meshes written out in the file, or shapes fitted to a mesh that MuJoCo did not get to read.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from motionc.formats.mjcf_handover import Handover
from motionc.formats.mjcf_joints import grouped
from motionc.formats.xml_tree import Element
from motionc.geometry.lie import pose_inverse, rotation_from_quaternion
from motionc.model.chain import Array
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Material, Mesh, Shape, Sphere

SPHERE, CAPSULE, CYLINDER, BOX, MESH = 2, 3, 5, 6, 7  # mjtGeom
DRAWN = 2
"""The last of the groups that MuJoCo draws."""
UNSAID = np.array([0.5, 0.5, 0.5, 1.0])
"""The colour of a geom of which nobody says one."""


class ShapeReader:
    """MuJoCo's geoms, the element behind each, and the meshes they name."""

    def __init__(self, out: Handover, spec: Any, model: Any, geoms: Sequence[Any], elements: Sequence[Element]) -> None:
        self.out, self.spec, self.model, self.elements = out, spec, model, elements
        self.geoms = geoms if len(geoms) == model.ngeom else ()
        self.geoms_on = grouped(model.geom_bodyid)
        self.meshes = dict[int, tuple[Mesh, Array] | None]()

    def on(self, body: int) -> tuple[Shape, ...]:
        """The shapes of a body, which its link has."""
        return tuple(shape for geom in self.geoms_on.get(body, ()) for shape in self._shapes(geom))

    def _shapes(self, geom: int) -> Iterator[Shape]:
        model = self.model
        if (made := self._geometry(geom)) is None:
            return
        geometry, pose = made
        element, root = self.elements[geom], self.out.root
        place = element.place if element.place.file == root.place.file else root.place  # names start at the model
        name, material = model.geom(geom).name, self._material(geom)
        group, touches = int(model.geom_group[geom]), model.geom_contype[geom] or model.geom_conaffinity[geom]
        if group <= DRAWN:
            yield Shape(geometry, pose, "visual", name, material, place)
        if touches or group > DRAWN:
            yield Shape(geometry, pose, "collision", name, material, place)

    def _geometry(self, geom: int) -> tuple[Geometry, Array] | None:
        """The geometry and its pose on the link; None where it has no place in the model."""
        model = self.model
        kind, (x, y, z) = int(model.geom_type[geom]), map(float, model.geom_size[geom])
        pose = _pose(model.geom_pos[geom], model.geom_quat[geom])
        if not np.all(np.isfinite(pose)):
            return None
        if kind == MESH:
            return self._mesh(int(model.geom_dataid[geom]), pose)
        fitted = self.geoms[geom].meshname if self.geoms else ""
        if fitted and not self.out.assets.get(fitted, (None, "", True))[2]:
            return None
        simple: dict[int, Geometry] = {
            SPHERE: Sphere(x),
            CAPSULE: Capsule(x, 2 * y),
            CYLINDER: Cylinder(x, 2 * y),
            BOX: Box((2 * x, 2 * y, 2 * z)),
        }
        return (simple[kind], pose) if kind in simple else None

    def _mesh(self, number: int, pose: Array) -> tuple[Geometry, Array] | None:
        """A mesh by its file, as it stands there: MuJoCo has moved it to its centre and principal axes."""
        if number not in self.meshes:
            self.meshes[number] = self._asset(number)
        found = self.meshes[number]
        return None if found is None else (found[0], pose @ found[1])

    def _asset(self, number: int) -> tuple[Mesh, Array] | None:
        """A mesh, and its file's origin as seen from the frame into which MuJoCo moved it."""
        model = self.model
        asset, file, _ = self.out.assets.get(model.mesh(number).name, (None, "", False))
        if asset is None or not file:
            return None
        said = self.spec.find_default(asset.attributes.get("class") or "main") or self.spec.default
        scale, at, turn = (self._said(asset, said.mesh, key) for key in ("scale", "refpos", "refquat"))
        turned = rotation_from_quaternion(turn).T
        if len({*scale}) > 1 and not np.array_equal(turned, np.eye(3)):
            return None  # scaled along axes that are not those of the file
        # MuJoCo shifts, turns, scales, in this order
        origin = np.eye(4)
        origin[:3, :3], origin[:3, 3] = turned, -np.array(scale) * (turned @ np.array(at))
        moved = pose_inverse(_pose(model.mesh_pos[number], model.mesh_quat[number]))
        return Mesh(file, (scale[0], scale[1], scale[2])), moved @ origin

    def _said(self, asset: Element, default: Any, key: str) -> list[float]:
        """What the element says, or its class; both in as many numbers as MuJoCo takes."""
        values = [float(value) for value in np.asarray(getattr(default, key), float)]
        said = asset.attributes.get(key, "").split()
        try:
            return [float(word) for word in said] if len(said) == len(values) else values
        except ValueError:
            raise asset.error(f"{key} = {asset.attributes[key]!r} are no numbers", "write numbers", key) from None

    def _material(self, geom: int) -> Material | None:
        """Its own colour, or that of its material."""
        model, number = self.model, int(self.model.geom_matid[geom])
        rgba = np.asarray(model.geom_rgba[geom], float)
        if number >= 0 and np.array_equal(rgba, UNSAID):
            rgba = np.asarray(model.mat_rgba[number], float)
        elif np.array_equal(rgba, UNSAID):
            return None
        name = model.mat(number).name if number >= 0 else ""
        red, green, blue, alpha = (float(f"{value:.7g}") for value in rgba)  # of 32 bits
        return Material(name, (red, green, blue, alpha))


def _pose(position: Any, quaternion: Any) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = position
    pose[:3, :3] = rotation_from_quaternion(np.asarray(quaternion, float).tolist())
    return pose
