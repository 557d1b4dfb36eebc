"""Constants that stay open (docs/guide/parameters.md): masses, payloads, places of joints, rotors and gravity.

Witness: Pinocchio's or MuJoCo's model of the same robot, with the same numbers in it from the beginning.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import KINDS, SINGLE, Coupled, Kind, Piece, build, random_tree
from motionc.robots import robot_file
from motionc.runtime import computation
from motionc.runtime.build import compiler
from motionc.sweeps import solver as solver_room
from mujoco_witness import MujocoWitness
from mutants import QUESTIONS, Asked
from oracle import Array, Oracle, error
from rows import row

REPRESENTATIONS = ("body", "inertial", "absolute")
INERTIAL = ("mass", "com", "inertia")


def six(moments: Array) -> Array:
    return moments[np.triu_indices(3)]


# ---------------------------------------------------------------- trees that are written twice


class Reloaded:
    """A random tree in which much is open, the numbers to give, and Pinocchio's model of the tree with them in it."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(3000 + seed)
        # many links are fixed to others, and behind those joints move again
        drawn = [Kind.FIXED if rng.random() < 0.4 else Kind(rng.choice([*SINGLE, *KINDS])) for _ in range(seed % 5 + 2)]
        pieces = random_tree(seed, [Kind(rng.choice(SINGLE)), *drawn])
        # a root that lets a link fly off it does not fly itself
        still = any(piece.parent == 0 and piece.kind is Kind.FLOATING for piece in pieces)
        self.floating = seed % 3 == 0 and not still
        self.robot, self.after = build(pieces, self.floating), list(pieces)
        self.given: dict[str, Array] = {}
        donors = random_tree(seed + 500, [Kind.REVOLUTE] * len(pieces))
        self.moving = [piece.name for piece in pieces if self.robot.mechanism.frames[piece.name][0] >= 0]
        for number, donor in enumerate(donors[: len(pieces)]):
            self._open_link(number, donor)
            self._open_joint(number, donor)
        self._hang(donors[-1])
        self.given["gravity"] = rng.normal(size=3) * 5
        self.fresh = Coupled(self.after, self.floating)
        nv = self.robot.nv
        self.q = self.robot.random(rng)
        self.v, self.a, self.tau = rng.normal(size=(3, nv))
        G, world = self.fresh.G, self.fresh.world
        self.Q, self.V = self.fresh.whole(self.q), G @ self.v
        self.M = G.T @ world.mass_matrix(self.Q) @ G
        self.h = G.T @ world.bias_forces(self.Q, self.V, self.given["gravity"])
        world.place(self.Q, self.V)

    def _open_link(self, number: int, donor: Piece) -> None:
        piece = self.after[number]
        if piece.name not in self.moving:
            return
        opened = [kind for kind in INERTIAL if self.rng.random() < 0.4]
        ten = mc.inertial(donor.mass, donor.com, donor.inertia)
        if len(opened) == 3:
            self.given[f"{piece.name}.inertial"] = ten
        else:
            parts = {"mass": ten[0], "com": ten[1:4], "inertia": ten[4:]}
            self.given |= {f"{piece.name}.{kind}": parts[kind] for kind in opened}
        self.after[number] = replace(piece, **{kind: getattr(donor, kind) for kind in opened})

    def _open_joint(self, number: int, donor: Piece) -> None:
        piece = self.after[number]
        name = f"to_{piece.name}"
        if number and self.rng.random() < 0.5:
            reference = piece.reference.copy()
            self.given[f"{name}.origin"] = reference[:3, 3] = donor.reference[:3, 3]
            self.after[number] = piece = replace(piece, reference=reference)
        if (name in self.robot.v_index or name in self.robot.followers) and self.rng.random() < 0.3:
            rotor = float(self.rng.uniform(0, 0.3))
            self.given[f"{name}.rotor_inertia"] = np.array(rotor)
            joint = piece.joint | {"transmission": mc.Transmission(rotor_inertia=rotor)}
            self.after[number] = replace(piece, joint=joint)

    def _hang(self, load: Piece) -> None:
        """A payload in the frame of some joint: the fresh tree has one more link, fixed there."""
        names = [piece.name for piece in self.after]
        parent = names.index(str(self.rng.choice([name for name in self.moving if name != names[0]])))
        self.given[f"joint:to_{names[parent]}.payload"] = mc.inertial(load.mass, load.com, load.inertia)
        places = {"reference": self.after[parent].target, "target": np.eye(4)}
        self.after.append(replace(load, name="load", parent=parent, joint={"type": Kind.FIXED}, **places))

    def open(self, *kinds: str) -> list[str]:
        """The parameters, those of some kinds alone if any are named."""
        return [name for name in self.given if not kinds or name.rpartition(".")[2] in kinds]

    def run(self, make: Callable[..., mc.Computation], *state: Array, normalise: bool = True, **options) -> Array:
        opened = options.setdefault("parameters", self.open())
        return make(self.robot, **options).run(*state, *(self.given[name] for name in opened), normalise=normalise)


