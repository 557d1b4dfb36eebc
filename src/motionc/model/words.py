"""What a robot and its parts say of themselves: a line each, a table in a notebook, names that complete.

A line has what tells a part from the others, not all there is: fields and files have that. Parts come as they are,
whatever their type: this knows the words alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from motionc.errors import suggestion
from motionc.tables import few, html_table, short

T = TypeVar("T")

SHOWN = 20
"""Parts of a list that are named in text: a screen."""


class Listed(tuple[T, ...], Generic[T]):
    """Parts of a robot in order, found by number or by name: `robot.joints["elbow"]`."""

    __slots__ = ()
    HEAD: ClassVar[Sequence[str]] = ("name",)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        names = self._ipython_key_completions_()
        if key not in names:
            raise KeyError(f"there is no {key!r}{suggestion(key, names)}")
        return tuple.__getitem__(self, names.index(key))

    def row(self, part: Any) -> Sequence[object]:
        """A part in the table."""
        return (part,)

    def _ipython_key_completions_(self) -> list[str]:
        return [str(getattr(part, "name", part)) for part in self]

    def __repr__(self) -> str:
        more = [f"… and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        lines = ",\n ".join([*map(repr, self[:SHOWN]), *more])
        return f"({lines})"

    def _repr_html_(self) -> str:
        return html_table(f"{len(self)} {type(self).__name__.lower()}", self.HEAD, map(self.row, self))


class Names(Listed[str]):
    """Names that complete, and are checked where one is picked: `robot.frame_names["tool0"]`."""

    __slots__ = ()
    __repr__ = tuple.__repr__


class Joints(Listed[T]):
    """The joints of a robot."""

    __slots__ = ()
    HEAD: ClassVar[Sequence[str]] = ("joint", "type", "from", "to", "axis", "limits")

    def row(self, part: Any) -> Sequence[object]:
        axis = numbers(part.axis) if part.type.moves else ""
        return part.name, part.type, part.parent.name, part.child.name, axis, between(part.limits)


class Links(Listed[T]):
    """The links of a robot."""

    __slots__ = ()
    HEAD: ClassVar[Sequence[str]] = ("link", "mass (kg)", "centre of mass (m)", "frames")

    def row(self, part: Any) -> Sequence[object]:
        mass = "" if part.mass is None else f"{part.mass:.6g}"
        return part.name, mass, numbers(part.com) if mass else "", few(part.frames)


class Index(Mapping[str, slice]):
    """Where each joint's entries are; names complete, and one that is not there is answered with those near it."""

    __slots__ = ("_slices",)

    def __init__(self, slices: Mapping[str, slice]) -> None:
        self._slices = slices

    def __getitem__(self, name: str) -> slice:
        if name not in self._slices:
            raise KeyError(f"there is no movable joint {name!r}{suggestion(str(name), self._slices)}")
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._slices)

    def __repr__(self) -> str:
        said = [f"{name!r}: {place.start}:{place.stop}" for name, place in list(self._slices.items())[:SHOWN]]
        return f"{{{', '.join(said)}{', …' * (len(self) > SHOWN)}}}"


# ---------------------------------------------------------------- a line for each


def numbers(values: Any) -> str:
    """A few numbers, as one writes them."""
    return f"({', '.join(f'{value:.4g}' for value in np.ravel(np.asarray(values, float)))})"


def between(limits: Any) -> str:
    """Where a coordinate may be; nothing where it may be anywhere."""
    free = np.isneginf(limits.lower) and np.isposinf(limits.upper)
    return "" if free else f"[{limits.lower:.4g}, {limits.upper:.4g}]"


def line(kind: str, name: str, *said: object) -> str:
    """What something is, its name, and what tells it from others, as far as there is something to say."""
    return f"{kind}({', '.join([repr(short(name)), *(text for one in said if (text := str(one)))])})"


def joint_line(joint: Any) -> str:
    ends = f"{short(joint.parent.name, 30)!r} → {short(joint.child.name, 30)!r}"
    return line("Joint", joint.name, joint.type, ends, between(joint.limits))


def body_line(kind: str, body: Any) -> str:
    mass = "no mass" if body.mass is None else f"{body.mass:.6g} kg"
    return line(kind, body.name, mass, f"{len(body.frames)} frames")


def limits_table(limits: Any) -> str:
    """Limits in a notebook."""
    head = ("", "lower", "upper", "velocity", "effort")
    columns = (limits.lower, limits.upper, limits.velocity, limits.effort)
    rows = [(name, *(f"{value:.4g}" for value in row)) for name, *row in zip(limits.names, *columns, strict=True)]
    return html_table("limits, in the order of v", head, rows)


def robot_table(robot: Any) -> str:
    """A robot in a notebook: its movable joints, where they are in q and v, and what they may do."""
    rows = []
    limits = {name: k for k, name in reversed(list(enumerate(robot.limits.names)))}
    for name, where in robot.v_index.items():
        one, place = robot.limits, limits[name]
        reach = "" if np.isinf(one.lower[place]) else f"[{one.lower[place]:.4g}, {one.upper[place]:.4g}]"
        rows.append((name, _slots(robot.q_index[name]), _slots(where), reach, f"{one.effort[place]:.4g}"))
    title = f"{short(robot.name)}: nq {robot.nq}, nv {robot.nv}, {len(robot.link_names)} links"
    return html_table(title, ("joint", "q", "v", "limits", "effort"), rows, below=tally(robot.findings))


def tally(findings: Iterable[Any]) -> str:
    """How many findings there are of each kind."""
    counts = Counter(str(finding.severity) for finding in findings)
    return ", ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in counts.items()) or "no findings"


def findings_table(findings: Iterable[Any]) -> str:
    """Findings in a notebook."""
    listed = list(findings)
    rows = [(one.severity, one.rule, short(one.place, 120), one.message, one.remedy) for one in listed]
    return html_table(tally(listed), ("", "rule", "where", "what", "remedy"), rows)


def _slots(place: slice) -> str:
    return str(place.start) if place.stop == place.start + 1 else f"{place.start}:{place.stop}"
