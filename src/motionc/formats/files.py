"""Which file does a name in a model mean? Beside the model, in folders somebody named, or, if it is one of a mesh, in
the package that the name or the model's own place says; nothing else is ever opened."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from motionc.errors import Error
from motionc.formats.packages import package_of, packages
from motionc.model.findings import Place

MESHES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".msh")
BESIDE_MESHES = (".mtl", ".bin", ".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff")
"""Endings of what is opened in a package that nobody named: meshes, and what meshes name."""


def find_file(name: str, *, beside: Path | None = None, roots: Iterable[str | Path] = ()) -> Path:
    """The file that a model means by `package://arm/meshes/hand.stl`, `file:///…` or `meshes/hand.stl`.

    A package is looked for in `roots`, above the model, then in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. One that is
    found without being named in `roots` must hold package.xml or a folder `meshes`, and meshes and their textures alone
    are taken from it. Relative names, `..` too, may lead as far as the package of the model.

    Args:
        name: what the model says.
        beside: the folder of the model's own file, where relative names start.
        roots: folders that are packages, or that hold packages, such as `share` of a ROS workspace.
    """
    try:
        return _found(name, beside, [Path(folder).resolve() for folder in roots])
    except (OSError, ValueError, RuntimeError) as error:  # no path, a circle of links, no permission
        raise Error(f"{name!r} names no file ({error})") from error


def find_named(name: str, place: Place, roots: Iterable[str | Path] = ()) -> Path:
    """The file that something written at a place names: its model's folder and package are where to look."""
    model = Path(place.file)
    return find_file(name, beside=model.parent if place.file and model.is_file() else None, roots=roots)


def _found(name: str, beside: Path | None, folders: list[Path]) -> Path:
    own = None if beside is None else beside.resolve()
    home = [] if own is None or own == own.parent else [own]
    parts = urlsplit(name)
    rest = unquote(parts.path).lstrip("/")
    found = list[Path]()  # packages that nobody named
    if parts.scheme in ("package", "model"):
        package = unquote(parts.netloc)
        if not package:  # package:///arm/… is one way to write it
            package, _, rest = rest.partition("/")
        found = list(packages(package, beside))
        candidates = [root / rest for root in folders if root.name == package]
        candidates += [root / package / rest for root in folders] + [folder / rest for folder in found]
    elif parts.scheme in ("file", "", *(letter for letter in "abcdefghijklmnopqrstuvwxyz")):
        around = package_of(own) if own is not None else None
        found = [] if around is None else [around]
        candidates = [Path("/", rest)] if parts.scheme == "file" else [folder / name for folder in (*home, *folders)]
    else:
        raise Error(f"{name!r}: files are not fetched by {parts.scheme}://; keep them on this machine")
    return _inside(name, candidates, [*home, *folders], [folder.resolve() for folder in found])


def _inside(name: str, candidates: list[Path], given: list[Path], found: list[Path]) -> Path:
    """The first candidate that exists and lies in one of the folders when all links are followed."""
    existing = [path.resolve() for path in candidates if path.is_file()]
    for path in existing:
        meant = path.suffix.lower() in (*MESHES, *BESIDE_MESHES)
        if any(path.is_relative_to(folder) for folder in (*given, *(found if meant else ()))):
            return path
    places = ", ".join(dict.fromkeys(map(str, (*given, *found)))) or "no folder"
    if existing:
        raise Error(f"{name!r} leads to {existing[0]}, outside the folders given ({places}); it is not opened")
    raise Error(f"{name!r} is in none of the folders given ({places}); name its package's folder in roots=")