@row("robcogen", 27)
@pytest.mark.parametrize("seed", range(18))
def test_trees_with_open_constants_are_pinocchios_trees_that_were_built_with_them(seed: int) -> None:
    x = Reloaded(seed)
    kept = {"representation": REPRESENTATIONS[seed % 3]}
    for normalise in (True, False):
        tau = x.run(mc.inverse_dynamics, x.q, x.v, x.a, normalise=normalise, **kept)
        assert error(tau, x.M @ x.a + x.h) < 1e-10
    assert error(x.run(mc.forward_dynamics, x.q, x.v, x.tau, **kept), np.linalg.solve(x.M, x.tau - x.h)) < 1e-9
    masses = x.open("mass", "com", "inertia", "inertial", "payload", "origin", "rotor_inertia")
    assert error(x.run(mc.mass_matrix, x.q, parameters=masses, **kept), x.M) < 1e-10

    # frames move along with what they are fixed to
    frames = [*x.robot.link_names, *(f"joint:{joint.name}" for joint in x.robot.joints)]
    poses = x.run(lambda robot, **how: mc.forward_kinematics(robot, frames, **how), x.q, parameters=x.open("origin"))
    assert error(poses, np.array([x.fresh.world.pose(name) for name in frames])) < 1e-12


CATALOGUE: dict[str, Callable[..., mc.Computation]] = {
    "jacobian": lambda robot, link, **how: mc.jacobian(robot, link, point=(0.1, 0.2, 0.3), as_seen_by=link, **how),
    "jacobian_rate": lambda robot, link, **how: mc.jacobian_rate(robot, link, **how),
    "frame_motion": lambda robot, link, **how: mc.frame_motion(robot, [link, "world"], **how),
    "inverse_velocity": lambda robot, link, **how: mc.inverse_velocity(robot, link, "damped", **how),
    "least_energy": lambda robot, link, **how: mc.inverse_velocity(
        robot, link, "damped", joint_weights="inertia", **how
    ),
    "bias_forces": lambda robot, link, **how: mc.bias_forces(robot, **how),
    "gravity_forces": lambda robot, link, **how: mc.gravity_forces(robot, **how),
    "hybrid": lambda robot, link, **how: mc.hybrid_dynamics(
        robot, robot.joint_names[:1], external_forces=[mc.Force(link, as_seen_by=link)], **how
    ),
    "constrained": lambda robot, link, **how: mc.constrained_dynamics(
        robot,
        mc.Constraint(link, "x"),
        outputs=["a", "multipliers"],
        external_forces=[mc.Force(link, as_seen_by=link)],
        **how,
    ),
    "operational_space": lambda robot, link, **how: mc.operational_space(
        robot, link, rows="x", outputs=["coupling", "mu", "p"], **how
    ),
    "impact": lambda robot, link, **how: mc.impact(robot, mc.Constraint(link, "x"), outputs=["v_after"], **how),
    "inverse": lambda robot, link, **how: mc.mass_matrix_inverse(robot, **how),
    "factor": lambda robot, link, **how: mc.mass_matrix_factor(robot, **how),
    "solve": lambda robot, link, **how: mc.mass_matrix_solve(robot, **how),
    "coriolis": lambda robot, link, **how: mc.coriolis_matrix(robot, **how),
    "held center": lambda robot, link, **how: mc.constrained_dynamics(
        robot, mc.CenterOfMass("x"), outputs=["a", "multipliers"], **how
    ),
    "center": lambda robot, link, **how: mc.center_of_mass(robot, outputs=["com", "J", "mass", "inertia"], **how),
    "momentum": lambda robot, link, **how: mc.centroidal_momentum(robot, outputs=["hG", "AG", "bias"], **how),
    "energy": lambda robot, link, **how: mc.energy(robot, **how),
    "own": lambda robot, link, **how: mc.solve(
        robot,
        mc.schedules.INVERSE_DYNAMICS,
        outputs={"tau": "joint_force", "a": mc.Output("classical_acceleration", of=link)},
        **how,
    ),
}
"""Every other solver there is; the last link of all that moves is the tool."""


def flat(results: object) -> Array:
    return np.concatenate([np.ravel(value) for value in results]) if isinstance(results, tuple) else np.ravel(results)


UNREAD = "nothing here depends on it; leave it out"


