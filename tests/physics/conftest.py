"""Numbers alone are the matter here, whatever order they are computed in."""

import pytest


@pytest.fixture(autouse=True)
def in_any_order(as_written: None) -> None:
    pass
