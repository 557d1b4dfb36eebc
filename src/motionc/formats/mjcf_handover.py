"""What is handed over to MuJoCo: a text, meshes, the element behind each line, the fate of every element, findings."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from motionc.formats.document import Fate, Outcome
from motionc.formats.xml_tree import Element
from motionc.model.findings import Finding, Place, Severity


@dataclass(slots=True, eq=False)
class Handover:
    """A text for MuJoCo with the meshes it names, the element behind each of its lines, and the fate of every element.

    `unbounded` are joints driven by something that is not in the text; `annotations` are our own words in the file;
    `disabled` are the flags that switch something off; `assets` are meshes by name: the element, its file as seen from
    the model's folder, whether MuJoCo has read it.
    """

    root: Element
    meshes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    notes: list[Finding] = field(default_factory=list[Finding])
    unbounded: set[str] = field(default_factory=set[str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    disabled: set[str] = field(default_factory=set[str])
    assets: dict[str, tuple[Element, str, bool]] = field(default_factory=dict[str, tuple[Element, str, bool]])
    _rows: list[tuple[str, Element]] = field(default_factory=list[tuple[str, Element]])
    _outcomes: dict[Element, tuple[Outcome, str]] = field(default_factory=dict[Element, tuple[Outcome, str]])

    @property
    def text(self) -> str:
        return "\n".join(row for row, _ in self._rows)

    def element(self, line: int) -> Element | None:
        """The element a line of the text came from."""
        return self._rows[line - 1][1] if 0 < line <= len(self._rows) else None

    def add(self, row: str, element: Element) -> None:
        self._rows.append((row, element))

    def decide(self, element: Element, outcome: Outcome, reason: str = "") -> None:
        """Say what became of an element, and of all inside it that has no fate of its own."""
        self._outcomes[element] = (outcome, reason)

    def fates(self) -> Iterator[Fate]:
        """In document order, included files in place."""
        pending = [(self.root, (Outcome.USED, ""))]
        while pending:
            element, inherited = pending.pop()
            outcome, reason = self._outcomes.get(element, inherited)
            yield Fate(element.place, outcome, reason)
            pending += [(child, (outcome, reason)) for child in reversed(element.children)]

    def warn(self, rule: str, place: Place, message: str, remedy: str) -> None:
        self.notes.append(Finding(rule, Severity.WARNING, place, message, remedy))

    def note(self, rule: str, place: Place, message: str, remedy: str) -> None:
        self.notes.append(Finding(rule, Severity.NOTE, place, message, remedy))