def read(make: Callable[[str], object], names: Iterable[str]) -> list[str]:
    """Those of some parameters that something depends on; the others are refused, kind by kind."""
    refused, found = set[str](), list[str]()
    for name in names:
        kind = name.rpartition(".")[2]
        try:
            if kind not in refused:
                make(name)
                found.append(name)
        except mc.Error as refusal:
            if UNREAD not in str(refusal):
                raise
            refused.add(kind)
    return found


def opened_alone(make: Callable[..., mc.Computation], robot: mc.Robot, link: str, name: str) -> mc.Computation:
    return make(robot, link, parameters=[name])


@pytest.mark.parametrize("solver", CATALOGUE)
def test_every_solver_answers_as_if_it_had_been_built_with_what_is_given(solver: str) -> None:
    make, changed = CATALOGUE[solver], 0
    for x in (Reloaded(3), Reloaded(8)):
        link = x.moving[-1]
        kinds = {name.rpartition(".")[2]: name for name in x.given}
        known = read(partial(opened_alone, make, x.robot, link), kinds.values())
        opened = x.open(*(name.rpartition(".")[2] for name in known))
        ours = make(x.robot, link, parameters=opened)
        gravity = {"gravity": x.given["gravity"]} if "gravity" in opened else {}
        theirs, before = make(x.fresh.robot, link, **gravity), make(x.robot, link, **gravity)
        assert [port.name for port in ours.inputs] == [*(port.name for port in theirs.inputs), *opened]
        state = [x.q, *(x.rng.normal(size=port.shape) for port in theirs.inputs[1:])]
        found, expected = flat(ours.run(*state, *(x.given[name] for name in opened))), flat(theirs.run(*state))
        assert error(found, expected) < 1e-9
        changed += error(found, flat(before.run(*state))) > 1e-3
    assert changed


# ---------------------------------------------------------------- text that is written twice

LOAD = """<link name="load"><inertial><origin xyz="0.02 -0.01 0.06"/><mass value="1.7"/>
<inertia ixx="0.004" ixy="0.0003" ixz="-0.0002" iyy="0.005" iyz="0.0001" izz="0.003"/></inertial></link>
<joint name="to_load" type="fixed"><parent link="panda_hand_tcp"/><child link="load"/></joint>"""
CHANGED = {
    "panda_link4.mass": 4.25,
    "panda_hand.com": np.array([0.03, 0.01, 0.08]),
    "panda_joint5.origin": np.array([-0.06, 0.4, 0.02]),
    "panda_hand_tcp_mount.origin": np.array([0.01, 0.02, 0.2]),
    "panda_hand_tcp.payload": mc.inertial(1.7, (0.02, -0.01, 0.06), (0.004, 0.0003, -0.0002, 0.005, 0.0001, 0.003)),
}


def said(value: object) -> str:
    return " ".join(repr(float(number)) for number in np.ravel(value))


