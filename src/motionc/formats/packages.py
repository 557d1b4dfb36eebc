"""Where is a package of ROS, when nobody says so? Above the model that names it, or where the environment has packages.

A folder is a package by what is in it, package.xml or a folder `meshes`, and has the name of the folder or the one its
package.xml gives. The root of the file system is none.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

NAME = re.compile(rb"<name>\s*([^<>\s]{1,200})\s*</name>")
LARGEST_MANIFEST = 2**16  # bytes; the name stands at the top


def packages(name: str, beside: Path | None) -> Iterator[Path]:
    """The folders that are the package of this name, the nearest to the model first."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        return
    for folder in () if beside is None else above(beside):
        yield from (path for path in (folder, folder / name) if _is_package(path, name))
    for folder in _listed("ROS_PACKAGE_PATH"):
        yield from (path for path in (folder, folder / name) if _is_package(path, name))
    for prefix in _listed("AMENT_PREFIX_PATH"):
        yield from (path for path in (prefix / "share" / name,) if _is_package(path, name))


def package_of(folder: Path) -> Path | None:
    """The package that a folder lies in; None where it lies in none."""
    return next((path for path in above(folder) if _holds_package(path)), None)


def above(folder: Path) -> Iterator[Path]:
    """This folder and those that hold it, but the root of the file system."""
    path = folder.resolve()
    yield from (each for each in (path, *path.parents) if each != each.parent)


def _is_package(folder: Path, name: str) -> bool:
    return _holds_package(folder) and (folder.name == name or _says(folder) == name)


def _holds_package(folder: Path) -> bool:
    return (folder / "package.xml").is_file() or (folder / "meshes").is_dir()


def _says(folder: Path) -> str:
    """The name that a package gives itself."""
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return ""
    with manifest.open("rb") as stream:
        said = NAME.search(stream.read(LARGEST_MANIFEST))
    return said[1].decode(errors="replace") if said else ""


def _listed(variable: str) -> Iterator[Path]:
    """The folders in a variable of the environment; never the root of the file system, nor a relative one."""
    for entry in os.environ.get(variable, "").split(os.pathsep):
        path = Path(entry)
        if path.is_absolute() and path != path.parent:
            yield path
