"""Derivatives of dynamics: against finite differences on the manifold, and against Pinocchio's."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from all_joints import KINDS, Coupled, Kind, Moving, build, random_tree
from chains import links
from motionc.geometry.regression import parameters
from motionc.program.program import call_data
from motionc.program.sizes import Cut
from motionc.runtime.build.library import interpreted
from motionc.solvers.derivatives import pairs
from motionc.solvers.derivatives.computations import derivative
from motionc.solvers.steps import tree_solve
from motionc.targets import c, c_simd
from oracle import error, load, oracle
from public_robots import needs_public, public_file
from trials import some, trials

Array = np.ndarray
EPS = 1e-6


def tree(seed: int, **options) -> mc.Robot:
    return build(random_tree(seed), **options)


def inputs(computation: mc.Computation, rng: np.random.Generator) -> list[Array]:
    robot = computation.solver.robot
    return [robot.random(rng) if port.name == "q" else rng.normal(size=port.shape) for port in computation.inputs]


def differences(computation: mc.Computation, by: str, given: Sequence[Array]) -> dict[str, Array]:
    """Central finite differences of all outputs, the configuration moved along each entry of v."""
    robot, k = computation.solver.robot, [port.name for port in computation.inputs].index(by)
    columns = robot.nv if by == "q" else given[k].size

    def moved(step: Array) -> Array:
        other = robot.integrate(given[k], step, 1.0) if by == "q" else given[k] + step.reshape(given[k].shape)
        return evaluate(computation, [*given[:k], other, *given[k + 1 :]])

    found = np.array([(moved(step) - moved(-step)) / (2 * EPS) for step in EPS * np.eye(columns)]).T
    ends = np.cumsum([port.size for port in computation.outputs])
    return dict(zip([port.name for port in computation.outputs], np.split(found, ends[:-1]), strict=True))


@cache
def interpreter(computation: mc.Computation) -> Callable[[Array, Array], None]:
    """Its program as Python: nothing is compiled for it."""
    return interpreted(computation.program)


def evaluate(computation: mc.Computation, given: Sequence[Array]) -> Array:
    """All outputs, one after the other."""
    y = np.zeros(sum(port.size for port in computation.outputs))
    interpreter(computation)(np.concatenate([np.ravel(value) for value in given]), y)
    return y


def check(computation: mc.Computation, of: list[str], wrt: list[str], seed: int = 0, tolerance: float = 1e-6) -> None:
    given = inputs(computation, np.random.default_rng(seed))
    found = computation.derivative(of, wrt).solver.run(*given)
    for by in wrt:
        expected = differences(computation, by, given)
        for name in of:
            value = found[f"d{name}_d{by}"]
            assert error(value.reshape(-1, value.shape[-1]), expected[name]) < tolerance, (name, by)


# ---------------------------------------------------------------- finite differences, joints of all types


def pushes(robot: mc.Robot) -> list[mc.Force]:
    """Wrenches in the axes of their own frame, of the world, and of frames nearer to the root and farther out."""
    links = [name for name in robot.link_names if robot.mechanism.frames[name][0] >= 0]
    near, middle, far = links[0], links[len(links) // 2], links[-1]
    turned = [(far, far), (middle, "world"), (far, middle), (near, far)]
    return [mc.Force(frame, as_seen_by=axes) for frame, axes in turned]


@pytest.mark.parametrize("seed", [1, 3])
def test_forces_and_accelerations_change_as_finite_differences_say(seed: int) -> None:
    robot = tree(seed, floating=seed == 3)
    check(mc.inverse_dynamics(robot, external_forces=pushes(robot)), ["tau"], ["q", "v", "a", "f_ext"])
    check(mc.forward_dynamics(robot, external_forces=pushes(robot)), ["a"], ["q", "v", "tau", "f_ext"])


@pytest.mark.parametrize("held", ["rotor_inertia", "damping"])
def test_what_flies_but_is_held_back_by_its_joint_does_not_carry_all_along(held: str) -> None:
    pieces = random_tree(1, [Kind.FLOATING, Kind.REVOLUTE, Kind.REVOLUTE], rotors=False)
    pieces[1].joint["transmission"] = mc.Transmission(**{held: 0.7})
    check(mc.forward_dynamics(build(pieces), friction=True), ["a"], ["q", "v"])


def test_bias_and_gravity_forces_too() -> None:
    robot = tree(4)
    check(mc.bias_forces(robot), ["h"], ["q", "v"])
    check(mc.gravity_forces(robot, gravity=(1, 2, 3)), ["g"], ["q"])


HOLDS: dict[str, Callable[[str, str, str], list[mc.Constraint]]] = {
    "on a turning observer": lambda near, middle, far: [
        mc.Constraint(far, "x ry", wrt=middle, point=(0.1, 0.2, 0.3)),
        mc.Constraint(near, "z", as_seen_by=far, source="contact"),
    ],
    "spatial": lambda near, middle, far: [
        mc.Constraint(far, "x", wrt=near, kind="spatial", as_seen_by=middle),
        mc.Constraint(middle, "rz", as_seen_by=middle, source="contact"),
    ],
}


@pytest.mark.parametrize("holds", HOLDS)
def test_constrained_motion_changes_as_finite_differences_say(holds: str) -> None:
    robot = tree(3, floating=True)
    links = robot.link_names
    rows = HOLDS[holds](links[1], links[len(links) // 2], links[-1])
    held = mc.constrained_dynamics(
        robot,
        rows,
        external_forces=pushes(robot)[:2],
        artificial_forces=pushes(robot)[2:],
        physical_torques=True,
        actuated=robot.joint_names,
        outputs=["a", "multipliers", "tau_command"],
    )
    wrt = ["q", "v", "tau", "b", "f_ext", "tau_physical", "f_art"]
    check(held, ["a", "multipliers", "tau_command"], wrt, tolerance=3e-6)


def test_rows_along_joints_and_damped_rows_too() -> None:
    robot = tree(2)
    name = next(name for name, where in robot.v_index.items() if where.stop - where.start == 1)
    rows = [mc.JointConstraint(name), mc.Constraint(robot.link_names[-1], "xyz rx")]
    held = mc.constrained_dynamics(robot, rows, regularisation=0.3, outputs=["a", "multipliers", "tau_command"])
    check(held, ["a", "multipliers", "tau_command"], ["q", "v", "tau", "b"])


@pytest.mark.calls
def test_a_call_is_what_differences_say_where_branches_take_turns() -> None:
    """Of the humanoid's shoulders one axis does not feel another, so that rows of its arms stand between each other."""
    forward = mc.forward_dynamics(mc.load("humanoid"))
    asked, rng = forward.derivative("a", "q v tau"), np.random.default_rng(5)
    given = inputs(asked, rng)
    found = asked(*given)
    (system,) = [call_data(step) for _, step in asked.program.calls() if call_data(step).kernel == "tree_factor"]
    assert any(parent < max(system.pattern[:k]) != k - 1 for k, parent in enumerate(system.pattern) if k), (
        "or it is moot"
    )
    for by in ("q", "v", "tau"):
        assert error(found[f"da_d{by}"].ravel(), differences(forward, by, given)["a"].ravel()) < 1e-6


