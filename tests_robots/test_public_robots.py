"""Every URDF file of the package example-robot-data: read, computed as by Pinocchio to 1e-10, and written back.

`make test-robots` runs this, `make test` a few of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.formats import read_urdf, to_urdf
from motionc.formats.files import find_file
from motionc.model.compare import differences
from motionc.model.shapes import Mesh
from oracle import Array, Oracle, error
from public_robots import FOLDER
from trials import trials

FILES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.urdf"))

# file → how often a rule of magnitudes finds something: limits at 0 but Mg5, 1 kg m² on a box of 5 cm and 100 g
ODD = {
    "centauro_description/urdf/centauro.urdf": {"Mg6": 4},
    "double_pendulum_description/urdf/double_pendulum.urdf": {"Mg6": 2},
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": {"Mg6": 2},
    "double_pendulum_description/urdf/double_pendulum_simple.urdf": {"Mg6": 2, "Mg5": 1},
    "iris_description/robots/iris.urdf": {"Mg6": 4},
    "quadruped_description/urdf/quadruped.urdf": {"Mg6": 4},
    "romeo_description/urdf/romeo.urdf": {"Mg6": 2},
}

# file → every error: line, rule, reason
REFUSED = {
    "alex_description/urdf/alex_psyonic_hands.urdf": [
        (line, "Kc6", f"joint {side}_{finger}_q2 mimics {finger}_q1, which is no joint here")
        for side, finger, line in (
            *(("Left", "index", 1037), ("Left", "middle", 1103), ("Left", "ring", 1170), ("Left", "pinky", 1235)),
            *(("Right", "index", 1413), ("Right", "middle", 1478), ("Right", "ring", 1541), ("Right", "pinky", 1606)),
        )
    ],
    "ur_description/urdf/ur3.urdf": [(6, "Read", "<robot> has no name")],  # nor any link
}

# the mass matrix of iCub has a condition of 1e9, and Pinocchio's own two answers differ by 2e-9
ILL_CONDITIONED = ("icub_description/robots/icub.urdf",)

# links whose moments no body has, where they move
NO_BODY = {
    "romeo_description/urdf/romeo_laas_small.urdf": "body|LHipPitch_link|RHipPitch_link",
    **{
        f"tiago_description/robots/{name}.urdf": "base_antenna_left_link"
        for name in ("tiago", "tiago_dual", "tiago_no_hand")
    },
}

every_file = pytest.mark.parametrize("file", FILES, scope="module")
every_robot = pytest.mark.parametrize("file", [file for file in FILES if file not in REFUSED], scope="module")
standing_or_flying = pytest.mark.parametrize("floating", [False, True], ids=["standing", "flying"], scope="module")


@cache
def load(file: str, floating: bool = False, mimic: str = "follow") -> mc.Robot:
    """As the file says; what stands in the world by itself does not fly."""
    return mc.load(FOLDER / file, floating=floating and not stands(file), mimic=mimic)


def stands(file: str) -> bool:
    return load(file).chain.root.name == "world"


class Witness:
    """Pinocchio's answers in the coordinates of `robot`: all joints of the file move by G v, at G q + c."""

    def __init__(self, robot: mc.Robot, free: mc.Robot, path: Path) -> None:
        self.robot, self.free, self.pinocchio = robot, free, Oracle(path, free)
        self.G = np.zeros((free.nv, robot.nv))
        for name, where in free.v_index.items():
            leader, gain, _ = robot.followers.get(name, (name, 1.0, 0.0))
            if name not in robot.held:
                self.G[where, robot.v_index[leader]] = gain * np.eye(where.stop - where.start)

    def q(self, q: Array) -> Array:
        full = np.zeros(self.free.nq)
        for name, where in self.free.q_index.items():
            leader, gain, offset = self.robot.followers.get(name, (name, 1.0, 0.0))
            held = self.robot.held.get(name)
            full[where] = gain * q[self.robot.q_index[leader]] + offset if held is None else held
        return full

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.G.T @ self.pinocchio.inverse_dynamics(self.q(q), self.G @ v, self.G @ a)

    def mass_matrix(self, q: Array) -> Array:
        return self.G.T @ self.pinocchio.mass_matrix(self.q(q)) @ self.G

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        if not self.robot.followers:
            return self.pinocchio.forward_dynamics(q, v, tau)
        return np.linalg.solve(self.mass_matrix(q), tau - self.inverse_dynamics(q, v, 0 * v))


@cache
def witness(file: str, floating: bool = False) -> Witness:
    return Witness(load(file, floating), load(file, floating, "independent"), FOLDER / file)


def refused(file: str, robot: mc.Robot, dynamics: Callable[[mc.Robot], object]) -> bool:
    """Whether a link of it moves whose moments no body has; then dynamics say so."""
    links = NO_BODY.get(file, "").split("|")
    moving = [link for link in links if link and robot.mechanism.frames[link][0] >= 0]
    if moving:
        with pytest.raises(mc.Error, match=f"moves link ({'|'.join(moving)}), .*Lk4"):
            dynamics(robot)
    return bool(moving)


