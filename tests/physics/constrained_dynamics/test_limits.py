"""Torque limits: what motors make stays inside, what is returned is what the robot then does, and none does better.

The witness is built from Pinocchio's M, h and Jacobians. How a robot with contacts moves is a dense solve, the best
torques are SciPy's bounded least squares for the task, and after it qpOASES' answer for the rest.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import lsq_linear

import motionc as mc
from figures.growth import serial_chain
from motionc.robots import robot_file
from mutants import tree
from oracle import FLOATING, Array, Oracle, constraint_rows, error, unit_wrenches
from oracle import load as with_rotors
from oracle import oracle as world_with_rotors
from rows import row

C = mc.Constraint
FEET = tuple(C(f"{leg}_FOOT", "xyz", source="contact") for leg in ("LF", "RF", "LH", "RH"))

# a robot, what holds and what is asked of it, and by how much b is scattered: some of it can be had
CASES: dict[str, tuple[str, Sequence[mc.Constraint], float]] = {
    "two links": ("planar2", [C("tip", "x y")], 3.0),
    "two links, one row": ("planar2", [C("tip", "x")], 5.0),
    "an arm": ("lwr4", [C("link_7", "xyz")], 12.0),
    "an arm, all six": ("panda", [C("panda_hand_tcp", "xyz rx ry rz")], 12.0),
    "a wall, two levels": (
        "lwr4",
        [C("link_7", "z", source="contact"), C("link_7", "x y", weight=2.0), C("link_4", "z rx", level=2)],
        15.0,
    ),
    "four feet": ("anymal", [*FEET, C("base", "xyz rx ry rz")], 6.0),
}
LIMITS = {
    "planar2": np.array([0.3, 0.15]),
    "lwr4": np.array([60.0, 40.0, 30.0, 25.0, 8.0, 5.0, 2.0]),
    "panda": np.array([30.0, 87, 30, 40, 6, 6, 2, 20, np.inf]),
    "anymal": np.array([np.inf] * 6 + [40.0, 60.0, 40.0] * 4),
}
each_case = pytest.mark.parametrize("case", CASES)
STATES = 200


@cache
def load(name: str) -> mc.Robot:
    """A robot without rotors. With those of LWR 4, torques are still the best, but more steps lead there than it has
    motors: in these states 9 (an arm, 99 of 100) and 8 (a wall, 70 of 100) instead of 7.
    """
    chain = with_rotors(name).chain
    joints = tuple(replace(each, transmission=mc.Transmission()) for each in chain.joints)
    return mc.Robot(replace(chain, joints=joints)) if name == "lwr4" else with_rotors(name)


@cache
def oracle(name: str) -> Oracle:
    if name != "lwr4":
        return world_with_rotors(name)
    world = Oracle(robot_file(name), load(name))
    world.model.armature[:] = 0.0
    return world


@cache
def ask(case: str, on_limit: str = "optimal", precision: str = "double", scale: float = 1.0) -> mc.Computation:
    """The question of a case; on some arms everything acts that can act."""
    name, constraints, _ = CASES[case]
    forces = {
        "external_forces": [mc.Force("link_5", as_seen_by="link_5")],
        "artificial_forces": [mc.Force("link_6", as_seen_by="link_6")],
        "physical_torques": True,
    }
    options = {"limits": scale * LIMITS[name], "on_limit": on_limit, "precision": precision}
    return mc.constrained_dynamics(load(name), constraints, **options, **(forces if name == "lwr4" else {}))


@cache
def random_inputs(case: str, states: int = STATES) -> dict[str, Array]:
    """In the order of the ports, states in front."""
    name, constraints, spread = CASES[case]
    robot, rng = load(name), np.random.default_rng(1)
    held = np.concatenate([np.full(unit_wrenches(c.rows).shape[1], c.source == "contact") for c in constraints])
    far = spread * rng.normal(size=(states, len(held))) * rng.uniform(size=(states, 1)) ** 2
    given = {
        "q": np.array([robot.random(rng) for _ in range(states)]),
        "v": 0.2 * rng.normal(size=(states, robot.nv)),
        "tau": 0.1 * np.minimum(LIMITS[name], 50) * rng.normal(size=(states, robot.nv)) * motors(name),
        "b": np.where(held, 0.0, far),
    }
    if name == "lwr4":
        given |= {"f_ext": 3 * rng.normal(size=(states, 1, 6)), "tau_physical": rng.normal(size=(states, 7))}
        given |= {"f_art": 3 * rng.normal(size=(states, 1, 6))}
    return given


def motors(name: str) -> Array:
    return np.arange(load(name).nv) >= (6 if name in FLOATING else 0)


def answers(case: str, **options) -> Iterator[tuple["Witness", mc.Results]]:
    """What is found in each state, and who knows."""
    asked = ask(case, **options)
    for witness, state in zip(witnesses(case), zip(*random_inputs(case).values(), strict=True), strict=True):
        yield witness, asked(*state)


@cache
def witnesses(case: str) -> "list[Witness]":
    inputs = random_inputs(case)
    return [Witness(case, dict(zip(inputs, state, strict=True))) for state in zip(*inputs.values(), strict=True)]


class Witness:
    """What happens in one state: (a, contact forces) = rest + answer · motors."""

    def __init__(self, case: str, given: dict[str, Array]) -> None:
        name, constraints, _ = CASES[case]
        world, self.limits, self.motors = oracle(name), LIMITS[name][motors(name)], motors(name)
        world.place(given["q"], given["v"])
        self.M, h = world.mass_matrix(given["q"]), world.bias_forces(given["q"], given["v"], (0, 0, -9.81))
        J, bias, self.task = constraint_rows(world, constraints)
        outside, anyway = -h, given["tau"]
        if "f_ext" in given:
            outside = outside + given["tau_physical"] + world.push({("link_5", "link_5"): given["f_ext"][0]})
            anyway = anyway + world.push({("link_6", "link_6"): given["f_art"][0]})
        self.free = np.linalg.solve(self.M, anyway + outside)
        held, self.J, self.b = J[~self.task], J[self.task], (given["b"] - bias)[self.task]
        sizes = [unit_wrenches(c.rows).shape[1] for c in constraints]
        weights, levels = (np.repeat([getattr(c, what) for c in constraints], sizes) for what in ("weight", "level"))
        self.weights, self.levels = weights[self.task], levels[self.task]
        K = np.block([[self.M, -held.T], [held, np.zeros((len(held),) * 2)]])
        self.condition, inverse = np.linalg.cond(K), np.linalg.inv(K)
        self.rest = inverse @ np.concatenate([outside, (given["b"] - bias)[~self.task]])
        self.answer = inverse[:, : len(h)][:, self.motors]

    def motion(self, tau: Array) -> tuple[Array, Array]:
        """a and the contacts' multipliers under these motor forces, of all coordinates."""
        found = self.rest + self.answer @ tau[self.motors]
        return found[: len(self.M)], found[len(self.M) :]

    def best(self) -> tuple[Array, Array]:
        """Motor forces and a: nearest to b, level after level, then nearest to the free motion."""
        n, done, reached = len(self.M), np.zeros((0, len(self.limits))), np.zeros(0)
        A, rest, high = self.answer[:n], self.rest[:n], np.minimum(self.limits, 1e5)
        for level in np.unique(self.levels):
            rows, weight = self.levels == level, self.weights[self.levels == level]
            R, r = weight[:, None] * (self.J[rows] @ A), weight * (self.b[rows] - self.J[rows] @ rest)
            if len(done):
                tau = qp(R.T @ R, -R.T @ r, done, reached, high)
            else:
                tau = lsq_linear(R, r, (-high, high), method="bvls", tol=1e-15, max_iter=1000).x
            done, reached = np.vstack([done, R]), np.concatenate([reached, R @ tau])
        tau = qp(A.T @ self.M @ A, A.T @ self.M @ (rest - self.free), done, reached, high)
        return tau, rest + A @ tau

    def costs(self, a: Array) -> list[float]:
        """How far b is missed, level after level, and how far this is from the free motion."""
        miss = self.weights * (self.J @ a - self.b)
        levels = [float(np.linalg.norm(miss[self.levels == level])) for level in np.unique(self.levels)]
        return [*levels, float(np.sqrt((a - self.free) @ self.M @ (a - self.free)))]


