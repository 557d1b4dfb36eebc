"""A control block as a developer writes it: from poses and a twist to what is asked of the tool. Mistakes are made in
it on purpose (tests/unit/geometry/test_signals.py).
"""

from types import SimpleNamespace
from typing import Any

from motionc.geometry import Displacement


def look_ahead(seen: SimpleNamespace) -> Any:
    """u ⊙ maximum along rows of the path's frame, of what will be missing after the horizon beyond a tolerance."""
    frame = seen.path.inverse()
    now = frame.compose(seen.hand).compose(seen.tool)
    to_tool = seen.tool.position
    twist = seen.twist.change_point(to_tool).change_frame(seen.hand.orientation).change_frame(frame.orientation)
    ahead = now.after(twist, seen.horizon)
    missing = Displacement.between(ahead, seen.goal).along(seen.rows)
    return missing.beyond(seen.tolerances).sign().scaled(seen.maximum)