def rewritten(text: str) -> str:
    """The file with these numbers in it: a link and its inertia, the place of a joint, one more link."""

    def put(owner: str, pattern: str, value: object, text: str) -> str:
        found, count = re.subn(
            rf'({owner}".*?{pattern}=")[^"]*', rf"\g<1>{said(value)}", text, count=1, flags=re.DOTALL
        )
        assert count == 1
        return found

    text = put('<link name="panda_link4', "<mass value", CHANGED["panda_link4.mass"], text)
    text = put('<link name="panda_hand', r"<inertial>\s*<origin xyz", CHANGED["panda_hand.com"], text)
    for joint in ("panda_joint5", "panda_hand_tcp_mount"):
        text = put(f'<joint name="{joint}', "<origin xyz", CHANGED[f"{joint}.origin"], text)
    return text.replace("</robot>", LOAD + "</robot>")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Pinocchio's model of the Panda's file with other numbers in it."""
    path = tmp_path_factory.mktemp("fresh") / "panda.urdf"
    path.write_text(rewritten(robot_file("panda").read_text(encoding="utf-8")), encoding="utf-8")
    return Oracle(path, mc.load(path))


@row("robcogen", 27)
def test_numbers_that_are_given_change_every_compiled_solver_and_build_none(
    fresh: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, rng = mc.load("panda"), np.random.default_rng(0)
    solvers = [make(robot, parameters=[*CHANGED]) for make in (mc.inverse_dynamics, mc.forward_dynamics)]
    masses = mc.mass_matrix(robot, parameters=[*CHANGED])
    q, v, x = robot.random(rng), *rng.normal(size=(2, 7))
    for solver, way in zip(solvers, (mc.inverse_dynamics, mc.forward_dynamics), strict=True):
        assert error(solver(q, v, x, **solver.defaults), way(robot)(q, v, x)) < 1e-12
    masses(q, **masses.defaults)

    def built(*_: object, **__: object) -> None:
        raise AssertionError("something is built anew")

    for module, name in ((solver_room, "shortest"), (computation, "open_library"), (compiler, "compile_library")):
        monkeypatch.setattr(module, name, built)
    for _ in range(20):
        q, v, x = robot.random(rng), *rng.normal(size=(2, 7))
        for solver, way in zip(solvers, (fresh.inverse_dynamics, fresh.forward_dynamics), strict=True):
            assert error(solver(q, v, x, **CHANGED), way(q, v, x)) < 1e-10
        assert error(masses(q, *CHANGED.values()), fresh.mass_matrix(q)) < 1e-10


def dynamics_of(world: Oracle, q: Array, v: Array, x: Array) -> dict[str, list[Array]]:
    """What Pinocchio says to every question about dynamics."""
    world.place(q, v)
    J, M, h = world.jacobian("LF_foot")[3:], world.mass_matrix(q), world.bias_forces(q, v, (0, 0, -9.81))
    held = np.linalg.solve(J, x - world.bias("LF_foot")[3:])
    return {
        "inverse_dynamics": [world.inverse_dynamics(q, v, x)],
        "forward_dynamics": [world.forward_dynamics(q, v, x)],
        "step": [q + DT * (kicked := v + DT * world.forward_dynamics(q, v, x)), kicked],
        "mass_matrix": [M],
        "mass_matrix_inverse": [np.linalg.inv(M)],
        "mass_matrix_solve": [np.linalg.solve(M, x)],
        "bias_forces": [h],
        "gravity_forces": [world.gravity_forces(q)],
        "energy": [*map(np.array, world.energy(q, v))],
        "center_of_mass": [world.center_of_mass(q)[0]],
        "constrained_dynamics": [held, M @ held + h],
    }


@row("multibody-methodology", 37)
def test_one_mass_that_is_changed_changes_all_solvers_and_none_is_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One place holds the numbers, all compiled solvers are asked with it; before and after, Pinocchio's answers."""
    robot, rng = mc.load("hyq_leg"), np.random.default_rng(3)
    q, v, x = robot.random(rng), *rng.normal(size=(2, 3))
    numbers = {"LF_lowerleg.mass": next(link.mass for link in robot.links if link.name == "LF_lowerleg")}
    options = {
        "constrained_dynamics": {"constraints": [mc.Constraint("LF_foot", "xyz")], "outputs": ["a", "tau_command"]},
        "step": {"dt": DT},
    }
    given = {"q": q, "v": v, "a": x, "tau": x, "r": x, "b": x}
    worlds = [Oracle(robot_file("hyq_leg"), robot), Oracle(heavier(robot_file("hyq_leg"), tmp_path), robot)]
    solvers = {
        name: getattr(mc, name)(robot, parameters=[*numbers], **options.get(name, {}))
        for name in dynamics_of(worlds[0], q, v, x)
    }

    def built(*_: object, **__: object) -> None:
        raise AssertionError("something is built anew")

    for world, mass in zip(worlds, (numbers["LF_lowerleg.mass"], HEAVY), strict=True):
        numbers["LF_lowerleg.mass"] = mass
        for name, expected in dynamics_of(world, q, v, x).items():
            solver = solvers[name]
            asked = [given[port.name] for port in solver.inputs if port.name in given]
            found = solver(*asked, **numbers)
            parts = found.values() if isinstance(found, mc.Results) else [found]
            for one, other in zip(parts, expected, strict=True):
                assert error(one, other) < 1e-10, name
        for module, maker in ((solver_room, "shortest"), (computation, "open_library"), (compiler, "compile_library")):
            monkeypatch.setattr(module, maker, built)


HEAVY, DT = 2.5, 1e-3


def heavier(path: Path, folder: Path) -> Path:
    """The file of a leg whose shank weighs more."""
    text, count = re.subn(
        r'(<link name="LF_lowerleg".*?<mass value=")[^"]*', rf"\g<1>{HEAVY}", path.read_text(), count=1, flags=re.DOTALL
    )
    assert count == 1
    (folder / "heavier.urdf").write_text(text, encoding="utf-8")
    return folder / "heavier.urdf"


def test_what_hangs_on_a_held_joint_moves_with_its_place(fresh: Oracle) -> None:
    arm, rng = mc.load("panda", fixed={"panda_joint5": 0.7}), np.random.default_rng(5)
    free = [0, 1, 2, 3, 5, 6]
    q, v, a = np.zeros((3, 7))
    q[free], v[free], a[free] = arm.random(rng), *rng.normal(size=(2, 6))
    q[4] = 0.7
    tau = mc.inverse_dynamics(arm, parameters=[*CHANGED]).run(q[free], v[free], a[free], *CHANGED.values())
    assert error(tau, fresh.inverse_dynamics(q, v, a)[free]) < 1e-10
    lengths = [name for name in CHANGED if name.endswith("origin")]
    poses = mc.forward_kinematics(arm, parameters=lengths).run(q[free], *(CHANGED[name] for name in lengths))
    fresh.place(q)
    assert error(poses, np.array([fresh.pose(name) for name in arm.link_names])) < 1e-12