# ---------------------------------------------------------------- Pinocchio


@pytest.mark.parametrize("seed", range(12))
def test_of_small_trees_of_all_joints_they_are_pinocchios(seed: int) -> None:
    # Pinocchio leaves out that the second axis of a universal joint turns
    kinds = [kind for kind in KINDS if kind not in (Kind.FIXED, Kind.UNIVERSAL)]
    rng = np.random.default_rng(seed)
    x = Moving(seed, [kinds[seed % len(kinds)], *map(Kind, rng.choice(kinds, 2))])
    found = mc.inverse_dynamics(x.robot).derivative("tau", ["q", "v", "a"]).solver.run(x.q, x.v, x.a)
    for key, expected in x.world.force_derivatives(x.Q, x.V, x.G @ x.a).items():
        if key != "dtau_da":  # rotors are in its mass matrix alone
            assert error(found[key], x.G.T @ expected @ x.G) < 1e-9, key
    assert error(found["dtau_da"], x.M) < 1e-10
    tau = rng.normal(size=x.robot.nv)
    motion = mc.forward_dynamics(x.robot).derivative("a", ["q", "tau"]).solver.run(x.q, x.v, tau)
    assert error(motion["da_dtau"], np.linalg.inv(x.M)) < max(1e-10, 1e-14 * np.linalg.cond(x.M))


