"""Solvers composed by users: checked before anything runs, compiled like ours, told what is wrong at the operation."""

import inspect
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
import textbook
from motionc.errors import Error
from motionc.geometry import JointForce, SemanticError
from mutants import mutants, tree
from oracle import error, load, oracle
from rows import row

S = mc.schedules
OUTWARD, INWARD, ROOT = mc.OUTWARD, mc.INWARD, mc.ROOT


def states(robot: mc.Robot, count: int = 20):
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield robot.random(rng), *rng.normal(size=(2, robot.nv))


# ---------------------------------------------------------------- the textbook, against Pinocchio


@row("motion-stack", 13)
@pytest.mark.parametrize("name", ["lwr4", "anymal"])
def test_a_users_newton_euler_agrees_with_pinocchio_compiled_and_in_batches(name) -> None:
    robot, witness = load(name), oracle(name)
    solver = textbook.inverse_dynamics(robot)
    assert [port.name for port in solver.inputs] == ["q", "v", "a"]
    asked = list(states(robot))
    expected = np.array([witness.inverse_dynamics(*state) for state in asked])
    assert error(np.array([solver(*state) for state in asked]), expected) < 1e-10
    assert error(solver.batch(*map(np.array, zip(*asked, strict=True))), expected) < 1e-10
    assert error(solver.run(*asked[0]), expected[0]) < 1e-10


def test_a_textbook_solver_is_ten_lines_of_operations_and_one_call() -> None:
    steps = (textbook.hold_the_world, textbook.newton_euler, textbook.hand_down)
    bodies = [inspect.getsource(step.function).split("):\n", 1)[1] for step in steps]
    assert sum(len(body.strip().splitlines()) for body in bodies) <= 10
    assert len(inspect.getsource(textbook.inverse_dynamics).strip().splitlines()) == 2


FORWARD: dict[str, Callable[[mc.Robot], mc.Computation]] = {
    "ours": mc.forward_dynamics,
    "by the mass matrix": lambda robot: mc.solve(
        robot, S.COUPLED_DYNAMICS, outputs={"a": "accelerations"}, constants={"a": 0}
    ),
    "a user's articulated bodies": textbook.forward_dynamics,
}


@row("itasc", 7)
@pytest.mark.parametrize("name", ["lwr4", "anymal"])
@pytest.mark.parametrize("algorithm", FORWARD)
def test_the_same_calling_code_runs_any_algorithm_and_only_the_constructor_differs(algorithm, name) -> None:
    robot, witness = load(name), oracle(name)
    dynamics = FORWARD[algorithm](robot)
    assert [(port.name, port.shape) for port in (*dynamics.inputs, *dynamics.outputs)] == [
        ("q", (robot.nq,)),
        ("v", (robot.nv,)),
        ("tau", (robot.nv,)),
        ("a", (robot.nv,)),
    ]
    for q, v, tau in states(robot, 5):
        assert error(dynamics.run(q, v, tau), witness.forward_dynamics(q, v, tau)) < 1e-9


@row("itasc", 7)
def test_both_ways_to_the_mass_matrix_are_called_alike() -> None:
    robot, witness = load("lwr4"), oracle("lwr4")
    ways = [
        mc.mass_matrix(robot),
        mc.mass_matrix(robot, method="innovations"),
        mc.solve(robot, S.INNOVATIONS, outputs={"M": "mass_matrix"}, constants={"v": 0, "tau": 0}),
    ]
    for q, *_ in states(robot, 5):
        assert all(error(way.run(q), witness.mass_matrix(q)) < 1e-10 for way in ways)


# ---------------------------------------------------------------- outputs keep their meaning


