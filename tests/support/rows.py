"""What a test says about itself: which spec rows it proves, which shared material it needs.

The rows are listed in docs/rows.json and counted by scripts/coverage.py, not here.
"""

import os
from pathlib import Path

import pytest

# robots and specs live next to the repository, and may be absent
SHARED = Path(os.environ.get("MOTIONC_SHARED") or Path(__file__).resolve().parents[2] / "shared")

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder (MOTIONC_SHARED) is absent")


def row(spec: str, *numbers: int) -> pytest.MarkDecorator:
    """Mark a test as the proof of rows of a spec's feature → test table: `@row("motion-stack", 24)`."""
    return pytest.mark.row(spec, *numbers)


def shared_files(pattern: str) -> list[Path]:
    """The shared files that match, sorted; none where the folder is absent, so a parametrized test skips."""
    return sorted(SHARED.glob(pattern))
