"""Does what one program gives fit what another takes? Shape, unit, entries and relation, with the repair."""

from motionc.program.port import Port
from motionc.program.space import Flat

Misfit = tuple[str, str]
"""What does not fit, and what mends it."""


def misfit(given: Port, wanted: Port) -> Misfit | None:
    """The first reason why an output is not what an input takes; None where it is."""
    return _unit(given, wanted) or _shape(given, wanted) or _entries(given, wanted) or _relation(given, wanted)


def _shape(given: Port, wanted: Port) -> Misfit | None:
    if given.shape == wanted.shape:
        return None
    said = f"shape {given.shape}, where {wanted.shape} is wanted"
    return said, "take the entries that are wanted in a block between them"


def _unit(given: Port, wanted: Port) -> Misfit | None:
    """Units are compared as they are written: `various` and "" say nothing."""
    if "" in (given.unit, wanted.unit) or "various" in (given.unit, wanted.unit) or given.unit == wanted.unit:
        return None
    said = f"{given.unit}, where {wanted.unit} is wanted"
    if _rate(wanted.unit) == given.unit:
        return said, "a rate is a difference over a time: divide by one, in a block that says which"
    if _rate(given.unit) == wanted.unit:
        return said, "a rate becomes a change over a time: mc.integrate, mc.step, or a block that says which time"
    return said, "scale it once, in a block whose ports say both units"


def _rate(unit: str) -> str:
    """What a unit is the rate of: "rad, m" of "rad/s, m/s"; "" where it is no rate."""
    parts = unit.split(", ")
    if not all(part.endswith(("/s", "/s²")) for part in parts):
        return ""
    return ", ".join(f"{part[:-1]}" if part.endswith("/s²") else part[:-2] for part in parts)


def _entries(given: Port, wanted: Port) -> Misfit | None:
    """Entries that have names must have the same, in the same order; configurations be of the same robot."""
    flat = isinstance(given.space, Flat) or isinstance(wanted.space, Flat)
    if reason := "" if flat else wanted.space.foreign(given.space):
        return reason, "ask both of the same robot"
    mine, others = given.space.labels, wanted.space.labels
    if not mine or not others or mine == others:
        return None
    if sorted(mine) == sorted(others):
        k = next(k for k, pair in enumerate(zip(mine, others, strict=True)) if pair[0] != pair[1])
        return f"entries in another order: entry {k} is {mine[k]}, where {others[k]} is wanted", "put them in order"
    names = [few for few in mine if few not in others][:3]
    return f"entries {', '.join(names)}, which are not wanted here", "ask both of the same robot and the same rows"


def _relation(given: Port, wanted: Port) -> Misfit | None:
    if given.relation is None or wanted.relation is None:
        return None
    return next(given.relation.differences(wanted.relation), None)