@pytest.mark.parametrize("representation", ["inertial", "absolute"])
def test_a_users_solver_says_the_same_in_every_representation(representation) -> None:
    robot, witness = load("anymal"), oracle("anymal")
    place = {"of": "LF_FOOT", "point": (0.1, 0.2, 0.3), "as_seen_by": "RH_SHANK"}
    outputs = {"tau": "joint_force"} | {
        name: mc.Output(name, **place) for name in ("twist", "classical_acceleration", "wrench")
    }
    ours, other = (
        mc.solve(robot, textbook.NEWTON_EULER, outputs=outputs, representation=kept)
        for kept in ("body", representation)
    )
    for q, v, a in states(robot, 3):
        here, there = ours.run(q, v, a), other.run(q, v, a)
        assert error(there.tau, witness.inverse_dynamics(q, v, a)) < 1e-10
        assert all(error(there[name], here[name]) < 1e-10 for name in outputs)


@pytest.mark.parametrize("as_seen_by", ["world", "", "link_3"])
def test_motion_of_a_frame_is_handed_out_at_the_point_and_in_the_axes_asked_for(as_seen_by) -> None:
    robot, point = load("lwr4"), (0.1, -0.2, 0.3)
    place = {"of": "link_7", "point": point, "as_seen_by": as_seen_by}
    kinds = {"twist": "twist", "classical": "classical_acceleration"}
    solver = mc.solve(robot, S.ACCELERATIONS, outputs={name: mc.Output(kind, **place) for name, kind in kinds.items()})
    ours = mc.frame_motion(robot, "link_7", point=point, as_seen_by=as_seen_by or "link_7", outputs=list(kinds))
    for state in states(robot, 3):
        found, expected = solver.run(*state), ours.run(*state)
        for name in kinds:
            assert error(found[name], expected[name][0]) < 1e-12


def test_frames_poses_jacobians_and_what_holds_the_robot_agree_with_pinocchio() -> None:
    robot, witness = load("lwr4"), oracle("lwr4")
    columns = textbook.jacobian(robot, "link_7")
    held = mc.solve(
        robot,
        S.INVERSE_DYNAMICS,
        outputs={"pose": mc.Output("world_pose", of="link_7"), "base": mc.Output("wrench", of="world")},
    )
    weight = 9.81 * sum(inertia.mass for inertia in witness.model.inertias[1:])
    for q, *_ in states(robot, 3):
        witness.place(q)
        assert error(columns.run(q), witness.jacobian("link_7")) < 1e-12
        still = held.run(q, np.zeros(7), np.zeros(7))
        assert error(still.pose, witness.pose("link_7")) < 1e-12
        assert still.base[5] == pytest.approx(weight)


def test_inertias_and_points_of_the_whole_robot_are_handed_out() -> None:
    robot, witness = load("lwr4"), oracle("lwr4")
    solver = mc.solve(
        robot,
        S.CENTER_OF_MASS,
        outputs={"com": "center", "inertia": "composite", "tip": mc.Output("composite", of="link_7", as_seen_by="")},
    )
    for q, *_ in states(robot, 3):
        out, com = solver.run(q), witness.center_of_mass(q)[0]
        mass = out.inertia[5, 5]
        assert error(out.com, com) < 1e-12
        assert error(out.inertia[:3, 3:], mass * np.cross(np.eye(3), com)) < 1e-12
        assert np.array_equal(out.inertia, out.inertia.T)
        own = robot.links[-1]
        assert error(out.tip[:3, 3:], own.mass * np.cross(np.eye(3), own.com)) < 1e-12


def test_ports_say_what_a_relation_knows_of_itself() -> None:
    robot = load("lwr4")
    solver = mc.solve(robot, S.INVERSE_DYNAMICS, outputs={"tau": "joint_force", "tip": mc.Output("twist", of="link_7")})
    tau, tip = solver.outputs
    assert (tau.shape, tau.unit) == ((7,), "N m, N")
    assert (tip.shape, tip.unit) == ((6,), "rad/s, m/s")
    assert tip.meaning == "twist of link_7 wrt world, at link_7, as seen by world; rows rx ry rz x y z"


