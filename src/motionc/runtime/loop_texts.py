"""What is written of a loop in time: its texts in a language, values called by what they are, and their provenance."""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from motionc import checked
from motionc.errors import Error
from motionc.program.loop import Loop
from motionc.program.looping import Course
from motionc.program.port import Port
from motionc.program.program import Program
from motionc.program.source import Named, Source
from motionc.program.wiring import Wiring
from motionc.runtime.provenance import asked_of, provenance, with_provenance
from motionc.runtime.samples import roll_out
from motionc.targets import LOOPS, TARGETS

ASKS = "Loop"
"""What a block says it asks where it is about a loop."""


def loop_texts(wires: Wiring, course: Course, loop: Loop, robot: Named, target: str, function: str) -> dict[str, str]:
    """Texts by file name, each with its provenance."""
    checked.one_of("target", target, tuple(TARGETS))
    if target not in LOOPS:
        raise Error(
            f"{loop.name}: {target} has no loops in time; emit it in {', '.join(LOOPS)}, or its parts in {target}"
        )
    uses = tuple(replace(use, part=_Readable(wires.parts[use.name])) for use in loop.uses)
    files = LOOPS[target](replace(loop, uses=uses), function, roll_out(loop))
    about = loop_provenance(wires, course, loop, robot)
    return with_provenance(files, {**about, "target": target, "function": function})


@dataclass(frozen=True)
class _Readable:
    """A part whose program says what its values are."""

    source: Source

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self.source.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self.source.outputs

    @cached_property
    def program(self) -> Program:
        return self.source.readable(self.source.program)


def loop_provenance(wires: Wiring, course: Course, loop: Loop, robot: Named) -> dict[str, Any]:
    """What a loop is, as data: its parts, each as a computation says it, wires, course, and the robot, if any.

    `arguments` is None where a part is known by its program alone.
    """
    parts = {name: _part(source) for name, source in wires.parts.items()}
    feeds = {".".join(to): ".".join(of) for to, of in wires.feeds.items()}
    told = {"name": wires.name, "parts": parts, "feeds": feeds, "course": _said(course)}
    known = all(part["arguments"] is not None for part in parts.values())
    programs = [(use.name, use.every, use.program.instructions, use.program.results) for use in loop.uses]
    return {
        **asked_of(robot, loop.name, ASKS, told if known else None),
        "parts": {name: part["computation"] for name, part in parts.items()},
        "wires": feeds,
        "course": told["course"],
        "precision": loop.precision,
        "operations": dict(sorted(loop.operations.items())),
        "program": hashlib.sha256(repr((programs, loop.copies, loop.logs, loop.until)).encode()).hexdigest(),
    }


def _said(course: Course) -> dict[str, Any]:
    """A course as arguments of mc.loop."""
    return {
        "feedback": dict(course.feedback),
        "held": list(course.held),
        "streamed": list(course.streamed),
        "drawn": dict(course.drawn),
        "clock": course.clock,
        "rates": dict(course.rates),
        "log": dict(course.logged),
        "until": course.until,
        "period": course.period,
    }


def _part(source: Source) -> dict[str, Any]:
    """What a part asks, and of which robot."""
    said = provenance(source.name, source.robot, source.options, source.program)
    robot = said.get("robot")
    kept = {key: said[key] for key in ("computation", "asks", "arguments", "defaults")}
    return {**kept, "robot": robot["digest"] if robot else None}