def test_each_state_of_a_batch_may_have_its_own_mass_or_all_the_same(fresh: Oracle) -> None:
    robot, rng = mc.load("panda"), np.random.default_rng(1)
    solver = mc.inverse_dynamics(robot, parameters=[*CHANGED])
    Q, V, A = (np.array([robot.random(rng) for _ in range(9)]), *rng.normal(size=(2, 9, 7)))
    same = solver.batch(Q, V, A, *CHANGED.values())
    assert error(same, np.array([fresh.inverse_dynamics(*each) for each in zip(Q, V, A, strict=True)])) < 1e-10
    masses = rng.uniform(0, 3, 9)
    several = solver.batch(Q, V, A, **(CHANGED | {"panda_link4.mass": masses}))
    for k, mass in enumerate(masses):
        one = solver(Q[k], V[k], A[k], **(CHANGED | {"panda_link4.mass": mass}))
        assert error(several[k], one) < 1e-12


def test_derivatives_are_those_of_the_robot_that_was_built_with_what_is_given(fresh: Oracle) -> None:
    robot, rng = mc.load("panda"), np.random.default_rng(6)
    names = [*CHANGED, "panda_joint3.rotor_inertia", "gravity"]
    given = CHANGED | {"panda_joint3.rotor_inertia": 0.0, "gravity": np.array([0, 0, -9.81])}
    motors = mc.inverse_dynamics(robot, parameters=names)
    state = dict(zip("qva", (robot.random(rng), *rng.normal(size=(2, 7))), strict=True)) | given
    pin.computeRNEADerivatives(fresh.model, fresh.data, *(state[name] for name in "qva"))
    for wrt, theirs in (("q", fresh.data.dtau_dq), ("v", fresh.data.dtau_dv), ("a", fresh.mass_matrix(state["q"]))):
        assert error(motors.derivative("tau", wrt).run(*state.values()), theirs) < 1e-10
    for wrt in given:
        found, differences = motors.derivative("tau", wrt).run(*state.values()).reshape(7, -1), []
        for step in 1e-5 * np.eye(np.size(given[wrt])):
            ends = (state | {wrt: given[wrt] + way * step.reshape(np.shape(given[wrt]))} for way in (1, -1))
            differences.append(np.subtract(*(motors.run(*end.values()) for end in ends)) / 2e-5)
        assert error(found, np.array(differences).T) < 1e-8


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")
def test_emitted_code_checks_itself_with_what_is_open(tmp_path: Path) -> None:
    dynamics = mc.forward_dynamics(mc.load("panda"), parameters=[*CHANGED])
    source = dynamics.emit("c", tmp_path)[-1]
    program = source.with_suffix("")
    subprocess.run(["cc", "-std=c99", "-O1", "-DSELF_TEST", source, "-lm", "-o", program], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert float(said.split()[-1]) < 1e-12


def test_single_precision_takes_the_same_numbers(fresh: Oracle) -> None:
    robot, rng = mc.load("panda"), np.random.default_rng(2)
    q, v, a = robot.random(rng), *rng.normal(size=(2, 7))
    tau = mc.inverse_dynamics(robot, parameters=[*CHANGED], precision="single")(q, v, a, *CHANGED.values())
    assert tau.dtype == np.float32
    assert error(tau, fresh.inverse_dynamics(q, v, a)) < 1e-5


def test_masses_are_mujocos_where_both_change_them_at_run_time() -> None:
    robot, rng = mc.load("hyq"), np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_string(mc.to_mjcf(robot))
    names = ["trunk", "LF_leg", "RH_lowerleg"]
    solver = mc.inverse_dynamics(robot, parameters=[f"{name}.mass" for name in names])
    witness = MujocoWitness(model, robot)
    for _ in range(5):
        masses = rng.uniform(0.5, 5, len(names))
        for name, mass in zip(names, masses, strict=True):
            model.body(name).mass[:] = mass
        q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))
        assert error(solver.run(q, v, a, *masses), witness.inverse_dynamics(q, v, a)) < 1e-9