def test_quantities_and_inputs_of_ones_own_are_compiled_too(tmp_path) -> None:
    robot = load("lwr4")

    @mc.operation(OUTWARD, gives="spring")
    def springs(joint, parent, child):
        where = joint.moving.joint
        q, k = joint.problem.rows("q", where.q), joint.problem.rows("stiffness", where.v)
        child["spring"] = None if q is None or k is None else -k * q

    stiffness = mc.Port("stiffness", (7,), "N m/rad", "of a spring at each joint")
    schedule = S.POSES + mc.sweep(springs)
    solver = mc.solve(
        robot,
        schedule,
        inputs=["q", stiffness],
        outputs={
            "double": mc.Output("spring", unit="N m", meaning="what springs make"),
            "last": mc.Output("spring", of="link_7"),
        },
    )
    q, k = np.arange(7) / 7, np.arange(7) + 1.0
    assert np.allclose(solver(q, k).double, -k * q, rtol=0, atol=1e-12)
    assert solver(q, k).last == pytest.approx(-6)
    assert solver.outputs[0].unit == "N m"
    header = solver.emit("c", tmp_path, prefix="springs")[0].read_text()
    assert "double *restrict double_" in header  # a word of C is no name there


def test_a_helper_that_changes_changes_the_compiled_solver() -> None:
    """A build is found again by what it computes, not by the name of what computes it."""
    robot, gain = load("planar2"), [1.0]

    class Springs:
        def at(self, q):
            return None if q is None else gain[0] * q

    helper = Springs()

    @mc.operation(OUTWARD, gives="spring")
    def springs(joint, parent, child):
        child["spring"] = helper.at(joint.problem.rows("q", joint.moving.joint.q))

    found = []
    for gain[0] in (1.0, 3.0):
        solver = mc.solve(robot, mc.Schedule("springs", [mc.sweep(springs)]), outputs={"tau": "spring"})
        found.append(solver([1.0, 2.0]))
    assert np.array_equal(found, [[1.0, 2.0], [3.0, 6.0]])


def test_a_schedule_may_need_no_input_at_all() -> None:
    @mc.operation(OUTWARD, gives="depth")
    def depths(joint, parent, child):
        child["depth"] = parent.get("depth", 0) + 1

    solver = mc.solve(load("lwr4"), mc.Schedule("depth", [mc.sweep(depths)]), outputs={"depth": "depth"})
    assert solver.inputs == ()
    assert np.array_equal(solver(), np.arange(7) + 1)


# ---------------------------------------------------------------- inputs are those that are read


def test_external_forces_and_what_acts_anyway_become_inputs_when_asked_for() -> None:
    robot, witness = load("lwr4"), oracle("lwr4")
    solver = mc.solve(
        robot,
        S.FORWARD_DYNAMICS,
        outputs={"a": "joint_acceleration"},
        inputs=["q", "v", "tau", "tau_physical"],
        external_forces=[mc.Force("link_7", as_seen_by="link_7")],
    )
    assert [port.name for port in solver.inputs] == ["q", "v", "tau", "tau_physical", "f_ext"]
    push = np.arange(6.0) + 1
    for q, v, tau in states(robot, 3):
        witness.place(q)
        expected = witness.forward_dynamics(q, v, 3 * tau, {("link_7", "link_7"): push})
        assert error(solver.run(q, v, tau, 2 * tau, [push]), expected) < 1e-9


