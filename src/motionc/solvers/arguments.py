"""Ports that many solvers share, and what is checked of the arguments they are made from."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from motionc import checked
from motionc.errors import Error, WrongType, suggestion
from motionc.geometry.coordinates import Coordinates, lower_triangle
from motionc.model.robot import Robot
from motionc.model.rules.links import has_negative_moments, principal_moments
from motionc.notices import warn
from motionc.program.port import Note, Port
from motionc.program.space import Numbers
from motionc.solvers import relations
from motionc.solvers.constraint import EVERYTHING, Constraint, Force, checked_point, unit_wrenches
from motionc.solvers.frame_arguments import Framed, framed
from motionc.solvers.target import Target
from motionc.sweeps.given_frames import understood_frames
from motionc.sweeps.options import Check, Options, optional
from motionc.sweeps.parameters import parameter_names
from motionc.sweeps.problem import Friction
from motionc.sweeps.state import StateGraph

Forces = Framed | Force | Sequence[Framed | Force]

NOT_FINITE = (
    "the answer is not finite: some input is not, or a quaternion in q is zero; start from robot.neutral(), and set "
    "check_finite = True to have such inputs refused by name"
)

SMOOTHING = 1e-3
"""rad/s or m/s: of Coulomb friction, the speed below which it is smooth."""

LARGEST_COUPLED = 200
"""Movable joints where some follow others: the mass matrix of 300 is more than a million instructions."""


def q_port(robot: Robot, name: str = "q", meaning: str = "") -> Port:
    said = meaning or "configuration: " + ", ".join(robot.joint_names)
    return Port(name, (robot.nq,), "rad, m", said, robot.configurations)


def v_port(robot: Robot, name: str = "v", meaning: str = "") -> Port:
    said = meaning or "joint velocities" + _several(robot)
    return Port(name, (robot.nv,), "rad/s, m/s", said, _rates(robot, robot.limits.velocity))


def a_port(robot: Robot, name: str = "a", meaning: str = "dv/dt, component by component") -> Port:
    return Port(name, (robot.nv,), "rad/s², m/s²", meaning, _rates(robot))


def tau_port(robot: Robot, meaning: str, name: str = "tau") -> Port:
    return Port(name, (robot.nv,), "N m, N", meaning, _rates(robot, robot.limits.effort))


def _rates(robot: Robot, most: Any = ()) -> Numbers:
    """Numbers in the order of v, within ± what is possible."""
    upper = tuple(map(float, most))
    return Numbers(robot.nv, robot.configurations.rate_labels, tuple(-value for value in upper), upper)


def _several(robot: Robot) -> str:
    """What the rates are where a joint has more than one."""
    named: dict[str, list[str]] = {}
    for name, space in zip(robot.joint_names, robot.spaces(), strict=True):
        named.setdefault(space.type.meaning, []).append(name)
    return "".join(f"; {', '.join(names)}: {meaning}" for meaning, names in named.items() if meaning)


def wrench_ports(name: str, forces: Any) -> tuple[Port, ...]:
    if not forces:
        return ()
    specs = [Force(force) if isinstance(force, str) else force for force in forces]
    said = ", ".join(f"{spec.frame} as seen by {spec.as_seen_by}" for spec in specs)
    whose = "motors make" if name == "f_art" else "act"
    meaning = f"wrenches (n; f) that {whose} on {said}, at the frame's origin"
    forces = relations.of_wrenches([spec.frame for spec in specs], [spec.as_seen_by for spec in specs])
    return (Port(name, (len(specs), 6), "N m, N", meaning, relation=forces),)


def checked_gravity(what: str, gravity: Any) -> tuple[float, ...]:
    wanted = "give three finite numbers in world axes, such as (0, 0, -9.81)"
    return tuple(map(float, checked.numbers(what, gravity, wanted, (3,))))


def checked_actuated(robot: Robot, actuated: Iterable[str] | None) -> set[str]:
    if actuated is None:
        return {name for name, space in zip(robot.joint_names, robot.spaces(), strict=True) if space.type.driven}
    names = set(actuated)
    for name in sorted(names):
        if name not in robot.v_index:
            raise Error(f"actuated={name!r}: {robot.name} has no such movable joint{suggestion(name, robot.v_index)}")
    return names


def checked_prescribed(robot: Robot, prescribed: Iterable[str]) -> frozenset[str]:
    """The joints whose accelerations are told, those that follow them too."""
    names = set(prescribed)
    for name in sorted(names):
        if name in robot.followers:
            raise Error(f"prescribed={name!r}: it follows {robot.followers[name][0]}; name that joint instead")
        if name not in robot.v_index:
            raise Error(f"prescribed={name!r}: {robot.name} has no such movable joint{suggestion(name, robot.v_index)}")
    return frozenset(names | {name for name, (leader, *_) in robot.followers.items() if leader in names})


def chosen(what: str, outputs: Sequence[str], ports: Mapping[str, Port]) -> tuple[Port, ...]:
    """The ports of the outputs that were asked for."""
    for name in outputs:
        if name not in ports:
            raise Error(f"outputs={name!r}: {what} has no such output{suggestion(name, ports)}")
        if outputs.count(name) > 1:
            raise Error(f"outputs={name!r} is there twice; name it once")
    if not outputs:
        raise Error("outputs is empty: ask for at least one of " + ", ".join(ports))
    return tuple(ports[name] for name in outputs)


_of_bodies: "WeakSet[Robot]" = WeakSet()
"""Robots whose moving links are all bodies: looked at once."""


def refuse_no_body(robot: Robot, what: str) -> None:
    """Refuse links that move and whose moments of inertia no body has: some are negative (rule Lk4)."""
    if robot in _of_bodies:
        return
    for segment in robot.segments:
        index, _ = robot.mechanism.frames[segment.name]
        if index >= 0 and has_negative_moments(segment.link):
            moments = ", ".join(f"{moment:.4g}" for moment in principal_moments(segment.link)[0])
            raise Error(
                f"{what} of {robot.name}: joint {robot.mechanism.bodies[index].joint.name} moves link {segment.name}, "
                f"whose principal moments {moments} kg m² no body has, for one is negative (rule Lk4); check its "
                "products of inertia and their signs"
            )
    _of_bodies.add(robot)


def refuse_idle(robot: Robot, what: str, but: Collection[str] = ()) -> None:
    """Refuse joints that move no inertia of their own, where those accelerate as told that no force has to; and links
    that no body is.
    """
    refuse_no_body(robot, what)
    idle = robot.idle_besides(but)
    if idle:
        raise Error(
            f"{what} of {robot.name}: movable joint {idle[0]} moves no inertia of its own (rule Dy1): the mass matrix "
            "is singular in every configuration, and it would accelerate without bound; give it, or the links beyond "
            "it, mass and inertia that the joints beyond it leave to it, or hold it: fixed=[...]"
        )


def refuse_large(robot: Robot, what: str, largest: int) -> None:
    if robot.nv > largest:
        raise Error(
            f"{what} of {robot.name}: {robot.nv} coordinates, more than the {largest} of which it is written out entry "
            "by entry; hold joints that need not move (fixed=[…]), or use forward_dynamics, which grows linearly"
        )


def refuse_many_followers(robot: Robot, what: str) -> None:
    count = len(robot.mechanism.bodies)
    if robot.followers and count > LARGEST_COUPLED:
        raise Error(
            f"{what} of {robot.name}: some of its {count} movable joints follow others, so that all are "
            f"solved together, which {LARGEST_COUPLED} at most can be; hold the followers (fixed=[…]), "
            'or load with mimic="independent"'
        )


def checked_truncation(what: str, truncation: Any) -> float:
    wanted = "give a share between 0 and 1, such as 1e-8"
    return checked.number(what, truncation, wanted, fits=lambda share: 0 <= share < 1)


def acting_friction(options: Any) -> Friction:
    """What dynamics are asked about damping and friction of the robot."""
    return Friction(options.friction_smoothing if options.friction else None)


def under_friction(equation: str, options: Any) -> str:
    """An equation of motion, with what friction adds to the joint forces in it where it acts."""
    speed = f"{options.friction_smoothing:g}"
    return (
        f"{equation}; friction acts along joints: -(d v + c v / sqrt(v^2 + {speed}^2))"
        if options.friction
        else equation
    )


def rank_notes(m: int, results: Mapping[str, Any], answer: str) -> list[Note]:
    """That rows depend on each other, and what was answered then."""
    ranks = np.rint(results.get("rank", m))
    broken = np.logical_or.reduce(
        [np.any(~np.isfinite(values).reshape(len(values), -1), axis=1) for values in results.values()]
    )
    sentence = "rank {:.0f} of {}: some rows depend on each other or are out of reach here; {}"
    notes = [Note(sentence.format(rank, m, answer), (ranks == rank) & ~broken) for rank in np.unique(ranks[ranks < m])]
    return [Note(NOT_FINITE, broken), *notes]


def left_at_world(quantity: str) -> Callable[[StateGraph[Any]], Coordinates]:
    """The values of a quantity that stands at the root."""
    return lambda graph: graph.world[quantity].values


def packed_port(port: Port) -> Port:
    """A symmetric output once: its lower triangle row by row, as `numpy.tril_indices` counts."""
    n, name = port.shape[0], port.name
    order = f"{name}[0,0], {name}[1,0], {name}[1,1], {name}[2,0] …"
    return Port(name, (n * (n + 1) // 2,), port.unit, f"{port.meaning}; lower triangle, row by row: {order}")


def packed_values(
    collect: Callable[[StateGraph[Any]], Coordinates],
) -> Callable[[StateGraph[Any]], Coordinates]:
    """What goes there, from the whole matrix."""
    return lambda graph: lower_triangle(collect(graph))


# ---------------------------------------------------------------- options that many computations have


JOINTS = "give a list of joints' names"


def _forces(what: str, given: Any) -> tuple[Force, ...]:
    wanted = "give the name of a frame, or a Force"
    forces = checked.several(what, given, f"{wanted}, or a list of these", str, Force, Target, Constraint)
    for force in forces:
        if (not isinstance(force, str | Force) and not _whole_wrench(force)) or not force:
            told = ": a wrench has all six rows, wrt world, at the frame" * isinstance(force, Target | Constraint)
            raise WrongType(f"{what}: {checked.shown(force)} is no force{told}; {wanted}")
        if isinstance(force, str):
            checked.name(what, force, wanted)
            warn(
                f"{what}: a wrench on {force!r} is now given as seen by the world, in version 0.1 it was by {force!r}; "
                f"mc.Force({force!r}) says so, and mc.Force({force!r}, as_seen_by={force!r}) is what it was",
                FutureWarning,
            )
    made = (force if isinstance(force, str | Force) else Force(force.frame, force.as_seen_by) for force in forces)
    return tuple(Force(force) if isinstance(force, str) else force for force in made)


def _whole_wrench(asked: Any) -> bool:
    """Whether a Target or a Constraint has the rows of a wrench on its frame."""
    usual = isinstance(asked, Target | Constraint) and (asked.wrt, tuple(asked.point)) == ("world", (0, 0, 0))
    return usual and isinstance(asked.rows, str) and asked.rows == EVERYTHING


def _smoothing(what: str, given: Any) -> float:
    wanted = "give a speed from 1e-12 to 1e12, such as 1e-3 (rad/s, m/s)"
    return checked.number(what, given, wanted, fits=lambda speed: 1e-12 <= speed <= 1e12)  # its powers fit float32


def _prescribed(what: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, Mapping):
        raise Error(f"{what} names joints; how they accelerate is the input a of each call: give a list of names")
    return checked.names(what, given, JOINTS)


class Question(Options):
    """The options of a computation of ours; those that many have are understood in one way."""

    understood: ClassVar[Mapping[str, Check]] = {
        "frame": framed,
        "frames": framed,
        "constraints": framed,
        "rows": lambda what, given: (unit_wrenches(what.removesuffix(": rows"), given), given)[1],
        "point": checked_point,
        "prescribed": _prescribed,
        "actuated": optional(lambda what, given: checked.names(what, given, JOINTS)),
        "gravity": checked_gravity,
        "parameters": parameter_names,
        "given_frames": optional(understood_frames),
        "friction_smoothing": _smoothing,
        "external_forces": _forces,
        "artificial_forces": _forces,
        "truncation": optional(checked_truncation),
    }