def test_joints_reach_with_other_lengths(fresh: Oracle) -> None:
    robot, rng = mc.load("panda"), np.random.default_rng(4)
    lengths = [name for name in CHANGED if name.endswith("origin")]
    given = [CHANGED[name] for name in lengths]
    for posture in (None, "middle"):
        ik = mc.inverse_kinematics(robot, "panda_hand_tcp", parameters=lengths, posture=posture)
        assert [port.name for port in ik.inputs] == ["q0", "targets", *lengths]
        goals = []
        for _ in range(3):
            fresh.place(robot.random(rng))
            goals.append(fresh.pose("panda_hand_tcp").copy())
        found = [ik(robot.neutral(), goal, *given) for goal in goals]
        several = ik.batch(robot.neutral(), np.array(goals), *given)
        for k, goal in enumerate(goals):
            for q in (found[k].q, several.q[k]):
                fresh.place(q)
                assert error(fresh.pose("panda_hand_tcp"), goal) < 1e-5
    with pytest.raises(mc.Error, match="what is open"):
        ik(robot.neutral(), goals[0], given[0], [np.nan, 0, 0])


# ---------------------------------------------------------------- what physics says


@pytest.mark.parametrize(("kind", "degree"), [("mass", 1), ("gravity", 1), ("com", 2)])
@pytest.mark.parametrize("seed", range(4))
def test_forces_are_linear_in_masses_and_moments_and_square_in_centres_of_mass(
    seed: int, kind: str, degree: int
) -> None:
    """Differences of one order more are zero, along any direction in which all numbers of that kind change at once."""
    x = Reloaded(seed)
    masses, centres = [0, 4, 5, 6, 7, 8, 9], [1, 2, 3]
    entries: dict[str, list[int]] = {
        "mass": {"mass": [0], "inertia": list(range(6)), "inertial": masses, "payload": masses, "rotor_inertia": [0]},
        "gravity": {"gravity": [0, 1, 2]},
        "com": {"com": [0, 1, 2], "inertial": centres, "payload": centres},
    }[kind]
    solver = mc.inverse_dynamics(x.robot, parameters=x.open())
    direction = {name: np.zeros(np.size(value)) for name, value in x.given.items()}
    for name in x.open(*entries):
        direction[name][entries[name.rpartition(".")[2]]] = 1 + x.rng.random()

    def along(step: float) -> Array:
        given = [value + step * direction[name].reshape(np.shape(value)) for name, value in x.given.items()]
        return solver.run(x.q, x.v, x.a, *given)

    values = [along(step) for step in range(degree + 2)]
    assert error(values[1], values[0]) > 1e-3
    assert np.abs(np.diff(values, degree + 1, axis=0)).max() < 1e-11 * np.abs(values).max()
    assert np.abs(np.diff(values, degree, axis=0)).max() > 1e-6


def test_the_regressor_knows_other_lengths_and_another_gravity() -> None:
    x = Reloaded(3)  # without rotors
    opened = x.open("origin", "gravity")
    phi: list[float] = []
    for link in x.robot.weighing_links:
        at_origin = link.inertia + link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com))
        phi += [link.mass, *(link.mass * link.com), *six(at_origin)]
    forces = x.run(mc.regressor, x.q, x.v, x.a, parameters=opened) @ phi
    assert error(forces, x.run(mc.inverse_dynamics, x.q, x.v, x.a, parameters=opened)) < 1e-10
    with pytest.raises(mc.Error, match=UNREAD):
        mc.regressor(x.robot, parameters=x.open("mass")[:1])


def test_nothing_hangs_on_a_frame_by_default_and_what_hangs_there_is_carried() -> None:
    robot = mc.load("lwr4")
    weight = mc.energy(robot, parameters=["link_7.payload", "gravity"])
    assert weight.defaults["link_7.payload"].tolist() == [0.0] * 10
    assert weight.defaults["gravity"].tolist() == [0.0, 0.0, -9.81]
    q, v, up = robot.random(0), np.zeros(7), np.array([0.0, 0.0, -10.0])
    height = mc.forward_kinematics(robot, ["link_7"])(q)[0, 2, 3]
    bare, loaded = (weight(q, v, mc.inertial(mass), up).potential for mass in (0.0, 3.0))
    assert loaded - bare == pytest.approx(3.0 * 10.0 * height, rel=1e-12)


def test_without_inertia_joints_accelerate_without_bound_as_in_c() -> None:
    robot = chained("pendulum", ("base", 1.0), ("ball", 1.0), kinds=(Kind.REVOLUTE,))
    dynamics = mc.forward_dynamics(robot, parameters=["ball.inertial"])
    assert np.all(np.isfinite(dynamics([0.3], [0.0], [1.0], mc.inertial(1.0, (0.5, 0, 0)))))
    assert not np.any(np.isfinite(dynamics([0.3], [0.0], [1.0], np.zeros(10))))


# ---------------------------------------------------------------- three readings


def has_parameters(asked: Asked) -> bool:
    """Derivatives have those of what they are derivatives of."""
    return not asked.by and "parameters" in {field.name for field in fields(asked.kind)}