QUESTIONS: dict[str, tuple[dict, str]] = {
    "an output nobody gives": (
        {"outputs": {"x": "twits"}},
        "output 'x': no operation gives 'twits'; did you mean twist",
    ),
    "no output": ({"outputs": {}}, "outputs is empty"),
    "outputs without names": ({"outputs": ["joint_force"]}, "outputs are named: .* is a list; write"),
    "an output that is no quantity": ({"outputs": {"x": 3}}, "output 'x': 3 is an int; give the name of a quantity"),
    "an output that is no word": ({"outputs": {"τ 1": "joint_force"}}, "cannot be called 'τ 1'"),
    "an output of every body": ({"outputs": {"x": "twist"}}, r'say of which frame: Output\("twist", of="tool"\)'),
    "an unknown frame": ({"outputs": {"x": mc.Output("twist", of="lnk_7")}}, "no frame 'lnk_7'; did you mean link_7"),
    "a pose wrt a parent": ({"outputs": {"x": mc.Output("pose", of="link_7")}}, "wrt world .* take 'world_pose'"),
    "no numbers": ({"outputs": {"x": mc.Output("mass_rows", of="link_7")}}, "a JointRows cannot be handed out"),
    "an input that is no port": ({"inputs": ["q", "torque"]}, "inputs='torque': there is no such input"),
    "an input that is missing": ({"inputs": ["q", "v"]}, "the schedule reads 'a'; add it to inputs="),
    "an input nobody reads": ({"inputs": ["q", "v", "a", "tau"]}, "no operation of the schedule reads 'tau'"),
    "an input said twice": ({"inputs": ["q", "v", "a", "a"]}, "there is an input 'a' already"),
    "wrenches without a place": ({"inputs": ["q", "v", "a", "f_ext"]}, r"external_forces=\[…\] makes it"),
    "a constant nobody reads": ({"constants": {"tau": 0}}, "no operation of the schedule reads 'tau'"),
    "a constant of wrong size": ({"constants": {"a": [0, 0]}}, "constants: a=.*give one finite number, or 7 of them"),
    "a constant that is an input": ({"constants": {"a": 0}, "inputs": ["q", "v", "a"]}, "both an input and a constant"),
    "a gravity of two": ({"gravity": (0, 9.81)}, "give three finite numbers"),
    "a precision there is not": ({"precision": "half"}, "precision='half'"),
}


@pytest.mark.parametrize("case", QUESTIONS)
def test_a_question_that_makes_no_sense_gets_a_sentence(case) -> None:
    asked, said = QUESTIONS[case]
    schedule = S.INVERSE_DYNAMICS + S.MASS_MATRIX
    with pytest.raises(Error, match=said):
        mc.solve(load("lwr4"), schedule, **({"outputs": {"tau": "joint_force"}} | asked))


def test_what_is_given_must_be_read() -> None:
    robot = load("lwr4")
    with pytest.raises(Error, match=r"no operation .* reads 'f_ext'.*apply_wrenches"):
        mc.solve(
            robot,
            S.TWISTS,
            outputs={"x": mc.Output("twist", of="link_7")},
            external_forces=[mc.Force("link_7", as_seen_by="link_7")],
        )
    with pytest.raises(Error, match="asks how things fall; leave out gravity"):
        mc.solve(robot, S.MASS_MATRIX, outputs={"M": "mass_matrix"}, gravity=(0, 0, -1.62))

    @mc.operation(ROOT, gives="x")
    def unknown(graph, problem):
        graph.world["x"] = problem.rows("stiffness", slice(0, 1))

    with pytest.raises(Error, match=r"reads an input 'stiffness' that is not one of q, .*Port\(\"stiffness\""):
        mc.solve(robot, mc.Schedule("own", [mc.sweep(unknown)]), outputs={"x": "x"})
    with pytest.raises(Error, match=r"solve takes a schedule: .* is a Sweep"):
        mc.solve(robot, mc.sweep(unknown), outputs={"x": "x"})


@pytest.mark.parametrize(
    ("before", "now", "schedule"),
    [
        ("system", "mass_matrix", S.MASS_MATRIX),
        ("mobility", "mass_matrix_inverse", S.INNOVATIONS),
        ("root", "mass_matrix_factor", S.MASS_MATRIX_INVERSE),
        ("together", "accelerations", S.COUPLED_DYNAMICS),
        ("momenta", "unit_momenta", S.CENTER_OF_MASS),
    ],
)
def test_a_quantity_asked_for_by_its_old_name_is_told_the_new_one(before: str, now: str, schedule: mc.Schedule) -> None:
    with pytest.raises(Error, match=f"no operation gives '{before}'; it is called '{now}' now"):
        mc.solve(load("lwr4"), schedule, outputs={"x": before})


