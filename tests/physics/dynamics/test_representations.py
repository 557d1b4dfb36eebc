"""Inertial, body and absolute coordinates (specs/multibody-methodology.md §2.1.4, §2.4.1-2.4.3): one answer.

Witnesses: Pinocchio's model of the same tree, and Lagrange's equation of 4×4 poses, differentiated by complex steps.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.linalg import expm

import motionc as mc
from all_joints import SINGLE, Kind, Moving, Piece, build, random_tree
from motionc.geometry import SemanticError
from motionc.solvers.forward_kinematics import ForwardKinematics
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps import Problem, StateGraph, walk
from motionc.sweeps.representation import at_home
from motionc.sweeps.solver import Solver
from mutants import questions, tree
from oracle import Array, error, load, oracle
from rows import row
from trials import some

REPRESENTATIONS = ("body", "inertial", "absolute")
AWAY = REPRESENTATIONS[1:]
STEP = 1e-30


# ---------------------------------------------------------------- against Pinocchio


@row("multibody-methodology", 12)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("seed", some(range(18), 9))
def test_trees_of_all_joints_with_couplings_and_forces_are_pinocchios(seed: int, representation: str) -> None:
    x = Moving(seed)
    pushed, pulled = (str(name) for name in x.rng.choice(x.links, 2))
    forces, f_ext = [mc.Force(pushed, as_seen_by=pushed), mc.Force(pulled)], x.rng.normal(size=(2, 6))
    J = x.world.jacobian(pushed, axes=pushed) @ x.G, x.world.jacobian(pulled) @ x.G
    push = J[0].T @ f_ext[0] + J[1].T @ f_ext[1]
    kept = {"representation": representation}
    tau = mc.inverse_dynamics(x.robot, external_forces=forces, **kept).run(x.q, x.v, x.a, f_ext)
    assert error(tau, x.M @ x.a + x.h - push) < 1e-10
    a = mc.forward_dynamics(x.robot, external_forces=forces, **kept).run(x.q, x.v, x.tau, f_ext)
    assert error(a, np.linalg.solve(x.M, x.tau - x.h + push)) < 1e-10
    assert error(mc.mass_matrix(x.robot, **kept).run(x.q), x.M) < 1e-10


COMPILED = some([("panda", "inverse"), ("solo12", "forward"), ("lwr4", "inverse"), ("lwr4", "forward")], 2)


@pytest.mark.parametrize("representation", AWAY)
@pytest.mark.parametrize(("name", "way"), COMPILED)
def test_compiled_they_are_pinocchios(name: str, way: str, representation: str) -> None:
    robot, rng = load(name), np.random.default_rng(0)
    ours = getattr(mc, f"{way}_dynamics")(robot, representation=representation)
    theirs = getattr(oracle(name), f"{way}_dynamics")
    for _ in range(20):
        q, v, x = robot.random(rng), *rng.normal(size=(2, robot.nv))
        assert error(ours(q, v, x), theirs(q, v, x)) < 1e-10


# ---------------------------------------------------------------- against Lagrange


def lagrangian(pieces: Sequence[Piece], robot: mc.Robot, q: Array, v: Array) -> complex:
    """T - U = Σ ½ tr(Ẋ E Ẋᵀ) + m gᵀ c + ½ d q̇², E the 4×4 pseudo-inertia of a link: poses X and nothing else."""
    found: list[tuple[Array, Array]] = [(np.eye(4), np.zeros((4, 4)))]
    total = 0.0
    for piece in pieces[1:]:
        X, rate = (x @ piece.reference for x in found[piece.parent])
        if f"to_{piece.name}" in robot.v_index:
            k = robot.v_index[f"to_{piece.name}"].start
            moved, twist = expm(generator(piece.joint) * q[k]), generator(piece.joint) * v[k]
            X, rate = X @ moved, (rate + X @ twist) @ moved
            total += 0.5 * piece.joint["transmission"].rotor_inertia * v[k] ** 2 if "transmission" in piece.joint else 0
        X, rate = (x @ np.linalg.inv(piece.target) for x in (X, rate))
        found.append((X, rate))
        spread = 0.5 * np.trace(piece.inertia) * np.eye(3) - piece.inertia
        at_origin = np.append(piece.com, 1.0)
        E = np.pad(spread, (0, 1)) + piece.mass * np.outer(at_origin, at_origin)
        total += 0.5 * np.trace(rate @ E @ rate.T) - 9.81 * piece.mass * (X @ at_origin)[2]
    return total


def generator(joint: dict) -> Array:
    """The 4×4 matrix whose exponential moves a joint by one."""
    axis = np.array(joint["axis"]) / np.linalg.norm(joint["axis"])
    turns = joint["type"] is not Kind.PRISMATIC
    slide = axis if not turns else joint.get("pitch", 0.0) * axis
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), axis) * turns, slide
    return matrix


@row("multibody-methodology", 12)
@pytest.mark.parametrize("seed", range(6))
def test_inverse_dynamics_is_lagranges_equation(seed: int) -> None:
    """τ = d/dt ∂L/∂q̇ - ∂L/∂q, on trees of joints that turn, slide and screw."""
    rng = np.random.default_rng(seed)
    pieces = random_tree(seed, [Kind(kind) for kind in rng.choice(SINGLE, 5)])
    robot = build(pieces, mimic="independent")
    q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))

    def push(e: Array, q: Array, v: Array) -> complex:
        """∂L/∂q̇ along e: L is quadratic in q̇, so that a difference is exact."""
        return 0.5 * (lagrangian(pieces, robot, q, v + e) - lagrangian(pieces, robot, q, v - e))

    expected = [
        push(e, q + 1j * STEP * v, v + 1j * STEP * a).imag / STEP
        - lagrangian(pieces, robot, q + 1j * STEP * e, v).imag / STEP
        for e in np.eye(robot.nv)
    ]
    for representation in REPRESENTATIONS:
        tau = mc.inverse_dynamics(robot, representation=representation).run(q, v, a)
        assert error(tau, np.array(expected)) < 1e-10


# ---------------------------------------------------------------- every solver, one answer


def answers(solver: Solver, normalise: bool = True) -> Array:
    """All outputs at some state, one after the other, but for how far rows depend: that estimate turns on rounding."""
    rng = np.random.default_rng(1)
    inputs = [solver.robot.random(rng), *(rng.normal(size=port.shape) for port in solver.inputs[1:])]
    found = solver.run(*inputs, normalise=normalise)
    return np.concatenate([np.ravel(found[port.name]) for port in solver.outputs if port.name != "conditioning"])


@pytest.mark.parametrize("representation", some(AWAY))
def test_every_solver_there_is_checks_and_agrees(representation: str) -> None:
    for solver in questions():
        if "q" not in {port.name for port in solver.inputs}:
            continue  # about two configurations: bodies stand nowhere
        if getattr(solver.options, "method", "") == "rk4":
            continue  # asks again at other configurations: where bodies are at home is said once
        if solver.name == "coriolis_matrix":
            continue  # asks of each joint what its rates are in its own frame, where directions are numbers
        away = replace(solver, representation=representation)
        for normalise in (True, False):
            away.check(normalise=normalise)
            # where there are more rows than joints, or motors at their limits, rounding decides between many answers
            if solver.name not in ("constrained_dynamics", "inverse_kinematics_step"):
                assert error(answers(away, normalise), answers(solver)) < 1e-10, solver.name


@pytest.mark.parametrize("representation", AWAY)
def test_constraints_are_the_same_wherever_bodies_are_at_home(representation: str) -> None:
    rows = [mc.Constraint("tool", "x y", wrt="leg", point=(0.1, 0, 0.2)), mc.JointConstraint("wrist")]
    for floating in (False, True):
        solver = mc.constrained_dynamics(tree(floating), rows).solver
        assert error(answers(replace(solver, representation=representation)), answers(solver)) < 1e-10


NINE = ["base", "mark", "upper", "joint:shoulder", "camera", "lower", "joint:elbow", "probe", "tool"]


def two_joints() -> tuple[mc.Robot, dict[str, Array]]:
    """Base, two links, nine frames; and where each is in the frame of its link."""
    turned = {name: mc.placed((0.1 * k, -0.2, 0.05 * k), (0.3 * k, 0.2, -0.1)) for k, name in enumerate(NINE)}
    here = dict.fromkeys(("base", "upper", "lower"), np.eye(4))

    def segment(name: str, *features: str) -> mc.Segment:
        link = mc.Link.rigid(name, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1), {frame: turned[frame] for frame in features})
        far = mc.Attachment(f"{name}>", mc.Role.JOINT, mc.placed((0.5, 0.1, 0), (0, 0.4, 0)))
        return mc.Segment(name, link, (far, mc.Attachment(f"{name}<", mc.Role.JOINT, turned["joint:elbow"])))

    base, upper, lower = segment("base", "mark"), segment("upper", "camera"), segment("lower", "probe", "tool")
    shoulder = mc.Joint("shoulder", Kind.REVOLUTE, (upper, "upper<"), (base, "base>"), (0, 1, 0))
    elbow = mc.Joint("elbow", Kind.PRISMATIC, (lower, "lower<"), (upper, "upper>"), (0.6, 0, 0.8))
    joint_frames = {"joint:shoulder": turned["joint:elbow"], "joint:elbow": turned["joint:elbow"]}
    return mc.Robot(mc.KinematicChain("two_joints", (shoulder, elbow))), turned | here | joint_frames


@row("multibody-methodology", 11)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_any_frames_of_nine_are_where_the_chain_of_poses_puts_them(representation: str) -> None:
    robot, local = two_joints()
    assert set(NINE) <= set(robot.frame_names)
    q, far, back = (0.7, -0.3), mc.placed((0.5, 0.1, 0), (0, 0.4, 0)), np.linalg.inv(local["joint:elbow"])
    turn = expm(q[0] * np.pad(np.cross(np.eye(3), [0, 1.0, 0]), (0, 1)))
    slide = mc.placed(q[1] * np.array([0.6, 0, 0.8]), (0, 0, 0))
    upper = far @ turn @ back
    lower = upper @ far @ slide @ back
    links = [np.eye(4)] * 2 + [upper] * 3 + [lower] * 4
    expected = {name: link @ local[name] for name, link in zip(NINE, links, strict=True)}
    asked = [NINE, NINE[::-1], *([name] for name in NINE), *permutations(NINE[3:6]), *combinations(NINE, 8)]
    for frames in asked:
        solver = ForwardKinematics(frames=list(frames)).solver(robot)
        (port,) = solver.outputs
        poses = replace(solver, representation=representation).run(q)[port.name]
        assert error(poses, np.array([expected[name] for name in frames])) < 1e-13


# ---------------------------------------------------------------- what is kept apart


def graph(representation: str) -> StateGraph:
    """The states that inverse dynamics leaves, names alone."""
    inputs = dict.fromkeys(("q", "v", "a"))
    return walk(INVERSE_DYNAMICS, at_home(tree(True).mechanism, representation, inputs), Problem(inputs))


@pytest.mark.parametrize(("one", "other"), list(permutations(REPRESENTATIONS, 2)))
def test_quantities_of_two_representations_do_not_mix(one: str, other: str) -> None:
    ours, theirs = graph(one), graph(other)
    differ = r"(point|as_seen_by)"
    for mine, foreign in zip(ours, theirs, strict=True):
        for quantity in ("twist", "classical_acceleration", "wrench"):
            with pytest.raises(SemanticError, match=f"{differ} of"):
                mine[quantity] + foreign[quantity]
            with pytest.raises(SemanticError, match=f"{differ} of"):
                setattr(mine, quantity, foreign[quantity])
        with pytest.raises(SemanticError, match=r"of .* is"):
            mine.pose = foreign.pose
    bodies = zip(*(at_home(tree(True).mechanism, kept, {"q": None}).bodies for kept in (one, other)), strict=True)
    for body, elsewhere in bodies:
        S = elsewhere.joint.basis(body.body, ours.world.body)
        with pytest.raises(SemanticError, match=f"{differ} differ"):
            body.inertia.along(S)


def test_an_unknown_representation_is_refused_in_a_sentence() -> None:
    robot = mc.load("planar2")
    for make in (mc.inverse_dynamics, mc.forward_dynamics, mc.mass_matrix):
        with pytest.raises(mc.Error, match="representation='spatial'; say 'body' or 'inertial' or 'absolute'"):
            make(robot, representation="spatial")


def test_each_representation_is_built_for_itself() -> None:
    robot = mc.load("planar2")
    known = {mc.inverse_dynamics(robot, representation=kept).identity() for kept in REPRESENTATIONS}
    assert len(known - {None}) == 3


# ---------------------------------------------------------------- what it costs

# arithmetic operations on the LWR 4, as docs/guide/representations.md says
COSTS = {
    mc.inverse_dynamics: (769, 1506, 1726),
    mc.forward_dynamics: (1519, 2911, 3242),
    mc.mass_matrix: (305, 1197, 1318),
    mc.gravity_forces: (198, 176, 217),
}


@pytest.mark.parametrize("make", COSTS, ids=lambda make: make.__name__)
def test_the_body_s_own_frame_is_cheapest_but_for_gravity_alone(make) -> None:
    robot = mc.load("lwr4")
    body, inertial, absolute = (sum(make(robot, representation=kept).operations.values()) for kept in REPRESENTATIONS)
    assert all(now <= said for now, said in zip((body, inertial, absolute), COSTS[make], strict=True))
    assert inertial < absolute
    assert (inertial < body) == (make is mc.gravity_forces)