@pytest.mark.parametrize(
    "asked", [asked for asked in QUESTIONS if asked.floating and has_parameters(asked)], ids=lambda asked: asked.name
)
def test_what_is_open_is_checked_and_at_its_default_changes_nothing(asked: Asked) -> None:
    """On trees that float."""
    solver = asked.solver()
    robot = solver.robot
    opened = read(
        lambda name: replace(solver.options, parameters=[name]).solver(robot).check(),
        ["hand.mass", "wrist.rotor_inertia", "gravity"],
    )
    masses = ["slide.com", "leg.inertia", "arm.inertial", "tool.payload"] if "hand.mass" in opened else []
    opened += [*masses, "shoulder.origin", "wrist.origin"]
    rng = np.random.default_rng(1)
    state = [robot.random(rng), *(rng.normal(size=port.shape) for port in solver.inputs[1:])]
    expected = solver.run(*state)
    wide = replace(solver.options, parameters=opened).solver(robot)
    for normalise in (True, False):
        wide.check(normalise=normalise)
        found = wide.run(*state, *(one.default for one in wide.open), normalise=normalise)
        for port in solver.outputs:
            # rounding decides between many ways of a step, where rows depend on each other and joints are at limits
            if port.name != "conditioning" and (solver.name, port.name) != ("inverse_kinematics_step", "q"):
                assert error(found[port.name], expected[port.name]) < 1e-9, port.name


def test_steps_and_traces_show_what_is_given() -> None:
    solver, lines = mc.inverse_dynamics(mc.load("planar2"), parameters=["gravity"]), list[str]()
    state = [0.1, 0.2], [0, 0], [0, 0], [0, 0, -1.0]
    tau = solver.run(*state, trace=lines.append)
    assert lines
    last = {step.joint: dict(step.given) for step in solver.steps(*state) if step.operation == "turn_rotors"}
    forces = [last[name]["joint_force"].values[0, 0] for name in solver.solver.robot.joint_names]
    assert error(np.array(forces), tau) < 1e-12


# ---------------------------------------------------------------- what it costs, and what is built


# arithmetic operations on the Panda, as docs/guide/parameters.md says
COSTS = {
    "gravity": (831, 1634),
    "panda_link5.mass": (828, 1617),
    "panda_link5.inertial": (828, 1617),
    "panda_hand_tcp.payload": (870, 1690),
    "panda_joint4.origin": (837, 1669),
    "panda_joint4.rotor_inertia": (812, 1641),
}


@pytest.mark.parametrize("name", COSTS)
def test_what_is_open_costs_where_it_enters(name: str) -> None:
    for make, said in zip((mc.inverse_dynamics, mc.forward_dynamics), COSTS[name], strict=True):
        plain, opened = (sum(make(mc.load("panda"), parameters=some).operations.values()) for some in ((), name))
        assert plain < opened <= said


def test_what_is_not_open_costs_nothing() -> None:
    """Neither where no name is given, nor where a name changes nothing: a tool frame without mass."""
    robot = mc.load("panda")
    plain = mc.inverse_dynamics(robot).program
    assert mc.inverse_dynamics(robot, parameters=[]).program == plain
    assert mc.inverse_dynamics(robot, parameters=["panda_hand_tcp_mount.origin"]).operations == plain.operations


def chained(name: str, *links: tuple[str, float], kinds: tuple[Kind, ...]) -> mc.Robot:
    """Links at one place, each a ball half a metre out; joints turn about y."""
    segments = []
    for link, mass in links:
        ends = [mc.Attachment(f"{link}{end}", mc.Role.JOINT) for end in "<>"]
        segments.append(mc.Segment(link, mc.Link.rigid(link, mass, (0.5, 0, 0), (0.1, 0.1, 0.1)), tuple(ends)))
    joints = [
        mc.Joint(f"to {far.name}", kind, (far, f"{far.name}<"), (near, f"{near.name}>"), (0, 1, 0))
        for kind, near, far in zip(kinds, segments[:-1], segments[1:], strict=True)
    ]
    return mc.Robot(mc.KinematicChain(name, tuple(joints)))


def split(first: float, second: float) -> mc.Robot:
    """A link that turns and one fixed to it."""
    return chained("split", ("base", 1.0), ("near", first), ("far", second), kinds=(Kind.REVOLUTE, Kind.FIXED))


def test_what_is_open_of_a_body_made_of_two_links_is_of_one_of_them() -> None:
    one, other = (mc.gravity_forces(robot, parameters=["near.mass"]) for robot in (split(1.0, 2.0), split(2.0, 1.0)))
    assert error(one([0.0], 5.0), np.array([-(5.0 + 2.0) * 9.81 * 0.5])) < 1e-12
    assert error(other([0.0], 5.0), np.array([-(5.0 + 1.0) * 9.81 * 0.5])) < 1e-12
    assert (one.defaults, other.defaults) == ({"near.mass": 1.0}, {"near.mass": 2.0})
    # alike as bodies, they are not the same program
    assert one.solver.identity() != other.solver.identity()
    asked = ([], ["near.mass"], ["far.mass"], ["near.inertial"], ["to far.origin"], ["far.payload"], ["gravity"])
    assert len({mc.gravity_forces(split(1.0, 2.0), parameters=each).solver.identity() for each in asked}) == len(asked)


