"""What the numbers of a port are about: of which body, wrt which, at which point, in whose axes; as plain words.

Relations of geometry say the same on values; ports keep it as data, so that what is wired together can be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

REPAIRS = {
    "kind": "compute what is wanted from it in a block between them",
    "of": "ask for the quantity of {wanted}",
    "wrt": "ask for it wrt {wanted}",
    "point": "take it at {wanted} (point=…)",
    "as_seen_by": "turn it: as_seen_by={wanted!r} where it is made",
}
"""What mends a difference."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation a port carries; "" where a word does not matter or is not known.

    >>> str(Relation("twist", of="tool", wrt="world", as_seen_by="tool"))
    'twist of tool wrt world as seen by tool'
    """

    kind: str = ""
    of: str = ""
    wrt: str = ""
    point: str = ""
    as_seen_by: str = ""

    def differences(self, wanted: "Relation") -> Iterator[tuple[str, str]]:
        """In what it is not the one that is wanted, and what mends that; nothing where either says nothing."""
        for word, repair in REPAIRS.items():
            mine, other = getattr(self, word), getattr(wanted, word)
            if mine and other and mine != other:
                said = word.replace("_", " ")
                yield f"{said} {mine}, where {said} {other} is wanted", repair.format(wanted=other)

    def __str__(self) -> str:
        words = (f"{word.replace('_', ' ')} {getattr(self, word)}" for word in REPAIRS if word != "kind")
        said = [part for part, word in zip(words, list(REPAIRS)[1:], strict=True) if getattr(self, word)]
        return " ".join([self.kind or "quantity", *said])
