"""Which robots come along? Model files written from public figures, each naming its source."""

from importlib.resources import files
from pathlib import Path


def robot_file(name: str) -> Path | None:
    """The file of a shipped robot, or None where there is none of that name."""
    return _catalogue().get(name)


def robot_names() -> tuple[str, ...]:
    """The robots that come along.

    >>> robot_names()
    ('lwr4', 'planar2')
    """
    return tuple(_catalogue())


def _catalogue() -> dict[str, Path]:
    folder = Path(str(files("motionc.robots")))
    return {path.stem: path for path in sorted(folder.glob("*.urdf"))}
