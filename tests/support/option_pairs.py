"""For every option of every computation two values that give other numbers, or the reason why it changes none."""

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

import motionc as mc
from motionc.computations import CATALOGUE
from motionc.simulate import Capsule, Compliant, Contact, HeightField, Plane, Solid, Sphere
from motionc.sweeps import BodyState
from motionc.sweeps.joint_view import JointView
from motionc.targets import c

TIP, MID = "link_7", "link_4"
HELD = mc.Constraint(TIP, "xyz")
FOOT = mc.Constraint(MID, "xyz rx ry", source="contact")
BOTH = [HELD, mc.JointConstraint("joint_1", level=2)]
FORCE = mc.Force(TIP, as_seen_by="world")
MOON = (0.0, 0.0, -1.62)
ARM = ["joint_0", "joint_1"]

DYNAMICS: dict[str, Any] = {
    "external_forces": ([mc.Force(TIP, as_seen_by=TIP)], [mc.Force(MID)]),
    "gravity": ((0.0, 0.0, -9.81), MOON),
    "parameters": ((), ["gravity"]),
    "precision": ("double", "single"),
    "representation": ("body", "absolute"),
}
FRICTION: dict[str, Any] = {
    "friction": (False, True),
    "friction_smoothing": (1e-3, 0.5, {"friction": True}),
}
MASSES: dict[str, Any] = {
    "parameters": ((), ["link_7.mass"]),
    "precision": ("double", "single"),
    "representation": ("body", "inertial"),
}
WHERE: dict[str, Any] = {
    "wrt": ("world", "link_1"),
    "point": ((0, 0, 0), (0.1, 0, 0)),
    "as_seen_by": ("world", TIP),
    "parameters": ((), ["joint_3.origin"]),
    "precision": ("double", "single"),
}
GIVEN: dict[str, Any] = {"given_frames": ({"T": "world"}, {"T": MID}, {"as_seen_by": "T"})}
FEW = ["multipliers", "rank"]


