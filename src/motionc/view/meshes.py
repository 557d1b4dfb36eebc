"""What is in a mesh's file? Surfaces: STL and Collada by NumPy alone, OBJ, PLY and glTF by trimesh.

Files come from strangers: a regular file of bounded size is read, once, into memory; what it names beside itself goes
through the same rule as the mesh's own name, and whatever is wrong with it becomes one sentence.
"""

import io
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from motionc.checked import shown
from motionc.errors import Error
from motionc.formats.files import find_file
from motionc.formats.xml_tree import ReadError
from motionc.view.collada import read_collada
from motionc.view.gltf import check_gltf
from motionc.view.stl import read_stl
from motionc.view.surfaces import LARGEST_MESH, Beside, Surface, as_rgba, bounded, checked_surface, too_many

LARGEST_FILE = 64 * 2**20  # bytes
LARGEST_IMAGE = 16 * 2**20  # pixels that are decoded
WIDEST_IMAGE = 1024  # pixels that are kept along a side
BY_TRIMESH = (".obj", ".ply", ".glb", ".gltf")
DRAWN = (".stl", ".dae", *BY_TRIMESH)
EXTRA = 'pip install "motionc[view]"'


def read_mesh(path: Path, roots: Iterable[str | Path] = ()) -> list[Surface]:
    """The surfaces of a mesh, where its file has them (m); raises Error with a sentence that says what is wrong.

    Args:
        path: the file, as `find_file` finds it.
        roots: folders from which it may read textures, beside its own package.
    """
    ending = path.suffix.lower()
    if ending not in DRAWN:
        raise Error(f"meshes ending in {ending or 'nothing'} are not drawn; convert it to one of {', '.join(DRAWN)}")
    data = read_bytes(path)

    def beside(name: str) -> bytes:
        return read_bytes(find_file(name, beside=path.parent, roots=roots))

    try:
        if ending == ".stl":
            surfaces = bounded([checked_surface(surface) for surface in read_stl(data)])
        elif ending == ".dae":
            surfaces = read_collada(data, beside)
        else:
            surfaces = _by_trimesh(data, ending[1:], beside)
    except ReadError as error:
        said = f"line {error.line}: {error.message}"
        raise Error(f"the mesh {path} cannot be read: {said}; {error.remedy}") from error
    except Error as error:
        raise Error(f"the mesh {path} cannot be read: {error}") from error
    except Exception as error:  # whatever a library makes of a broken file
        raise Error(f"the mesh {path} cannot be read: {type(error).__name__}: {shown(str(error))}") from error
    return surfaces


def read_bytes(path: Path) -> bytes:
    """What is in a regular file that is not too large; nothing else is waited for."""
    try:
        # a pipe or a device put in its place since it was found must not make us wait
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(number, "rb") as stream:
            about = os.fstat(number)
            if not stat.S_ISREG(about.st_mode):
                raise Error(f"{path} is no regular file; it is not read")
            if about.st_size > LARGEST_FILE:
                raise Error(f"{path} has {about.st_size} bytes, more than the {LARGEST_FILE} that are read")
            return stream.read(LARGEST_FILE)
    except OSError as error:
        raise Error(f"{path} cannot be read: {error}") from error


def decoded(image: bytes) -> Any:
    """A texture's pixels, made fewer where they are many: (height, width, 4) of uint8, the upper row first."""
    try:
        from PIL import Image
    except ImportError as error:
        raise Error(f"textures need Pillow: {EXTRA}") from error
    try:
        with Image.open(io.BytesIO(image)) as opened:
            wide, high = opened.size
            if wide * high > LARGEST_IMAGE:
                raise Error(f"a texture of {wide} × {high} pixels is too large")
            opened.thumbnail((WIDEST_IMAGE, WIDEST_IMAGE))  # a JPEG is not even decoded in full
            return np.asarray(opened.convert("RGBA"), np.uint8)
    except Error:
        raise
    except Exception as error:
        raise Error(f"a texture cannot be read: {error}") from error


# ---------------------------------------------------------------- what trimesh reads


class _Resolver:
    """Opens for trimesh what a mesh names, by our rule."""

    def __init__(self, beside: Beside) -> None:
        self.get = beside

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def keys(self) -> tuple[str, ...]:
        return ()


def _by_trimesh(data: bytes, kind: str, beside: Beside) -> list[Surface]:
    try:
        import trimesh
    except ImportError as error:
        raise Error(f"meshes of this kind need trimesh: {EXTRA}") from error
    if kind in ("glb", "gltf"):
        check_gltf(data, LARGEST_FILE)
    resolver: Any = _Resolver(beside)
    whole: Any = trimesh.load(
        io.BytesIO(data), file_type=kind, resolver=resolver, process=False, maintain_order=True, force="scene"
    )
    found, count = list[Surface](), 0
    for node in whole.graph.nodes_geometry:
        pose, name = whole.graph[node]
        geometry = whole.geometry[name]
        faces = getattr(geometry, "faces", None)
        if faces is None:
            continue  # lines and points
        count += len(faces)
        if count > LARGEST_MESH:
            raise too_many()
        found.append(_surface(geometry).moved(np.asarray(pose, float)))
    return bounded([checked_surface(surface) for surface in found])


def _surface(geometry: Any) -> Surface:
    vertices = np.asarray(geometry.vertices, float).reshape(-1, 3)
    faces = np.asarray(geometry.faces, np.int64)
    if faces.size and faces.max() < 2**31:
        faces = faces.astype(np.int32)
    visual: Any = geometry.visual
    if visual.kind == "texture":
        material = visual.material
        picture = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        said = getattr(material, "baseColorFactor", None)
        said = getattr(material, "diffuse", None) if said is None else said
        rgba = None if said is None else as_rgba(np.asarray(said, float) / (1.0 if _fractions(said) else 255.0))
        uv = None if visual.uv is None else np.asarray(visual.uv, float)
        return Surface(vertices, faces.astype(np.int32), rgba, uv, None if uv is None else _encoded(picture))
    rgba = as_rgba(np.asarray(visual.main_color, float) / 255.0) if visual.defined else None
    return Surface(vertices, faces.astype(np.int32), rgba)


def _fractions(values: Any) -> bool:
    """Whether a colour is written from 0 to 1, not from 0 to 255."""
    return np.asarray(values).dtype.kind == "f"


def _encoded(picture: Any) -> bytes | None:
    """A picture that trimesh has opened, undecoded as it still is."""
    if picture is None:
        return None
    stream: Any = getattr(picture, "fp", None)
    if stream is None:
        return None
    stream.seek(0)
    return stream.read()