def test_robots_that_do_not_fit_an_algorithm_are_refused() -> None:
    coupled = tree(False, coupled=True)
    for schedule in (S.FORWARD_DYNAMICS, textbook.ARTICULATED_BODIES):
        with pytest.raises(Error, match=r"hip follows wrist, but articulated bodies .*COUPLED_DYNAMICS"):
            mc.solve(coupled, schedule, outputs={"a": "joint_acceleration"})
    found = mc.solve(coupled, S.COUPLED_DYNAMICS, outputs={"a": "accelerations"}, constants={"a": 0})
    ours = mc.forward_dynamics(coupled)
    for state in states(coupled, 3):
        assert np.array_equal(found.run(*state), ours.run(*state))


# ---------------------------------------------------------------- operations are watched


def build(step, *before, outputs=None) -> mc.Computation:
    """One operation after twists, on a small robot with a branch."""
    schedule = S.TWISTS
    for other in (*before, step):
        schedule = schedule + mc.sweep(other)
    return mc.solve(tree(False), schedule, outputs=outputs or {"x": mc.Output("twist", of="hand")})


@row("motion-stack", 11)
def test_an_operation_before_what_it_needs_is_refused_when_the_schedule_is_built() -> None:
    with pytest.raises(Error, match=r"newton_euler needs 'pose', .* put poses before it"):
        mc.Schedule("wrong", (mc.sweep(textbook.hold_the_world), mc.sweep(textbook.newton_euler), *S.TWISTS.sweeps))


def wrong_kind(joint, parent, child):
    child.wrench = child.twist


def wrong_kind_by_name(joint, parent, child):
    child["wrench"] = child.twist


def wrong_body(joint, parent, child):
    child.twist = parent.twist


def unsaid_need(joint, parent, child):
    child.wrench = child.pose


def unsaid_gift(joint, parent, child):
    child["mine"] = child.twist


def to_the_parent(joint, parent, child):
    parent.twist = parent.twist


def returned(joint, parent, child):
    return child.twist


def numbers_of_nothing(joint, parent, child):
    child["wrench"] = float(child.twist.angular[0, 0])


def one_argument(joint):
    pass


def typing_error(joint, parent, child):
    child.twist = child.twist.chnge_point(3)


MISTAKES = {
    wrong_kind: "Twist is not a Wrench",
    wrong_kind_by_name: "Twist is not a Wrench",
    wrong_body: "point of Twist.* is world.world.*, but that of arm is",
    unsaid_need: "reads it without saying that it needs 'pose'",
    unsaid_gift: "does not say that it gives 'mine'",
    to_the_parent: "gives it to the parent on the way outward",
    returned: "returns a Twist, which nobody reads",
    numbers_of_nothing: "NoNumber: a number made of unknown coordinates; coordinates are unknown while",
    one_argument: "TypeError: one_argument",
    typing_error: "AttributeError: 'Twist' object has no attribute 'chnge_point'$",
}


@row("motion-stack", 11)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda function: function.__name__)
def test_a_mistake_in_an_operation_is_refused_before_any_number_exists_and_located(mistake) -> None:
    step = mc.operation(OUTWARD, needs="twist", gives=["twist", "wrench"])(mistake)
    with pytest.raises(Error, match=rf"(?s){MISTAKES[mistake]}") as refusal:
        build(step)
    assert f"operation {mistake.__name__} at joint shoulder" in str(refusal.value)


