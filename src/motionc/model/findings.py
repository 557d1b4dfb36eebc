"""What a check has to say: findings with rule, place, message and remedy, and the line of the file they are about."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from motionc import checked
from motionc.errors import Error
from motionc.model.quotes import Quote
from motionc.model.words import findings_table, tally
from motionc.tables import short

SHOWN = 8
"""Places of findings like one before that are listed."""
_NAMED = re.compile(r"\[([^\]]*)\]")
_VARIES = re.compile(r"'[^']*'|[^\s<>,;:]*\d[^\s<>,;:]*")
_MARKS = ".,;:()<>"


class Severity(StrEnum):
    """How bad it is: an error forbids the model, a warning says that results may not be what was meant, a note that
    something plays no part."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a model or a file something is; `attribute` is the one of its element that is meant, if it is one."""

    element: str
    file: str = ""
    line: int = 0
    column: int = 0
    attribute: str = ""

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

    def __repr__(self) -> str:
        return f"Finding({self.severity} {self.rule}, {short(self.place)!r}: {short(self.message, 100)!r})"

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

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(item for item in self.items if item.severity is Severity.WARNING)

    @property
    def groups(self) -> list[tuple[Finding, ...]]:
        """Findings that say the same of different things, together, in the order of the first of each."""
        found: dict[tuple[str, str, str], list[Finding]] = {}
        for item in self.items:
            found.setdefault((item.rule, item.severity, _alike(item)), []).append(item)
        return [tuple(group) for group in found.values()]

    @property
    def summary(self) -> str:
        """How many of each kind: `1 error, 2 warnings`."""
        counts = Counter(item.severity for item in self.items)
        said = (f"{counts[each]} {each}{'s' * (counts[each] > 1)}" for each in Severity if counts[each])
        return ", ".join(said) or "no findings"

    def of_rule(self, rule: str) -> tuple[Finding, ...]:
        """The findings of one rule."""
        return tuple(item for item in self.items if item.rule == rule)

    def quoting(self, quote: Callable[[Place], tuple[Place, Quote | None]]) -> "Findings":
        """The same findings with their exact places, and what stands there."""
        places = ((item, *quote(item.place)) for item in self.items)
        return Findings(tuple(replace(item, place=at, quote=item.quote or said) for item, at, said in places))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __add__(self, other: "Findings") -> "Findings":
        order = list(Severity)
        return Findings(tuple(sorted(self.items + other.items, key=lambda item: order.index(item.severity))))

    def __repr__(self) -> str:
        return f"Findings({tally(self)})"

    def __str__(self) -> str:
        return _told(self.groups) or "no findings"

    def _repr_html_(self) -> str:
        return findings_table(self)


def others(group: tuple[Finding, ...]) -> str:
    """What is said of the findings of a group after the first: how many there are, and where."""
    first, *rest = group
    if not rest:
        return ""
    elements = [f"line {item.place.line}" if item.place.line else item.place.element for item in rest]
    files = [f"{item.place.file}, " if item.place.file != first.place.file else "" for item in rest]
    places = [*dict.fromkeys(file + element for file, element in zip(files, elements, strict=True))]
    listed = ", ".join(places[:SHOWN]) + (", …" if len(places) > SHOWN else "")
    if all(place.startswith("line ") for place in places) and len(places) > 1:
        listed = "lines " + listed.replace("line ", "")
    return f"… and {len(rest)} more like it: {listed}"


def _told(groups: list[tuple[Finding, ...]]) -> str:
    return "\n".join(f"{group[0]}\n  {others(group)}" if group[1:] else str(group[0]) for group in groups)


def _alike(finding: Finding) -> str:
    """What a message says, whatever names, numbers and quoted texts are in it."""
    element = finding.place.element
    names = {*_NAMED.findall(element), element.partition(" ")[2]}
    words = _VARIES.sub("…", finding.message).split(" ")
    return " ".join("…" if word.strip(_MARKS) in names else word for word in words)


class ModelWarning(UserWarning):
    """A file that was loaded has findings that may change results; `robot.findings` holds them."""


class ModelError(Error):
    """A model that breaks its rules; `findings` says which, where, and what to do. Its text holds the first of them."""

    SAID = 100

    def __init__(self, name: str, findings: Findings) -> None:
        self.findings, groups = findings, Findings(findings.errors).groups
        more = f"\n… and {sum(map(len, groups[self.SAID :]))} more" if len(groups) > self.SAID else ""
        super().__init__(f"{name} is not a valid model:\n{_told(groups[: self.SAID])}{more}")
