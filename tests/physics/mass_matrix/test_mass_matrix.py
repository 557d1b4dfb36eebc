"""The mass matrix, its factor and inverse, and the forces beside it: against Pinocchio, print and closed forms."""

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import motionc as mc
from all_joints import JointByJoint, Kind, Moving, build, random_tree
from chains import chain
from motionc.robots import robot_file
from motionc.sweeps import Problem, walk
from motionc.targets import c
from mutants import tree
from oracle import Array, Oracle, error
from rows import row
from trials import some, trials

STATES = 3


def size(computation: mc.Computation) -> int:
    return sum(computation.operations.values())


# ---------------------------------------------------------------- against Pinocchio


@pytest.mark.parametrize("seed", range(trials(30)))
def test_masses_and_forces_of_all_joints_agree(seed: int) -> None:
    """Followers with their leaders, rotors on the diagonal."""
    x = Moving(seed)
    assert error(mc.mass_matrix(x.robot).run(x.q), x.M) < 1e-10
    assert error(mc.mass_matrix_inverse(x.robot).run(x.q), np.linalg.inv(x.M)) < 1e-10
    assert error(mc.bias_forces(x.robot).run(x.q, x.v), x.h) < 1e-10
    assert error(mc.gravity_forces(x.robot).run(x.q), x.G.T @ x.world.gravity_forces(x.Q)) < 1e-10


@pytest.mark.parametrize("name", ["lwr4", "hyq_leg"])
def test_compiled_they_are_the_same(name: str) -> None:
    robot = mc.load(name)
    q, v = robot.random(3), np.random.default_rng(3).normal(size=robot.nv)
    for make in (mc.mass_matrix, mc.mass_matrix_factor, mc.mass_matrix_inverse, mc.gravity_forces):
        assert error(make(robot)(q), make(robot).run(q)) < 1e-10
    assert error(mc.bias_forces(robot)(q, v), mc.bias_forces(robot).run(q, v)) < 1e-10


# ---------------------------------------------------------------- each entry once


@pytest.mark.parametrize("seed", range(trials(10)))
def test_packed_they_are_the_lower_triangles_of_pinocchio_s(seed: int) -> None:
    x = Moving(seed)
    rows, columns = np.tril_indices(x.robot.nv)
    expected = {mc.mass_matrix: x.M, mc.mass_matrix_inverse: np.linalg.inv(x.M)}
    for make, whole in expected.items():
        packed = make(x.robot, packed=True)
        assert error(packed.run(x.q), whole[rows, columns]) < 1e-10
        # and unfolded the matrix
        full = np.empty(whole.shape)
        full[rows, columns] = full[columns, rows] = packed.run(x.q)
        assert error(full, whole) < 1e-10


@pytest.mark.calls
@pytest.mark.parametrize("method", ["composite", "innovations"])
@pytest.mark.parametrize("make", [mc.mass_matrix, mc.mass_matrix_inverse], ids=["mass matrix", "inverse"])
def test_packed_calls_batches_and_derivatives_have_half_the_rows_and_no_operation_more(
    make: Callable[..., mc.Computation], method: str
) -> None:
    robot = tree(True)
    whole, packed = make(robot, method=method), make(robot, method=method, packed=True)
    lower, name = np.tril_indices(robot.nv), packed.outputs[0].name
    assert packed.outputs[0].shape == (robot.nv * (robot.nv + 1) // 2,)
    assert f"{name}[1,0], {name}[1,1]" in packed.outputs[0].meaning
    assert size(packed) <= size(whole)
    q = np.array([robot.random(k) for k in range(9)])
    expected = np.array([whole(each)[lower] for each in q])
    assert error(np.array([packed(each) for each in q]), expected) < 1e-12
    assert error(packed.batch(q), expected) < 1e-12
    assert error(packed.batch(q.T, axis=-1).T, expected) < 1e-12
    assert packed.batch(q).nbytes < whole.batch(q).nbytes * 0.6
    change = whole.derivative(name, "q")(q[0])
    assert error(packed.derivative(name, "q")(q[0]), change[lower]) < 1e-12


# ---------------------------------------------------------------- against definitions


@row("robcogen", 24, 28)
@pytest.mark.parametrize("name", ["lwr4", "hyq"])
def test_inverse_dynamics_is_mass_velocity_and_gravity_terms(name: str) -> None:
    """g is what holds the robot at rest, so that tau = M a + C + g; columns of M are forces for unit accelerations."""
    robot, rng = mc.load(name), np.random.default_rng(0)
    inverse, still = mc.inverse_dynamics(robot), np.zeros(robot.nv)
    mass, gravity = mc.mass_matrix(robot), mc.gravity_forces(robot)
    velocity = mc.bias_forces(robot, gravity=(0, 0, 0))
    for _ in range(3):
        q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))
        M, g = mass.run(q), gravity.run(q)
        assert error(inverse.run(q, v, a), M @ a + velocity.run(q, v) + g) < 1e-10
        assert error(g, inverse.run(q, still, still)) < 1e-12
        assert error(M, np.array([inverse.run(q, still, unit) - g for unit in np.eye(robot.nv)]).T) < 1e-10
        assert np.array_equal(M, M.T)
        assert np.all(np.linalg.eigvalsh(M) > 0)