@row("motion-stack", 11)
def test_what_a_parent_is_still_gathering_is_not_read() -> None:
    @mc.operation(INWARD, gives="count")
    def count(joint, parent, child):
        parent["count"] = parent.get("count", 0) + child.get("count", 0) + 1

    @mc.operation(INWARD, needs="count", gives="part")
    def split(joint, parent, child):
        child["part"] = 1 / parent["count"]

    with pytest.raises(SemanticError, match="whose other children may still add to it") as refusal:
        mc.solve(tree(False), mc.Schedule("partial", [mc.sweep(count, split)]), outputs={"x": "part"})
    assert "put split into a sweep of its own" in str(refusal.value)
    whole = mc.Schedule("whole", [mc.sweep(count), mc.sweep(split)])
    assert np.allclose(
        mc.solve(tree(False), whole, outputs={"x": "part"})(), [0.25, 0.5, 1.0, 0.25], rtol=0, atol=1e-12
    )


def test_names_of_quantities_are_words_and_directions_are_three() -> None:
    assert mc.operation(OUTWARD, needs="twist", gives="mine")(wrong_kind).needs == {"twist"}
    with pytest.raises(Error, match="direction='sideways'; an operation walks OUTWARD, INWARD, or stays at the ROOT"):
        mc.operation("sideways", gives="x")
    with pytest.raises(Error, match="twists has no operation 'twist'; did you mean twists"):
        S.TWISTS["twist"]


def test_every_frame_mistake_in_the_textbook_is_refused_by_the_check_reading() -> None:
    robot = tree(True)
    every = list(mutants("textbook", inspect.getsource(textbook)))
    alive = []
    for mutant in every:
        module: dict = {"__name__": "mutated"}
        try:
            exec(mutant.code, module)
            module["every_solver"](robot, "tool")
        except Error:
            continue
        alive.append(str(mutant))
    assert len(every) > 60
    assert alive == []


# ---------------------------------------------------------------- step by step


@row("motion-stack", 42)
def test_a_users_solver_prints_its_trace_in_the_layout_of_listing_2_5() -> None:
    solver, lines = textbook.inverse_dynamics(mc.load("planar2")), list[str]()
    found = solver.run([0.1, 0.2], [0.3, 0.4], [0.5, 0.6], trace=lines.append)
    assert lines[:2] == [
        "Composite operation is created: world_at_origin, world_at_rest",
        "Traverse operation is created: root",
    ]
    at = lines.index("Inside newton_euler")
    assert lines[at - 1] == "JOINT NAME shoulder"
    assert lines[at + 2].startswith("Wrench(shoulder:child.upper_arm|upper_arm,world,")
    assert lines.count("Inside hand_down") == 3  # fixed joints are there too, as they were written
    assert f"JointForce(shoulder) with coordinates:[{found[0]:.6g}]" in lines


@row("motion-stack", 42)
def test_a_run_can_be_followed_operation_by_operation_and_left() -> None:
    solver = textbook.inverse_dynamics(mc.load("planar2"))
    seen = []
    for step in solver.steps([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]):
        seen.append((step.sweep, step.operation, step.joint, *(name for name, _ in step.given)))
        if (step.operation, step.joint) == ("hand_down", "elbow"):
            break
    assert seen[0] == (0, "world_at_origin", "", "world_pose")
    assert seen[-1] == (4, "hand_down", "elbow", "joint_force", "wrench")
    (_, force), _ = step.given
    assert force.values[0, 0] == pytest.approx(solver.run([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])[1])


# ---------------------------------------------------------------- control between the sweeps


@mc.operation(ROOT, needs=["held_rows", "world_pose", "twist"], gives=["asked_rows"])
def pull(graph, problem):
    """b = K e - D ẏ along the rows, e to where the frame T is."""
    (hold,) = graph.world.held_rows
    missing, gains = hold.displacement(graph).along(hold.at_point), problem.rows("gains", slice(None))
    graph.world.asked_rows = (hold.asks(gains[0, 0] * missing.values - gains[1, 0] * hold.moving(graph).values),)


