"""What hangs on a tool that is held? Parts that weigh it by commands of a lazy cycle (specs/lazy-control.md §2.14).

    fall        T → free fall in axes of the task frame, where the tool is held
    average     commands and gains → their means over a period: noise, or a swing of the reference, is gone
    reference   loaded → which means count: without a load they are the reference, with one they tell its wrench
    carry       what is known of the load → f_ext of constrained dynamics, from the next cycle on

Between them stand the gate (`Converged`), the wrench (`LoadWrench`) and least squares over poses (`Load`) of
control/weighing.py. Where joints stick, a tool that is held still says little of its load; swung by a little, it does:
friction of one way and of the other cancel over whole periods.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.part import Part, event_port, reset_name, reset_port, seconds, ticks
from motionc.control.weighing import CONVERGED, Converged, Load, LoadWrench
from motionc.errors import Error
from motionc.geometry.control_words import both
from motionc.program.port import Port, State
from motionc.program.space import Choices
from motionc.sweeps.problem import STANDARD_GRAVITY
from motionc.tasks.directions import AXES

WEIGHED, AVERAGE = "load_settled", "average"
LOADED = Port("loaded", (), "1", "1 while something is held, else 0", space=Choices(1, 2))
NEVER = 2.0
"""A gain that no controller has: nothing has converged."""
ANEW = ("settled_ticks", "settled_sum", "averaged_ticks", "averaged_once")
"""State that begins anew where a load is taken or let go."""


@dataclass(frozen=True)
class Weighing:
    """How a load is weighed: over which period signals are averaged, and when they count as converged.

    Args:
        settle: for how long (s) nothing counts after a load is taken or let go.
        period: over which commands are averaged (s); that of the swing, or several, where the reference swings.
        window: for how long (s) averages must have stayed within the tolerance.
        tolerance: how far an average may be from where the window began, a share of the largest command.
        gain: the largest average gain that counts as none.
    """

    _: KW_ONLY
    settle: float = 2.0
    period: float = 1.0
    window: float = 4.0
    tolerance: float = 0.015
    gain: float = 0.1

    def __post_init__(self) -> None:
        for what in ("settle", "period", "window"):
            object.__setattr__(self, what, seconds(f"Weighing: {what}", getattr(self, what)))
        for what in ("tolerance", "gain"):
            wanted = "give a number > 0"
            number = checked.number(f"Weighing: {what}", getattr(self, what), wanted, fits=lambda share: share > 0)
            object.__setattr__(self, what, number)

    def parts(self, rows: Sequence[str], maximum: Sequence[float], dt: float, frame: Port, f_ext: Port) -> list[Part]:
        """What weighs, in the order in which it runs behind constrained dynamics; `carry` runs before them."""
        if tuple(rows) != tuple(AXES):
            raise Error("lazy: weigh: a wrench has six entries, and all six directions tell it; give a Hold(…)")
        held = " ".join(AXES[row] for row in rows)
        gate = Converged(len(rows), tolerance=self.tolerance, gain=self.gain, window=self.window, dt=dt)
        settle, period = (ticks(f"Weighing: {what}", getattr(self, what), dt) for what in ("settle", "period"))
        averages = Averages(tuple(rows), settle, period)
        wrench = LoadWrench(held, tuple(maximum))
        return [Carrying(f_ext), Falling(frame), Loading(), averages, gate, Referring(len(rows)), wrench, Load(WEIGHED)]


@dataclass(frozen=True)
class Falling(Part):
    """Free fall as the task frame sees it, and the tool there: held, it is where the frame is."""

    frame: Port

    @property
    def called(self) -> str:
        return "fall"

    @property
    def equation(self) -> str:
        return f"gravity in axes of {self.frame.name}"

    @property
    def inputs(self) -> Sequence[Port]:
        return (self.frame,)

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            Port("gravity", (3,), "m/s²", f"acceleration of free fall, in axes of {self.frame.name}"),
            Port("pose", (4, 4), "m, 1", f"of the tool wrt {self.frame.name}, where it is held"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        turn = given[self.frame.name][:3, :3]
        return {"gravity": turn.T @ np.array(STANDARD_GRAVITY), "pose": np.eye(4)}


@dataclass(frozen=True)
class Loading(Part):
    """Whether something was taken or let go in this cycle: then signals settle anew."""

    @property
    def called(self) -> str:
        return "loading"

    @property
    def equation(self) -> str:
        return "begin anew where loaded changes"

    @property
    def inputs(self) -> Sequence[Port]:
        return (LOADED, State("loaded_before", (), "1", "the same in the cycle before", space=Choices(1, 2)))

    @property
    def outputs(self) -> Sequence[Port]:
        return [reset_port(port) for port in ANEW]

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        changed = given["loaded"].not_equal(given["loaded_before"])
        return {"loaded_before": given["loaded"]} | {reset_name(port): changed for port in ANEW}


@dataclass(frozen=True)
class Averages(Part):
    """Means of commands and gains over a period, of the last one that is over; before the first, no gain is small.

    Args:
        rows: directions of the controllers.
        settle: cycles that count for nothing.
        ticks: cycles of a period.
    """

    rows: Sequence[str]
    settle: int
    ticks: int

    @property
    def called(self) -> str:
        return AVERAGE

    @property
    def equation(self) -> str:
        return f"means over {self.ticks} cycles, {self.settle} left out"

    @property
    def inputs(self) -> Sequence[Port]:
        shares = (Port(f"command_{row}", (), "1", f"share of the largest command of {row}") for row in self.rows)
        gains = (Port(f"gain_{row}", (), "1", f"command for a sudden change of {row}") for row in self.rows)
        size = (2 * len(self.rows),)
        return (
            *shares,
            *gains,
            State("averaged_sum", size, "1", "commands and gains, summed over this period"),
            State("averaged", size, "1", "their means over the last"),
            State("averaged_ticks", (), "1", "cycles of this period so far, below 0 before", -float(self.settle)),
            State("averaged_once", (), "1", "1 as soon as a period is over", space=Choices(1, 2)),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        size, over = (len(self.rows),), f"over {self.ticks} cycles"
        return (Port("bias", size, "1", f"mean command {over}"), Port("gain", size, "1", f"mean gain {over}"))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        signals = [given[f"{name}_{row}"] for name in ("command", "gain") for row in self.rows]
        done, count = given["averaged_ticks"] + 1.0, len(self.rows)
        before, over = given["averaged_ticks"] <= 0.0, done >= float(self.ticks)
        once = over.select(1.0, given["averaged_once"])
        summed = [before.select(0.0, total) + now for total, now in zip(given["averaged_sum"], signals, strict=True)]
        means = [
            over.select(total * (1.0 / self.ticks), last) for total, last in zip(summed, given["averaged"], strict=True)
        ]
        state = {"averaged_sum": summed, "averaged": means, "averaged_once": once}
        gains = [once.select(mean, NEVER) for mean in means[count:]]
        return {"bias": means[:count], "gain": gains, **state, "averaged_ticks": over.select(0.0, done)}


@dataclass(frozen=True)
class Referring(Part):
    """The reference, kept while nothing is held and signals have converged; what a load is weighed by, while it is."""

    rows: int

    @property
    def called(self) -> str:
        return "refer"

    @property
    def equation(self) -> str:
        return "bias_reference = settled_bias where converged without a load"

    @property
    def inputs(self) -> Sequence[Port]:
        return (
            event_port(CONVERGED),
            Port("settled_bias", (self.rows,), "1", "mean of each command over the window"),
            LOADED,
            State("reference", (self.rows,), "1", "mean commands without a load"),
            State("referenced", (), "1", "1 where they are known", space=Choices(1, 2)),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("bias_reference", (self.rows,), "1", "mean commands without a load"), event_port(WEIGHED))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        converged, loaded = given[CONVERGED], given["loaded"]
        empty = loaded.select(0.0, converged)
        kept = [
            empty.select(now, before) for now, before in zip(given["settled_bias"], given["reference"], strict=True)
        ]
        known = empty.select(1.0, given["referenced"])
        weighs = both(both(converged, loaded), known)
        return {"bias_reference": kept, "reference": kept, "referenced": known, WEIGHED: weighs}


@dataclass(frozen=True)
class Carrying(Part):
    """What is known of a load, as a wrench that acts on the tool."""

    f_ext: Port

    @property
    def called(self) -> str:
        return "carry"

    @property
    def equation(self) -> str:
        return "f_ext = what the load exerts, as known in the cycle before, while it is there"

    @property
    def inputs(self) -> Sequence[Port]:
        return (Port("f_before", (6,), "N m, N", "wrench (n; f) of the load, as known in the cycle before"), LOADED)

    @property
    def outputs(self) -> Sequence[Port]:
        return (self.f_ext,)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {self.f_ext.name: (given["loaded"] * given["f_before"]).reshape(1, 6)}
