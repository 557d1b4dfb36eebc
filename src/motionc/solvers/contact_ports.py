"""What contacts do, as users read it: the wrench on each frame in contact, and how far it is from letting go.

    wrenches          (n; f) on each frame, at its origin in world axes: as external_forces takes it
    contact_margin    f_n, or μ f_n - |f_t| where the contact's friction is known; f_n along z of its axes

A margin below zero is a contact that pulls, or slips: the ground does neither (steps/contact.py). Rows that close a
loop between two segments may pull.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc.model.mechanism import Mechanism
from motionc.program.port import Note, Port, Precision
from motionc.program.space import rows_of
from motionc.solvers import relations
from motionc.solvers.constraint import Constraint
from motionc.solvers.frame_arguments import Rows
from motionc.solvers.row_ports import ROUNDING


def touching(constraints: Sequence[Rows]) -> list[Constraint]:
    """The contacts on frames; those along joints, such as brakes, make no wrench."""
    return [one for one in constraints if isinstance(one, Constraint) and one.source == "contact"]


def contact_ports(mechanism: Mechanism, constraints: Sequence[Rows]) -> dict[str, Port]:
    """Wrenches on frames in contact, and margins; none where nothing touches."""
    contacts = touching(constraints)
    if not contacts:
        return {}
    named = (name for one in contacts for name in (one.frame, one.wrt) if mechanism.frames[name][0] >= 0)
    frames, entries = tuple(dict.fromkeys(named)), ("nx", "ny", "nz", "fx", "fy", "fz")
    margins = ", ".join(f"{one.frame} {'f_n' if one.mu is None else f'{one.mu:g} f_n - |f_t|'}" for one in contacts)
    meaning = f"(n; f) that contacts make on {', '.join(frames)}, at the frame's origin as seen by the world"
    forces = relations.of_wrenches(frames, ["world"])
    return {
        "wrenches": Port("wrenches", (len(frames), 6), "N m, N", meaning, rows_of(frames, entries), forces),
        "contact_margin": Port("contact_margin", (len(contacts),), "N", f"{margins}; below 0 it pulls, or slips"),
    }


def contact_notes(
    mechanism: Mechanism, constraints: Sequence[Rows], precision: Precision, results: Mapping[str, Any]
) -> list[Note]:
    """Which contacts pull or slip, beyond rounding of what they make; between two segments, where friction is known."""
    if "contact_margin" not in results:
        return []
    margins = np.asarray(results["contact_margin"])
    scale = np.max(np.abs(margins), axis=1, initial=1.0)
    pulls = "pulls, which the ground cannot: see contact_margin"
    leaves = "leaves its friction cone (mu={:g}): see contact_margin"
    return [
        Note(f"{one.frame} {pulls if one.mu is None else leaves.format(one.mu)}", below)
        for one, below in zip(touching(constraints), (margins < -ROUNDING[precision] * scale[:, None]).T, strict=True)
        if one.mu is not None or mechanism.frames[one.wrt][0] < 0
    ]
