"""What must hold of any file whatsoever: it is refused by one of our errors, or it is a robot whose numbers are finite.

No number on the way may be such that NumPy has to warn.

Shared by the tests and by scripts/fuzz.py. A new format is one line in READERS, and a folder tests/formats/corpus/NAME.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from motionc.errors import Error
from motionc.formats import Document, read_dh, read_mjcf, read_urdf
from motionc.model import Robot
from motionc.sweeps import solvers

Reader = Callable[[bytes], Document]
READERS: dict[str, Reader] = {"urdf": read_urdf, "mjcf": read_mjcf, "dh": read_dh}

CORPUS = Path(__file__).parent / "formats" / "corpus"
LARGEST_RUN = 8  # joints; a walk in NumPy takes about a millisecond a joint


def corpus(format: str) -> list[Path]:
    """The files kept for a format, sorted."""
    return sorted(path for path in (CORPUS / format).glob("*") if path.is_file())


@np.errstate(divide="raise", over="raise", invalid="raise")
def survives(read: Reader, data: bytes) -> Error | Robot:
    """All the way from bytes to forces. Any exception but an Error is a bug, and so is a number that is not finite."""
    try:
        document = read(data)
        robot = Robot(document.chain, findings=document.findings)
    except Error as error:
        return error
    assert all(finding.place.line >= 1 and finding.remedy for finding in document.findings), "a finding nowhere"
    for link in robot.links:
        assert np.isfinite(link.com).all(), f"centre of mass of {link.name!r}"
        assert np.isfinite(link.inertia).all(), f"inertia of {link.name!r}"
    assert len(robot.limits.names) == robot.nv
    assert np.isfinite(robot.random(0)).all(), "a random configuration"
    assert len(robot.frame_names) == len(set(robot.frame_names))
    if robot.nv <= LARGEST_RUN:
        ones = np.ones(robot.nv)
        (tau,) = solvers.inverse_dynamics(robot).run(robot.neutral(), ones, ones).values()
        assert np.isfinite(tau).all(), "inverse dynamics"
    return robot
