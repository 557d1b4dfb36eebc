"""How a mismatch of meaning is answered: raised, collected into a report, or (for measurements) not looked at."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from motionc.errors import Error

R = TypeVar("R")


class SemanticError(Error):
    """A semantic error, meanings combined that do not fit: `subject.operation`, the `reasons`, and the `remedy`.

    Met on a walk over a robot it has a `place`, and a `warning` where numbers go on nevertheless.
    """

    def __init__(self, subject: str, reasons: tuple[str, ...], remedy: str, place: str = "", warning: str = "") -> None:
        self.subject, self.reasons, self.remedy, self.place, self.warning = subject, reasons, remedy, place, warning
        super().__init__(self.text())

    def met_in(self, place: str, warning: str = "") -> "SemanticError":
        """The same refusal, saying in which operation it was met and what can not be trusted there."""
        met = SemanticError(self.subject, self.reasons, self.remedy, place, warning)
        return met.with_traceback(self.__traceback__)

    def text(self) -> str:
        """The refusal in the manner of Listing 2.6, what would repair it, and the warning about the joint."""
        reasons = "\n".join(f"* {reason}" for reason in self.reasons)
        place = f"\n  in: {self.place}" if self.place else ""
        warning = f"\nWarning: {self.warning}" if self.warning else ""
        return f"{self.subject} is NOK since:\n{reasons}\n  remedy: {self.remedy}{place}{warning}"


@dataclass
class Report:
    """A report: refusals collected instead of raised."""

    refusals: list[SemanticError] = field(default_factory=list[SemanticError])

    @property
    def ok(self) -> bool:
        return not self.refusals

    def met_in(self, place: str, warning: str, since: int) -> None:
        """Say of all refusals but the first ones where they were met."""
        self.refusals[since:] = [refusal.met_in(place, warning) for refusal in self.refusals[since:]]

    def __str__(self) -> str:
        return "\n\n".join(refusal.text() for refusal in self.refusals) or "every relation fits"


_report: ContextVar[Report | None] = ContextVar("report", default=None)
_checked: ContextVar[bool] = ContextVar("checked", default=True)


@contextmanager
def reporting() -> Generator[Report]:
    """Within this block a mismatch is collected, and the numbers go on as if it had been right.

    >>> from motionc.geometry import Body, Frame, Twist
    >>> a, b = Body("a"), Body("b")
    >>> at_a, at_b = (Twist(a, b, f.origin, f) for f in (Frame("fa", a), Frame("fb", b)))
    >>> with reporting() as report:
    ...     _ = at_a + at_b
    >>> report.ok
    False
    """
    report = Report()
    token = _report.set(report)
    try:
        yield report
    finally:
        _report.reset(token)


def kept_report() -> Report | None:
    """The report that is being kept, if any."""
    return _report.get()


@contextmanager
def unchecked() -> Generator[None]:
    """Within this block no mismatch is noticed. For showing that meaning costs no operation, and for nothing else."""
    token = _checked.set(False)
    try:
        yield
    finally:
        _checked.reset(token)


def is_kind(value: object, kinds: type | tuple[type, ...], subject: Callable[[], str], remedy: str = "") -> bool:
    """Whether a value is of one of these kinds; refused otherwise, and only then put into words."""
    if isinstance(value, kinds):
        return True
    wanted = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    names, given = " or ".join(map(article, wanted)), type(value).__name__
    between = next(filter(None, (step_between(given, name) for name in wanted)), "")
    remedy = remedy or between or f"bring it to {names} first; {given} means something else"
    refuse(subject(), f"{given} is not {names}", remedy=remedy)
    return False


BETWEEN = (
    (
        ("Twist", "RowTwist", "RowVelocity", "JointVelocity"),
        ("Position", "Pose", "Displacement", "RowError", "JointDisplacement", "JointCoordinates"),
        'a velocity moves nothing without a time: pose.after(twist, Duration.of(2.5, "s")), rates.during(seconds)',
    ),
    (
        ("Position", "Pose", "Displacement", "RowError", "JointDisplacement"),
        ("Twist", "Velocity", "RowTwist", "RowVelocity", "JointVelocity"),
        "a displacement is no velocity without a time: in_unit_time(), or a velocity that was measured",
    ),
    (
        ("Command",),
        ("RowAcceleration", "RowStack", "Wrench", "Multipliers", "JointForce"),
        "a command has no unit: scale it at one place, command.scaled(maximum), m/s² for accelerations, N for forces",
    ),
    (
        ("RowError", "Displacement"),
        ("Command", "RowAcceleration", "RowStack", "Wrench", "Multipliers", "JointForce"),
        "an error drives nothing by itself: make a command of it, error.sign() or error.per(reach), and scale that",
    ),
    (("float", "int", "ndarray"), ("Duration",), 'say in which unit: Duration.of(2.5, "s")'),
)
"""What is given, what is wanted, and the step between them, where there is one."""


def step_between(given: str, wanted: str) -> str:
    """What makes one kind of the other, in words; "" where nothing does."""
    return next((step for gifts, wishes, step in BETWEEN if given in gifts and wanted in wishes), "")


def article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def refuse(subject: str, *reasons: str, remedy: str) -> None:
    """Answer a mismatch: raise it, or add it to the report that is being kept."""
    if not _checked.get():
        return
    error = SemanticError(subject, reasons, remedy)
    report = kept_report()
    if report is None:
        raise error
    report.refusals.append(error)


REPAIR = {
    "point": "change_point with a Position of {theirs} wrt {ours}, or the other way round",
    "as_seen_by": "change_frame with an Orientation of {theirs} wrt {ours}, or the other way round",
    "of": "these belong to different bodies: compose along the joint between them, or take the right one",
    "wrt": "compose with what relates {theirs} to {ours}, or take both with respect to the same body",
}
"""What to do where two relations differ in a field."""


def as_meant(value: R, what: str, **meaning: Any) -> R:
    """The same value, refused where it does not mean what is said: `as_meant(twist, "J", as_seen_by=WORLD_FRAME)`."""
    for name, wanted in meaning.items():
        if getattr(value, name) != wanted:
            refuse(
                f"{what} = {value}",
                f"{name} of {value} is {getattr(value, name)}, not {wanted}",
                remedy=f"compose, change_point or change_frame it until {name} is {wanted}",
            )
    return value