@row("robcogen", 24, 28)
def test_the_leg_of_hyq_has_the_printed_mass_matrix() -> None:
    """specs/robcogen.md §3.4: the left front leg, trunk fixed."""
    robot, q, v = mc.load("hyq_leg"), [0.3, -0.5, 0.9], [0.7, -1.1, 0.5]
    H = [[0.3737534, -4.5255e-5, 0], [-4.5255e-5, 0.271804658, 0.050096079], [0, 0.050096079, 0.026181]]
    assert np.allclose(mc.mass_matrix(robot).run(q), H, rtol=0, atol=1e-8)
    assert np.allclose(mc.gravity_forces(robot).run(q), [3.173511576, -3.334675061, 0.406997495], rtol=0, atol=1e-8)
    velocity = mc.bias_forces(robot, gravity=(0, 0, 0)).run(q, v)
    assert np.allclose(velocity, [-0.182342256, -0.026422546, 0.049563268], rtol=0, atol=1e-8)


def test_two_links_have_the_mass_matrix_of_the_textbook() -> None:
    """Point masses m at the ends of two links of length l, gravity in the plane."""
    robot, m, l, g = mc.load("planar2"), 0.3, 0.4, 9.81
    (q1, q2), (v1, v2) = q, v = np.array([0.4, -1.1]), np.array([0.7, 1.3])
    c = m * l**2 * np.cos(q2)
    M = [[3 * m * l**2 + 2 * c, m * l**2 + c], [m * l**2 + c, m * l**2]]
    s = m * l**2 * np.sin(q2)
    C = [-s * (2 * v1 * v2 + v2**2), s * v1**2]
    # links lie along y at zero: turning lowers what is above
    G = [-2 * m * g * l * np.sin(q1) - m * g * l * np.sin(q1 + q2), -m * g * l * np.sin(q1 + q2)]
    down = {"gravity": (0, -g, 0)}
    assert np.allclose(mc.mass_matrix(robot).run(q), M, rtol=0, atol=1e-14)
    assert np.allclose(mc.gravity_forces(robot, **down).run(q), G, rtol=0, atol=1e-14)
    assert np.allclose(mc.bias_forces(robot, **down).run(q, v), np.add(C, G), rtol=0, atol=1e-14)


@row("multibody-methodology", 13)
@pytest.mark.parametrize("seed", range(8))
def test_composite_bodies_and_the_sum_over_all_links_are_one_matrix(seed: int) -> None:
    """M = Σ Jᵀ diag(I, m) J over the links: Hᵀ Φᵀ M Φ H, each Jacobian a block row of Φ H."""
    robot = build(random_tree(seed, rotors=False))
    q = robot.random(seed)
    expected = np.zeros((robot.nv, robot.nv))
    for link in robot.links:
        J = mc.jacobian(robot, link.name, point=tuple(link.com), as_seen_by=link.name).run(q)
        expected += J[:3].T @ link.inertia @ J[:3] + link.mass * J[3:].T @ J[3:]
    M = mc.mass_matrix(robot).run(q)
    assert error(M, expected) < 1e-12
    assert np.all(np.linalg.eigvalsh(M) > 0)


