"""Robots that others publish: files of the package example-robot-data, which `make test` installs.

Where it is absent, tests of them are skipped.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

FILES = {
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "hyq_no_sensors": "hyq_description/robots/hyq_no_sensors.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "ur10_robot": "ur_description/urdf/ur10_robot.urdf",
    "ur5_robot": "ur_description/urdf/ur5_robot.urdf",
}


def _folder() -> Path | None:
    try:
        return Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
    except PackageNotFoundError:
        return None


FOLDER = _folder()
PUBLIC_ROBOTS = [*FILES] if FOLDER else []
"""Those at hand."""

needs_public = pytest.mark.skipif(FOLDER is None, reason="example-robot-data is not installed; make test does it")
every_public_file = pytest.mark.parametrize("file", [FOLDER / FILES[name] for name in PUBLIC_ROBOTS], ids=PUBLIC_ROBOTS)


def public_file(name: str) -> Path:
    """The file of a public robot, or of anything else in the package; the test is skipped where it is absent."""
    if FOLDER is None:
        pytest.skip("example-robot-data is not installed; make test does it")
    return FOLDER / FILES.get(name, name)
