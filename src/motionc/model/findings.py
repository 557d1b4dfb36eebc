"""What a check has to say: findings with rule, place, message and remedy, and the line of the file they are about."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from motionc import checked
from motionc.errors import Error
from motionc.model.quotes import Quote


class Severity(StrEnum):
    """How bad it is: an error forbids the model, a warning forbids some computations, a note forbids nothing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a model or a file something is."""

    element: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.line else (f"{self.file}: " if self.file else "")
        return f"{where}{self.element}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a rule noticed; `quote` is what the file says there, where it is known."""

    rule: str
    severity: Severity
    place: Place
    message: str
    remedy: str
    quote: Quote | None = None

    def __post_init__(self) -> None:
        checked.by_types(self, "Finding")
        object.__setattr__(self, "severity", Severity(checked.one_of("Finding: severity", self.severity, [*Severity])))

    @staticmethod
    def error(rule: str, place: Place, message: str, remedy: str) -> "Finding":
        return Finding(rule, Severity.ERROR, place, message, remedy)

    @staticmethod
    def warning(rule: str, place: Place, message: str, remedy: str) -> "Finding":
        return Finding(rule, Severity.WARNING, place, message, remedy)

    @staticmethod
    def note(rule: str, place: Place, message: str, remedy: str) -> "Finding":
        return Finding(rule, Severity.NOTE, place, message, remedy)

    def __str__(self) -> str:
        quote = f"\n{self.quote.under(self.place.line)}" if self.quote else ""
        return f"{self.place}: {self.severity} {self.rule}: {self.message}{quote}\n  remedy: {self.remedy}"


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a check, errors first."""

    items: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        checked.by_types(self, "Findings")

    @property
    def ok(self) -> bool:
        """Whether nothing forbids the model."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(item for item in self.items if item.severity is Severity.ERROR)

    def of_rule(self, rule: str) -> tuple[Finding, ...]:
        """The findings of one rule."""
        return tuple(item for item in self.items if item.rule == rule)

    def quoting(self, quote: Callable[[Place], Quote | None]) -> "Findings":
        """The same findings with what stands at their places."""
        return Findings(tuple(replace(item, quote=item.quote or quote(item.place)) for item in self.items))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __add__(self, other: "Findings") -> "Findings":
        order = list(Severity)
        return Findings(tuple(sorted(self.items + other.items, key=lambda item: order.index(item.severity))))

    def __str__(self) -> str:
        return "\n".join(str(item) for item in self.items) or "no findings"


class ModelError(Error):
    """A model that breaks its rules; `findings` says which, where, and what to do. Its text holds the first of them."""

    SAID = 100

    def __init__(self, name: str, findings: Findings) -> None:
        self.findings, errors = findings, findings.errors
        more = f"\n… and {len(errors) - self.SAID} more" if len(errors) > self.SAID else ""
        super().__init__(f"{name} is not a valid model:\n" + "\n".join(map(str, errors[: self.SAID])) + more)
