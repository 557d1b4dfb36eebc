"""What is in a Collada file (.dae): its visual scene as surfaces, in metres.

The file's <unit> is applied; its <up_axis> is not: robots' files are drawn as they are written, as RViz does. Lights,
cameras, skins and animations stay behind.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats.xml_tree import Element, parse_xml
from motionc.geometry.lie import rotation_about
from motionc.view.surfaces import (
    LARGEST_MESH,
    Beside,
    Rgba,
    Surface,
    as_rgba,
    bounded,
    checked_surface,
    shared,
    too_many,
)
from motionc.view.triangles import Array

LARGEST_VISIT = 20_000  # nodes, those of copies too
DEEPEST = 100  # nodes in each other
Look = tuple[Rgba | None, bytes | Error | None]
FANS = ("polylist", "polygons", "trifans")


def read_collada(data: bytes, beside: Beside) -> list[Surface]:
    """Surfaces of all geometries in the scene, each where its node puts it."""
    return _Collada(parse_xml(data, "the mesh"), beside).surfaces()


class _Collada:
    """A document, its elements by id, and the geometries read so far."""

    def __init__(self, root: Element, beside: Beside) -> None:
        if root.tag.rpartition(":")[2] != "COLLADA":
            raise Error(f"the root element is <{root.tag[:60]}>, not <COLLADA>")
        self.root, self.beside = root, beside
        self.ids = dict[str, Element]()
        pending = [root]
        while pending:
            element = pending.pop()
            if "id" in element.attributes:
                self.ids.setdefault(element.attributes["id"], element)
            pending += element.children
        self.geometries = dict[int, list[tuple[str, Surface]]]()
        self.looks = dict[int, Look]()

    def surfaces(self) -> list[Surface]:
        unit = _below(self.root, "asset", "unit")
        metre = 1.0 if unit is None else float(_numbers(unit.attributes.get("meter", "1"), float)[0])
        found, count, visited = list[Surface](), 0, 0
        pending = [(node, np.diag([metre, metre, metre, 1.0]), 0) for node in reversed(self._nodes())]
        while pending:
            node, outer, depth = pending.pop()
            visited += 1
            if visited > LARGEST_VISIT or depth > DEEPEST:
                raise Error("its nodes are too many, or nested too deep")
            pose = outer @ _placed(node)
            for child in node.children:
                if child.tag == "node":
                    pending.append((child, pose, depth + 1))
                elif child.tag == "instance_node" and (meant := self._meant(child)) is not None:
                    pending.append((meant, pose, depth + 1))
                elif child.tag == "instance_geometry" and (meant := self._meant(child)) is not None:
                    for surface in self._instance(child, meant):
                        count += len(surface.triangles)
                        if count > LARGEST_MESH:
                            raise too_many()
                        found.append(surface.moved(pose))
        return bounded([checked_surface(surface) for surface in found])

    def _nodes(self) -> list[Element]:
        """The nodes of the scene that is shown."""
        shown = _below(self.root, "scene", "instance_visual_scene")
        scene = None if shown is None else self._meant(shown)
        if scene is None:
            scene = _below(self.root, "library_visual_scenes", "visual_scene")
        return [] if scene is None else scene.all("node")

    def _meant(self, element: Element, attribute: str = "url") -> Element | None:
        """The element that an attribute names by its id."""
        return self.ids.get(element.attributes.get(attribute, "").removeprefix("#"))

    # ---------------------------------------------------------------- geometry

    def _instance(self, instance: Element, geometry: Element) -> Iterator[Surface]:
        """A geometry's surfaces with the looks that this instance gives them."""
        if id(geometry) not in self.geometries:
            self.geometries[id(geometry)] = list(self._primitives(geometry))
        bound = dict[str, Element]()
        common = _below(instance, "bind_material", "technique_common")
        for said in [] if common is None else common.all("instance_material"):
            if (meant := self._meant(said, "target")) is not None:
                bound[said.attributes.get("symbol", "")] = meant
        for symbol, surface in self.geometries[id(geometry)]:
            material = bound.get(symbol) or self.ids.get(symbol)
            rgba, image = (None, None) if material is None else self._look(material)
            yield Surface(surface.vertices, surface.triangles, rgba, surface.uv, image)

    def _primitives(self, geometry: Element) -> Iterator[tuple[str, Surface]]:
        """Each set of triangles, and the symbol of its material."""
        mesh = _below(geometry, "mesh")
        for part in [] if mesh is None else mesh.children:
            if part.tag in ("triangles", "tristrips", *FANS):
                yield part.attributes.get("material", ""), self._primitive(part)

    def _primitive(self, part: Element) -> Surface:
        inputs = [(said, int(said.attributes.get("offset", "0"))) for said in part.all("input")]
        stride = 1 + max((offset for _, offset in inputs), default=0)
        position = next((each for each in inputs if each[0].attributes.get("semantic") == "VERTEX"), None)
        texture = next((each for each in inputs if each[0].attributes.get("semantic") == "TEXCOORD"), None)
        vertices = None if position is None else self._meant(position[0], "source")
        own = [] if vertices is None else vertices.all("input")
        source = next((each for each in own if each.attributes.get("semantic") == "POSITION"), None)
        if position is None or source is None or not 0 <= min(offset for _, offset in inputs) <= stride <= 64:
            raise Error("a set of its triangles names no positions")
        places = self._source(source)[:, :3]
        rows = _triangulated(part, stride)
        corners = rows[:, position[1]][:, None]
        uv = None if texture is None else self._source(texture[0])[:, :2]
        if uv is not None and texture is not None and uv.shape[1] == 2:
            kept, number = shared(corners, rows[:, texture[1]][:, None])
            chosen, drawn = _within(rows[kept, position[1]], places), _within(rows[kept, texture[1]], uv)
            return Surface(places[chosen], number.reshape(-1, 3), None, uv[drawn])
        kept, number = shared(corners)
        return Surface(places[_within(rows[kept, position[1]], places)], number.reshape(-1, 3))

    def _source(self, said: Element) -> Array:
        """The numbers of a source, a row each."""
        source = self._meant(said, "source")
        array = None if source is None else _below(source, "float_array")
        accessor = None if source is None else _below(source, "technique_common", "accessor")
        if array is None:
            raise Error("a set of its triangles names numbers that are not there")
        wide = int("3" if accessor is None else accessor.attributes.get("stride", "1"))
        values = _numbers(array.text, float)
        if not 2 <= wide <= 64 or values.size % wide:
            raise Error(f"{values.size} numbers do not come in rows of {wide}")
        return values.reshape(-1, wide)

    # ---------------------------------------------------------------- looks

    def _look(self, material: Element) -> Look:
        if id(material) not in self.looks:
            self.looks[id(material)] = self._effect(material)
        return self.looks[id(material)]

    def _effect(self, material: Element) -> Look:
        """Colour and texture of a material's diffuse light."""
        said = _below(material, "instance_effect")
        effect = None if said is None else self._meant(said)
        profile = None if effect is None else _below(effect, "profile_COMMON")
        technique = None if profile is None else _below(profile, "technique")
        for shading in [] if technique is None else technique.children:
            diffuse = _below(shading, "diffuse") or _below(shading, "emission")
            if profile is None or diffuse is None:
                continue
            if (colour := _below(diffuse, "color")) is not None:
                return as_rgba(_numbers(colour.text, float)), None
            if (texture := _below(diffuse, "texture")) is not None:
                return None, self._image(profile, texture.attributes.get("texture", ""))
        return None, None

    def _image(self, profile: Element, name: str) -> bytes | Error | None:
        """What is in the file of a texture: a sampler names a surface, that an image, that a file."""
        parameters = {each.attributes.get("sid", ""): each for each in profile.all("newparam")}
        for inside in (("sampler2D", "source"), ("surface", "init_from"), ("sampler2D", "instance_image")):
            said = _below(parameters[name], *inside) if name in parameters else None
            if said is not None:
                name = said.attributes.get("url", "").removeprefix("#") or said.text.strip()
        image = self.ids.get(name)
        file = None if image is None else _below(image, "init_from")
        file = file if file is None else _below(file, "ref") or file
        if file is None or not file.text.strip():
            return None
        try:
            return self.beside(file.text.strip())
        except Error as error:
            return error


