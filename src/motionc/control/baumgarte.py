"""What keeps a constraint on accelerations from drifting? Baumgarte's stabilisation: h, ḣ → b.

    b = b_wanted - 2 α ḣ - β² h (- η ∫h dt)      (specs/motion-stack.md §2.15, (4.5); with η (4.6), its PID form)

h is by how much a row is violated, so that ḧ + 2 α ḣ + β² h = 0: α = β is critically damped. A constant push that the
model does not know leaves h = Λ⁻¹ f/β², and nothing where η > 0; stable is η < 2 α β².
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from motionc import checked
from motionc.control.part import Part, seconds
from motionc.errors import Error
from motionc.program.port import Port, State

MOST_ROWS = 1000


@dataclass(frozen=True)
class Baumgarte(Part):
    """Baumgarte's stabilisation of rows: what they are violated by dies down as a damped oscillator does.

    >>> stay = Baumgarte(10.0, 10.0, rows=2).computation()
    >>> stay([0.01, 0.0], [0.0, 0.1])
    array([-1., -2.])

    Args:
        alpha: α (1/s).
        beta: β (1/s).
        rows: how many rows there are.
        eta: η (1/s³), of the sum of violations; needs dt.
        dt: seconds a tick.
        wanted: whether rows are asked for an acceleration besides, the input b_wanted.
    """

    alpha: float
    beta: float
    _: KW_ONLY
    rows: int
    eta: float = 0.0
    dt: float | None = None
    wanted: bool = False

    def __post_init__(self) -> None:
        for what in ("alpha", "beta", "eta"):
            rate = checked.number(
                f"Baumgarte: {what}", getattr(self, what), "give a number ≥ 0", fits=lambda number: number >= 0
            )
            object.__setattr__(self, what, rate)
        object.__setattr__(self, "rows", checked.whole("Baumgarte: rows", self.rows, 1))
        if self.rows > MOST_ROWS:
            raise checked.refusal("Baumgarte: rows", self.rows, f"give {MOST_ROWS} at most")
        checked.flag("Baumgarte: wanted", self.wanted)
        if self.dt is not None:
            object.__setattr__(self, "dt", seconds("Baumgarte: dt", self.dt))
        if self.eta and self.dt is None:
            raise Error(f"Baumgarte: eta={self.eta:g} sums up violations, but how long is a tick? Say dt= (s)")
        if self.eta and not self.eta < 2 * self.alpha * self.beta**2:
            raise Error(
                f"Baumgarte: eta={self.eta:g} makes rows swing ever farther: it must be below "
                f"2 alpha beta² = {2 * self.alpha * self.beta**2:g}"
            )

    @property
    def called(self) -> str:
        return "baumgarte"

    @property
    def equation(self) -> str:
        return "b = b_wanted - 2 alpha h' - beta^2 h" + " - eta sum(h) dt" * bool(self.eta)

    @property
    def inputs(self) -> Sequence[Port]:
        shape = (self.rows,)
        wanted = Port("b_wanted", shape, "rad/s², m/s²", "acceleration that is asked for along the rows")
        total = State("violation_sum", shape, "rad s, m s", "violations over time")
        return (
            Port("violation", shape, "rad, m", "h, how far rows are off"),
            Port("violation_rate", shape, "rad/s, m/s", "how fast that grows"),
            *(wanted,) * self.wanted,
            *(total,) * bool(self.eta),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("b", (self.rows,), "rad/s², m/s²", "acceleration along the rows"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        off, rate = given["violation"], given["violation_rate"]
        b = given["b_wanted"] if self.wanted else 0.0
        b = b - 2.0 * self.alpha * rate - self.beta**2 * off
        if not self.eta:
            return {"b": b}
        total = given["violation_sum"] + (self.dt or 0.0) * off
        return {"b": b - self.eta * total, "violation_sum": total}
