"""What does a robot carry? Load estimation from the bias signals of its controllers (specs/lazy-control.md §2.14).

    gate       every bias within ± tolerance of where it was, and every gain small, for a while   → signals_converged
    residual   F = - Λ (u_max ⊙ (b - b_reference)),  Λ = (J M⁻¹ Jᵀ)⁻¹       what the load exerts that nobody knows of
    load       f = m g,  n = (m c) × g: m = Σ g·f / Σ g·g,  Σ (|g|² 1 - g gᵀ) m c = Σ g × n    least squares over poses

A tool held still needs accelerations where something hangs on it that the model does not know; their bias is what the
load makes of them. Only converged signals say something: the gate is part of the algorithm. Of the centre of mass one
orientation tells what is across gravity, two tell all of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.baumgarte import MOST_ROWS
from motionc.control.monitors import Monitor
from motionc.control.part import Part, event_port, seconds, ticks
from motionc.geometry.coordinates import assemble, elements, solve_positive_definite
from motionc.program.port import Port, State
from motionc.program.space import Choices, Poses
from motionc.solvers.constraint import unit_wrenches
from motionc.solvers.row_ports import coupling_port

CONVERGED = "signals_converged"
LITTLE = 1e-9
"""Of |g|², what keeps one orientation solvable: the centre of mass along gravity is 0 then."""


@dataclass(frozen=True)
class Converged(Monitor):
    """The gate of load estimation: an event where biases have been constant and gains about 0 for a while.

    A bias that leaves ± tolerance, or a gain that is not small, begins the window anew. The mean of each bias over the
    window comes with it.

    >>> gate = Converged(1, tolerance=0.01, gain=0.05, window=0.002, dt=0.001).computation()
    >>> out = gate(bias=[0.3], gain=[0.0], settled_at=[0.0], settled_sum=[0.0], settled_ticks=0)
    >>> float(out.signals_converged), float(out.settled_ticks)
    (0.0, 0.0)

    Args:
        rows: how many controllers there are.
        tolerance: how far a bias may be from where the window began.
        gain: the largest gain that counts as none.
        window: for how long (s).
        dt: seconds a tick.
        event: what it is called.
    """

    rows: int
    _: KW_ONLY
    tolerance: float
    gain: float
    window: float
    dt: float
    event: str = CONVERGED

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", checked.whole("Converged: rows", self.rows, 1))
        if self.rows > MOST_ROWS:
            raise checked.refusal("Converged: rows", self.rows, f"give {MOST_ROWS} at most")
        for what in ("window", "dt"):
            object.__setattr__(self, what, seconds(f"Converged: {what}", getattr(self, what)))
        for what in ("tolerance", "gain"):
            number = checked.number(
                f"Converged: {what}", getattr(self, what), "give a number > 0", fits=lambda number: number > 0
            )
            object.__setattr__(self, what, number)
        checked.name("Converged: event", self.event, "give a name")
        _ = self.ticks

    @property
    def ticks(self) -> int:
        """How many of them the window has."""
        return ticks("Converged: window", self.window, self.dt)

    @property
    def inputs(self) -> Sequence[Port]:
        shape = (self.rows,)
        return (
            Port("bias", shape, "1", "of each controller"),
            Port("gain", shape, "1", "of each controller"),
            State("settled_at", shape, "1", "biases where the window began"),
            State("settled_sum", shape, "1", "sum of biases since"),
            State("settled_ticks", (), "1", "ticks since", space=Choices(1, self.ticks + 1)),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("settled_bias", (self.rows,), "1", "mean of each bias over the window"), event_port(self.event))

    @property
    def equation(self) -> str:
        return (
            f"{self.event}: all biases within {self.tolerance:g}, all gains within {self.gain:g}, for {self.window:g} s"
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        bias, many = given["bias"], float(self.ticks)
        stays: Any = None
        for now, at, gain in zip(bias, given["settled_at"], given["gain"], strict=True):
            near = ((now - at).absolute() <= self.tolerance) * (gain.absolute() <= self.gain)
            stays = near if stays is None else stays * near
        full: Any = given["settled_ticks"] >= many
        # a window that is full slides on with its mean, one that is broken begins here
        counted = stays.select((given["settled_ticks"] + 1.0).minimum(many), 0.0)
        at, sums, means = list[Any](), list[Any](), list[Any]()
        for now, begun, total in zip(bias, given["settled_at"], given["settled_sum"], strict=True):
            slid = total + now - full.select(total / many, 0.0)
            sums.append(stays.select(slid, 0.0))
            at.append(stays.select(begun, now))
            means.append(slid / counted.maximum(1.0))
        seen = counted >= many
        state = {"settled_at": at, "settled_sum": sums, "settled_ticks": counted}
        return {"settled_bias": means, self.event: seen, **state}


@dataclass(frozen=True)
class LoadWrench(Part):
    """The wrench on a tool held still that the model does not know of, from biases: -Λ (u_max ⊙ (b - b_reference)).

    A row accelerates by b and by Λ⁻¹ F; held still, both are the same but for their sign.

    Args:
        rows: of the constraint whose controllers these are: tokens such as "xyz rx ry rz", all six.
        maximum: what the controllers' commands are scaled by, one a row (m/s², rad/s²).
    """

    rows: str
    maximum: Sequence[float]

    def __post_init__(self) -> None:
        wanted = "give one number > 0 a row"
        units, _ = unit_wrenches("LoadWrench", self.rows)
        if np.linalg.matrix_rank(units) < 6:
            raise checked.refusal("LoadWrench: rows", self.rows, "a wrench has six entries: hold all six directions")
        most = checked.numbers("LoadWrench: maximum", self.maximum, wanted, (units.shape[1],))
        if np.any(most <= 0):
            raise checked.refusal("LoadWrench: maximum", self.maximum, wanted)
        object.__setattr__(self, "maximum", tuple(map(float, most)))

    @property
    def called(self) -> str:
        return "load_wrench"

    @property
    def equation(self) -> str:
        return "F = - W Lambda (u_max (b - b_reference))"

    @property
    def inputs(self) -> Sequence[Port]:
        return (
            coupling_port(6),
            Port("settled_bias", (6,), "1", "of each row, with the load"),
            Port("bias_reference", (6,), "1", "of each row, without it, in the same place"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            Port(
                "load_wrench", (6,), "N m, N", "(n; f) on the tool that the model does not know of, in axes of the rows"
            ),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        units, _ = unit_wrenches("LoadWrench", self.rows)
        drift = [
            [most * (now - before)]
            for most, now, before in zip(self.maximum, given["settled_bias"], given["bias_reference"], strict=True)
        ]
        pull = solve_positive_definite(assemble(elements(given["coupling"])), assemble(drift))
        return {"load_wrench": -units @ np.array([pull[k, 0] for k in range(6)])}


@dataclass(frozen=True)
class Load(Part):
    """Mass and centre of mass of a load, by least squares over all poses in which signals have converged.

    Each time the gate opens one wrench is counted, and never while it is shut. What the load exerts where the tool is
    now, `f_known`, is for the solver to reckon with from the next tick on: biases return to their reference, and what
    is missing yet is counted when they have.

    >>> weigh = Load().computation()
    >>> none = {port.name: np.zeros(port.shape) for port in weigh.states}
    >>> given = {"load_wrench": [0, -0.981, 0, 0, 0, -9.81], "gravity": [0, 0, -9.81], "pose": np.eye(4)}
    >>> out = weigh(**given, signals_converged=1.0, **none)
    >>> round(out.weighed_mass, 6), (out.weighed_first / out.weighed_mass).round(6)
    (1.0, array([-0.1,  0. ,  0. ]))

    Args:
        event: what opens the gate.
    """

    event: str = CONVERGED

    def __post_init__(self) -> None:
        checked.name("Load: event", self.event, "give a name")

    @property
    def called(self) -> str:
        return "load"

    @property
    def equation(self) -> str:
        return "m = sum(g.f) / sum(g.g), sum(|g|^2 1 - g g^T) m c = sum(g x n)"

    @property
    def inputs(self) -> Sequence[Port]:
        return (
            Port("load_wrench", (6,), "N m, N", "(n; f) at the tool's origin that the solver does not know of yet"),
            Port("gravity", (3,), "m/s²", "acceleration of free fall, in the same axes"),
            Port("pose", (4, 4), "m, 1", "of the tool, in the same axes", Poses(1)),
            event_port(self.event),
            State("weighed_open", (), "1", "whether the gate was open in the tick before", space=Choices(1, 2)),
            State("weighed_poses", (), "1", "how many wrenches have been counted"),
            State("weighed_pull", (2,), "kg m²/s⁴, m²/s⁴", "sums of g·f and of g·g"),
            State("weighed_lever", (3,), "kg m³/s⁴", "sum of g × n"),
            State("weighed_spread", (3, 3), "m²/s⁴", "sum of |g|² 1 - g gᵀ"),
            State("weighed_mass", (), "kg", "of the load; 0 before a wrench was counted"),
            State("weighed_first", (3,), "kg m", "mass times its centre, from the tool's origin in the tool's axes"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("f_known", (6,), "N m, N", "wrench (n; f) of the load here, at the tool's origin, in its axes"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        turn, mass, first = given["pose"][:3, :3].T, given["weighed_mass"], given["weighed_first"]
        g = turn @ given["gravity"]
        known = np.concatenate([np.cross(first, g), mass * g])
        moment = turn @ given["load_wrench"][:3] + known[:3]
        force = turn @ given["load_wrench"][3:] + known[3:]
        # one wrench is counted where the gate opens
        opens: Any = given[self.event] * (1.0 - given["weighed_open"])
        across = (g @ g) * np.eye(3) - np.outer(g, g)
        sums = {"pull": np.array([g @ force, g @ g]), "lever": np.cross(g, moment), "spread": across}
        summed = {f"weighed_{name}": _counted(opens, given[f"weighed_{name}"], value) for name, value in sums.items()}
        pull, spread = summed["weighed_pull"], summed["weighed_spread"]
        # sums are 0 before, and 1 stands for what divides them
        counted = given["weighed_poses"] + opens
        squares = (counted > 0.0).select(pull[1], 1.0)
        system = assemble(elements(spread + LITTLE * squares * np.eye(3)))
        arm = solve_positive_definite(system, assemble([[entry] for entry in summed["weighed_lever"]]))
        state = {"weighed_open": given[self.event], "weighed_poses": counted, "weighed_mass": pull[0] / squares}
        return {"f_known": known, **summed, **state, "weighed_first": [arm[k, 0] for k in range(3)]}


def _counted(opens: Any, total: Any, value: Any) -> Any:
    """A sum and its next term, where one is counted."""
    return np.reshape([opens.select(a + b, a) for a, b in zip(total.ravel(), value.ravel(), strict=True)], total.shape)
