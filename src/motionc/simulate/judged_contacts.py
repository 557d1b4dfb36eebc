"""How was a surface touched? Forces, tilt and losses of contact, judged on what the plant itself knows of its contacts.

force    share of the time while cruising in which the true force along Z of the force frame was within its tolerance
tilt     the largest angle while cruising between Z of the force frame and the surface, by the mean of its normals
losses   how often nothing was touched any more while cruising
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.simulate.runs import Run
from motionc.simulate.task_motion import Task, frame_poses, lanes_of
from motionc.tasks.bands import Force
from motionc.tasks.specification import Hold, Path

Array = np.ndarray[Any, np.dtype[Any]]
LOGGED = ("contact_force", "contact_normal")
"""What of a plant's contacts is judged, and so must be logged."""


@dataclass(frozen=True, eq=False)
class JudgedContact:
    """How a tool was pressed onto a surface, a number a lane; NaN where it never cruised.

    Args:
        force_in_band: share of the time while cruising.
        tilt: the largest while cruising (rad).
        losses: how often contact was lost while cruising.
    """

    force_in_band: Array
    tilt: Array
    losses: Array


def judged_contact(run: Run, task: Task, cruising: Array) -> JudgedContact:
    """What came of the forces of a task, in these rows (N, K); NaN where it asks for none, or contacts were not logged.

    Args:
        run: what a closed loop returned, q, contact_force and contact_normal logged equally often.
        task: what was to be done.
        cruising: rows in which the tool cruised.
    """
    move = task.move if isinstance(task, Path) else task
    nothing = np.full(len(cruising), np.nan)
    if isinstance(move, Hold) or not isinstance(move.z, Force) or any(name not in run.record.names for name in LOGGED):
        return JudgedContact(nothing, nothing, nothing)
    touching = _of_frame(run, move.force_frame)
    forces, normals = (lanes_of(run, name)[:, :, touching] for name in LOGGED)
    outward = frame_poses(run.plant.robot, move.force_frame, lanes_of(run, "q"))[..., :3, 2]
    pressed = -np.einsum("nkci,nki->nk", forces, outward)
    normal = normals.mean(axis=2)
    cosine = -np.einsum("nki,nki->nk", normal, outward) / np.linalg.norm(normal, axis=-1)
    tilt, apart = np.arccos(np.clip(cosine, -1.0, 1.0)), cruising & (pressed <= 0.0)
    held = cruising & (np.abs(pressed - move.z.value) <= move.z.tolerance)
    rows = cruising.sum(axis=1)
    found = (
        held.sum(axis=1) / np.maximum(rows, 1),
        np.max(np.where(cruising, tilt, 0.0), axis=1),
        np.sum(apart & ~np.roll(apart, 1, axis=1), axis=1),
    )
    return JudgedContact(*(np.where(rows > 0, values, np.nan) for values in found))


def _of_frame(run: Run, frame: str) -> Sequence[int]:
    """Which rows of contact_force are of a frame."""
    owners = [contact.frame for contact in run.plant.contacts for _ in range(contact.places())]
    return [k for k, owner in enumerate(owners) if owner == frame]
