"""What a robot in C++ is made of, and pieces of text that all its headers share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from motionc.program.compose import Stages
from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.targets.c import identifier, number
from motionc.targets.naming import apart
from motionc.targets.target import Trial

REPRESENTATIONS = {
    "homogeneous": "Points, [R p; 0 1].",
    "motion": "Twists (ω; v) at the origins of the frames, [R 0; p×R R].",
    "force": "Wrenches (n; f) at the origins of the frames, [R p×R; 0 R].",
}


DECLARED = ('#include "declarations.h"', "", "#include <math.h>")
WEIGHED = ('#include "inertia_properties.h"', "", "#include <math.h>")


@dataclass(frozen=True, slots=True)
class Between:
    """Something of two frames: one program a representation, and for a Jacobian the entries of v it goes with."""

    base: str
    target: str
    programs: Mapping[str, Program]
    columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dynamics:
    """What masses are needed for: their own numbers, what is made of them, and of that, stage by stage, the rest.

    `inverse` has the outputs of id, of id with forces, G_terms and C_terms, `forward` those of fd and of fd with
    forces; `jsim` is H, H and L, H and its inverse.
    """

    inertials: Mapping[str, Sequence[float]]
    inertia: Program
    inverse: Stages
    forward: Stages
    jsim: tuple[Program, Program, Program]
    gravity: Sequence[float]


@dataclass(frozen=True, slots=True)
class Package:
    """A robot as programs. Joints have their first entries of q and v; links are those that move.

    `whole` is all of it as one program with nothing open, on whose trials the classes are tested.
    """

    name: str
    precision: Precision
    joints: Mapping[str, tuple[int, int]]
    neutral: Sequence[float]
    nv: int
    links: tuple[str, ...]
    transforms: tuple[Between, ...]
    jacobians: tuple[Between, ...]
    dynamics: Dynamics | None
    whole: Program
    trials: Sequence[Trial]


@dataclass(frozen=True, slots=True)
class Text:
    """What a header includes, and what stands in the robot's namespace."""

    includes: Sequence[str]
    lines: Sequence[str]


def distinct(names: Iterable[str]) -> list[str]:
    """Identifiers that resemble the names, each differently."""
    return apart(map(identifier, names))


def fixed_entries(program: Program, port: int, name: str, real: str) -> list[str]:
    """Statements for the entries of an output that are always the same."""
    steps = program.instructions
    fixed = [(k, steps[value].data) for k, value in enumerate(program.results[port]) if steps[value].op == "const"]
    return [f"        {name}[{k}] = {number(value, real)};" for k, value in fixed]  # type: ignore[arg-type]


def space(name: str, inside: Sequence[str]) -> list[str]:
    """A namespace around it."""
    return [f"namespace {name} {{", "", *inside, f"}}  // namespace {name}", ""]


def unused(parameters: Iterable[str], used: Sequence[str]) -> list[str]:
    """Statements that keep compilers from mentioning parameters of which no argument is made."""
    return [f"        (void){name};" for name in parameters if not any(text.startswith(f"{name}.") for text in used)]
