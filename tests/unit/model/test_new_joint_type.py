"""A joint type that nobody in the house knows: a screw whose pitch depends on its angle, in one file.

Its numbers are held against CasADi's derivatives of poses that are written down once more here: Lagrange's equations,
and a matrix of all rows.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import motionc as mc
from all_joints import Kind, Piece, build, random_tree
from catalogue import catalogue
from cubic_screw import CUBIC, CubicScrew, known
from motionc.computations import CATALOGUE
from motionc.formats import to_mjcf, to_urdf
from motionc.formats.dot import to_dot
from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array
from motionc.model import joints
from motionc.model.info import LinkInfo
from motionc.model.joints import JointType, Part, register
from motionc.packaging import transforms
from motionc.runtime.samples import trials
from motionc.solvers.steps.path import path_columns
from oracle import error, kkt
from trials import some


@pytest.fixture(scope="module")
def screw() -> Iterator[JointType]:
    with known() as kind:
        yield kind


# ---------------------------------------------------------------- the same once more


class Lagrange:
    """A tree of revolute, prismatic and such joints by CasADi: poses by Rodrigues, all else by differentiation."""

    def __init__(self, pieces: list[Piece], robot: mc.Robot) -> None:
        self.robot, n = robot, robot.nv
        self.q, self.v, self.a = (ca.SX.sym(name, n) for name in "qva")
        self.poses: dict[str, ca.SX] = {pieces[0].name: ca.SX.eye(4)}
        kinetic, potential, self.com, mass = 0, 0, 0, 0
        self.momentum = ca.SX.zeros(6)
        moving = []
        for piece in pieces[1:]:
            name, joint = f"to_{piece.name}", piece.joint
            own = robot.followers.get(name, (name, 1.0, 0.0))
            rate = own[1]
            angle = self.q[robot.q_index[own[0]].start] * rate + own[2]
            X = self.poses[pieces[piece.parent].name] @ piece.reference @ self._moved(joint, angle)
            X = self.poses[piece.name] = X @ np.linalg.inv(piece.target)
            w, place = self._spin(X), X[:3, :3] @ piece.com + X[:3, 3]
            c = self.rate(place)
            spin = X[:3, :3] @ piece.inertia @ X[:3, :3].T @ w
            rotor = joint["transmission"].rotor_inertia if "transmission" in joint else 0.0
            speed = self.v[robot.v_index[own[0]].start] * rate
            kinetic += piece.mass * ca.dot(c, c) / 2 + ca.dot(w, spin) / 2 + rotor * speed**2 / 2
            potential += piece.mass * 9.81 * place[2]
            self.com, mass = self.com + piece.mass * place, mass + piece.mass
            moving.append((spin, piece.mass, place, c))
        self.com = self.com / mass
        for spin, m, place, c in moving:
            self.momentum += ca.vertcat(spin + m * ca.cross(place - self.com, c), m * c)
        self.kinetic, self.potential = kinetic, potential
        momenta = ca.gradient(kinetic, self.v)
        self.M = ca.jacobian(momenta, self.v)
        g = ca.gradient(potential, self.q)
        self.h = ca.jtimes(momenta, self.q, self.v) - ca.gradient(kinetic, self.q) + g
        self.g = g
        self.tau = self.M @ self.a + self.h

    def _moved(self, joint: dict, angle: ca.SX) -> ca.SX:
        axis = np.array(joint["axis"]) / np.linalg.norm(joint["axis"])
        k = ca.skew(axis)
        X = ca.SX.eye(4)
        if joint["type"] != Kind.PRISMATIC:
            X[:3, :3] = ca.SX.eye(3) + ca.sin(angle) * k + (1 - ca.cos(angle)) * (k @ k)
        way = {Kind.PRISMATIC: angle, "cubic_screw": joint.get("pitch", 0.0) * angle + CUBIC * angle**3}
        X[:3, 3] = axis * way.get(joint["type"], 0.0)
        return X

    def rate(self, what: ca.SX) -> ca.SX:
        return ca.jtimes(what, self.q, self.v)

    def _spin(self, X: ca.SX) -> ca.SX:
        return ca.inv_skew(self.rate(X[:3, :3]) @ X[:3, :3].T)

    def twist(self, link: str) -> ca.SX:
        X = self.poses[link]
        return ca.vertcat(self._spin(X), self.rate(X[:3, 3]))

    def at(self, what: ca.SX, q: Array, v: Array | None = None, a: Array | None = None) -> Array:
        zero = np.zeros(self.robot.nv)
        function = ca.Function("f", [self.q, self.v, self.a], [what])
        return np.asarray(function(q, zero if v is None else v, zero if a is None else a)).squeeze()

    def jacobian(self, link: str) -> ca.SX:
        return ca.jacobian(self.twist(link), self.v)


TREES = some(("coupled", "alone"))


def tree(screw: JointType, how: str) -> tuple[list[Piece], mc.Robot]:
    """Turns, slides and two such screws in a branched tree, with rotors; the first may lead the other and a slide."""
    kinds = [Kind.REVOLUTE, Kind.REVOLUTE, Kind.PRISMATIC, Kind.REVOLUTE, Kind.REVOLUTE]
    pieces = random_tree(3, kinds, rotors=True)
    rng = np.random.default_rng(5)
    for number, parent in enumerate((0, 1, 2, 1, 4), start=1):
        joint = {key: value for key, value in pieces[number].joint.items() if key != "mimic"}
        joint["limits"] = mc.Limits(-1.5 - 0.1 * number, 1.2 + 0.1 * number, 2.0, 3.0 + number)
        pieces[number] = replace(pieces[number], parent=parent, joint=joint)
    for number in (2, 5):
        joint = pieces[number].joint | {"type": screw, "pitch": 0.2 * number, "axis": tuple(rng.normal(size=3))}
        pieces[number] = replace(pieces[number], joint=joint)
    for number, gain in ((3, 0.4), (5, -0.7)) if how == "coupled" else ():
        joint = pieces[number].joint | {"mimic": mc.Mimic("to_link2", gain, 0.3)}
        pieces[number] = replace(pieces[number], joint=joint)
    return pieces, build(pieces)


@pytest.fixture(scope="module", params=TREES)
def question(screw: JointType, request: pytest.FixtureRequest) -> tuple[mc.Robot, Lagrange]:
    pieces, robot = tree(screw, request.param)
    return robot, Lagrange(pieces, robot)


def states(robot: mc.Robot, count: int = 2) -> Iterator[tuple[Array, Array, Array]]:
    rng = np.random.default_rng(8)
    for _ in range(count):
        v, a = rng.normal(size=(2, robot.nv))
        yield robot.random(rng), v, a


# ---------------------------------------------------------------- against CasADi


def test_kinematics_agree(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, oracle = question
    for tip in ("link3", "link5"):
        J, twist = oracle.jacobian(tip), oracle.twist(tip)
        acceleration = J @ oracle.a + oracle.rate(twist)
        J_dot = ca.reshape(ca.jtimes(ca.vec(J), oracle.q, oracle.v), 6, robot.nv)
        poses, transform = mc.forward_kinematics(robot, [tip]), mc.transform(robot, "world", tip)
        jacobian, rates, motions = (make(robot, tip) for make in (mc.jacobian, mc.jacobian_rate, mc.frame_motion))
        path, columns = mc.path_jacobian(robot, "world", tip), path_columns(robot, "world", tip)
        for q, v, a in states(robot):
            assert error(poses(q)[0], oracle.at(oracle.poses[tip], q)) < 1e-12
            assert error(transform(q).homogeneous, oracle.at(oracle.poses[tip], q)) < 1e-12
            assert error(jacobian(q), oracle.at(J, q)) < 1e-12
            assert error(path(q), oracle.at(J, q)[:, columns]) < 1e-12
            rate = rates(q, v)
            assert error(rate.J_dot, oracle.at(J_dot, q, v)) < 1e-11
            assert error(rate.bias, oracle.at(oracle.rate(twist), q, v)) < 1e-11
            motion = motions(q, v, a)
            seen, classical = oracle.at(twist, q, v), oracle.at(acceleration, q, v, a)
            assert error(motion.twist[0], seen) < 1e-12
            assert error(motion.classical[0], classical) < 1e-11
            spatial = classical - np.concatenate([np.zeros(3), np.cross(seen[:3], seen[3:])])
            assert error(motion.spatial[0], spatial) < 1e-11


def test_dynamics_agree(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, x = question
    names = list(robot.joint_names)
    for q, v, a in states(robot, 1):
        M, h, g = x.at(x.M, q), x.at(x.h, q, v), x.at(x.g, q)
        tau = M @ a + h
        assert error(mc.mass_matrix(robot)(q), M) < 1e-11
        assert error(mc.mass_matrix_inverse(robot)(q), np.linalg.inv(M)) < 1e-9
        assert error(mc.mass_matrix_solve(robot)(q, a), np.linalg.solve(M, a)) < 1e-9
        L = mc.mass_matrix_factor(robot)(q)
        assert error(L.T @ L, M) < 1e-10
        assert error(mc.inverse_dynamics(robot)(q, v, a), tau) < 1e-10
        assert error(mc.bias_forces(robot)(q, v), h) < 1e-10
        assert error(mc.gravity_forces(robot)(q), g) < 1e-10
        assert error(mc.forward_dynamics(robot)(q, v, tau), a) < 1e-9
        for prescribed in (names[:1], names[1:2]):
            hybrid = mc.hybrid_dynamics(robot, prescribed)
            out = hybrid(q=q, v=v, tau=tau, a=a)
            assert error(out.a, a) < 1e-9
            assert error(out.tau, tau) < 1e-9
        energy = mc.energy(robot)(q, v)
        assert error(energy.kinetic, x.at(x.kinetic, q, v)) < 1e-11
        assert error(energy.potential, x.at(x.potential, q)) < 1e-11
        assert error(mc.center_of_mass(robot, outputs=["J"])(q) @ v, x.at(x.rate(x.com), q, v)) < 1e-11
        centroidal = mc.centroidal_momentum(robot, outputs=["hG", "AG", "bias"])(q, v)
        assert error(centroidal.hG, x.at(x.momentum, q, v)) < 1e-11
        assert error(centroidal.AG @ v, centroidal.hG) < 1e-11
        assert error(centroidal.bias, x.at(x.rate(x.momentum), q, v)) < 1e-10


def test_constrained_dynamics_impact_and_operational_space_agree(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, x = question
    tip = "link3"
    row = mc.Constraint(tip, "x z")
    J, twist = x.jacobian(tip)[[3, 5], :], x.twist(tip)[[3, 5]]
    for q, v, tau in states(robot, 1):
        M, h, g, Jq, bias = (x.at(what, q, v) for what in (x.M, x.h, x.g, J, x.rate(twist)))
        b = np.array([0.3, -0.2])
        a, multipliers = kkt(M, Jq, tau - h, b - bias)
        out = mc.constrained_dynamics(robot, [row])(q, v, tau, b)
        assert error(out.a, a) < 1e-8
        assert error(out.multipliers, multipliers) < 1e-8
        task = mc.operational_space(robot, row)(q, v)
        Lambda = np.linalg.inv(Jq @ np.linalg.solve(M, Jq.T))
        assert error(task.Lambda, Lambda) < 1e-8
        assert error(task.mu, Lambda @ (Jq @ np.linalg.solve(M, h - g) - bias)) < 1e-8
        assert error(task.p, Lambda @ Jq @ np.linalg.solve(M, g)) < 1e-8
        struck = mc.impact(robot, [replace(row, source="contact")])(q, v)
        after, impulse = kkt(M, Jq, M @ v, np.zeros(2))
        assert error(struck.v_after, after) < 1e-8
        assert error(struck.impulse, impulse) < 1e-8


def test_derivatives_agree(question: tuple[mc.Robot, Lagrange]) -> None:
    """No sweep varies S: they are taken instruction by instruction, and by sweeps where S does not change."""
    robot, x = question
    inverse, forward, regressor = (make(robot) for make in (mc.inverse_dynamics, mc.forward_dynamics, mc.regressor))
    *of_forces, by_inertia = (inverse.derivative("tau", by) for by in ("q", "v", "a", "inertia"))
    of_motion = [forward.derivative("a", by) for by in ("q", "v", "tau")]
    tau = ca.SX.sym("tau", robot.nv)
    accelerations = ca.solve(x.M, tau - x.h)
    asked = [x.q, x.v, tau]
    changes = ca.Function("d", asked, [ca.jacobian(accelerations, by) for by in asked])
    for q, v, a in states(robot):
        by_q, by_v, by_a = (change(q, v, a) for change in of_forces)
        assert error(by_q, x.at(ca.jacobian(x.tau, x.q), q, v, a)) < 1e-9
        assert error(by_v, x.at(ca.jacobian(x.tau, x.v), q, v, a)) < 1e-9
        assert error(by_a, x.at(x.M, q)) < 1e-10
        for ours, theirs in zip(of_motion, changes(q, v, a), strict=True):
            assert error(ours(q, v, a), np.asarray(theirs)) < 1e-7
        Y = regressor(q, v, a)
        links = robot.links[1:]
        assert error(Y.reshape(robot.nv, -1) @ _weights(links), x.at(x.tau, q, v, a) - _rotors(robot, a)) < 1e-10
        assert error(by_inertia(q, v, a).reshape(Y.shape), Y) < 1e-10


def _weights(links: Sequence[LinkInfo]) -> Array:
    """m, m c, and the six moments about the link's origin, link by link."""
    found = []
    for link in links:
        c, shift = link.com, link.com @ link.com * np.eye(3) - np.outer(link.com, link.com)
        I = link.inertia + link.mass * shift
        found += [link.mass, *(link.mass * c), I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    return np.array(found)


def _rotors(robot: mc.Robot, a: Array) -> Array:
    out = np.zeros(robot.nv)
    for joint in robot.joints:
        leader, gain, _ = robot.followers.get(joint.name, (joint.name, 1.0, 0.0))
        k = robot.v_index[leader].start
        out[k] += gain**2 * joint.transmission.rotor_inertia * a[k]
    return out


def test_energy_is_kept_along_a_motion_of_scipys(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, _ = question
    q0, n = robot.random(1) / 3, robot.nv
    forward, energy, free = mc.forward_dynamics(robot), mc.energy(robot), np.zeros(robot.nv)

    def move(_: float, state: Array) -> Array:
        return np.concatenate([state[n:], forward(state[:n], state[n:], free)])

    end = solve_ivp(move, (0, 0.5), [*q0, *free], rtol=1e-10, atol=1e-12).y[:, -1]
    start, later = energy(q0, free), energy(end[:n], end[n:])
    assert later.kinetic > 0.1
    assert abs(later.kinetic + later.potential - start.kinetic - start.potential) < 1e-6


# ---------------------------------------------------------------- everything else takes it


def test_every_computation_in_every_reading_and_representation(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, _ = question
    made = catalogue(robot)
    assert set(CATALOGUE) <= {*made, "coriolis_matrix", "within_limits", "derivative", "inverse_kinematics", "solve"}
    for name, computation in made.items():
        computation.check()
        for trial in trials(computation.program, 1):
            given = zip(trial.inputs, computation.inputs, strict=True)
            inputs = [np.reshape(values, port.shape) for values, port in given]
            ran = _values(computation.run(*inputs))
            assert error(_values(computation(*inputs)), ran) < 1e-8, name
            if name != "derivative":  # of instructions, which have no robot any more
                assert error(_values(computation.run(*inputs, normalise=False)), ran) < 1e-8, name
    for q, v, a in states(robot, 1):
        for make in (mc.inverse_dynamics, mc.forward_dynamics):
            other = {place: make(robot, representation=place)(q, v, a) for place in ("body", "inertial", "absolute")}
            assert error(other["inertial"], other["body"]) < 1e-9
            assert error(other["absolute"], other["body"]) < 1e-9


def _values(answer: Array | mc.Results) -> Array:
    parts = answer.values() if isinstance(answer, mc.Results) else [answer]
    return np.concatenate([np.ravel(part) for part in parts])


def test_a_batch_is_one_call_a_state(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, _ = question
    many = [np.array(each) for each in zip(*states(robot, 13), strict=True)]
    forward = mc.forward_dynamics(robot)
    assert error(forward.batch(*many), np.array([forward(*each) for each in zip(*many, strict=True)])) < 1e-12


def test_configurations_limits_and_labels(question: tuple[mc.Robot, Lagrange]) -> None:
    robot, _ = question
    where = robot.v_index["to_link2"].start
    assert (robot.limits.lower[where], robot.limits.upper[where]) == (-1.7, 1.4)
    assert robot.configurations.labels[where] == "to_link2" == robot.configurations.rate_labels[where]
    drawn = np.array([robot.random(seed) for seed in range(50)])
    assert (drawn >= robot.limits.lower).all()
    assert (drawn <= robot.limits.upper).all()
    q, v = drawn[0], drawn[1]
    assert error(robot.difference(q, robot.integrate(q, v, 0.5)), 0.5 * v) < 1e-14
    assert (robot.rates(q, v) == v).all()
    assert (robot.neutral() == 0).all()
    ik = mc.inverse_kinematics(robot, mc.Target("link3", "xyz"))
    goal = mc.forward_kinematics(robot, ["link3"])(drawn[2])
    out = ik(robot.neutral(), goal[0])
    assert error(mc.forward_kinematics(robot, ["link3"])(out.q)[0][:3, 3], goal[0][:3, 3]) < 1e-5


def test_held_anywhere_it_is_where_it_would_move_to(screw: JointType) -> None:
    pieces, robot = tree(screw, "alone")
    held = build(pieces, fixed={"to_link2": 0.8})
    q = robot.random(3)
    q[robot.q_index["to_link2"]] = 0.8
    rest = np.delete(q, robot.q_index["to_link2"].start)
    assert error(mc.forward_kinematics(held, ["link3"])(rest), mc.forward_kinematics(robot, ["link3"])(q)) < 1e-13


def test_a_massless_link_beyond_it_is_found_idle(screw: JointType) -> None:
    pieces, robot = tree(screw, "alone")
    assert robot.idle_joints == ()
    bare = replace(pieces[5], mass=0.0, inertia=np.zeros((3, 3)))
    bare = replace(bare, joint={key: value for key, value in bare.joint.items() if key != "transmission"})
    assert build([*pieces[:5], bare]).idle_joints == ("to_link5",)


def test_its_own_language_and_others(screw: JointType, tmp_path) -> None:
    _, robot = tree(screw, "alone")
    assert "cubic_screw" in to_dot(robot)
    with pytest.raises(mc.Error, match="URDF has no cubic_screw joints"):
        to_urdf(robot)
    with pytest.raises(mc.Error, match="MJCF has no cubic_screw joints"):
        to_mjcf(robot)
    text = transforms.jacobian(robot, "world", "link3")
    assert "0.4 + 0.21" in text
    for language in ("c", "cpp", "python", "matlab", "maxima"):
        assert mc.forward_dynamics(robot).emit(language, tmp_path / language)
    assert pickle.loads(pickle.dumps(screw)) is screw


def test_two_such_robots_are_never_taken_for_one(screw: JointType) -> None:
    """What a type of somebody else's does is known once it is traced: no identity before that."""
    _, robot = tree(screw, "alone")
    assert mc.inverse_dynamics(robot).identity() is None
    assert mc.inverse_dynamics(mc.load("planar2")).identity() is not None


# ---------------------------------------------------------------- types nobody knows


def test_a_type_that_nobody_registered_is_refused() -> None:
    pieces = random_tree(3, [Kind.REVOLUTE])
    for unknown in (CubicScrew("screw"), "screw", CubicScrew("revolute")):
        with pytest.raises(mc.ModelError, match=r"(?s)has type .*give it one of revolute"):
            build([pieces[0], replace(pieces[1], joint={"type": unknown})])


def test_a_type_that_does_not_say_how_it_moves_is_refused() -> None:
    class Silent(JointType):
        constant = False

        def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
            return (), q

    with pytest.raises(mc.Error, match="does not say its directions; write Silent"):
        register(Silent("silent"))
    with pytest.raises(mc.Error, match="there is a joint type prismatic already"):
        register(type(joints.PRISMATIC)("prismatic"))
    with pytest.raises(ValueError, match="there is no joint type of the name 'revolut'; did you mean"):
        JointType("revolut")