def states(robot: mc.Robot) -> Iterator[tuple[Array, Array, Array]]:
    """Some q within 1 of neutral, v, and something in the order of v."""
    rng = np.random.default_rng(robot.nv)
    for _ in range(trials(3)):
        q = robot.integrate(robot.neutral(), rng.uniform(-1, 1, robot.nv))
        yield q, rng.normal(size=robot.nv), 3 * rng.normal(size=robot.nv)


# ---------------------------------------------------------------- reading


def test_refusals_are_of_files_that_are_there() -> None:
    assert REFUSED.keys() <= set(FILES)
    assert len(FILES) >= 69


def test_every_mesh_to_look_at_is_found_without_options() -> None:
    readable = [FOLDER / file for file in FILES if REFUSED.get(file, [(0, "", "")])[0][1] != "Read"]
    chains = [(path, read_urdf(path).chain) for path in readable]
    shapes = [(path, shape) for path, chain in chains for segment in chain.segments for shape in segment.link.shapes]
    named = [
        (path, shape.geometry.file)
        for path, shape in shapes
        if shape.purpose == "visual" and isinstance(shape.geometry, Mesh)
    ]
    assert len(named) >= 1321
    for path, name in named:
        assert find_file(name, beside=path.parent).is_relative_to(FOLDER.resolve())


@every_file
def test_a_file_is_read_or_refused_for_the_reason_known(file: str) -> None:
    errors = (findings := mc.check(FOLDER / file)).errors
    assert [(found.place.line, found.rule, found.message) for found in errors] == REFUSED.get(file, [])
    odd = Counter(found.rule for found in findings if found.rule.startswith("Mg") or found.rule == "Ur10")
    assert odd == ODD.get(file, {})
    if file in REFUSED:
        with pytest.raises(mc.Error, match="remedy: "):
            mc.load(FOLDER / file)
    else:
        assert load(file).link_names


@every_robot
def test_the_masses_of_all_links_add_up_to_that_of_the_robot(file: str) -> None:
    masses = np.array([link.mass or 0.0 for link in load(file).links])
    assert error(masses.sum(), sum(body.mass for body in witness(file).pinocchio.model.inertias)) < 1e-12


@every_robot
@standing_or_flying
def test_mass_and_centre_of_what_moves_agree(file: str, floating: bool) -> None:
    robot, peer = load(file, floating), witness(file, floating)
    model, data = peer.pinocchio.model, peer.pinocchio.data
    if not robot.nv:
        with pytest.raises(mc.Error, match="centre of mass"):
            mc.center_of_mass(robot)
        return
    center = mc.center_of_mass(robot, outputs=["mass", "com"])
    for q, _, _ in states(robot):
        peer.pinocchio.place(peer.q(q))
        found = center.run(q)
        assert error(found.mass, pin.computeTotalMass(model)) < 1e-12
        assert error(found.com, pin.centerOfMass(model, data, False)) < 1e-10


# ---------------------------------------------------------------- dynamics


@every_robot
@standing_or_flying
def test_inverse_dynamics_agrees(file: str, floating: bool) -> None:
    robot, peer = load(file, floating), witness(file, floating)
    if refused(file, robot, mc.inverse_dynamics):
        return
    inverse = mc.inverse_dynamics(robot)
    for q, v, a in states(robot):
        assert error(inverse.run(q, v, a), peer.inverse_dynamics(q, v, a)) < 1e-10


@every_robot
@standing_or_flying
def test_the_mass_matrix_agrees(file: str, floating: bool) -> None:
    robot, peer = load(file, floating), witness(file, floating)
    if refused(file, robot, mc.mass_matrix):
        return
    for q, _, _ in states(robot):
        assert error(mc.mass_matrix(robot).run(q), peer.mass_matrix(q)) < 1e-10


@every_robot
@standing_or_flying
def test_forward_dynamics_agrees_where_all_joints_move_inertia(file: str, floating: bool) -> None:
    robot, peer = load(file, floating), witness(file, floating)
    if refused(file, robot, mc.forward_dynamics):
        return
    if robot.idle_joints:
        with pytest.raises(mc.Error, match=robot.idle_joints[0]):
            mc.forward_dynamics(robot)
        return
    forward = mc.forward_dynamics(robot)
    for q, v, a in states(robot):
        tau, limit = peer.inverse_dynamics(q, v, a), 1e-10
        if file in ILL_CONDITIONED:
            limit = max(limit, np.finfo(float).eps * np.linalg.cond(peer.mass_matrix(q)))
        assert error(forward.run(q, v, tau), peer.forward_dynamics(q, v, tau)) < limit


# ---------------------------------------------------------------- writing


@every_robot
def test_what_is_written_is_what_was_read(file: str, tmp_path: Path) -> None:
    chain, robot = load(file).chain, load(file, mimic="independent")
    (tmp_path / "again.urdf").write_text(text := to_urdf(chain), encoding="utf-8")
    assert differences(chain, read_urdf(text).chain) == []
    again = Oracle(tmp_path / "again.urdf", robot)
    for q, v, a in states(robot):
        assert error(again.inverse_dynamics(q, v, a), witness(file).pinocchio.inverse_dynamics(q, v, a)) < 1e-12