def test_names_become_parameters_in_c_each_its_own(tmp_path: Path) -> None:
    links = ("base", 1.0), ("a.b", 1.0), ('a_b"*/', 1.0)
    robot = chained("named", *links, kinds=(Kind.REVOLUTE, Kind.REVOLUTE))
    solver = mc.gravity_forces(robot, parameters=["a.b.mass", 'a_b"*/.mass', "gravity"])
    header, _ = solver.emit("c", tmp_path)
    for name in ("a_b_mass", "a_b_mass_", "gravity"):
        assert f"const double *restrict {name}" in header.read_text(encoding="utf-8")
    tau = solver([0.0, 0.0], 2.0, 3.0, [0, 0, -10.0])
    assert error(tau, -10 * 0.5 * np.array([5.0, 3.0])) < 1e-12


# ---------------------------------------------------------------- refusals

REFUSED = {
    "panda_link4.weight": "say 'gravity', or what of which link, joint or frame",
    "mass": "say 'gravity', or what of which link, joint or frame",
    "panda_link.mass": "has no link 'panda_link'; did you mean",
    "panda_link0.mass": "belongs to the fixed base, whose mass changes nothing",
    "panda_link0.payload": "belongs to the fixed base",
    "tool.payload": "has no frame 'tool'",
    "panda_link4.origin": "has no joint 'panda_link4' in its file",
    "panda_hand_mount.rotor_inertia": "joint panda_hand_mount does not move",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_there_is_not_is_refused_by_name(name: str) -> None:
    with pytest.raises(mc.Error, match=re.escape(f"inverse_dynamics: parameters={name!r}")) as refusal:
        mc.inverse_dynamics(mc.load("panda"), parameters=[name])
    assert REFUSED[name] in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (mc.forward_kinematics, "panda_link4.mass"),
        (mc.forward_kinematics, "gravity"),
        (mc.mass_matrix, "gravity"),
        (mc.center_of_mass, "panda_joint1.rotor_inertia"),
    ],
)
def test_what_nothing_depends_on_is_refused(make: Callable[..., mc.Computation], name: str) -> None:
    with pytest.raises(mc.Error, match=f"parameters='{name}': nothing here depends on it; leave it out"):
        make(mc.load("panda"), parameters=name)


def test_what_is_named_twice_or_no_name_is_refused() -> None:
    panda = mc.load("panda")
    for twice in (["gravity", "gravity"], ["panda_link4.mass", "panda_link4.inertial"]):
        with pytest.raises(mc.Error, match="that is open already; name it once"):
            mc.inverse_dynamics(panda, parameters=twice)
    with pytest.raises(mc.Error, match="4 is no name"):
        mc.inverse_dynamics(panda, parameters=[4])
    for given in ({"gravity": (0, 0, -1)}, 4, None):
        with pytest.raises(mc.Error, match=r"give a list of names .*and their values with each call"):
            mc.inverse_dynamics(panda, parameters=given)
    with pytest.raises(mc.Error, match="where a floating base is belongs to q"):
        mc.inverse_dynamics(mc.load("hyq"), parameters=["root_joint.origin"])
    own, solver = mc.Port("gravity", (1,), "1", "mine"), mc.inverse_dynamics(panda).solver
    with pytest.raises(mc.Error, match="there is an input of that name already"):
        replace(solver, inputs=(own,), options=replace(solver.options, parameters=["gravity"]))


@pytest.mark.parametrize("inertia", [(1, 2), "heavy", [[1, 2, 3], [0, 1, 2], [0, 0, 1]], (1, 1, np.nan)])
def test_ten_numbers_are_made_of_numbers_only(inertia: object) -> None:
    with pytest.raises(mc.Error, match="give three principal moments"):
        mc.inertial(1.0, (0, 0, 0), inertia)


def test_moments_may_be_three_six_or_nine_numbers() -> None:
    matrix = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
    assert mc.inertial(2.0, (1, 2, 3), matrix).tolist() == [2, 1, 2, 3, 3, 0.1, 0.2, 4, 0.3, 5]
    assert mc.inertial(2.0, (1, 2, 3), six(matrix)).tolist() == mc.inertial(2.0, (1, 2, 3), matrix).tolist()
    assert mc.inertial(2.0, inertia=(3, 4, 5)).tolist() == [2, 0, 0, 0, 3, 0, 0, 4, 0, 5]