def qp(H: Array, g: Array, A: Array, b: Array, high: Array) -> Array:
    """The least of ½ xᵀHx + gᵀx with A x = b, |x| ≤ high. H may be singular: from each answer on to the next."""
    options = {"printLevel": "none", "print_time": False, "error_on_fail": True}
    shapes = {"h": ca.Sparsity.dense(*H.shape), "a": ca.Sparsity.dense(*A.shape)}
    solve, ease, x = ca.conic("qp", "qpoases", shapes, options), 1e-6 * np.diag(np.diag(H)), np.zeros(len(g))
    slack = 1e-10 * max(1.0, np.abs(b).max())
    for _ in range(4):
        found = solve(h=H + ease, g=g - ease @ x, a=A, lba=b - slack, uba=b + slack, lbx=-high, ubx=high)
        x = np.array(found["x"])[:, 0]
    return x


def no_worse(found: list[float], reference: list[float]) -> bool:
    """Whether the first cost that differs is less; a little more of any is forgiven."""
    forgiven = [1e-7] * (len(found) - 1) + [1e-5]
    for one, other, more in zip(found, reference, forgiven, strict=True):
        if one < other - 1e-9 * max(1.0, other):
            return True
        if one > other + more * max(1.0, other):
            return False
    return True


# ---------------------------------------------------------------- all robots