def _below(element: Element, *tags: str) -> Element | None:
    """The first child of a tag, its first child of the next one, and so on."""
    found: Element | None = element
    for tag in tags:
        found = None if found is None else next((child for child in found.children if child.tag == tag), None)
    return found


def _placed(node: Element) -> Array:
    """A node's transformations, one after the other."""
    pose = np.eye(4)
    for child in node.children:
        if child.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        values, step = _numbers(child.text, float), np.eye(4)
        if values.size != {"matrix": 16, "rotate": 4}.get(child.tag, 3):
            raise Error(f"a <{child.tag}> of {values.size} numbers")
        if child.tag == "matrix":
            step = values.reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = values
        elif child.tag == "scale":
            step[:3, :3] = np.diag(values)
        elif length := float(np.linalg.norm(values[:3])):
            step[:3, :3] = rotation_about(values[:3] / length, np.radians(values[3]))
        pose = pose @ step
    return pose


def _triangulated(part: Element, stride: int) -> Any:
    """The rows of indices of all corners, three for each triangle: polygons as fans, strips as they go."""
    lists = [_numbers(child.text, int) for child in part.children if child.tag == "p"]
    if any(each.size % stride for each in lists):
        raise Error(f"its indices do not come in rows of {stride}")
    rows: Any = np.concatenate([np.zeros(0, int), *lists]).reshape(-1, stride)
    if part.tag == "triangles":
        if len(rows) % 3:
            raise Error("some of its triangles have less than three corners")
        return rows
    counts: Any = np.array([each.size // stride for each in lists], int)
    if part.tag == "polylist":
        said = _below(part, "vcount")
        counts = _numbers("" if said is None else said.text, int)
    if np.any(counts < 0) or counts.sum() != len(rows):
        raise Error("its polygons have other corners than it says")
    first = np.cumsum(counts) - counts
    triangles = np.maximum(counts - 2, 0)
    of = np.repeat(np.arange(len(counts)), triangles)
    step = np.arange(len(of)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    start, second = first[of], first[of] + step + 1
    if part.tag == "tristrips":
        start, turned = first[of] + step, step % 2
        corners = np.stack([start, start + 1 + turned, start + 2 - turned], axis=1)
    else:
        corners = np.stack([start, second, second + 1], axis=1)
    return rows[corners.ravel()]


def _within(indices: Any, values: Array) -> Any:
    """Indices of rows that are there; or a sentence."""
    if indices.size and (indices.min() < 0 or indices.max() >= len(values)):
        raise Error("its triangles name vertices that it does not have; export it again")
    return indices


def _numbers(text: str, kind: type) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(text, kind, sep=" ")
        except (DeprecationWarning, ValueError, OverflowError) as error:
            raise Error("some of its numbers are none") from error
