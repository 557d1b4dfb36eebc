"""Tables of transitions, and how each reading of a machine runs through the same events, (ticks, lanes, events)."""

from collections.abc import Callable
from contextlib import suppress

import numpy as np

import cuda_on_cpu
import motionc as mc
from motionc.control import ANY, Machine, Row
from motionc.targets import cuda

Array = np.ndarray

CLEANING = Machine(
    ("STOP", "APPROACH", "ALIGN", "START", "CRUISE", "TRANSITION"),
    (
        Row(ANY, "timeout", "STOP"),
        Row(ANY, "contact_x_y", "STOP"),
        Row(ANY, "joint_limit", "STOP"),
        Row("STOP", ("initialized", "out_of_goal_area", "no_contact"), "APPROACH"),
        Row("STOP", ("initialized", "out_of_goal_area"), "START"),
        Row("APPROACH", "contact_z", "ALIGN", held=0.002),
        Row("ALIGN", "align_error", "STOP"),
        Row("ALIGN", "aligned", "START", held=0.003),
        Row("START", "within_tube", "CRUISE"),
        Row("CRUISE", "final_goal_area", "STOP"),
        Row("CRUISE", "no_contact", "APPROACH", held=0.001),
        Row("CRUISE", "out_of_tube", "START"),
        Row("CRUISE", "section_covered", "TRANSITION"),
        Row("TRANSITION", "section_changed", "CRUISE"),
    ),
    (
        *("timeout", "contact_x_y", "joint_limit", "initialized", "out_of_goal_area", "no_contact", "contact_z"),
        *("align_error", "aligned", "within_tube", "final_goal_area", "out_of_tube", "section_covered"),
        "section_changed",
    ),
    resets={"APPROACH": ("bias", "gain"), "ALIGN": ("bias",)},
    dt=0.001,
)
"""Cleaning a surface: what lazy control's third task does (specs/lazy-control.md §2.13)."""

CONTOUR = Machine(
    ("AWAY", "APPROACH", "TRACK", "CLEAR"),
    (
        Row("AWAY", "establish", "APPROACH"),
        Row("APPROACH", "stop", "CLEAR"),
        Row("APPROACH", "contact", "TRACK"),
        Row("TRACK", "stop", "CLEAR"),
        Row("TRACK", "lost", "APPROACH", held=0.008),
        Row("CLEAR", "cleared", "AWAY"),
    ),
    ("establish", "contact", "lost", "stop", "cleared"),
    resets={"APPROACH": ("s",), "TRACK": ("unknowns", "covariance")},
    dt=0.004,
)
"""Following a contour (specs/itasc.md §3 E1): five events, six transitions."""


def random_machine(seed: int, states: int = 6, more: int = 12) -> Machine:
    """A table at random that obeys all rules: a ring, and rows of any state, held, of two events, to themselves."""
    rng = np.random.default_rng(seed)
    names, events = [f"S{k}" for k in range(states)], [f"e{k}" for k in range(states)]
    ring = [
        Row(name, event, names[(k + 1) % states]) for k, (name, event) in enumerate(zip(names, events, strict=True))
    ]
    machine = Machine(names, ring, events, dt=1.0)
    for _ in range(more):
        two = rng.random() < 0.3
        row = Row(
            str(rng.choice([*names, *names, ANY])),
            tuple(map(str, rng.choice(events, 2 if two else 1, replace=False))),
            str(rng.choice(names)),
            held=float(rng.choice([0, 1, 2])),
        )
        place = int(rng.integers(len(machine.rows) + 1))
        with suppress(mc.Error):
            machine = Machine(names, (*machine.rows[:place], row, *machine.rows[place:]), events, dt=1.0)
    return machine


MACHINES = {"cleaning": CLEANING, "contour": CONTOUR, "random": random_machine(0)}


def random_events(machine: Machine, ticks: int, lanes: int, seed: int = 0) -> Array:
    """Events that come and go, each for some ticks: in one lane often, in another never."""
    rng = np.random.default_rng(seed)
    events = np.empty((ticks, lanes, len(machine.events)))
    often = rng.choice([0.0, 0.2, 0.7], events.shape[1:])
    seen = rng.random(often.shape) < often
    for tick in range(ticks):
        seen = np.where(rng.random(often.shape) < 0.5, rng.random(often.shape) < often, seen)
        events[tick] = seen
    return events


def interpreted(machine: Machine, events: Array) -> Array:
    """Mode, entered, resets and counts of every tick and lane."""
    found = np.empty((*events.shape[:2], 2 + len(machine.reset_ports) + len(machine.waiting)))
    number = {None: -1, **{state: k for k, state in enumerate(machine.states)}}
    for lane in range(events.shape[1]):
        now = machine.start()
        for tick in range(len(events)):
            now = machine.next(now, dict(zip(machine.events, events[tick, lane], strict=True)))
            anew = [port in machine.resetting(now) for port in machine.reset_ports]
            found[tick, lane] = [number[now.state], number[now.entered], *anew, *now.held]
    return found


def in_c(machine: Machine, events: Array) -> Array:
    """One call a tick and a lane."""
    called = machine.computation()
    found = np.empty((*events.shape[:2], 2 + len(machine.reset_ports) + len(machine.waiting)))
    assert called.build().tier != "interpreted"
    for lane in range(events.shape[1]):
        carried = list(called.start())
        for tick in range(len(events)):
            out = called(*events[tick, lane], *carried)
            carried = [out.mode, *([out.held] if machine.waiting else ())]
            anew = [out[f"reset_{port}"] for port in machine.reset_ports]
            found[tick, lane] = [out.mode, out.entered, *anew, *(out.held if machine.waiting else ())]
    return found


def in_lanes(machine: Machine, events: Array) -> Array:
    """One batch a tick."""
    return _side_by_side(machine, events, lambda called, given: list(called.batch(*given, threads=1)))


def in_cuda_text(machine: Machine, events: Array) -> Array:
    """One launch a tick, on the processor."""
    library = cuda_on_cpu.compiled(cuda.emit(machine.computation().program, "machine", "double"))

    def launched(called: mc.Computation, given: list[Array]) -> list[Array]:
        outputs = [np.full((len(given[0]), *port.shape), np.nan) for port in called.outputs]
        columns = [np.ascontiguousarray(x, float) for x in given] + outputs
        strided = [(x, x[0].size, 1) for x in columns]
        cuda_on_cpu.launch(library, "machine", len(given[0]), strided)
        return outputs

    return _side_by_side(machine, events, launched)


def _side_by_side(machine: Machine, events: Array, run: Callable[[mc.Computation, list[Array]], list[Array]]) -> Array:
    called = machine.computation()
    lanes, names = events.shape[1], [port.name for port in called.outputs]
    carried, found = list(called.start(lanes)), list[Array]()
    for seen in events:
        out = dict(zip(names, run(called, [*np.moveaxis(seen, 1, 0), *carried]), strict=True))
        carried = [out[port.name] for port in called.states]
        held = [out["held"]] if machine.waiting else []
        anew = [out[f"reset_{port}"] for port in machine.reset_ports]
        found.append(np.column_stack([out["mode"], out["entered"], *anew, *held]))
    return np.array(found)


READINGS = {"C": in_c, "lanes": in_lanes, "CUDA text": in_cuda_text}
"""Beside the interpreted one."""
