"""What differs between the sections of a path? Numbers, never what is asked: one program serves them all."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from motionc import checked
from motionc.tasks.bands import Angle, Force, Goal, Moment, Orientation, Speed, Tube, kept
from motionc.tasks.rules import Contradiction, are_bands, listed

DIRECTIONS = ("x", "y", "z", "ax", "ay", "az")
"""Of a task frame: along its axes, and about them."""


@dataclass(frozen=True)
class Override:
    """What differs in one section of a path: other numbers for what is asked of all of them.

    Args:
        section: which, from 1.
        x, y, z, ax, ay, az, orientation: bands in the place of those that all sections share; None is theirs.
        goal: of this section.
    """

    section: int
    _: KW_ONLY
    x: Speed | None = None
    y: Tube | Force | None = None
    z: Tube | Force | None = None
    ax: Moment | None = None
    ay: Moment | None = None
    az: Angle | Moment | None = None
    orientation: Orientation | None = None
    goal: Goal | None = None

    def __post_init__(self) -> None:
        kept(self, section=checked.whole("Override: section", self.section, 1, "sections are counted from 1"))
        are_bands(self)
        if self.goal is not None:
            checked.instance("Override: goal", self.goal, Goal, "give a Goal(…)")

    @property
    def changes(self) -> dict[str, Any]:
        """What it changes, by name; the goal apart."""
        named = (*DIRECTIONS, "orientation")
        return {name: getattr(self, name) for name in named if getattr(self, name) is not None}


def overrides_of(path: Any) -> tuple[Override, ...]:
    """The overrides of a path by section; refused where sections do not end, or differ in more than numbers."""
    if path.move.goal is None:
        raise Contradiction("Path", ("until", "move"), "no goal ends a section; say one: until=[Goal(…), …]")
    if path.move.pose is not None:
        sentence = "its move has a pose, and there are as many as sections; give them as poses="
        raise Contradiction("Path", ("frame",), sentence)
    overrides = listed("Path: overrides", path.overrides, (Override,))
    for k, override in enumerate(overrides):
        at, here = override.section, (("overrides", k),)
        if at > path.sections:
            sentence = f"section {at} is told apart, and there are {path.sections}; name one that there is"
            raise Contradiction("Path", here, sentence)
        if any(before.section == at for before in overrides[:k]):
            raise Contradiction("Path", here, f"section {at} is told apart twice; put both into one")
        for name, band in override.changes.items():
            shared = getattr(path.move, name)
            if type(shared) is not type(band):
                said = f"a {type(shared).__name__}" if shared is not None else "nothing"
                raise Contradiction(
                    "Path",
                    here,
                    f"section {at} asks for a {type(band).__name__} in {name}, and the others for {said}: "
                    "sections differ in numbers alone; make them phases",
                )
    return tuple(sorted(overrides, key=lambda one: one.section))