@needs_public
@pytest.mark.parametrize("name", ["panda", "anymal", "talos_reduced"])
def test_they_are_pinocchios(name: str) -> None:
    robot, peer, rng = load(name), oracle(name), np.random.default_rng(5)
    q, v, x = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    forces = mc.inverse_dynamics(robot).derivative("tau", ["q", "v", "a"]).solver.run(q, v, x)
    for key, expected in peer.force_derivatives(q, v, x).items():
        assert error(forces[key], expected) < 1e-11, key
    motion = mc.forward_dynamics(robot).derivative("a", ["q", "v", "tau"]).solver.run(q, v, x)
    for key, expected in peer.acceleration_derivatives(q, v, x).items():
        assert error(motion[key], expected) < 1e-9, key


@needs_public
@pytest.mark.parametrize(("name", "frame"), [("panda", "panda_link7"), ("anymal", "LF_FOOT")])
def test_held_at_a_frame_they_are_pinocchios(name: str, frame: str) -> None:
    robot, peer, rng = load(name), oracle(name), np.random.default_rng(6)
    rows = mc.Constraint(frame, "rx ry rz x y z", as_seen_by=frame, kind="spatial", source="contact")
    held = mc.constrained_dynamics(robot, rows, outputs=["a", "multipliers"])
    q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    found = held.derivative(["a", "multipliers"], ["q", "v", "tau"]).solver.run(q, v, tau, np.zeros(6))
    for key, expected in peer.held_derivatives(frame, q, v, tau).items():
        assert error(found[key], expected) < 1e-8, key


@needs_public
@pytest.mark.parametrize("name", some(["panda", "anymal", "talos_reduced"]))
def test_many_states_agree_with_pinocchio_compiled(name: str) -> None:
    robot, peer, rng = load(name), oracle(name), np.random.default_rng(7)
    states = [(robot.random(rng), *rng.normal(size=(2, robot.nv))) for _ in range(trials(192))]
    forces = mc.inverse_dynamics(robot).derivative("tau", ["q", "v", "a"])
    motion = mc.forward_dynamics(robot).derivative("a", ["q", "v", "tau"])
    for computation, expected in ((forces, peer.force_derivatives), (motion, peer.acceleration_derivatives)):
        found = computation.batch(*map(np.array, zip(*states, strict=True)))
        for k, state in enumerate(states):
            once = computation(*state)
            for key, value in expected(*state).items():
                assert error(found[key][k], value) < 1e-9, key
                assert error(once[key], value) < 1e-9, key


# ---------------------------------------------------------------- what links weigh


@needs_public
def test_the_regressor_is_pinocchios_where_a_link_hangs_on_a_joint_alone() -> None:
    robot, rng = load("panda"), np.random.default_rng(8)
    q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    Y = mc.regressor(robot).solver.run(q, v, a)["Y"]
    names = [link.name for link in robot.weighing_links]
    expected = oracle("panda").regressor(q, v, a)
    for k in range(1, 8):
        block = names.index(f"panda_link{k}")
        assert error(Y[:, 10 * block : 10 * block + 10], expected[f"panda_joint{k}"]) < 1e-12


