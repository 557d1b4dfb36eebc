"""Loops in time of computations: what is fed back, held, streamed, drawn, logged, and until when."""

from collections.abc import Mapping, Sequence
from typing import Any

from motionc import checked
from motionc.computations.wired import wires_of
from motionc.program.looping import Course, LoopSource
from motionc.program.noise import Kind
from motionc.runtime.computation import Computation
from motionc.runtime.loops import LoopComputation


def loop(
    parts: Computation | Sequence[Computation] | Mapping[str, Computation],
    *,
    feedback: Mapping[str, str] | None = None,
    held: Sequence[str] = (),
    streamed: Sequence[str] = (),
    drawn: Mapping[str, Kind] | None = None,
    clock: str = "",
    log: Mapping[str, int] | Sequence[str] = (),
    until: str = "",
    feeds: Mapping[str, str] | None = None,
    rates: Mapping[str, int] | None = None,
    start: Mapping[str, Any] | None = None,
    period: float = 1e-3,
    name: str = "",
) -> LoopComputation:
    """A loop in time: parts run in order, turn after turn, in one call into C; in lanes, and on a GPU.

    Every input comes from an earlier part of the same turn (by name, or by `feeds`), or is said to be fed back, held,
    streamed in, drawn or the clock; what nobody gives is refused by name. State of parts is carried on by itself. A
    lane ends alone, after the turn in which `until` is not 0, or something carried is no longer finite.

    >>> import motionc as mc
    >>> def fall(height, speed):
    ...     return {"height_next": height + 0.01 * speed, "speed_next": speed - 0.0981}
    >>> ports = [mc.Port("height", (), "m", "above ground"), mc.Port("speed", (), "m/s", "upward")]
    >>> after = [mc.Port("height_next", (), "m", "then"), mc.Port("speed_next", (), "m/s", "then")]
    >>> falling = mc.loop(mc.block("fall", fall, ports, after), period=0.01, log=["height"],
    ...                   feedback={"height": "height_next", "speed": "speed_next"})
    >>> falling(height=1.0, speed=0.0, seconds=0.4).height[-1].round(3)
    np.float64(0.235)

    Args:
        parts: computations in the order in which they run; by name, where several are alike.
        feedback: {input: output} of the next turn.
        held: inputs given once.
        streamed: inputs given anew each turn.
        drawn: inputs drawn each turn, "normal" (mean 0, deviation 1) or "uniform" (from 0 to 1).
        clock: the input that is the time, in s.
        log: what is written down, every turn, or {name: turns between rows}.
        until: an output or state that ends a lane where it is not 0.
        feeds: {input: output} in one turn, where names differ.
        rates: {part: turns from one run to the next}; every turn unless said.
        start: {input: value} of what is fed back or held, where a run is not given another one to begin with.
        period: seconds of a turn.
        name: of the loop; the parts' joined, unless said.
    """
    given = [parts] if isinstance(parts, Computation) else parts
    wires = wires_of("loop", given, feeds, name)
    wanted = "name inputs"
    logged = log if isinstance(log, Mapping) else dict.fromkeys(checked.names("loop: log", log, "name outputs"), 1)
    course = Course(
        _names("feedback", feedback, "give {input: output}"),
        checked.names("loop: held", held, wanted),
        checked.names("loop: streamed", streamed, wanted),
        {k: checked.one_of("loop: drawn", v, ("normal", "uniform")) for k, v in _mapping("drawn", drawn).items()},
        checked.name("loop: clock", clock, "name an input", empty=True),
        {k: _turns("rates", k, v) for k, v in _mapping("rates", rates).items()},
        {k: _turns("log", k, v) for k, v in _mapping("log", logged).items()},
        checked.name("loop: until", until, "name an output", empty=True),
        _period(period),
        {k: _first(k, v) for k, v in _mapping("start", start).items()},
    )
    return LoopComputation(LoopSource(wires, course))


def _mapping(what: str, given: Any) -> Mapping[str, Any]:
    found = checked.instance(f"loop: {what}", {} if given is None else given, Mapping, "give a dictionary by names")
    for name in found:
        checked.name(f"loop: {what}", name, "give a dictionary by names")
    return found


def _names(what: str, given: Any, wanted: str) -> dict[str, str]:
    return {key: checked.name(f"loop: {what}", value, wanted) for key, value in _mapping(what, given).items()}


def _turns(what: str, name: str, value: Any) -> int:
    return checked.whole(f"loop: {what}: {name}", value, 1, "give a whole number of turns ≥ 1")


def _first(name: str, value: Any) -> tuple[float, ...]:
    values = checked.numbers(f"loop: start: {name}", value, "give finite numbers, as many as it has")
    return tuple(map(float, values.ravel()))


def _period(period: Any) -> float:
    wanted = "give seconds of a turn, a number > 0"
    return checked.number("loop: period", period, wanted, fits=lambda s: s > 0)
