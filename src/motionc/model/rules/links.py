"""The rules of a link, Lk1 to Lk5: its frames, its mass and inertia."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from motionc.model.chain import HERE, LARGEST, Link, Role
from motionc.model.findings import Finding
from motionc.model.rules.values import array, floats, is_pose, repeated

LINK_ROLES = {Role.INERTIA, Role.SHAPE, Role.FEATURE}


def lk1_tagged_and_unique(link: Link) -> Iterator[Finding]:
    """Lk1: every attachment frame has a role and a name of its own."""
    for frame in link.frames:
        if frame.role is None or frame.role not in LINK_ROLES:
            said = "no role" if frame.role is None else f"role {frame.role}"
            yield Finding.error(
                "Lk1",
                link.place,
                f"frame {frame.name} of link {link.name} has {said}",
                f"give it one of {', '.join(sorted(LINK_ROLES))}",
            )
    for name, count in repeated(frame.name for frame in link.frames):
        yield Finding.error(
            "Lk1", link.place, f"{count} frames of link {link.name} are called {name}", "rename all but one"
        )


def lk2_counts(link: Link) -> Iterator[Finding]:
    """Lk2: at most one inertia and one shape frame, at least one feature frame."""
    roles = [frame.role for frame in link.frames]
    for role in (Role.INERTIA, Role.SHAPE):
        if (count := roles.count(role)) > 1:
            yield Finding.error("Lk2", link.place, f"link {link.name} has {count} {role} frames", "keep one")
    if Role.FEATURE not in roles:
        yield Finding.error(
            "Lk2", link.place, f"link {link.name} has no feature frame", "add its reference frame as a feature"
        )


def lk3_wrt_reference(link: Link) -> Iterator[Finding]:
    """Lk3: one feature frame is the reference, and all others are placed with respect to it."""
    reference = link.reference
    for frame in link.frames:
        if frame.pose is HERE and not frame.wrt:
            continue
        if frame.name == reference and is_pose(frame) and not np.allclose(frame.pose, HERE, atol=1e-12):
            yield Finding.error(
                "Lk3",
                link.place,
                f"the reference frame {frame.name} of link {link.name} is placed away from itself",
                "leave its pose the identity, and place the others with respect to it",
            )
        if frame.name != reference and frame.wrt not in ("", reference):
            known = any(frame.wrt == other.name for other in link.frames)
            yield Finding.error(
                "Lk3",
                link.place,
                f"frame {frame.name} of link {link.name} is placed wrt {frame.wrt}, "
                + (f"not {reference}" if known else "which is no frame of it"),
                f"compose its pose so that it is wrt the reference frame {reference}",
            )
        if not is_pose(frame):
            yield Finding.error(
                "Lk3",
                link.place,
                f"frame {frame.name} of link {link.name} is not placed by a rigid pose",
                "give a finite 4×4 homogeneous matrix with a rotation in it",
            )


def lk4_inertia(link: Link) -> Iterator[Finding]:
    """Lk4: mass and inertia are those of a body: finite, mass not negative, moments positive and a triangle."""
    if link.mass is None:
        return
    inertia = array(link.inertia)
    rows: list[Any] = inertia.tolist()
    if not (mass := floats((link.mass,), 1)) or not 0 <= mass[0] < LARGEST:
        message = f"link {link.name} has mass {link.mass}"
        yield Finding.error("Lk4", link.at("mass", "value"), message, "give a finite mass ≥ 0 in kg")
    elif inertia.shape != (3, 3) or not all(abs(moment) < LARGEST for row in rows for moment in row):
        yield Finding.error(
            "Lk4", link.place, f"link {link.name} has no finite 3×3 inertia", "give all six moments in kg m²"
        )
    elif not all(
        math.isclose(rows[i][k], rows[k][i], rel_tol=1e-9, abs_tol=1e-12) for i, k in ((0, 1), (0, 2), (1, 2))
    ):
        yield Finding.error(
            "Lk4", link.place, f"the inertia of link {link.name} is not symmetric", "give ixy = iyx and so on"
        )
    else:
        moments = np.linalg.eigvalsh(inertia)
        slack = 1e-9 * max(1e-12, abs(moments).max())
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack:
            broken = "none may be negative" if moments[0] < -slack else "the two smaller must outweigh the largest"
            yield Finding.warning(
                "Lk4",
                link.at("inertia"),
                f"no rigid body has the principal moments of link {link.name}: "
                f"{', '.join(f'{m:.4g}' for m in moments)} kg m² ({broken})",
                "check the products of inertia and their signs; results follow the file as it is",
            )


def lk5_inertia_has_a_frame(link: Link) -> Iterator[Finding]:
    """Lk5: mass, inertia and the frame they are written in come together."""
    has_frame = any(frame.role is Role.INERTIA for frame in link.frames)
    if link.mass is not None and not has_frame:
        yield Finding.error(
            "Lk5",
            link.place,
            f"link {link.name} has mass, but no inertia frame says where its centre of mass is",
            "add a frame with role inertia, or use Link.rigid(name, mass, com, inertia)",
        )
    if link.mass is None and link.inertia is not None:
        yield Finding.error(
            "Lk5", link.place, f"link {link.name} has moments of inertia, but no mass", "give both, or neither"
        )
    elif link.mass is None and has_frame:
        yield Finding.note(
            "Lk5",
            link.place,
            f"link {link.name} has an inertia frame, but neither mass nor moments of inertia",
            "give them, or remove the frame: it plays no part",
        )
