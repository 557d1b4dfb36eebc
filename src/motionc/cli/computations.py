"""From words on a command line to computations. What a computation can be told is read off its options, so that a new
one, or a new option of this name, is known here at once.
"""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

import typer

from motionc.cli.options import Said
from motionc.computations import CATALOGUE
from motionc.computations.making import MAKERS, asked_of
from motionc.model import Robot
from motionc.runtime import Computation
from motionc.solvers.constraint import Constraint, Force
from motionc.sweeps.options import Options

KNOWN_AS = {
    "constrained_dynamics": "Popov–Vereshchagin",
    "forward_dynamics": "ABA",
    "inverse_dynamics": "RNEA",
    "mass_matrix": "CRBA",
}
"""The name of its algorithm, by which a computation is searched for."""

HOLD = "xyz rx ry rz"
"""What a frame is held by unless rows are said."""

OPTIONS = {
    "frame": "frame",
    "frames": "frame",
    "constraints": "constraint",
    "rows": "rows",
    "prescribed": "prescribed",
    "wrt": "wrt",
    "as_seen_by": "as-seen-by",
    "point": "point",
    "gravity": "gravity",
    "external_forces": "external-force",
    "friction": "friction",
    "friction_smoothing": "friction-smoothing",
    "parameters": "parameter",
    "outputs": "output",
    "packed": "packed",
    "method": "method",
    "regularisation": "regularisation",
    "damping_factor": "regularisation",
    "dt": "dt",
    "stiffness": "stiffness",
    "damping": "joint-damping",
    "implicit_stiffness": "implicit-stiffness",
    "tolerance": "tolerance",
    "posture": "posture",
    "iterations": "iterations",
    "restarts": "restarts",
    "seed": "seed",
    "representation": "representation",
    "precision": "precision",
}
"""Which option says an argument."""


def known() -> dict[str, type[Options]]:
    """The computations that a command line can ask for: programs, whose every option without a default can be said."""
    able = [name for name, asked in CATALOGUE.items() if name in MAKERS or asked.solver is not Options.solver]
    every = {name: CATALOGUE[name] for name in able if not CATALOGUE[name].own}
    return {name: asked for name, asked in every.items() if all(option in OPTIONS for option in _needed(asked))}


def listed() -> str:
    """The names that can be asked for, each with that of its algorithm where one is well known."""
    return ", ".join(f"{name} ({KNOWN_AS[name]})" if name in KNOWN_AS else name for name in sorted(known()))


def asked(robot: Robot, names: list[str], said: Said) -> Iterator[Any]:
    """The computations of these names. Whatever is missing, or was said in vain, is a sentence before any is made."""
    makers = known()
    for name in names:
        if name not in makers:
            raise typer.BadParameter(f"{name!r} is no computation; there are {listed()}")
        if names.count(name) > 1:
            raise typer.BadParameter(f"{name} is asked for twice")
    given = [_arguments(name, makers[name], said) for name in names]
    used = {OPTIONS[argument] for arguments in given for argument in arguments}
    # a frame and rows can say a constraint
    used |= {"frame", "rows"} if "constraint" in used and not said.constraint else set()
    for option in said.by_option():
        if option not in used:
            raise typer.BadParameter(f"{' and '.join(names)} cannot be told --{option}")
    for name, arguments in zip(names, given, strict=True):
        yield asked_of(robot, makers[name](**arguments))


def derivatives(made: list[Any], words: str) -> list[Computation]:
    """'OF: WRT', such as 'a: q v': that derivative of each computation that has the outputs and the inputs."""
    of, wrt = (part.replace(",", " ").split() for part in (words.partition(":")[0], words.partition(":")[2]))
    if not of or not wrt:
        raise typer.BadParameter(f"--derivative {words!r} is no 'OF: WRT', such as 'a: q v'")
    found = [
        each.derivative(of, wrt)
        for each in made
        if isinstance(each, Computation)  # a loop has none, its step does
        and set(of) <= {port.name for port in each.outputs}
        and set(wrt) <= {port.name for port in each.inputs}
    ]
    if not found:
        have = "; ".join(
            f"{each.name} {', '.join(port.name for port in each.outputs)} by {', '.join(p.name for p in each.inputs)}"
            for each in made
        )
        raise typer.BadParameter(f"--derivative {words!r}: no computation has these; there are {have}")
    return found


def _needed(asked: type[Options]) -> list[str]:
    """The options without a default."""
    return [field.name for field in fields(asked) if field.default is MISSING]


def _arguments(name: str, asked: type[Options], said: Said) -> dict[str, Any]:
    options = said.by_option()
    arguments: dict[str, Any] = {}
    for argument in (field.name for field in fields(asked)):
        option = OPTIONS.get(argument, "")
        if argument == "constraints":
            arguments |= _constraints(said)
        elif option in options:
            arguments[argument] = _value(argument, options[option])
    for argument in _needed(asked):
        if argument not in arguments:
            also = " (or --frame with --rows)" if OPTIONS[argument] == "constraint" else ""
            raise typer.BadParameter(f"{name} needs --{OPTIONS[argument]}{also}")
    return arguments


def _value(argument: str, said: Any) -> Any:
    match argument:
        case "frame":
            if len(said) > 1:
                raise typer.BadParameter(f"one --frame at a time, not {len(said)}")
            return said[0]
        case "external_forces":
            return [Force(frame) for frame in said]
        case "point" | "gravity":
            return _three(argument, said)
        case _:
            return said


def _three(argument: str, said: str) -> tuple[float, ...]:
    try:
        x, y, z = map(float, said.replace(",", " ").split())
    except ValueError:
        raise typer.BadParameter(f"--{argument} is three numbers, such as '0 0 -9.81', not {said!r}") from None
    return x, y, z


def _constraints(said: Said) -> dict[str, list[Constraint]]:
    if said.constraint:
        return {"constraints": constraints_said(said.constraint)}
    return {"constraints": [Constraint(frame, said.rows or HOLD) for frame in said.frame]} if said.frame else {}


def constraints_said(said: list[str]) -> list[Constraint]:
    """Constraints as the command line writes them."""
    return [_constraint(text) for text in said]


def _constraint(said: str) -> Constraint:
    """'FRAME: ROWS; NAME=VALUE; …', such as 'tool: xyz; as_seen_by=tool; source=contact'."""
    first, *more = [part.strip() for part in said.split(";")]
    frame, _, rows = first.rpartition(":")
    arguments: dict[str, Any] = {}
    for part in more:
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in KEYWORDS:
            raise typer.BadParameter(
                f"{part!r} in --constraint {said!r} is none of {', '.join(KEYWORDS)}, an =, a value"
            )
        try:
            arguments[name] = KEYWORDS[name](value)
        except ValueError:
            raise typer.BadParameter(f"{name} in --constraint {said!r} is a number, not {value!r}") from None
    if not frame.strip() or not rows.strip():
        raise typer.BadParameter(f"--constraint {said!r} is no 'FRAME: ROWS', such as 'tool: xyz rx'")
    return Constraint(frame.strip(), rows.strip(), **arguments)


KEYWORDS: dict[str, Any] = {"wrt": str, "as_seen_by": str, "kind": str, "source": str, "level": int, "weight": float}
