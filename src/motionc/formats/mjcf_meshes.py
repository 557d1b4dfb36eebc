"""Which meshes of a robot can MuJoCo be told of? It opens them all, so those that are there, of a kind it reads."""

from collections.abc import Iterator
from pathlib import Path

from motionc.errors import Error
from motionc.formats.files import find_named
from motionc.formats.mjcf_attributes import words
from motionc.model.robot import Robot
from motionc.model.shapes import Mesh, Shape

READ = (".obj", ".stl", ".msh")


class MeshAssets:
    """The meshes of a robot's shapes as assets, each file and scale once, by a name of its own."""

    def __init__(self, robot: Robot) -> None:
        self.names = dict[tuple[Path, tuple[float, float, float]], str]()
        self.of = dict[int, str]()
        for segment in robot.segments:
            for shape in segment.link.shapes:
                self._add(shape)

    def _add(self, shape: Shape) -> None:
        if not isinstance(mesh := shape.geometry, Mesh):
            return
        try:
            path = find_named(mesh.file, shape.place)
        except Error:
            return
        if path.suffix.lower() in READ and all(mesh.scale):
            key = path, mesh.scale
            if key not in self.names:
                self.names[key] = f"{path.stem}_{len(self.names)}"
            self.of[id(shape)] = self.names[key]

    def rows(self) -> Iterator[dict[str, str]]:
        """The attributes of each asset; no inertia is taken from it, so what it encloses does not matter."""
        for (path, scale), name in self.names.items():
            said = {} if scale == (1.0, 1.0, 1.0) else {"scale": words(scale)}
            yield {"name": name, "file": str(path), "inertia": "shell"} | said