@mc.operation(ROOT, gives=["driving_force"])
def hold_on(graph, problem):
    """Motors brake: τ = - d q̇."""
    rates, damping = problem.rows("v", slice(None)), problem.rows("damping", slice(None))
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        state.driving_force = JointForce(body.joint.labels, -damping * rates[body.joint.v, :])


GAINS = mc.Port("gains", (2,), "1/s², 1/s", "K and D")
TO_T = mc.Constraint("tip", "xy", wrt="T", as_seen_by="T")


def cycle(robot: mc.Robot, *more, constraints=TO_T, **options):
    """Constrained dynamics with a control law in it, asked to go to T."""
    schedule = S.CONSTRAINED_DYNAMICS.replacing("ask_rows", pull).replacing("ask_motors", *more)
    return mc.solve(robot, schedule, constraints=[constraints], given_frames={"T": "world"}, **options)


def test_a_control_law_between_the_sweeps_is_one_program() -> None:
    """Poses and twists of the walk go in, accelerations along rows come out: as if somebody had computed b."""
    robot, rng = mc.load("planar3"), np.random.default_rng(0)
    whole = cycle(
        robot,
        S.CONSTRAINED_DYNAMICS["ask_motors"],
        outputs={"a": "accelerations", "tau": "joint_force", "f": "constraint_forces"},
        inputs=["q", "v", "tau", GAINS],
    )
    assert [port.name for port in whole.inputs] == ["q", "v", "tau", "gains", "T"]
    dynamics = mc.constrained_dynamics(robot, TO_T, given_frames={"T": "world"})
    forward, jacobian = mc.forward_kinematics(robot, "tip"), mc.jacobian(robot, "tip")
    T = np.array(mc.placed((0.3, 0.4, 0.0), (0.0, 0.0, 0.7)))
    for q, v, tau in states(robot, 3):
        q, gains = q + 0.1 * rng.normal(size=3), rng.random(2)
        missing, moved = T[:3, 3] - forward.run(q)[0, :3, 3], (jacobian.run(q) @ v)[3:]
        b = (T[:3, :3].T @ (gains[0] * missing - gains[1] * moved))[:2]
        expected = dynamics.run(q, v, tau, b, T)
        for found in (whole(q, v, tau, gains, T), whole.run(q, v, tau, gains, T)):
            assert error(found.a, expected.a) < 1e-12
            assert error(found.tau, expected.tau_command) < 1e-12
            assert error(found.f, expected.multipliers) < 1e-12
    assert "planar3_constrained_dynamics" in whole.sources("c")["planar3_constrained_dynamics.h"]


def test_motors_and_limits_are_operations_too() -> None:
    robot = mc.load("planar3")
    ports = ["q", "v", GAINS, mc.Port("damping", (), "N m s/rad", "of each joint")]
    options = {"inputs": ports, "limits": [5.0, 4.0, np.inf]}
    schedule = S.CONSTRAINED_DYNAMICS.replacing("ask_rows", pull).replacing("ask_motors", hold_on) + mc.sweep(S.clip)
    frames = {"constraints": [TO_T], "given_frames": {"T": "world"}}
    outputs = {"tau": "commanded", "saturated": "saturated", "asked": "joint_force"}
    clipped = mc.solve(robot, schedule, outputs=outputs, **frames, **options)
    braked = mc.solve(
        robot,
        S.FORWARD_DYNAMICS.replacing("ask_motors", hold_on),
        outputs={"a": "accelerations"},
        inputs=[*ports[:2], ports[3]],
    )
    for q, v, _ in states(robot, 3):
        found = clipped.run(q, v, [400.0, 40.0], 0.5, np.eye(4))
        assert np.array_equal(found.tau, np.clip(found.asked, [-5, -4, -np.inf], [5, 4, np.inf]))
        assert np.array_equal(found.saturated, np.sign(found.asked) * (np.abs(found.asked) > [5, 4, np.inf]))
        assert error(braked.run(q, v, 0.5), mc.forward_dynamics(robot).run(q, v, -0.5 * v)) < 1e-12


