"""Are two models the same? Field by field, numbers to a tolerance; where they stood in a file does not matter."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from motionc.model.chain import KinematicChain

PASSED_OVER = frozenset(("place", "places"))


def differences(a: KinematicChain, b: KinematicChain, tolerance: float = 1e-12) -> list[str]:
    """What differs between two chains, as `joint[2].axis: (0, 0, 1) and (0, 1, 0)`; nothing where they are equal."""
    found = list(_names(a, b))
    segments_a, segments_b = ({s.name: s for s in chain.segments} for chain in (a, b))
    for name in segments_a.keys() & segments_b.keys():
        found += _differ(f"segment[{name}]", segments_a[name], segments_b[name], tolerance)
    for first, second in zip(a.joints, b.joints, strict=False):
        for field in fields(first):
            one, other = getattr(first, field.name), getattr(second, field.name)
            if field.name in ("target", "reference"):  # segments are compared above, once each
                one, other = (one[0].name, one[1]), (other[0].name, other[1])
            if field.name not in PASSED_OVER:
                found += _differ(f"joint[{first.name}].{field.name}", one, other, tolerance)
    for field in fields(a):
        if field.name not in ("joints", "base", *PASSED_OVER):
            found += _differ(field.name, getattr(a, field.name), getattr(b, field.name), tolerance)
    return found


def _names(a: KinematicChain, b: KinematicChain) -> Iterator[str]:
    for what, one, other in (
        ("segments", [s.name for s in a.segments], [s.name for s in b.segments]),
        ("joints", [j.name for j in a.joints], [j.name for j in b.joints]),
    ):
        if one != other:
            yield f"{what}: {_said(one)} and {_said(other)}"


def _differ(path: str, a: Any, b: Any, tolerance: float) -> Iterator[str]:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        one, other = np.asarray(a), np.asarray(b)
        if one.shape != other.shape or not np.allclose(one, other, rtol=tolerance, atol=tolerance):
            yield f"{path}: {_said(a)} and {_said(b)}"
    elif type(a) is not type(b):
        yield f"{path}: {_said(a)} and {_said(b)}"
    elif is_dataclass(a) and not isinstance(a, type):
        for field in fields(a):
            if field.name not in PASSED_OVER:
                name = field.name
                yield from _differ(f"{path}.{name}", getattr(a, name), getattr(b, name), tolerance)
    elif isinstance(a, tuple | list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} and {len(b)} entries"
        for k, (one, other) in enumerate(zip(a, b, strict=False)):
            yield from _differ(f"{path}[{k}]", one, other, tolerance)
    elif isinstance(a, float):
        if not (a == b or abs(a - b) <= tolerance * max(1.0, abs(a))):
            yield f"{path}: {a!r} and {b!r}"
    elif a != b:
        yield f"{path}: {_said(a)} and {_said(b)}"


def _said(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 100 else text[:99] + "…"