@row("lazy-control", 10)
@each_case
def test_clipped_torques_are_inside_and_the_robot_really_moves_so(case: str, record_property: Callable) -> None:
    """tau_command is what is asked without limits, clipped; a, contacts' forces and residual are what it does."""
    name, _, _ = CASES[case]
    limits, errors, clipped = LIMITS[name], [], 0
    for witness, out in answers(case, on_limit="clip"):
        assert np.all(np.abs(out.tau_command) <= limits)
        assert np.all(out.tau_command[~witness.motors] == 0)
        at_limit = np.where(witness.motors & np.isfinite(limits), np.sign(out.tau_command), 0)
        assert np.array_equal(out.saturated, at_limit * (np.abs(out.tau_command) == limits))
        a, forces = witness.motion(out.tau_command)
        errors += [error(out.a, a), error(out.multipliers[~witness.task], forces)]
        errors.append(error(out.residual[witness.task] + witness.b, witness.J @ a))
        assert np.abs(out.residual[~witness.task]).max(initial=0.0) < 1e-9
        clipped += bool(out.saturated.any())
    record_property("worst error", max(errors))
    assert max(errors) < 1e-9
    assert name == "anymal" or 5 < clipped < STATES - 5


@row("motion-stack", 33)
@each_case
def test_no_torques_inside_the_limits_do_better(case: str, record_property: Callable) -> None:
    """Against bounded least squares and a QP; b can be had at once, with motors at their limits, or not at all."""
    name, _, _ = CASES[case]
    errors, steps, kinds = [], [], Counter()
    for witness, out in answers(case):
        assert np.all(np.abs(out.tau_command) <= LIMITS[name])
        assert np.all(np.abs(out.tau_command)[out.saturated != 0] == LIMITS[name][out.saturated != 0])
        assert error(out.a, witness.motion(out.tau_command)[0]) < 1e-9
        assert error(out.multipliers[~witness.task], witness.motion(out.tau_command)[1]) < 1e-9
        tau, a = witness.best()
        assert no_worse(witness.costs(out.a), witness.costs(a))
        errors.append(error(out.a, a))
        if "wall" not in case and "feet" not in case:  # where contacts share, torques are not unique
            errors.append(error(out.tau_command[witness.motors], tau))
        steps.append(out.steps)
        lost = max(witness.costs(a)[:-1]) > 1e-4
        kinds["missed" if lost else "saturated" if out.saturated.any() else "inside"] += 1
        assert any("cannot be had" in note for note in out.notes) == (np.abs(out.residual).max() > 1e-6)
        assert sum("makes all it can" in note for note in out.notes) == np.count_nonzero(out.saturated)
    record_property("typical and worst error", (float(np.median(errors)), max(errors)))
    record_property("states", dict(kinds))
    record_property("most steps", max(steps))
    # on two links and on an arm the best is one; elsewhere the witness may have been content a little earlier
    unique = case in ("two links", "two links, one row", "an arm")
    assert (max(errors) if unique else np.quantile(errors, 0.9)) < 1e-6
    assert min(kinds["inside"], kinds["missed"]) > 5
    assert kinds["saturated"] > 5 or case == "two links"
    # as many as motors, or less; two levels may take some more
    assert np.quantile(steps, 0.99 if "levels" not in case else 0.7) <= load(name).nv
    assert max(steps) <= (2 if "levels" not in case else 3) * load(name).nv


