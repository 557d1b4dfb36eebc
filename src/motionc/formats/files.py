"""Which file does a name in a model mean? Only ones beside the model, or in folders somebody named, are ever opened."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from motionc.errors import Error


def find_file(name: str, *, beside: Path | None = None, roots: Iterable[str | Path] = ()) -> Path:
    """The file that a model means by `package://arm/meshes/hand.stl`, `file:///…` or `meshes/hand.stl`.

    Args:
        name: what the model says.
        beside: the folder of the model's own file, where relative names start.
        roots: folders that are packages, or that hold packages, such as `share` of a ROS workspace.
    """
    folders = [Path(folder).resolve() for folder in roots]
    home = [beside.resolve()] if beside is not None else []
    try:
        parts = urlsplit(name)
    except ValueError as error:
        raise Error(f"{name!r} names no file ({error})") from error
    rest = unquote(parts.path).lstrip("/")
    if parts.scheme in ("package", "model"):
        package = unquote(parts.netloc)
        candidates = [root / rest for root in folders if root.name == package]
        candidates += [root / package / rest for root in folders]
    elif parts.scheme == "file":
        candidates = [Path("/", rest)]
    elif parts.scheme in ("", *(letter for letter in "abcdefghijklmnopqrstuvwxyz")):
        candidates = [folder / name for folder in (*home, *folders)]
    else:
        raise Error(f"{name!r}: files are not fetched by {parts.scheme}://; keep them on this machine")
    return _inside(name, candidates, [*home, *folders])


def _inside(name: str, candidates: list[Path], allowed: list[Path]) -> Path:
    """The first candidate that exists, if it lies in an allowed folder when all links are followed."""
    try:
        found = next((path.resolve() for path in candidates if path.is_file()), None)
    except (OSError, ValueError) as error:
        raise Error(f"{name!r} names no file ({error})") from error
    places = ", ".join(map(str, allowed)) or "no folder"
    if found is None:
        raise Error(f"{name!r} is in none of the folders given ({places}); name its package's folder in roots=")
    if not any(found.is_relative_to(folder) for folder in allowed):
        raise Error(f"{name!r} leads to {found}, outside the folders given ({places}); it is not opened")
    return found