@row("robcogen", 30, 31)
@pytest.mark.parametrize(("name", "floating"), [("lwr4", False), ("hyq", False), ("hyq", True)])
def test_factor_and_inverse_belong_to_the_matrix(name: str, floating: bool) -> None:
    """A chain, branches, a floating base, by Pinocchio's matrix; L is empty wherever it is."""
    robot = mc.load(name, floating=floating)
    world = Oracle(robot_file(name), robot)
    for seed in range(STATES):
        q = robot.random(seed)
        M, L, M_inv = (f(robot).run(q) for f in (mc.mass_matrix, mc.mass_matrix_factor, mc.mass_matrix_inverse))
        theirs = world.mass_matrix(q)
        assert error(L.T @ L, theirs) < 1e-12
        assert error(theirs @ M_inv, np.eye(robot.nv)) < 1e-10
        right = np.cos(np.arange(robot.nv))
        assert error(theirs @ mc.mass_matrix_solve(robot).run(q, right), right) < 1e-10
        assert np.all(np.triu(L, 1) == 0)
        # within a floating base M has zeros that are not the tree's
        beyond = 6 * floating
        assert not np.any(L[beyond:, beyond:][M[beyond:, beyond:] == 0])
        assert np.array_equal(M_inv, M_inv.T)


# ---------------------------------------------------------------- the tree's zeros


def zeros(computation: mc.Computation) -> Array:
    """Which entries of the output are the constant zero in the program."""
    steps = computation.program.instructions
    found = [steps[value].op == "const" and steps[value].data == 0 for value in computation.program.results[0]]
    return np.reshape(found, computation.outputs[0].shape)


@row("robcogen", 29, 30)
def test_nothing_is_computed_for_joints_on_different_branches() -> None:
    """Four legs of three joints on a trunk that is held: 108 exact zeros of 144, four legs cost four times one."""
    quadruped, leg = mc.load("hyq", floating=False), mc.load("hyq_leg")
    apart = np.kron(np.eye(4), np.ones((3, 3))) == 0
    assert apart.sum() == 108
    for make in (mc.mass_matrix, mc.mass_matrix_factor, mc.mass_matrix_inverse):
        assert np.all(zeros(make(quadruped))[apart])
        # sharing aside; legs that are turned parts have some signs of their own
        assert size(make(quadruped)) <= 4 * size(make(leg)) + 8


@row("robcogen", 29, 30)
@pytest.mark.parametrize("make", [mc.mass_matrix, mc.mass_matrix_factor])
def test_no_statement_of_emitted_code_is_about_a_zero(make: Callable[[mc.Robot], mc.Computation]) -> None:
    """Loops write stretches of zeros, and each entry is written once; and compiled the zeros are there."""
    robot = mc.load("hyq", floating=False)
    asked, q = make(robot), robot.random(0)
    (port,) = asked.outputs
    text = c.emit(asked.program, "legs", "double").source
    lines = [line.strip() for line in text.splitlines() if f"{port.name}[" in line and "=" in line]
    loop = re.compile(rf"for \(int t0 = (\d+); t0 < (\d+); \+\+t0\) {port.name}\[t0\] = 0\.0;")
    loops = [match for line in lines if (match := loop.fullmatch(line))]
    filled = [k for match in loops for k in range(int(match[1]), int(match[2]))]
    places = [int(place) for place in re.findall(rf"{port.name}\[(\d+)\] = ", "\n".join(lines))]
    assert len(places) + len(loops) == len(lines)
    assert sorted(filled + places) == list(range(144))
    assert zeros(asked).ravel()[filled].all()
    assert len(filled) >= 100
    M = Oracle(robot_file("hyq"), robot).mass_matrix(q)
    found = asked(q)
    assert error(found if make is mc.mass_matrix else found.T @ found, M) < 1e-12
    assert not found[zeros(asked)].any()


@row("robcogen", 33)
def test_on_a_floating_base_the_legs_still_do_not_meet() -> None:
    floating = mc.mass_matrix(mc.load("hyq"))
    assert floating.outputs[0].shape == (18, 18)
    assert zeros(floating)[6:, 6:].sum() == 108 + 8  # of a leg, hip and knee never meet
    assert not zeros(floating)[:3, :3].any()


def test_of_a_smaller_question_only_the_smaller_program_is_left() -> None:
    robot = mc.load("lwr4")
    inverse, bias, gravity = (size(f(robot)) for f in (mc.inverse_dynamics, mc.bias_forces, mc.gravity_forces))
    assert gravity < bias / 3
    assert bias < inverse
    assert not mc.gravity_forces(robot, gravity=(0, 0, 0)).operations


# ---------------------------------------------------------------- innovations


