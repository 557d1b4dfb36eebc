"""What every reader of a mesh gives: surfaces of one colour or texture, bounded in number."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.view.triangles import Array, Indices

LARGEST_MESH = 4_000_000
"""Triangles of one mesh, all its copies counted."""

Rgba = tuple[float, float, float, float]
Beside = Callable[[str], bytes]
"""From a name in a mesh's file to what is in the file of that name; raises Error where it is not to be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles as a file has them.

    `rgba` is None where the file says no colour; `image` is a texture's file, not yet decoded, or why there is none.
    """

    vertices: Array
    triangles: Indices
    rgba: Rgba | None = None
    uv: Array | None = None
    image: bytes | Error | None = None

    def moved(self, pose: Array) -> "Surface":
        """The same, turned, scaled and moved by a 4×4 matrix; one that mirrors turns the triangles round."""
        faces = self.triangles[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0 else self.triangles
        return replace(self, vertices=self.vertices @ pose[:3, :3].T + pose[:3, 3], triangles=faces)


def checked_surface(surface: Surface) -> Surface:
    """A surface of finite vertices that its triangles name; or a sentence."""
    vertices, faces = surface.vertices, surface.triangles
    if not np.all(np.isfinite(vertices)):
        raise Error("some of its vertices are not finite numbers; export it again")
    if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise Error("its triangles name vertices that it does not have; export it again")
    if surface.uv is not None and not (surface.uv.shape == (len(vertices), 2) and np.all(np.isfinite(surface.uv))):
        return replace(surface, uv=None, image=None)
    return surface


def bounded(surfaces: list[Surface]) -> list[Surface]:
    """Surfaces that together have some triangles, and no more than a mesh may have."""
    count = sum(len(surface.triangles) for surface in surfaces)
    if count > LARGEST_MESH:
        raise too_many()
    if not count:
        raise Error("it has no triangles; export it again")
    return surfaces


def too_many() -> Error:
    return Error(f"it has more than {LARGEST_MESH} triangles; make it coarser")


def shared(corners: Array, *further: Array) -> tuple[Indices, Indices]:
    """Of rows that are the same one alone: which rows are kept, and for each row the number of its like."""
    columns = np.concatenate([corners, *further], axis=1).T if further else corners.T
    order = np.lexsort(columns)
    inside = columns[:, order]
    fresh = np.append(True, np.any(inside[:, 1:] != inside[:, :-1], axis=0))[: len(order)]
    number = np.empty(len(order), np.int32)
    number[order] = np.cumsum(fresh) - 1
    return order[fresh].astype(np.int32), number


def as_rgba(values: Any) -> Rgba | None:
    """Three or four numbers from 0 to 1 as a colour; None where they are none."""
    found = np.asarray(values, float).ravel()
    if found.size not in (3, 4) or not np.all(np.isfinite(found)):
        return None
    red, green, blue, alpha = np.clip(np.append(found, 1.0)[:4], 0.0, 1.0).tolist()
    return red, green, blue, alpha
