"""How much is to be done, where only the sign of an error is known? ABAG: adaptive bias and adaptive gain.

    ē ← α ē + (1 - α) sgn e                                   signs, low-passed
    b ← b + δ_b hside(|ē| - ē_b) sgn(ē - ē_b)                 bias: what is needed all the time
    g ← g + δ_g sgn(|ē| - ē_g)                                gain: what is needed for a sudden change
    u = b + g sgn e                                           each within its range

(specs/lazy-control.md §2.8; sgn 0 = 0, hside 0 = 1). The size of an error is never used, so that a command has no unit;
it gets its meaning where it is scaled. Under delay a loop of signs swings, and signs that last pass ē_g where half a
swing is longer than m = ln((1 - ē_g)/(1 + ē_g)) / ln α cycles: declared delay is checked against it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from motionc import checked
from motionc.control.part import Part
from motionc.errors import Error
from motionc.geometry.control_words import magnitude, sign, step, within
from motionc.program.port import Port, State

SHARES = ("filter", "ignore", "bias_step", "panic", "gain_step")


@dataclass(frozen=True)
class Abag(Part):
    """An ABAG controller: adaptive bias, adaptive gain, driven by the sign of an error alone.

    >>> push = Abag(filter=0.5, ignore=0.03, bias_step=0.25, panic=0.8, gain_step=0.5).computation()
    >>> out = push(2e-6, 0.0, 0.0, 0.0)
    >>> out.command, out.filtered, out.bias, out.gain
    (0.25, 0.5, 0.25, 0.0)

    Args:
        filter: α, how much of the past counts; more for noisier errors, less for longer delay.
        ignore: ē_b, low-passed signs below which the bias stays as it is.
        bias_step: δ_b, how far the bias goes in a cycle.
        panic: ē_g, low-passed signs above which the gain grows; below, it shrinks.
        gain_step: δ_g, how far the gain goes in a cycle.
        bias_range: within which the bias stays.
        gain_range: within which the gain stays.
        command_range: within which the command stays.
        row: of which direction it is: its ports are called error_<row>, bias_<row> and so on.
    """

    _: KW_ONLY
    filter: float
    ignore: float
    bias_step: float
    panic: float
    gain_step: float
    bias_range: tuple[float, float] = (-1.0, 1.0)
    gain_range: tuple[float, float] = (0.0, 1.0)
    command_range: tuple[float, float] = (-1.0, 1.0)
    row: str = ""

    def __post_init__(self) -> None:
        for what in SHARES:
            wanted = "give a number between 0 and 1"
            number = checked.number(f"Abag: {what}", getattr(self, what), wanted, fits=lambda share: 0 < share < 1)
            object.__setattr__(self, what, number)
        for what in ("bias_range", "gain_range", "command_range"):
            wanted = "give the least and the largest, such as (-1, 1)"
            least, most = map(float, checked.numbers(f"Abag: {what}", getattr(self, what), wanted, (2,)))
            if not -1 <= least <= 0 <= most <= 1:
                raise Error(f"Abag: {what}=({least:g}, {most:g}) is no range about 0 within -1 … 1; {wanted}")
            object.__setattr__(self, what, (least, most))
        checked.name("Abag: row", self.row, "give the name of a direction", empty=True)

    @property
    def half_period(self) -> float:
        """m (cycles): low-passed signs of a swing whose half lasts so long come just to `panic`.

        >>> speed = Abag(filter=0.6, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
        >>> round(speed.half_period, 2)
        3.4
        """
        return math.log((1 - self.panic) / (1 + self.panic)) / math.log(self.filter)

    def against(self, delay: int, *, tolerant: bool = False) -> str:
        """What is to be feared of so many cycles of delay, in a sentence, or ""; refused where the gain must grow.

        A relay and an integrator, d cycles apart, swing with a half period of 2 d + 1 cycles. Beyond m the gain is
        driven up for a part of it; where that is the larger part, it ends at its limit, whatever the plant. Errors that
        are 0 within a tolerance break swings off: such loops were measured to stand d up to m, and to fail beyond 2 m.

        >>> speed = Abag(filter=0.3, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
        >>> speed.against(1, tolerant=True)
        ''
        >>> speed.against(2, tolerant=True)
        'Abag: a delay of 2 cycles is longer than its half period of 1.4: it stands that, with little to spare'

        Args:
            delay: cycles from a measurement to what motors make of it.
            tolerant: whether errors within a tolerance are 0, in every mode.
        """
        checked.whole("Abag: delay", delay, 0, "give a whole number of cycles ≥ 0")
        swing, most, which = 2 * delay + 1, self.half_period, f" of {self.row}" * bool(self.row)
        if (delay if tolerant else swing) <= most:
            return ""
        if tolerant:
            said = f"Abag{which}: a delay of {delay} cycles is longer than its half period of {most:.2g}"
            grows, calmer = delay > 2 * most, ((1 - self.panic) / (1 + self.panic)) ** (1 / delay)
        else:
            said = f"Abag{which}: a delay of {delay} cycles makes half swings of {swing}, beyond its own of {most:.2g}"
            grows, shares = _growth(self.filter, self.panic, swing) > 0, (k / 100 for k in range(1, 100))
            calmer = next(share for share in shares if _growth(share, self.panic, swing) <= 0)
        if grows:
            least = math.ceil(100 * calmer) / 100
            raise Error(f"{said}, and its gain grows by itself; take filter={least:g} or more, or a shorter delay")
        return f"{said}: it stands that, with little to spare"

    @property
    def called(self) -> str:
        return self._named("abag")

    @property
    def equation(self) -> str:
        return "u = b + g sgn e, where low-passed signs turn bias b and gain g up and down"

    def _named(self, port: str) -> str:
        return f"{port}_{self.row}" if self.row else port

    @property
    def inputs(self) -> Sequence[Port]:
        about = f" of {self.row}" * bool(self.row)
        return (
            Port(self._named("error"), (), "various", f"what is missing{about}: desired - actual; its sign is read"),
            State(self._named("filtered"), (), "1", f"signs of the error{about}, low-passed"),
            State(self._named("bias"), (), "1", f"command that is needed all the time{about}"),
            State(self._named("gain"), (), "1", f"command for a sudden change{about}"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        about = f" of {self.row}" * bool(self.row)
        return (Port(self._named("command"), (), "1", f"share of the largest command{about}, from -1 to 1"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        error, filtered, bias, gain = (given[self._named(name)] for name in ("error", "filtered", "bias", "gain"))
        way = sign(error)
        filtered = self.filter * filtered + (1.0 - self.filter) * way
        size = magnitude(filtered)
        learns = step(size, self.ignore) * sign(filtered - self.ignore)
        bias = within(bias + self.bias_step * learns, *self.bias_range)
        gain = within(gain + self.gain_step * sign(size - self.panic), *self.gain_range)
        command = within(bias + gain * way, *self.command_range)
        told = {"command": command, "filtered": filtered, "bias": bias, "gain": gain}
        return {self._named(name): value for name, value in told.items()}


def _growth(alpha: float, panic: float, swing: int) -> int:
    """How many steps the gain goes up, those down taken off, while a sign lasts in steady swings."""
    peak = (1 - alpha**swing) / (1 + alpha**swing)
    filtered = (1 - (1 + peak) * alpha**k for k in range(1, swing + 1))
    return sum(1 if abs(each) > panic else -1 for each in filtered)
