"""The catalogue: each solver as a function from a robot to a Solver. Defaults are printed in the ports."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, above, assemble, column, zeros
from motionc.geometry.meaning import refuse
from motionc.model.chain import JointType
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot, suggestion
from motionc.sweeps.constrained_dynamics import CONSTRAINED_DYNAMICS
from motionc.sweeps.constraint import Constraint, Force, attached, resolve_constraints, resolve_forces
from motionc.sweeps.coupled_constrained_dynamics import COUPLED_CONSTRAINED_DYNAMICS
from motionc.sweeps.coupled_dynamics import COUPLED_DYNAMICS
from motionc.sweeps.forces import turn
from motionc.sweeps.forward_dynamics import FORWARD_DYNAMICS
from motionc.sweeps.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.jacobian import FORWARD_KINEMATICS, JACOBIAN
from motionc.sweeps.setting import STANDARD_GRAVITY, Setting
from motionc.sweeps.solver import Note, Port, Precision, Solver
from motionc.sweeps.state import StateGraph, joint_values

Forces = Sequence[str | Force]

SEVERAL = {
    JointType.FLOATING: "angular, then linear, as seen by the base",
    JointType.SPHERICAL: "angular, as seen by the child",
    JointType.PLANAR: "angular, then linear in the plane, as seen by the child",
    JointType.UNIVERSAL: "rates of both angles",
    JointType.CYLINDRICAL: "rates of angle and slide",
}

LARGEST_COUPLED = 200
"""Movable joints where some follow others: the mass matrix of 300 is more than a million instructions."""


def forward_kinematics(robot: Robot, frames: Sequence[str] | None = None, *, precision: Precision = "double") -> Solver:
    """Poses of frames in the world, X_world_frame = Π X_i,i+1(q).

    Args:
        robot: the robot.
        frames: names, in the order of the output; all links by default.
        precision: "double", or "single" for float32 arrays.
    """
    names = list(robot.link_names if frames is None else frames)
    for name in names:
        attached(robot.mechanism, name, "forward_kinematics")

    def poses(graph: StateGraph) -> Coordinates:
        blocks: list[Any] = []
        for name in names:
            where = attached(graph.mechanism, name, "forward_kinematics")
            block = graph[where.body].world_pose.compose(where.pose).matrix
            if block is None:
                return None
            blocks.append(block)
        return above(*blocks)

    meaning = f"homogeneous poses wrt world of {', '.join(names)}"
    return Solver(
        "forward_kinematics",
        "X_world_frame = X_world_1(q) X_1_2(q) … X_n_frame",
        robot,
        FORWARD_KINEMATICS,
        (_q(robot),),
        (Port("pose", (len(names), 4, 4), "m, 1", meaning),),
        lambda mechanism: Setting({}),
        {"pose": poses},
        precision=precision,
    )


def jacobian(
    robot: Robot,
    frame: str,
    wrt: str = "world",
    point: Sequence[float] = (0.0, 0.0, 0.0),
    as_seen_by: str = "world",
    *,
    precision: Precision = "double",
) -> Solver:
    """The Jacobian of a frame: twist (ω; v) = J(q) v.

    Args:
        robot: the robot.
        frame: whose body's motion.
        wrt: relative to which frame's body.
        point: where v is taken, in frame coordinates (m); it moves with the frame's body.
        as_seen_by: whose axes the rows are written in.
        precision: "double", or "single" for float32 arrays.
    """
    for name in (wrt, as_seen_by):
        attached(robot.mechanism, name, "jacobian")

    def question(mechanism: Mechanism) -> Setting:
        return Setting({}, target=attached(mechanism, frame, "jacobian", tuple(point)))

    def matrix(graph: StateGraph) -> Coordinates:
        mechanism = graph.mechanism
        of, base, axes = (attached(mechanism, name, "jacobian") for name in (frame, wrt, as_seen_by))
        moved = graph[base.body].jacobian.inverse().compose(graph[of.body].jacobian)
        seen = moved.change_frame(turn(graph, axes, graph.world).inverse())
        if seen.point != question(mechanism).target.pose.of.origin:
            refuse(f"jacobian of {frame}", f"taken at {seen.point}", remedy="take it at the point that was asked for")
        if seen.angular is None:
            return None
        return _columns(graph, above(seen.angular, seen.linear), seen.joints)

    where = "" if not any(point) else f" at {tuple(point)} of it"
    meaning = f"motion of {frame}{where} wrt {wrt}, as seen by {as_seen_by}; rows rx ry rz x y z"
    question(robot.mechanism)
    return Solver(
        "jacobian",
        "(ω; v) = J(q) v, column i = S_i at the point",
        robot,
        JACOBIAN,
        (_q(robot),),
        (Port("J", (6, robot.nv), "1, m", meaning),),
        question,
        {"J": matrix},
        precision=precision,
    )


def inverse_dynamics(
    robot: Robot,
    *,
    external_forces: Forces = (),
    gravity: Sequence[float] = STANDARD_GRAVITY,
    precision: Precision = "double",
) -> Solver:
    """Motor forces for given accelerations: tau = M(q) a + h(q, v) - Σ Jᵀ f_ext.

    Args:
        robot: the robot.
        external_forces: frames (or Force) on which wrenches act; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        precision: "double", or "single" for float32 arrays.
    """
    gravity = _gravity(gravity)
    forces = list(external_forces)

    def question(mechanism: Mechanism) -> Setting:
        return Setting({}, gravity, resolve_forces(mechanism, forces, "f_ext"))

    question(robot.mechanism)
    inputs = (_q(robot), _v(robot), _a(robot), *_wrenches("f_ext", forces))
    return Solver(
        "inverse_dynamics",
        "tau = M(q) a + h(q, v) - sum J^T f_ext",
        robot,
        INVERSE_DYNAMICS,
        inputs,
        (_tau(robot, "force each motor makes"),),
        question,
        {"tau": lambda graph: joint_values(graph, "joint_force")},
        precision=precision,
    )


def forward_dynamics(
    robot: Robot,
    *,
    external_forces: Forces = (),
    gravity: Sequence[float] = STANDARD_GRAVITY,
    precision: Precision = "double",
) -> Solver:
    """Accelerations under given motor forces: a = M(q)⁻¹ (tau - h(q, v) + Σ Jᵀ f_ext).

    Args:
        robot: the robot.
        external_forces: frames (or Force) on which wrenches act; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        precision: "double", or "single" for float32 arrays.
    """
    _refuse_idle(robot, "forward dynamics")
    _refuse_many_followers(robot, "forward dynamics")
    gravity = _gravity(gravity)
    forces = list(external_forces)

    def question(mechanism: Mechanism) -> Setting:
        return Setting({}, gravity, resolve_forces(mechanism, forces, "f_ext"), constants=_still(robot))

    question(robot.mechanism)
    return Solver(
        "forward_dynamics",
        "a = M(q)^-1 (tau - h(q, v) + sum J^T f_ext)",
        robot,
        COUPLED_DYNAMICS if robot.followers else FORWARD_DYNAMICS,
        (_q(robot), _v(robot), _tau(robot, "force each motor makes"), *_wrenches("f_ext", forces)),
        (_a(robot),),
        question,
        {"a": _accelerations},
        precision=precision,
    )


CONSTRAINED_OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank")


def constrained_dynamics(
    robot: Robot,
    constraints: Sequence[Constraint],
    *,
    damping: float = 0.0,
    actuated: Iterable[str] | None = None,
    external_forces: Forces = (),
    physical_torques: bool = False,
    artificial_forces: Forces = (),
    gravity: Sequence[float] = STANDARD_GRAVITY,
    outputs: Sequence[str] = CONSTRAINED_OUTPUTS,
    precision: Precision = "double",
) -> Solver:
    """Accelerations that satisfy constraints, and who makes the forces (Popov–Vereshchagin).

    M a + h = tau + Jᵀ multipliers + …, J a + J̇ v = b. Among all such accelerations the one nearest to the
    unconstrained (Gauss). Where rows depend on each other the least multipliers are taken and `rank` says so.

    Args:
        robot: the robot.
        constraints: rows on one segment; b has one entry a row, in order.
        damping: added to the coupling's diagonal; 0 solves exactly, by pseudo-inverse where rank is lost.
        actuated: joints with motors; all but floating ones by default.
        external_forces: frames (or Force) on which wrenches act anyway; adds the input f_ext (k, 6).
        physical_torques: adds the input tau_physical, joint forces that act anyway (springs, friction).
        artificial_forces: frames (or Force) with wrenches the motors must make; adds the input f_art (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        outputs: which of a, tau_command, multipliers, residual, unactuated, rank, coupling to compute.
        precision: "double", or "single" for float32 arrays.
    """
    _refuse_idle(robot, "constrained dynamics")
    _refuse_many_followers(robot, "constrained dynamics")
    gravity = _gravity(gravity)
    if not np.isfinite(damping) or damping < 0:
        raise Error(f"damping={damping}; give a finite number ≥ 0")
    wanted, forces, art = list(constraints), list(external_forces), list(artificial_forces)
    motors = _actuated(robot, actuated)
    # the motion is the same for all multipliers that come nearest to b
    least = not set(outputs) <= {"a", "residual", "rank", "coupling"}

    def question(mechanism: Mechanism) -> Setting:
        wrenches = resolve_forces(mechanism, forces, "f_ext") + resolve_forces(mechanism, art, "f_art")
        rows = resolve_constraints(mechanism, wanted)
        return Setting({}, gravity, wrenches, rows, float(damping), least, constants=_still(robot))

    specs = question(robot.mechanism).constraints
    rows = [label.partition(":")[2] for spec in specs for label in spec.labels]
    m = len(rows)
    kinds = "; ".join(f"{c.frame} wrt {c.wrt} as seen by {c.as_seen_by}, {c.kind}, a {c.source}" for c in wanted)
    physical = (_tau(robot, "joint forces that act anyway", "tau_physical"),) * physical_torques
    ports = {
        "a": _a(robot),
        "tau_command": _tau(
            robot, f"what the motors must make, on {', '.join(sorted(motors)) or 'no joint'}", "tau_command"
        ),
        "multipliers": Port("multipliers", (m,), "N m, N", f"forces on the frame's body along {', '.join(rows)}"),
        "residual": Port("residual", (m,), "rad/s², m/s²", "acceleration reached along the rows, minus b"),
        "unactuated": _tau(robot, "what no motor can make: zero, or the task is not this robot's", "unactuated"),
        "rank": Port("rank", (), "1", f"independent rows among {m}; less than {m}: least-squares answer"),
        "coupling": Port("coupling", (m, m), "1/(kg m²), 1/kg", "J M⁻¹ Jᵀ"),
    }
    for name in outputs:
        if name not in ports:
            raise Error(f"outputs={name!r}: constrained dynamics has no such output{suggestion(name, ports)}")
    if not outputs:
        raise Error("outputs is empty: ask for at least one of " + ", ".join(ports))
    if damping and "rank" in outputs:
        outputs = [name for name in outputs if name != "rank"]

    def command(graph: StateGraph, moved: bool) -> Coordinates:
        total = joint_values(graph, "joint_force")
        if total is None:
            return None
        mask = np.zeros((robot.nv, 1))
        for name in motors:
            mask[robot.v_index[name]] = 1.0
        return total * (mask if moved else 1.0 - mask)

    return Solver(
        "constrained_dynamics",
        "M a + h = tau + J^T multipliers + tau_physical + sum J^T (f_ext + f_art),  J a + Jdot v = b",
        robot,
        COUPLED_CONSTRAINED_DYNAMICS if robot.followers else CONSTRAINED_DYNAMICS,
        (
            _q(robot),
            _v(robot),
            _tau(robot, "what the motors make anyway"),
            Port("b", (m,), "rad/s², m/s²", f"acceleration along {', '.join(rows)} ({kinds})"),
            *_wrenches("f_ext", forces),
            *physical,
            *_wrenches("f_art", art),
        ),
        tuple(ports[name] for name in outputs),
        question,
        {
            "a": _accelerations,
            "tau_command": lambda graph: command(graph, True),
            "unactuated": lambda graph: command(graph, False),
            "multipliers": lambda graph: graph.world.multipliers.values,
            "residual": _residual,
            "rank": lambda graph: graph.world.rank,
            "coupling": _coupling,
        },
        lambda results: _constrained_notes(robot, m, results),
        precision,
    )


def _still(robot: Robot) -> dict[str, Coordinates]:
    """Coupled joints are resolved together, from what inverse dynamics says of joints that do not accelerate."""
    return {"a": zeros(robot.nv, 1)} if robot.followers else {}


def _accelerations(graph: StateGraph) -> Coordinates:
    coupled = graph.mechanism.coupled
    return graph.world.together.values if coupled else joint_values(graph, "joint_acceleration")


def _coupling(graph: StateGraph) -> Coordinates:
    return graph.world.coupling.values if "coupling" in graph.world else zeros(0, 0)


def _residual(graph: StateGraph) -> Coordinates:
    constrained = next((state for state in graph if "reached" in state), None)
    return column([]) if constrained is None else constrained.reached.minus(constrained.wanted).values


def _constrained_notes(robot: Robot, m: int, results: Mapping[str, Any]) -> list[Note]:
    notes: list[Note] = []
    ranks = np.rint(results.get("rank", m))
    for rank in np.unique(ranks[ranks < m]):
        sentence = (
            f"rank {rank:.0f} of {m}: some rows depend on each other or are out of reach here; "
            "the multipliers are the least ones that come nearest to b, see residual"
        )
        notes.append(Note(sentence, ranks == rank))
    if "unactuated" in results:
        asked = np.abs(results["unactuated"])
        scale = np.max(np.abs(results.get("tau_command", asked)), axis=1, keepdims=True, initial=1.0)
        for name, where in robot.v_index.items():
            beyond = np.any(asked[:, where] > 1e-9 * scale, axis=1)
            notes.append(Note(f"no motor makes the force asked of {name}: see unactuated", beyond))
    return notes


# ---------------------------------------------------------------- ports


def _q(robot: Robot) -> Port:
    return Port("q", (robot.nq,), "rad, m", "configuration: " + ", ".join(robot.joint_names))


def _v(robot: Robot) -> Port:
    return Port("v", (robot.nv,), "rad/s, m/s", "joint velocities" + _several(robot))


def _a(robot: Robot) -> Port:
    return Port("a", (robot.nv,), "rad/s², m/s²", "dv/dt, component by component")


def _tau(robot: Robot, meaning: str, name: str = "tau") -> Port:
    return Port(name, (robot.nv,), "N m, N", meaning)


def _several(robot: Robot) -> str:
    """What the rates are where a joint has more than one."""
    types = {joint.name: joint.type for joint in robot.joints}
    found: dict[JointType, list[str]] = {}
    for name in robot.v_index:
        found.setdefault(types.get(name, JointType.FLOATING), []).append(name)
    return "".join(f"; {', '.join(names)}: {SEVERAL[type]}" for type, names in found.items() if type in SEVERAL)


def _wrenches(name: str, forces: Sequence[str | Force]) -> tuple[Port, ...]:
    if not forces:
        return ()
    specs = [Force(force) if isinstance(force, str) else force for force in forces]
    said = ", ".join(f"{spec.frame} as seen by {spec.as_seen_by or spec.frame}" for spec in specs)
    whose = "motors make" if name == "f_art" else "act"
    return (Port(name, (len(specs), 6), "N m, N", f"wrenches (n; f) that {whose} on {said}, at the frame's origin"),)


def _gravity(gravity: Sequence[float]) -> tuple[float, ...]:
    vector = np.asarray(gravity, float)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise Error(f"gravity={gravity}; give three finite numbers in world axes, such as (0, 0, -9.81)")
    return tuple(float(value) for value in vector)


def _actuated(robot: Robot, actuated: Iterable[str] | None) -> set[str]:
    if actuated is None:
        moved = {joint.name for joint in robot.joints if joint.type is not JointType.FLOATING}
        return moved.intersection(robot.v_index)
    names = {actuated} if isinstance(actuated, str) else set(actuated)
    for name in sorted(names):
        if name not in robot.v_index:
            raise Error(f"actuated={name!r}: {robot.name} has no such movable joint{suggestion(name, robot.v_index)}")
    return names


def _refuse_idle(robot: Robot, what: str) -> None:
    if robot.idle_joints:
        raise Error(
            f"{what} of {robot.name}: movable joint {robot.idle_joints[0]} moves no inertia (rule Dy1), so it would "
            "accelerate without bound; give the links beyond it mass and inertia, or hold it: fixed=[...]"
        )


def _refuse_many_followers(robot: Robot, what: str) -> None:
    count = len(robot.mechanism.bodies)
    if robot.followers and count > LARGEST_COUPLED:
        raise Error(
            f"{what} of {robot.name}: some of its {count} movable joints follow others, so that all are "
            f"solved together, which {LARGEST_COUPLED} at most can be; hold the followers (fixed=[…]), "
            'or load with mimic="independent"'
        )


def _columns(graph: StateGraph, matrix: Any, joints: tuple[str, ...]) -> Coordinates:
    """The columns of a basis in the order of v; columns of one coordinate are summed, followers with their gain."""
    entries: list[list[Any]] = [[0.0] * graph.mechanism.nv for _ in range(6)]
    for k, label in enumerate(joints):
        j, gain = graph.places[label]
        for i in range(6):
            entries[i][j] = entries[i][j] + matrix[i, k] * gain
    return assemble(entries)
