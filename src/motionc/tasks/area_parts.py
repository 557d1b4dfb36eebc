"""Where is a tool: in its tube, in its goal area, in which section of a path? Parts of a lazy cycle before its machine.

    choose    frames, section → the task frame that counts
    measure   position, turn → deviation from the tube (1 is its wall), what remains along x
    begin     → initialized, in the first cycle alone
    arrive    remaining, within_tube → goal_area, or of a path section_covered, final_goal_area
    advance   section, what was entered → the section of the next cycle

Membership is judged on the measured pose, never on what is predicted (specs/lazy-control.md §2.11).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionc.control.errors import missing_angle, square
from motionc.control.machine import Machine
from motionc.control.part import Part, event_port
from motionc.geometry.control_words import both, magnitude, opposite, step
from motionc.geometry.coordinates import square_root
from motionc.program.port import Port, State
from motionc.program.space import Choices, Poses
from motionc.tasks.directions import Directions, Numbers, differ, pick
from motionc.tasks.machines import TRANSITION

POSITION = Port("position", (3,), "m", "of the tool wrt the task frame, in its axes")
TURN = Port("turn", (3,), "rad", "rotation vector from the tool to the task frame, in its axes")
FACING = Port("facing", (2,), "1", "x axis of the tool along x and y of the task frame")
REMAINING = Port("remaining", (), "m", "what is left to go along x of the task frame")
DEVIATION = Port("deviation", (), "1", "how far from the middle of the tube, 1 at its wall")


def section_port(sections: int) -> Port:
    """Which frame of a path counts."""
    return Port("section", (), "1", f"which of {sections} frames counts, from 0", space=Choices(1, sections))


@dataclass(frozen=True)
class Measuring(Part):
    """How far a tool is from the middle of its tube: the largest share of all tolerances; and what is left to go."""

    asked: Directions
    sections: int = 0

    @property
    def called(self) -> str:
        return "measure"

    @property
    def equation(self) -> str:
        return "deviation = max(|y| / tube_y, |z| / tube_z, angle / tube_a); remaining = -x"

    @property
    def inputs(self) -> Sequence[Port]:
        sections = [section_port(self.sections)] * differ(self.asked.wide)
        asked = self.asked
        return (POSITION, *[TURN] * bool(asked.orientation), *[FACING] * bool(asked.angle), *sections)

    @property
    def outputs(self) -> Sequence[Port]:
        return (DEVIATION, REMAINING)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        position, asked, section = given["position"], self.asked, given.get("section")

        def share(size: Any, wide: Numbers) -> Any:
            return size * pick(wide, section, lambda tolerance: 1.0 / tolerance)

        shares = [share(magnitude(position["xyz".index(axis)]), wide) for axis, wide in asked.tubes.items()]
        if asked.orientation:
            shares.append(share(square_root(square(given["turn"])), asked.orientation))
        if asked.angle:
            shares.append(
                share(magnitude(missing_angle(given["facing"], pick(asked.angle, section))), asked.angle_tube)
            )
        deviation: Any = 0.0
        for k, each in enumerate(shares):
            deviation = deviation.maximum(each) if k else each
        return {"deviation": deviation, "remaining": -position[0]}


@dataclass(frozen=True)
class Beginning(Part):
    """An event in the first cycle alone: what starts a task, once."""

    @property
    def called(self) -> str:
        return "begin"

    @property
    def equation(self) -> str:
        return "initialized: in the first cycle"

    @property
    def inputs(self) -> Sequence[Port]:
        return (State("begun", (), "1", "1 after the first cycle", space=Choices(1, 2)),)

    @property
    def outputs(self) -> Sequence[Port]:
        return (event_port("initialized"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"initialized": opposite(given["begun"]), "begun": 1.0}


@dataclass(frozen=True)
class Arrival(Part):
    """Whether a goal area is reached: no more than its tolerance remains, and the tool is in its tube.

    Args:
        tolerance: of the goal (m), of sections that differ one for each.
        sections: how many there are; 0 where there is no path.
    """

    tolerance: Numbers
    sections: int = 0

    @property
    def called(self) -> str:
        return "arrive"

    @property
    def equation(self) -> str:
        return "goal_area: remaining within its tolerance, inside the tube"

    @property
    def inputs(self) -> Sequence[Port]:
        return (REMAINING, event_port("within_tube"), *[section_port(self.sections)] * bool(self.sections))

    @property
    def outputs(self) -> Sequence[Port]:
        names = ("section_covered", "final_goal_area") if self.sections else ("goal_area",)
        return (*map(event_port, names), event_port("out_of_goal_area"))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        section = given.get("section")
        reached = both(given["within_tube"], step(pick(self.tolerance, section), given["remaining"]))
        if not self.sections:
            return {"goal_area": reached, "out_of_goal_area": opposite(reached)}
        last = step(section, self.sections - 1.0)
        final = both(reached, last)
        return {
            "section_covered": both(reached, opposite(last)),
            "final_goal_area": final,
            "out_of_goal_area": opposite(final),
        }


@dataclass(frozen=True)
class Choosing(Part):
    """The task frame that counts: one of those of a path, by the number of the section."""

    frame: Port
    sections: int

    @property
    def called(self) -> str:
        return "choose"

    @property
    def equation(self) -> str:
        return f"{self.frame.name} = frames[section]"

    @property
    def inputs(self) -> Sequence[Port]:
        meaning = f"{self.frame.meaning}; one a section"
        return (
            Port("frames", (self.sections, 4, 4), "m, 1", meaning, Poses(self.sections)),
            section_port(self.sections),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (self.frame,)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        frames, section = given["frames"], given["section"]
        T = np.empty((4, 4), object)
        for place in np.ndindex(4, 4):
            T[place] = float(place == (3, 3)) if place[0] == 3 else section.entry([one[place] for one in frames])
        return {self.frame.name: T}


@dataclass(frozen=True)
class Advancing(Part):
    """The section of the next cycle: where this one is covered, the next; all of its frame is read from then on."""

    machine: Machine = field(hash=False)
    sections: int

    @property
    def called(self) -> str:
        return "advance"

    @property
    def equation(self) -> str:
        return f"section + 1 where {TRANSITION} was entered"

    @property
    def inputs(self) -> Sequence[Port]:
        return (section_port(self.sections), Port("entered", (), "1", "state entered in this cycle, or -1"))

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            Port("next_section", (), "1", "that counts in the next cycle", space=Choices(1, self.sections)),
            Port("swapped", (), "1", "1 where it is another one", space=Choices(1, 2)),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        swapped = given["entered"].equal(float(self.machine.states.index(TRANSITION)))
        return {"next_section": given["section"] + swapped, "swapped": swapped}
