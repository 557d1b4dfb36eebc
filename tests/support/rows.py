"""What a test says about itself: which spec rows it proves.

The rows are listed in docs/inside/rows.json and counted by scripts/coverage.py, not here.
"""

import pytest


def row(spec: str, *numbers: int) -> pytest.MarkDecorator:
    """Mark a test as the proof of rows of a spec's feature → test table: `@row("motion-stack", 24)`."""
    return pytest.mark.row(spec, *numbers)
