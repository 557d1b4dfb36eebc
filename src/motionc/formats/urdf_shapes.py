"""What a link looks like in URDF: `<visual>`, `<collision>` and `<material>`, read and written."""

from collections.abc import Mapping

from motionc.formats.urdf_schema import GEOMETRY, LINK, MATERIAL, parts
from motionc.formats.xml_tree import Element
from motionc.formats.xml_values import numbers, pose, required
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Material, Mesh, Shape, Sphere


def shape(element: Element, materials: Mapping[str, Material]) -> Shape:
    """A `<visual>` or `<collision>`; a material that says its name alone is the robot's own of that name."""
    pieces = parts(element, LINK.children[element.tag])
    if "geometry" not in pieces:
        raise element.error(f"the <{element.tag}> has no <geometry>", "add one, with a box, cylinder, sphere or mesh")
    look = material(pieces["material"]) if "material" in pieces else None
    if look is not None and look == Material(look.name):
        look = materials.get(look.name, look)
    name, where = element.attributes.get("name", ""), pose(pieces.get("origin"))
    purpose = "visual" if element.tag == "visual" else "collision"
    return Shape(geometry(pieces["geometry"]), where, purpose, name, look, element.place)


def geometry(element: Element) -> Geometry:
    """The one shape in a `<geometry>`."""
    found = list(parts(element, GEOMETRY).values())
    if len(found) != 1:
        raise element.error(f"the <geometry> holds {len(found)} shapes, not 1", "say box, cylinder, sphere or mesh")
    (inside,) = found
    if inside.tag == "mesh":
        scale = numbers(inside, "scale", 3, (1.0, 1.0, 1.0))
        return Mesh(required(inside, "filename"), (scale[0], scale[1], scale[2]))
    wanted = {"box": "size", "sphere": "radius"}.get(inside.tag, "radius length")
    sizes = [size for name in wanted.split() for size in numbers(inside, name, 3 if name == "size" else 1)]
    if any(size < 0 for size in sizes):
        raise inside.error(f"a {inside.tag} of size {', '.join(map(str, sizes))}", "give sizes that are not negative")
    if inside.tag == "box":
        return Box((sizes[0], sizes[1], sizes[2]))
    return {"sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule}[inside.tag](*sizes)


def material(element: Element) -> Material:
    """Name, colour and texture."""
    pieces = parts(element, MATERIAL)
    colour = numbers(pieces["color"], "rgba", 4) if "color" in pieces else None
    texture = required(pieces["texture"], "filename") if "texture" in pieces else ""
    rgba = None if colour is None else (colour[0], colour[1], colour[2], colour[3])
    return Material(element.attributes.get("name", ""), rgba, texture)
