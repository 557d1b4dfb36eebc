"""Rows of all bodies at once: acceleration of the centre of mass, rate of the centroidal momentum (Orin, Goswami 2008).

    u         a motion of everything as one body, at the centre of mass; per unit of mass for the centre itself
    at N      U = u at N's origin, in N's axes;  A_N = H_N U, the wrench that makes N move along with all others
    asked     Σ A_Nᵀ Ẍ_N = b - Σ Uᵀ (V_N ×* H_N V_N)      uᵀ ḣ_G = uᵀ (A_G a + Ȧ_G v)

Σ A_Nᵀ J_N = uᵀ A_G. The unit wrenches pull at every body and are joined on their way to the root, as those of frames
are: Λ, constraint forces and what motors make of them come out of the same sweeps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from motionc.geometry import ROBOT, RowAcceleration, UnitMotions, WrenchBasis
from motionc.geometry.meaning import as_meant
from motionc.solvers.rows import Constraints, WholeBodyRows
from motionc.solvers.steps.center import ALL_AS_ONE, Centered, find_center
from motionc.solvers.steps.motion import turn
from motionc.solvers.steps.rows import Constrained, Holds, constrain
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, Schedule, Sweep, operation, sweep
from motionc.sweeps.state import StateGraph


class WholeBody(Constrained, Centered):
    """Rows on every body, and where all of them have their centre."""


@dataclass(frozen=True, slots=True, eq=False)
class HoldAll:
    """Rows of all bodies: the motion of each, the wrenches on each and those on all together as if they were one, and
    what velocities make by themselves.
    """

    spec: WholeBodyRows
    motions: tuple[UnitMotions, ...]
    rows: tuple[WrenchBasis, ...]
    on_all: WrenchBasis
    made: RowAcceleration

    def wanted(self, graph: StateGraph[Constrained], asked: RowAcceleration) -> RowAcceleration:
        """Of what is asked, what velocities do not make by themselves."""
        return asked.minus(self.made)

    def reached(self, graph: StateGraph[Constrained]) -> RowAcceleration:
        """How the momentum changes along the rows, in the world; the world itself does not fall."""
        carrier = self.on_all.along(graph.world.at_rest)
        shares = [rows.pair(state.acceleration) for state, rows in zip(graph, self.rows, strict=True)]
        reached = carrier.inverse().compose(RowAcceleration.of_all(self.spec.labels, shares))
        return as_meant(reached, "rate of momentum along rows", of=ROBOT)

    def ends(self, graph: StateGraph[Constrained]) -> Iterator[tuple[int, WrenchBasis]]:
        """The bodies it pulls at, and how: all of them."""
        yield from enumerate(self.rows)

    def beyond(self, graph: "StateGraph[WholeBody]", index: int) -> WrenchBasis | None:
        """How it pulls at a body and all beyond it as if they were one: H^c U."""
        all_beyond = graph[index].composite
        return self.motions[index].pull(
            all_beyond.share_of(graph.world.composite) if self.spec.per_mass else all_beyond
        )


@operation(
    ROOT,
    needs=["world_pose", "twist", "composite", "center", "unit_wrenches", "held_rows"],
    gives=["unit_wrenches", "held_rows"],
)
def hold_all(graph: StateGraph[WholeBody], problem: Problem) -> None:
    """Unit wrenches on every body, and what velocities make along the rows by themselves."""
    holds = [_held(graph, spec) for spec in problem[Constraints].of_all_bodies]
    for hold in holds:
        for index, rows in hold.ends(graph):
            graph[index].unit_wrenches = graph[index].unit_wrenches.joined(rows.articulated())
    graph.world.held_rows = Holds((*graph.world.held_rows, *holds))


def _held(graph: StateGraph[WholeBody], spec: WholeBodyRows) -> HoldAll:
    whole, center = graph.world.composite, graph.world.center
    u = spec.unit_motions(center).change_frame(turn(graph, spec.axes, graph.world))
    motions, rows, rates = list[UnitMotions](), list[WrenchBasis](), list[RowAcceleration]()
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        X, V, H = state.world_pose, state.twist, body.inertia
        place = center.inverse().compose(X.position)
        U = u.of_body(state.body).change_point(place).change_frame(X.orientation.inverse())
        motions.append(U)
        rows.append(U.pull(H.share_of(whole) if spec.per_mass else H))
        rates.append(U.required((H @ V).rate(V)))
    made = RowAcceleration.of_all(spec.labels, rates)
    on_all = u.change_point(center.inverse()).pull(whole)
    if spec.per_mass:
        made, on_all = made.per(whole.mass), u.change_point(center.inverse()).pull(whole.share_of(whole))
    return HoldAll(spec, tuple(motions), tuple(rows), on_all, made)


def with_all_bodies(schedule: Schedule) -> Schedule:
    """The same schedule for rows of all bodies too: find their centre first, write them down behind the others."""
    sweeps = list[Sweep]()
    for walk in schedule.sweeps:
        if constrain in walk.operations:
            known = any("composite" in step.gives for before in sweeps for step in before.operations)
            k = walk.operations.index(constrain) + 1
            sweeps += [] if known else ALL_AS_ONE
            walk = sweep(find_center, *walk.operations[:k], hold_all, *walk.operations[k:])
        sweeps.append(walk)
    return Schedule(schedule.name, tuple(sweeps))
