"""Where values of a program come from, in words: beside the program, no part of it, and nothing that is built reads it.

Passes that move values move their names along; where there are none, nothing is done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """What a value is called, "link_3_twist_wx", and in which section of the algorithm it is computed."""

    name: str
    section: int


@dataclass(frozen=True, slots=True)
class Origins:
    """Values that have a name; a heading for each section, its link and equation; and the list of what is where."""

    values: Mapping[int, Origin] = field(default_factory=dict[int, Origin])
    sections: tuple[str, ...] = ()
    index: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sections)

    def moved(self, new: Sequence[int] | Mapping[int, int]) -> "Origins":
        """The same where values have other numbers, -1 where they are no more."""
        if not self.values:
            return self
        found: dict[int, Origin] = {}
        for value, origin in self.values.items():
            if new[value] >= 0:
                found.setdefault(new[value], origin)
        return Origins(found, self.sections, self.index)


NOWHERE = Origins()