@mc.operation(mc.OUTWARD, needs=["joint_force"], gives=["joint_force"])
def twice(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_force = child.joint_force + child.joint_force


OF_ROWS: dict[str, Any] = {
    "robot": mc.load("planar2"),
    "schedule": mc.schedules.CONSTRAINED_DYNAMICS + mc.sweep(mc.schedules.clip),
    "constraints": [mc.Constraint("tip", "x")],
    "limits": [100.0, 200.0],
    "outputs": {"tau": "commanded"},
}
"""Rows in a schedule of one's own, on the smallest arm."""

NEEDED: dict[str, dict[str, Any]] = {
    "jacobian": {"frame": TIP},
    "jacobian_rate": {"frame": TIP},
    "frame_motion": {"frames": [TIP]},
    "transform": {"wrt": "world", "frame": TIP},
    "path_jacobian": {"wrt": "world", "frame": TIP},
    "inverse_velocity": {"frames": TIP},
    "hybrid_dynamics": {"prescribed": ["joint_1"]},
    "constrained_dynamics": {"constraints": [HELD]},
    "operational_space": {"frames": TIP},
    "impact": {"constraints": [HELD]},
    "step": {"dt": 0.1},
    "inverse_kinematics": {"frames": TIP},
    "solve": {"schedule": mc.schedules.INVERSE_DYNAMICS, "outputs": {"tau": "joint_force"}},
}
"""What a computation must be told besides the option in question."""

DEEP = Plane((0.1, 0.0, 1.0), (0.0, 0.0, 3.0))
TOUCH = [
    Contact(TIP, DEEP, friction=0.1, name="soft", law=Compliant(10.0)),
    Contact(MID, DEEP, shape=Sphere(0.1)),
    Contact(TIP, Solid(Capsule(2.0, 1.0), "world"), shape=Sphere(0.1)),
    Contact(MID, HeightField([[3.0, 3.1], [2.9, 3.2]], 1.0), name="ground"),
]
"""Deep inside each other, wherever the robot is."""

PAIRS: dict[str, dict[str, tuple[Any, ...]]] = {
    "forward_kinematics": {
        "frames": ([TIP], [MID]),
        "given_frames": ({"T": "world"}, {"T": MID}, {"frames": ["T"]}),
        "parameters": ((), ["joint_3.origin"]),
        "precision": ("double", "single"),
    },
    "jacobian": {"frame": (TIP, MID), **WHERE, **GIVEN},
    "jacobian_rate": {"frame": (TIP, MID), "outputs": (["bias"], ["J_dot"]), **WHERE},
    "frame_motion": {"frames": ([TIP], [MID]), "outputs": (["twist"], ["classical"]), **WHERE},
    "transform": {
        "wrt": ("world", "link_1"),
        "frame": (TIP, MID),
        "outputs": (["motion"], ["force"]),
        "precision": ("double", "single"),
    },
    "path_jacobian": {"wrt": ("world", "link_1"), "frame": (TIP, MID), "precision": ("double", "single")},
    "inverse_velocity": {
        "frames": (TIP, MID),
        "method": ("pseudo_inverse", "damped"),
        "rows": ("x y z rx ry rz", "rx ry rz x y z"),
        "damping_factor": (0.01, 0.1, {"method": "damped"}),
        "joint_weights": (None, "inertia"),
        "row_weights": (None, [1, 1, 1, 2, 2, 9], {"method": "damped"}),
        "outputs": (["v"], ["v", "residual"]),
        **WHERE,
    },
    "inverse_dynamics": DYNAMICS | FRICTION,
    "forward_dynamics": DYNAMICS | FRICTION,
    "bias_forces": {name: DYNAMICS[name] for name in ("gravity", "parameters", "precision", "representation")},
    "gravity_forces": {name: DYNAMICS[name] for name in ("gravity", "parameters", "precision", "representation")},
    "hybrid_dynamics": {"prescribed": (["joint_1"], ["joint_2"]), **DYNAMICS, **FRICTION},
    "constrained_dynamics": {
        "constraints": ([HELD], [mc.Constraint(TIP, "xyz", as_seen_by=TIP)]),
        "prescribed": ((), ["joint_0"]),
        "regularisation": (0.0, 0.1),
        "truncation": (None, 0.9, {"constraints": [mc.Constraint(TIP, "xyz rx ry rz")], "outputs": FEW}),
        "posture": (0.0, 1.0),
        "refine": (False, True),
        "actuated": (["joint_1"], ["joint_2", "joint_3"], {"outputs": ["unactuated"]}),
        "limits": ({"joint_1": 1.0}, {"joint_1": 2.0}),
        "on_limit": ("optimal", "clip", {"limits": {"joint_1": 1.0}}),
        "moment_arm": (0.1, 0.2, {"constraints": [FOOT, HELD], "actuated": ["joint_2"], "outputs": ["tau_command"]}),
        "physical_torques": (False, True),
        "artificial_forces": ([mc.Force(TIP, as_seen_by=TIP)], [mc.Force(MID)]),
        "activation": (False, True),
        "weights": (False, True),
        "given_frames": ({"T": "world"}, {"T": MID}, {"constraints": [mc.Constraint(TIP, "x", as_seen_by="T")]}),
        "outputs": (["a"], ["residual"]),
        **FRICTION,
        **{name: DYNAMICS[name] for name in ("external_forces", "gravity", "parameters", "precision")},
    },
    "operational_space": {
        "frames": (TIP, MID),
        "rows": ("xyz", "zyx"),
        "truncation": (None, 0.9, {"outputs": ["Lambda", "rank"]}),
        "outputs": (["mu"], ["p"]),
        "packed": (False, True),
        "gravity": DYNAMICS["gravity"],
        **WHERE,
    },
    "impact": {
        "constraints": ([HELD], [mc.Constraint(TIP, "xyz", as_seen_by=TIP)]),
        "restitution": (0.0, 0.5),
        "moving_surface": (False, True),
        "truncation": (None, 0.9, {"constraints": [mc.Constraint(TIP, "xyz rx ry rz")]}),
        "outputs": (["v_after"], ["impulse"]),
        "parameters": ((), ["link_7.mass"]),
        "precision": ("double", "single"),
    },
    "mass_matrix": {"method": ("composite", "innovations"), "packed": (False, True), **MASSES},
    "mass_matrix_inverse": {"method": ("composite", "innovations"), "packed": (False, True), **MASSES},
    "mass_matrix_solve": MASSES,
    "mass_matrix_factor": MASSES,
    "coriolis_matrix": {name: MASSES[name] for name in ("parameters", "precision")},
    "center_of_mass": {
        "outputs": (["com"], ["mass"]),
        "parameters": ((), ["link_7.mass"]),
        "precision": ("double", "single"),
    },
    "centroidal_momentum": {
        "outputs": (["hG"], ["bias"]),
        "parameters": ((), ["link_7.mass"]),
        "precision": ("double", "single"),
    },
    "energy": {name: DYNAMICS[name] for name in ("gravity", "parameters", "precision")},
    "regressor": {name: DYNAMICS[name] for name in ("gravity", "parameters", "precision", "representation")},
    **{name: {"precision": ("double", "single")} for name in ("integrate", "difference", "interpolate")},
    "step": {
        "dt": (0.1, 0.01),
        "method": ("semi_implicit", "rk4"),
        "stiffness": (0.0, 10.0),
        "damping": (0.0, {"joint_1": 10.0}),
        "implicit_stiffness": (False, True, {"stiffness": 10.0}),
        "contacts": (TOUCH[:1], TOUCH[1:]),
        "limits": (False, True),
        "stiction": (False, True),
        "brakes": ({"joint_1": 5.0}, {"joint_1": 1.0}),
        "sweeps": (5, 1, {"contacts": TOUCH}),
        "moving_surface": (False, True, {"contacts": TOUCH}),
        "contact_friction": (False, True, {"contacts": TOUCH}),
        "outputs": (["q_next", "v_next"], ["v_next"]),
        **FRICTION,
        **{name: DYNAMICS[name] for name in ("external_forces", "gravity", "parameters", "precision")},
    },
    "inverse_kinematics": {
        "frames": (TIP, MID),
        "rows": ("x y z rx ry rz", "xyz"),
        "wrt": WHERE["wrt"],
        "point": WHERE["point"],
        "as_seen_by": ("world", TIP, {"rows": "x y"}),
        "tolerance": (1e-6, 1e-3),
        "limits": (None, ([-0.1] * 5, [0.1] * 5)),
        "posture": (None, "start"),
        "joint_weights": (None, [1, 2, 3, 4, 5]),
        "parameters": ((), ["joint_3.origin"]),
    },
    "solve": {
        "outputs": ({"tau": "joint_force"}, {"w": mc.Output("wrench", "link_7")}),
        "inputs": (["q", "v", "a"], ["a", "v", "q"]),
        "constants": (None, {"a": 0.0}),
        "schedule": (mc.schedules.INVERSE_DYNAMICS, mc.schedules.INVERSE_DYNAMICS + mc.sweep(twice)),
        "constraints": ([mc.Constraint("tip", "x")], [mc.Constraint("tip", "y")], OF_ROWS),
        "regularisation": (0.0, 0.1, OF_ROWS),
        "truncation": (None, 0.99, OF_ROWS | {"constraints": [mc.Constraint("tip", "x y rz")]}),
        "posture": (0.0, 1.0, OF_ROWS),
        "actuated": (["shoulder"], ["elbow"], OF_ROWS | {"constraints": [], "limits": [np.inf, np.inf]}),
        "limits": ({"elbow": 0.01}, {"elbow": 0.02}, OF_ROWS),
        "activation": (False, True, OF_ROWS),
        "weights": (False, True, OF_ROWS),
        "artificial_forces": ([mc.Force("tip", as_seen_by="tip")], [mc.Force("tip")], OF_ROWS),
        "given_frames": ({"T": "world"}, {"T": MID}, {"outputs": {"w": mc.Output("wrench", "link_7", as_seen_by="T")}}),
        **DYNAMICS,
    },
}
"""By computation and option: two values, and what else must be said for them to matter."""

NO_NUMBER: dict[tuple[str, str], str] = {
    ("solve", "name"): "it names the function that is emitted, and computes nothing",
    ("inverse_kinematics", "iterations"): "of the search around the step, whose numbers alone are compared",
    ("inverse_kinematics", "restarts"): "of the search around the step, whose numbers alone are compared",
    ("inverse_kinematics", "seed"): "of the search around the step, whose numbers alone are compared",
}

KEPT_AS = {("inverse_kinematics", "limits"): ("lower", "upper")}
"""Options that reach the step which is repeated under other names."""


def every_option() -> list[tuple[str, str]]:
    """(computation, option), of all that there are."""
    return [(name, field.name) for name, asked in CATALOGUE.items() for field in fields(asked)]


@cache
def robot() -> mc.Robot:
    """An arm with dampers and friction at its joints, of which two are held."""
    chain = mc.load("lwr4").chain
    at = mc.Transmission(damping=0.7, friction=0.4)
    joints = tuple(replace(joint, transmission=at) for joint in chain.joints)
    return mc.Robot(replace(chain, joints=joints), fixed=["joint_4", "joint_5"])


def two(name: str, option: str) -> tuple[Any, Any]:
    """The computations that differ in one option alone; of inverse kinematics, the step it repeats."""
    first, second, *more = PAIRS[name][option]
    arguments = {"robot": robot()} | NEEDED.get(name, {}) | (more[0] if more else {})
    made = [getattr(mc, name)(**arguments | {option: value}) for value in (first, second)]
    return (made[0].step, made[1].step) if name == "inverse_kinematics" else (made[0], made[1])


def numbers(computation: Any) -> bytes:
    """All that it gives for numbers drawn from the spaces of its inputs, in its own precision, with shapes."""
    rng = np.random.default_rng(3)
    given = [port.space.draw(rng).reshape(port.shape) for port in computation.inputs]
    found = computation.solver.run(*given)
    kind = np.float32 if computation.solver.precision == "single" else np.float64
    shapes = repr([(port.name, port.shape) for port in (*computation.inputs, *computation.outputs)]).encode()
    return shapes + b"".join(np.asarray(value, kind).tobytes() for value in found.values())


def told_apart(name: str, option: str) -> bool:
    """Whether two that give other numbers have other identities; of a user's own solver, other texts."""
    one, other = two(name, option)
    assert numbers(one) != numbers(other), f"{name}, {option}: the numbers are the same; find values that matter"
    if one.identity() is None:
        texts = (c.emit(each.program, "one", each.solver.precision).together for each in (one, other))
        return len(set(texts)) > 1
    return one.identity() != other.identity()