def test_forces_are_the_regressor_times_what_links_weigh() -> None:
    robot, rng = tree(5), np.random.default_rng(9)
    given = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    phi = np.concatenate([parameters(link.mass, link.com, link.inertia) for link in robot.weighing_links])
    inverse, forward = mc.inverse_dynamics(robot), mc.forward_dynamics(robot)
    Y = mc.regressor(robot).solver.run(*given)["Y"]
    tau = inverse.solver.run(*given)["tau"]
    assert error(Y @ phi, tau) < 1e-12
    assert np.array_equal(inverse.derivative("tau", "inertia").solver.run(*given)["dtau_dinertia"], Y)
    M = mc.mass_matrix(robot).solver.run(given[0])["M"]
    found = forward.derivative("a", "inertia").solver.run(given[0], given[1], tau)["da_dinertia"]
    assert error(found, -np.linalg.solve(M, Y)) < 1e-9


# ---------------------------------------------------------------- compiled


@pytest.mark.calls
@pytest.mark.parametrize("floating", [False, True])
def test_on_long_chains_pairs_are_a_kernels_and_pinocchios(floating: bool) -> None:
    x, rng = Coupled(links(22), floating), np.random.default_rng(4)
    q, (v, a) = x.robot.random(rng), rng.normal(size=(2, x.robot.nv))
    expected = x.world.force_derivatives(x.whole(q), v, a)
    change = mc.inverse_dynamics(x.robot).derivative("tau", ["q", "v", "a"])
    assert {step.data.kernel for _, step in change.program.calls()} == {"tree_pairs", "tree_symmetric"}
    called, many = change(q, v, a), change.batch(*(np.tile(each, (9, 1)) for each in (q, v, a)))
    for key in ("dtau_dq", "dtau_dv", "dtau_da"):
        assert error(called[key], expected[key]) < 1e-10, key
        assert error(many[key][8], expected[key]) < 1e-10, key


def test_kernels_read_and_write_where_numbers_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "PAIRED_OUT", 2)
    monkeypatch.setattr(tree_solve, "SOLVED_OUT", 2)
    monkeypatch.setattr(tree_solve, "SOLVED_AT_ONCE", 2)
    monkeypatch.setattr(c, "ONE_STATE", Cut(400, 400))
    change = mc.forward_dynamics(mc.load("baxter_arm")).derivative("a", ["q", "v", "tau"])
    text = change.sources("c", "change")["change.c"]
    # what earlier functions hand over is paired, what pairs give is solved for, and what is solved for goes out
    assert len(re.findall(r"tree_pairs_\w+\(w(?: \+ \d+)?, w(?: \+ \d+)?, ", text)) == 2
    for wrt in "qv":
        assert re.search(rf"tree_solve_\w+\(w \+ \d+, (w \+ \d+|k\d+), da_d{wrt}\);", text)


@pytest.mark.parametrize("cut", [Cut(100_000, 100_000), Cut(400, 400)], ids=["one function", "several"])
def test_calls_and_batches_give_what_the_sweeps_give(cut: Cut, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path))  # which does not know that sizes differ
    # so that kernels are called on a small robot
    monkeypatch.setattr(pairs, "PAIRED_OUT", 2)
    monkeypatch.setattr(tree_solve, "SOLVED_OUT", 2)
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)
    monkeypatch.setattr(c, "ONE_STATE", cut)
    monkeypatch.setitem(c_simd.emit.__kwdefaults__, "size", cut)
    robot, rng = tree(1), np.random.default_rng(10)
    change = mc.forward_dynamics(robot).derivative("a", ["q", "v", "tau"])
    kernels = {step.data.kernel for _, step in change.program.calls()}
    assert kernels == {"tree_pairs", "tree_symmetric", "tree_factor", "tree_solve"}
    states = [inputs(change, rng) for _ in range(9)]
    batch = change.batch(*map(np.array, zip(*states, strict=True)))
    for k, state in enumerate(states):
        expected = change.solver.run(*state)
        for key, value in expected.items():
            assert error(change(*state)[key], value) < 1e-9
            assert error(batch[key][k], value) < 1e-9


@needs_public
def test_what_no_joint_feels_is_not_computed() -> None:
    robot = load("anymal")
    pattern = mc.inverse_dynamics(robot).derivative("tau", "q").sparsity
    met = np.zeros((18, 18), bool)
    met[pattern.rows, pattern.columns] = True
    legs = [robot.v_index[f"{leg}_HAA"].start for leg in ("LF", "RF", "LH", "RH")]
    for one in legs:
        for other in legs:
            assert met[one : one + 3, other : other + 3].any() == (one == other)
    # gravity and velocities do not depend on where the base is
    assert not met[:, 3:6].any()