@row("motion-stack", 33)
@pytest.mark.parametrize("on_limit", ["optimal", "clip"])
@pytest.mark.parametrize("case", ["two links", "an arm", "a wall, two levels"])
def test_where_limits_are_far_nothing_changes(case: str, on_limit: str) -> None:
    name, constraints, _ = CASES[case]
    forces = {
        "external_forces": [mc.Force("link_5", as_seen_by="link_5")],
        "artificial_forces": [mc.Force("link_6", as_seen_by="link_6")],
        "physical_torques": True,
    }
    free = mc.constrained_dynamics(load(name), constraints, **(forces if name == "lwr4" else {}))
    limited, inputs = ask(case, on_limit, scale=1e4), random_inputs(case)
    for k in range(3):
        state = [values[k] for values in inputs.values()]
        expected, out = free.run(*state), limited.run(*state)
        for name in ("a", "tau_command", "multipliers", "residual", "unactuated", "rank"):
            assert error(out[name], expected[name]) < 1e-8, name
        assert not out.saturated.any()
        assert out.notes == []


@row("lazy-control", 10)
@pytest.mark.parametrize("on_limit", ["optimal", "clip"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_lanes_and_single_precision_stay_inside_and_agree(on_limit: str, precision: str) -> None:
    """Exactly inside: what a motor cannot make is never asked of it, by a rounding neither."""
    case = "two links, one row"
    asked, inputs = ask(case, on_limit, precision), random_inputs(case)
    limits = LIMITS["planar2"]
    assert precision == "double" or np.any(limits.astype(np.float32) > limits)
    side_by_side = asked.batch(*inputs.values())
    assert np.all(np.abs(side_by_side.tau_command.astype(float)) <= limits)
    assert 5 < np.count_nonzero(side_by_side.saturated.any(axis=1)) < STATES - 5
    exact = ask(case, on_limit).batch(*inputs.values())
    for k, state in enumerate(zip(*inputs.values(), strict=True)):
        one = asked(*state)
        assert np.all(np.abs(one.tau_command.astype(float)) <= limits)
        assert error(side_by_side.tau_command[k], one.tau_command) < (1e-4 if precision == "single" else 1e-12)
    close = np.abs(side_by_side.tau_command - exact.tau_command).max(axis=1) < 1e-3
    assert np.mean(close) > 0.98
    assert any("states, first" in note for note in exact.notes)


# ---------------------------------------------------------------- small things, step by step

ARM = mc.load("lwr4")
HELD = [C("link_7", "xyz")]


def run(
    robot: mc.Robot, constraints: Sequence[mc.Constraint], b: Array, tau: Array | None = None, **options
) -> mc.Results:
    rng = np.random.default_rng(3)
    q, v = robot.random(rng), 0.1 * rng.normal(size=robot.nv)
    tau = np.zeros(robot.nv) if tau is None else tau
    return mc.constrained_dynamics(robot, constraints, **options).run(q, v, tau, b)


def test_limits_come_from_the_model_by_joint_or_in_order() -> None:
    effort, b = ARM.limits.effort, np.full(3, 200.0)
    by_model = run(ARM, HELD, b, limits="robot")
    by_joint = run(ARM, HELD, b, limits=dict(zip(ARM.joint_names, effort, strict=True)))
    in_order = run(ARM, HELD, b, limits=effort)
    assert by_model.saturated.any()
    for other in (by_joint, in_order):
        assert np.array_equal(by_model.tau_command, other.tau_command)
    one = run(ARM, HELD, b, limits={"joint_2": 5.0})
    assert abs(one.tau_command[2]) == 5.0
    assert np.array_equal(np.flatnonzero(one.saturated), [2])


def test_a_motor_that_can_make_nothing_makes_nothing() -> None:
    for on_limit in ("optimal", "clip"):
        out = run(ARM, HELD, np.ones(3), limits={"joint_1": 0.0}, on_limit=on_limit)
        assert out.tau_command[1] == 0
        assert out.saturated[1] != 0
    out = run(ARM, HELD, np.ones(3), limits=np.zeros(7))
    assert not out.tau_command.any()
    assert out.steps == 0


def test_torques_that_are_made_anyway_are_limited_too() -> None:
    """Without any task: of all torques inside, those whose motion is nearest to the one that was meant."""
    tau = np.array([50.0, 3.0, 0, 0, 0, 0, 0])
    for on_limit in ("optimal", "clip"):
        out = run(ARM, [], np.zeros(0), tau, limits={"joint_0": 10.0}, on_limit=on_limit)
        assert out.tau_command[0] == 10
        assert out.saturated[0] == 1
    # the others help
    best = run(ARM, [], np.zeros(0), tau, limits={"joint_0": 10.0})
    assert np.abs(best.tau_command[1:] - tau[1:]).max() > 0.1
    M = mc.mass_matrix(ARM)(ARM.random(np.random.default_rng(3)))
    meant = np.linalg.solve(M, tau - best.tau_command)
    # nothing but joint 0 is left to be wished for: Zwang grows along every other torque
    assert np.abs(meant[1:]).max() < 1e-9 * np.abs(meant[0])


def test_an_arm_in_a_singular_pose_gets_bounded_torques_and_the_truth() -> None:
    """Stretched out, asked to go further: what motors cannot make, and what they do then."""
    robot = mc.load("planar2")
    for q1 in (0.0, 1e-9, 1e-4):
        for on_limit in ("optimal", "clip"):
            asked = mc.constrained_dynamics(robot, [C("tip", "x y")], limits=[0.5, 0.5], on_limit=on_limit)
            q, v = np.array([0.3, q1]), np.zeros(2)
            out = asked(q, v, np.zeros(2), 3 * np.array([-np.sin(0.3), np.cos(0.3)]))
            assert np.all(np.abs(out.tau_command) <= 0.5)
            assert error(oracle("planar2").forward_dynamics(q, v, out.tau_command), out.a) < 1e-9


def test_joints_that_follow_others_are_moved_by_their_leaders_motor() -> None:
    for floating in (False, True):
        robot = tree(floating, coupled=True)
        rows = [C("hand", "z", source="contact"), C("tool", "x y")]
        for on_limit in ("optimal", "clip"):
            out = run(robot, rows, np.array([0, 6.0, 6.0]), limits={"shoulder": 2.0, "wrist": 1.0}, on_limit=on_limit)
            where = [robot.v_index[name].start for name in ("shoulder", "wrist")]
            assert np.all(np.abs(out.tau_command[where]) <= [2.0, 1.0])
            assert out.saturated[where].any()
            # forward dynamics under these torques and the contact's force
            push = mc.forward_dynamics(robot, external_forces=[mc.Force("hand", as_seen_by="world")])
            rng = np.random.default_rng(3)
            q, v = robot.random(rng), 0.1 * rng.normal(size=robot.nv)
            force = [[0, 0, 0, 0, 0, out.multipliers[0]]]
            assert error(push.run(q, v, out.tau_command, force), out.a) < 1e-9
            assert abs(out.residual[0]) < 1e-9


@pytest.mark.parametrize("on_limit", ["optimal", "clip"])
def test_contacts_come_before_tasks_whatever_their_level(on_limit: str) -> None:
    """The task asks to leave the wall: it cannot, and the rest of it does not suffer."""
    rows = [C("link_7", "z", source="contact", level=2), C("link_7", "z"), C("link_7", "x")]
    out = run(ARM, rows, np.array([0.0, 2.0, 1.0]), limits=np.full(7, 1e4), on_limit=on_limit)
    assert np.allclose(out.residual, [0, -2, 0], rtol=0, atol=1e-9)


def test_damping_and_posture_keep_what_they_mean() -> None:
    """Far from its limits a damped or yielding task is what it is without any."""
    tau = np.linspace(-3, 3, 7)
    for options in ({"regularisation": 0.1}, {"posture": 1.0}):
        free = run(ARM, HELD, np.ones(3), tau, **options)
        limited = run(ARM, HELD, np.ones(3), tau, limits=np.full(7, 1e4), **options)
        assert error(limited.a, free.a) < 1e-9
        assert error(limited.tau_command, free.tau_command) < 1e-9


def test_what_is_no_number_stays_none() -> None:
    for on_limit in ("optimal", "clip"):
        asked = mc.constrained_dynamics(mc.load("planar2"), [C("tip", "x y")], limits=[1.0, 1.0], on_limit=on_limit)
        out = asked([np.nan, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        assert np.isnan(out.a).any()
        assert np.isnan(out.tau_command).any()


def test_steps_reported_to_the_end_mean_that_it_was_not_reached() -> None:
    asked = mc.constrained_dynamics(ARM, HELD, limits="robot")
    most = 2 * ARM.nv + 4
    results = {"steps": np.array([3.0, most]), "saturated": np.zeros((2, 7)), "residual": np.zeros((2, 3))}
    (said,) = [note for note in asked.solver.notes(results) if note.states.any()]
    assert f"after {most} steps" in said.sentence
    assert said.states.tolist() == [False, True]


LONG = serial_chain(41)
POWERLESS = mc.Robot(
    mc.KinematicChain("powerless", tuple(replace(joint, limits=mc.Limits(effort=0.0)) for joint in tree(False).joints))
)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"limits": "file"}, "say 'robot'"),
        ({"limits": {"joint9": 1.0}}, "no such movable joint"),
        ({"limits": {"joint_2": -1.0}}, "numbers ≥ 0"),
        ({"limits": {"joint_2": np.nan}}, "numbers ≥ 0"),
        ({"limits": {"joint_2": "strong"}}, "give numbers"),
        ({"limits": {"joint_2": [1.0, 2.0]}}, "one number"),
        ({"limits": [1.0, 2.0]}, "7 numbers"),
        ({"limits": 30.0}, "7 numbers"),
        ({"limits": np.ones(7), "on_limit": "stop"}, "on_limit='stop'"),
        ({"limits": np.ones(7), "actuated": ["joint_2"]}, "joint_0: it has no motor"),
        ({"limits": np.ones(7), "prescribed": ["joint_2"]}, "JointConstraint"),
        (
            {"limits": np.ones(7), "regularisation": 0.1, "constraints": [C("link_7", "z", source="contact")]},
            "contacts",
        ),
        ({"limits": np.ones(7), "posture": 0.1, "constraints": [C("link_7", "z", source="contact")]}, "contacts"),
        ({"outputs": ["saturated"]}, "saturated"),
        ({"limits": np.ones(7), "on_limit": "clip", "outputs": ["steps"]}, "steps"),
        ({"robot": mc.load("planar2"), "limits": "robot", "constraints": [C("tip", "x")]}, "no motor"),
        ({"robot": tree(True, True), "limits": {"hip": 1.0}, "constraints": []}, "follows wrist"),
        ({"robot": POWERLESS, "limits": "robot", "constraints": []}, "hip an effort of 0"),
    ],
)
def test_what_has_no_meaning_is_refused_with_a_sentence(options: dict, words: str) -> None:
    given = {"robot": ARM, "constraints": HELD} | options
    with pytest.raises(mc.Error, match=words):
        mc.constrained_dynamics(given.pop("robot"), given.pop("constraints"), **given)


