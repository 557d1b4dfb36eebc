"""How are the parts of a lazy cycle wired? What names do not tell, and whose state begins anew."""

from collections.abc import Mapping, Sequence

from motionc.control.part import Part
from motionc.control.resets import resettable
from motionc.program.port import Precision
from motionc.runtime.computation import Computation
from motionc.tasks.directions import Directions
from motionc.tasks.forces import Forces
from motionc.tasks.weighing import ANEW, AVERAGE

SOUND = "watch_sensor_lost"
"""The part behind which readings are numbers."""
ABAG_STATE, TIMED = ("filtered", "bias", "gain"), "align_error_ticks"
"""State of a controller, and of the clock that gives up aligning: they begin anew by what modes mean."""


def made(part: Part | tuple[str, Computation], precision: Precision) -> tuple[str, Computation]:
    """A part by its name, as a computation."""
    return (part.called, part.computation(precision=precision)) if isinstance(part, Part) else part


def feeds_of(parts: Mapping[str, Computation]) -> dict[str, str]:
    """Wires that names do not tell: the mode of this cycle, what motors are told, readings that are sound."""
    feeds = {"dynamics.tau": "rest.tau", "stop.tau_running": "dynamics.tau_command", "motors.tau_told": "stop.tau"}
    for name, part in parts.items():
        inputs = {port.name for port in part.inputs} - {port.name for port in part.states}
        feeds |= {f"{name}.mode": "machine.mode"} if "mode" in inputs else {}
        feeds |= {f"{name}.tau_made": "motors.tau"} if "tau_made" in inputs else {}
        if name == AVERAGE:
            feeds |= {f"{name}.{port}": f"abag_{port[5:]}.{port}" for port in inputs if port.startswith("gain_")}
        if SOUND in parts and name != SOUND:
            feeds |= {f"{name}.{port}": f"{SOUND}.{port}_sound" for port in ("q", "v") if port in inputs}
    return feeds


def renewed_by(asked: Directions, forces: Forces) -> dict[str, list[str]]:
    """By what modes have, state of the controllers whose errors mean something else where that changes."""
    if not forces.renews:
        return {}
    meant = {"still": asked.tubes, "presses": forces.bands if forces.approach else ()}
    return {what: [f"{state}_{row}" for row in rows for state in ABAG_STATE] for what, rows in meant.items() if rows}


def beginning_anew(parts: Mapping[str, Computation], renewed: Mapping[str, Sequence[str]]) -> dict[str, Computation]:
    """The parts whose state begins anew by a flag."""
    states = {TIMED, *ANEW, *(state for each in renewed.values() for state in each)}
    found = dict[str, Computation]()
    for name, part in parts.items():
        own = [port.name for port in part.states if port.name in states]
        if own:
            found[name] = resettable(part, own)
    return found