@row("multibody-methodology", 14)
@pytest.mark.parametrize("seed", range(trials(30)))
def test_both_ways_to_the_mass_matrix_and_its_inverse_agree(seed: int) -> None:
    """(1 + K Φ H)ᵀ D (1 + K Φ H) and (1 - K Ψ H) D⁻¹ (1 - K Ψ H)ᵀ are Pinocchio's matrix and its inverse; D > 0."""
    pieces = random_tree(seed)
    robot = build(pieces, mimic="independent")
    q = robot.random(seed)
    theirs = JointByJoint(pieces, robot).mass_matrix(q)
    M, M_inv = (make(robot, method="innovations").run(q) for make in (mc.mass_matrix, mc.mass_matrix_inverse))
    assert error(M, theirs) < 1e-10
    assert error(M_inv, np.linalg.inv(theirs)) < 1e-10
    assert error(M @ M_inv, np.eye(robot.nv)) < 1e-10

    still = np.zeros((robot.nv, 1))
    graph = walk(mc.schedules.INNOVATIONS, robot.mechanism, Problem({"q": q.reshape(-1, 1), "v": still, "tau": still}))
    pivots = np.concatenate([np.linalg.eigvalsh(state.projector.inertia.values) for state in graph])
    assert len(pivots) == robot.nv
    assert np.all(pivots > 0)
    assert np.isclose(np.log(pivots).sum(), np.linalg.slogdet(theirs)[1], rtol=0, atol=1e-9)


def test_composite_bodies_are_the_shorter_way() -> None:
    robot = mc.load("lwr4")
    for make in (mc.mass_matrix, mc.mass_matrix_inverse):
        assert size(make(robot)) < size(make(robot, method="innovations"))


# ---------------------------------------------------------------- what is refused


def test_a_wrong_question_gets_a_sentence() -> None:
    robot = tree(False, coupled=True)
    with pytest.raises(mc.Error, match=r"hip follows wrist.*mimic=\"independent\""):
        mc.mass_matrix(robot, method="innovations")
    with pytest.raises(mc.Error, match="say 'composite' or 'innovations'"):
        mc.mass_matrix_inverse(robot, method="cholesky")
    with pytest.raises(mc.Error, match="three finite numbers"):
        mc.gravity_forces(robot, gravity=(0, 9.81))
    with pytest.raises(mc.Error, match="201 coordinates, more than the 200"):
        mc.mass_matrix(chain(201))
    with pytest.raises(mc.Error, match="101 coordinates, more than the 100"):
        mc.mass_matrix_inverse(chain(101))


def test_a_joint_that_moves_nothing_has_a_mass_matrix_but_no_inverse() -> None:
    pieces = random_tree(2, [Kind.REVOLUTE, Kind.REVOLUTE], rotors=False)
    pieces = [*pieces[:2], replace(pieces[2], parent=1, mass=None, com=None, inertia=None)]
    robot = build(pieces, mimic="independent")
    assert robot.idle_joints == ("to_link2",)
    assert not mc.mass_matrix(robot).run(np.zeros(2))[1].any()
    for make in (mc.mass_matrix_inverse, mc.mass_matrix_factor):
        with pytest.raises(mc.Error, match="to_link2 moves no inertia"):
            make(robot)


# ---------------------------------------------------------------- the order of v


def listed(first: str) -> str:
    """A humanoid whose right arm and knee follow the left ones, joints of this name listed first."""
    root = ElementTree.parse(robot_file("humanoid")).getroot()
    joints = sorted(root.findall("joint"), key=lambda joint: not joint.get("name", "").startswith(first))
    for joint in joints:
        root.remove(joint)
        if joint.get("name") in ("right_shoulder_pitch", "right_knee"):
            ElementTree.SubElement(joint, "mimic", joint=joint.get("name", "").replace("right", "left"))
        root.append(joint)
    return ElementTree.tostring(root, encoding="unicode")


def test_joints_listed_in_another_order_cost_no_more() -> None:
    """Where joints follow others, branches meet; what is eliminated first must not depend on who stands where."""
    one, other = (mc.load(listed(first)) for first in ("left", "right"))
    assert one.joint_names != other.joint_names
    for make in some((mc.mass_matrix_solve, mc.mass_matrix_inverse)):
        assert abs(size(make(one)) - size(make(other))) <= 0.002 * size(make(one))
    q = other.random(1)
    assert error(mc.mass_matrix_inverse(other).run(q) @ mc.mass_matrix(other).run(q), np.eye(other.nv)) < 1e-9