@needs_public
def test_the_cost_is_what_was_promised() -> None:
    arm = mc.load(public_file("panda"), fixed=["panda_finger_joint1", "panda_finger_joint2"])
    forces = mc.inverse_dynamics(arm).derivative("tau", ["q", "v", "a"])
    motion = mc.forward_dynamics(arm).derivative("a", ["q", "v", "tau"])
    assert sum(forces.operations.values()) < 5200
    assert sum(motion.operations.values()) < 7500


# ---------------------------------------------------------------- ports and refusals


def test_ports_say_what_they_are() -> None:
    change = mc.forward_dynamics(tree(3, floating=True)).derivative("a", ["q", "tau"])
    assert [port.name for port in change.outputs] == ["da_dq", "da_dtau"]
    nv = change.solver.robot.nv
    assert [port.shape for port in change.outputs] == [(nv, nv), (nv, nv)]
    assert "of v" in change.outputs[0].meaning
    assert [port.name for port in change.inputs] == ["q", "v", "tau"]


@pytest.mark.parametrize(
    ("of", "wrt", "sentence"),
    [
        ("tau", "q", "has no output 'tau'; it has a"),
        ("a", "u", "has no input 'u'; it has q, v, tau"),
    ],
)
def test_what_is_not_there_is_refused_by_name(of: str, wrt: str, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        mc.forward_dynamics(mc.load("planar2")).derivative(of, wrt)


def test_undriven_coordinates_are_left_to_others_and_change_as_finite_differences_say() -> None:
    robot = mc.load("planar3")
    outputs = ["a", "tau_command", "wrenches", "contact_margin"]
    rows = [
        mc.Constraint(robot.link_names[-1], np.array([[0, 0, 0, 0, 0.8, 0.6]]).T, source="contact", mu=0.5),
        mc.JointConstraint(robot.joint_names[0]),
    ]
    dynamics = mc.constrained_dynamics(robot, rows, actuated=robot.joint_names[:2], outputs=outputs)
    assert derivative(dynamics.solver, ["a"], ["q"]) is None
    check(dynamics, outputs, ["q", "b"])


def test_what_no_sweep_knows_is_left_to_others() -> None:
    robot = mc.load("planar2")
    rows = mc.Constraint(robot.link_names[-1], "x")
    limited = mc.constrained_dynamics(robot, rows, limits=[1.0] * robot.nv)
    assert derivative(limited.solver, ["a"], ["q"]) is None
    assert derivative(mc.constrained_dynamics(robot, rows, posture=0.5).solver, ["a"], ["q"]) is None
    assert derivative(mc.energy(robot).solver, ["kinetic"], ["q"]) is None


@pytest.mark.parametrize("name", ["planar2", "hyl"])
def test_rotors_that_are_given_with_each_call_are_turned_too(name: str) -> None:
    robot, rng = mc.load(name), np.random.default_rng(0)
    motion = mc.forward_dynamics(robot, parameters="*.rotor_inertia")
    change = motion.derivative("a", ["q", "tau"])
    given = {key: np.asarray(rng.uniform(1, 2)) for key in motion.defaults}
    assert given
    q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.nv))
    found, heavier = change(q, v, tau, **given), mc.mass_matrix(robot)(q)
    for key, rotor in given.items():
        place = robot.v_index[key.split(".")[0]].start
        heavier[place, place] += rotor - motion.defaults[key]
    assert error(found.da_dtau, np.linalg.inv(heavier)) < 1e-12
    for k, direction in enumerate(np.eye(robot.nv)):
        ahead, behind = (motion(robot.integrate(q, way * direction, EPS), v, tau, **given) for way in (1, -1))
        assert error(found.da_dq[:, k], (ahead - behind) / (2 * EPS)) < 1e-6