def test_the_best_has_no_bound_of_size() -> None:
    """A task of one joint that all others help with, and none where there is nothing to help."""
    limits = np.full(41, 0.5)
    asked = mc.constrained_dynamics(LONG, [], limits=limits, outputs=["tau_command", "saturated", "steps"])
    tau = np.linspace(-1, 1, 41)
    found = asked.run(np.zeros(41), np.zeros(41), tau, [])
    assert np.all(np.abs(found.tau_command) <= limits)
    assert 0 < np.abs(found.saturated).sum() < 41
    M = mc.mass_matrix(LONG).run(np.zeros(41))
    H, g = (lambda inverse: (inverse, -inverse @ tau))(np.linalg.inv(M))
    solve = ca.conic(
        "qp", "daqp", {"h": ca.Sparsity.dense(41, 41), "a": ca.Sparsity.dense(0, 41)}, {"print_time": False}
    )
    scale = 1.0 / np.abs(H).max()
    best = np.array(solve(h=scale * H, g=scale * g, lbx=-limits, ubx=limits)["x"])[:, 0]
    far = [float((each - tau) @ H @ (each - tau)) for each in (found.tau_command, best)]
    assert far[0] <= far[1] * (1 + 1e-9)


def test_clipping_has_no_bound_of_size() -> None:
    out = mc.constrained_dynamics(
        LONG, [], limits=np.full(41, 0.5), on_limit="clip", outputs=["tau_command", "saturated"]
    )
    tau = np.linspace(-1, 1, 41)
    found = out.run(np.zeros(41), np.zeros(41), tau, [])
    assert np.array_equal(found.tau_command, np.clip(tau, -0.5, 0.5))
    assert np.array_equal(found.saturated, np.sign(tau) * (np.abs(tau) > 0.5))