def test_rows_of_all_kinds_and_undriven_coordinates_are_solved_by_schedules_of_ours() -> None:
    """What constrained dynamics computes is its schedule: the same numbers, rows of everything at once too."""
    robot = mc.load("biped")
    rows = [
        mc.Constraint("left_sole", source="contact"),
        mc.CenterOfMass("z", level=2),
        mc.JointConstraint("right_knee", level=2),
    ]
    ours = mc.constrained_dynamics(robot, rows, outputs=["a", "tau_command"])
    own = mc.solve(robot, S.SUPPORTED_DYNAMICS, outputs={"a": "accelerations", "tau": "joint_force"}, constraints=rows)
    q, v, tau = next(states(robot, 1))
    b = np.random.default_rng(1).normal(size=8)
    assert error(own.run(q, v, tau, b).a, ours.run(q, v, tau, b).a) < 1e-12
    assert error(own.run(q, v, tau, b).tau[6:], ours.run(q, v, tau, b).tau_command[6:]) < 1e-12


@mc.operation(ROOT, needs=["held_rows", "world_pose"], gives=["asked_rows"])
def of_the_wrong_body(graph, problem):
    (hold,) = graph.world.held_rows
    graph.world.asked_rows = (replace(hold.asks(None), of=graph[0].body),)


@mc.operation(ROOT, gives=["asked_rows"])
def nothing_asked(graph, problem):
    graph.world.asked_rows = ()


@mc.operation(ROOT, needs=["held_rows", "world_pose"], gives=["asked_rows"])
def without_a_unit(graph, problem):
    (hold,) = graph.world.held_rows
    graph.world.asked_rows = (hold.displacement(graph).along(hold.at_point),)


REFUSED = {
    "what is asked of tip = RowAcceleration.upper_arm,world": (of_the_wrong_body, {}),
    "asked_rows has 0 entries for 1 constraints; give one each": (nothing_asked, {}),
    "RowError": (without_a_unit, {}),
    "the schedule holds rows; say which: constraints=": (None, {"constraints": None}),
    "no motor drives shoulder, .* take schedules.SUPPORTED_DYNAMICS": (None, {"actuated": ["elbow"]}),
    "nobody says what motors can make at most": (S.clip, {}),
    "no constrained_dynamics|has no operation": ("ask_row", {}),
    "walks outward, ask_rows root; put it into a sweep of its own": (S.TWISTS["twists"], {}),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_mistakes_in_a_control_law_are_refused_before_any_number(sentence: str) -> None:
    given, options = REFUSED[sentence]
    options = {"constraints": [mc.Constraint("tip", "xy")], "outputs": {"tau": "joint_force"}} | options

    def made() -> mc.Computation:
        schedule = S.CONSTRAINED_DYNAMICS
        if given is S.clip:
            schedule = schedule + mc.sweep(S.clip)
        elif given is not None:
            schedule = schedule.replacing(*((given,) if isinstance(given, str) else ("ask_rows", given)))
        return mc.solve(mc.load("planar2"), schedule, **options)

    with pytest.raises(Error, match=sentence):
        made()


def test_options_about_rows_are_refused_where_there_are_none() -> None:
    robot = mc.load("planar2")
    for option, value in {"regularisation": 0.1, "activation": True, "limits": [1.0, 1.0]}.items():
        with pytest.raises(Error, match=f"{option} is about rows of constraints; give constraints="):
            mc.solve(robot, S.INVERSE_DYNAMICS, outputs={"tau": "joint_force"}, **{option: value})
    with pytest.raises(Error, match="no operation of the schedule reads constraints"):
        mc.solve(robot, S.INVERSE_DYNAMICS, outputs={"tau": "joint_force"}, constraints=[])
