"""What a user holds: ports, three readings that agree, errors by name, results by name, with and without a compiler."""

import gc
import threading

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.runtime.build import compiler, library
from mutants import tree
from trials import some


@pytest.fixture(params=library.TIERS)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every way to call that this machine has."""
    if request.param != "interpreted" and compiler.find_compiler() is None:
        pytest.skip("no C compiler on this machine")
    monkeypatch.setenv("MOTIONC_TIER", request.param)
    return request.param


def question(robot: mc.Robot, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), *rng.normal(size=(2, robot.nv))


@pytest.mark.parametrize("floating", some([True, False]))
def test_the_three_readings_agree(tier: str, floating: bool) -> None:
    robot = tree(floating)
    q, v, x = question(robot)
    row = mc.Constraint("tool", "xyz rx", as_seen_by="hand")
    for computation, inputs in (
        (mc.forward_kinematics(robot), (q,)),
        (mc.jacobian(robot, "tool"), (q,)),
        (mc.inverse_dynamics(robot), (q, v, x)),
        (mc.forward_dynamics(robot), (q, v, x)),
        (mc.constrained_dynamics(robot, [row]), (q, v, x, np.ones(4))),
    ):
        computation.check()
        called, stepwise = computation(*inputs), computation.run(*inputs)
        for a, b in (
            zip(called.values(), stepwise.values(), strict=True)
            if len(computation.outputs) > 1
            else [(called, stepwise)]
        ):
            assert np.max(np.abs(np.subtract(a, b))) <= 1e-12 * max(1.0, np.max(np.abs(b)))
        assert computation.tier == tier


def test_a_tier_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_TIER", "magic")
    with pytest.raises(Error, match="say one of glued, compiled, interpreted"):
        mc.forward_dynamics(mc.load("planar2"))([0, 0], [0, 0], [0, 0])


@pytest.mark.usefixtures("tier")
def test_one_output_is_bare_and_several_have_names() -> None:
    robot = mc.load("planar2")
    q, v, tau = question(robot)
    assert mc.forward_dynamics(robot)(q, v, tau).shape == (2,)
    out = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")])(q, v, tau, [0.5])
    assert out.keys() == ("a", "tau_command", "multipliers", "residual", "unactuated", "rank", "conditioning")
    assert out.a is out["a"] is out[0]
    assert type(out.rank) is int
    assert type(out.conditioning) is float
    assert out.notes == []
    with pytest.raises(AttributeError, match="there are a, tau_command"):
        _ = out.torque


def test_what_is_counted_is_an_integer_in_calls_runs_and_batches(tier: str) -> None:
    robot = mc.load("planar2")
    cd = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")], limits={"elbow": 0.1}, on_limit="optimal")
    inputs = [0.3, 0.8], [0.1, 0.2], [0.0, 0.0], [5.0]
    many = cd.batch(*([value, value] for value in inputs))
    for _ in range(2):  # the second call is the builtin's
        for out in (cd(*map(np.array, inputs)), cd.run(*inputs)):
            assert (type(out.rank), type(out.steps), out.saturated.dtype) == (int, int, np.int64)
            assert (out.rank, out.steps) == (many.rank[1], many.steps[1])
            assert out.saturated.tolist() == many.saturated[1].tolist()
            assert abs(out.saturated[1]) == 1
    assert {many.rank.dtype, many.steps.dtype, many.saturated.dtype} == {np.dtype(np.int64)}
    assert cd([np.nan, 0], [0, 0], [0, 0], [0]).saturated.tolist() == [0, 0]


def test_states_in_front_of_a_plain_call_are_sent_to_batch() -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    for ask in (fd, fd.run):
        with pytest.raises(Error, match=r"q has shape \(5, 2\).*; for many states say forward_dynamics.batch$"):
            ask(np.zeros((5, 2)), [0, 0], [0, 0])
        with pytest.raises(Error, match=r"q has shape \(3,\); it must be \(2,\) \([^;]*\)$"):
            ask(np.zeros(3), [0, 0], [0, 0])


@pytest.mark.usefixtures("tier")
def test_inputs_go_by_order_or_by_name_and_may_be_lists_or_integers() -> None:
    robot = mc.load("planar2")
    fd = mc.forward_dynamics(robot)
    by_order = fd([0, 1], [1, 0], [2, 3])
    assert np.array_equal(by_order, fd([0.0, 1.0], tau=np.array([2, 3]), v=np.array([1.0, 0.0], np.float32)))
    strided = np.arange(8.0)[::4]
    assert np.array_equal(fd(strided, [1, 0], [2, 3]), fd([0, 4], [1, 0], [2, 3]))


@pytest.mark.parametrize(
    ("inputs", "named", "said"),
    [
        (([0, 0], [0, 0]), {}, "takes 3 inputs"),
        (([0, 0], [0, 0], [0, 0, 0]), {}, r"tau has shape \(3,\); it must be \(2,\)"),
        (([0, 0], ["a", "b"], [0, 0]), {}, "v must be numbers"),
        (([0, 0],), {"w": [0, 0]}, "takes no input 'w'"),
        (([0, 0],), {"tau": [0, 0]}, "input v is missing"),
        (([0, 0], [0, 0], [[0, 0]]), {}, r"tau has shape \(1, 2\)"),
    ],
)
def test_bad_input_gets_a_sentence_that_names_it(tier, inputs, named, said) -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    fd(*np.zeros((3, 2)))
    for _ in range(2):
        with pytest.raises(Error, match=said):
            fd(*[np.array(value) for value in inputs], **named)


@pytest.mark.usefixtures("tier")
def test_a_nan_is_refused_by_name_where_asked_for() -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    bad = np.array([0.0, np.nan])
    assert np.isnan(fd(np.zeros(2), bad, np.zeros(2))).any()
    fd.check_finite = True
    with pytest.raises(Error, match="v holds a value that is not finite, at entry 1"):
        fd(np.zeros(2), bad, np.zeros(2))
    fd.check_finite = False
    assert np.isnan(fd(np.zeros(2), bad, np.zeros(2))).any()


@pytest.mark.usefixtures("tier")
def test_what_comes_back_belongs_to_the_caller_and_inputs_stay_as_they_were() -> None:
    robot = mc.load("planar2")
    cd = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")], outputs=["a", "coupling"])
    q, v, tau, b = np.ones(2), np.ones(2), np.ones(2), np.ones(1)
    first = cd(q, v, tau, b)
    copy = first.a.copy()
    second = cd(2 * q, v, tau, b)
    assert np.array_equal(first.a, copy)
    assert not np.array_equal(first.a, second.a)
    assert first.coupling.shape == (1, 1)
    assert all(np.array_equal(value, np.ones_like(value)) for value in (q, v, tau, b))


@pytest.mark.usefixtures("tier")
def test_an_array_of_another_robot_is_refused_by_name() -> None:
    ours, theirs = mc.load("lwr4"), mc.load("ur5")
    q, foreign, v = ours.random(0), theirs.random(0), np.zeros(7)
    dynamics = mc.inverse_dynamics(ours)
    for ask in (dynamics, dynamics.run):
        for inputs, port in (((foreign, v, v), "q"), ((q, foreign, v), "v"), ((q, v, foreign), "a")):
            with pytest.raises(Error, match=rf"inverse_dynamics: {port} has shape \(6,\); it must be \(7,\)"):
                ask(*inputs)
    with pytest.raises(Error, match="q has shape"):
        dynamics.batch(np.tile(foreign, (5, 1)), v, v)
    with pytest.raises(Error, match="q0"):
        ours.difference(foreign, q)
    with pytest.raises(Error, match="v"):
        ours.integrate(q, foreign)


@pytest.mark.calls
def test_two_computations_of_one_question_do_not_meet() -> None:
    robot = mc.load("planar2")
    first, second = mc.forward_dynamics(robot), mc.forward_dynamics(robot)
    still = np.zeros((3, 2))
    expected = first(*still), second(*still)
    second.check_finite = True
    del second
    gc.collect()
    assert np.array_equal(first([0, 0], [0, 0], [0, 0]), expected[0])
    assert np.isnan(first([0, np.nan], [0, 0], [0, 0])).any()


def test_a_second_computation_of_the_same_question_is_not_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    if compiler.find_compiler() is None:
        pytest.skip("no C compiler on this machine")
    robot = mc.load("planar2")
    expected = mc.forward_dynamics(robot)([0.1, 0.2], [0, 0], [0, 0])
    monkeypatch.setattr("motionc.sweeps.solver.shortest", None)
    assert np.array_equal(mc.forward_dynamics(mc.load("planar2"))([0.1, 0.2], [0, 0], [0, 0]), expected)


@pytest.mark.usefixtures("tier")
def test_calls_share_nothing_across_threads() -> None:
    robot = mc.load("lwr4")
    fd = mc.forward_dynamics(robot)
    questions = [question(robot, seed) for seed in range(8)]
    expected = [fd(*inputs) for inputs in questions]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(300):
            if not np.array_equal(fd(*questions[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: mc.jacobian(r, "han"), "no frame 'han'; did you mean hand"),
        (lambda r: mc.jacobian(r, "OO"), "no frame 'OO'; did you mean tool"),
        (lambda r: mc.forward_dynamics(r, external_forces=[mc.Force("base", as_seen_by="base")]), "fixed base"),
        (lambda r: mc.forward_dynamics(r, gravity=(0, 0)), "three finite numbers"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "xw")]), "rows='xw'"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "xx")]), "at most once"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", np.eye(3))]), "6×m matrix"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("base", "x")]), "cannot accelerate"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], damping=-1), "regularisation=-1"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], actuated=["wirst"]), "did you mean wrist"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], outputs=["b"]), "no such output"),
        (lambda r: mc.forward_dynamics(r).emit("rust", "x"), "target='rust'; say 'c'"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_by_name(ask, said) -> None:
    with pytest.raises(Error, match=said):
        ask(tree(False))


def test_a_joint_that_moves_no_inertia_refuses_forward_dynamics_by_name() -> None:
    base = mc.Segment("base", mc.Link.rigid("base"), (mc.Attachment("b", mc.Role.JOINT),))
    tip = mc.Segment("tip", mc.Link.rigid("tip"), (mc.Attachment("t", mc.Role.JOINT),))
    robot = mc.Robot(mc.KinematicChain("idle", (mc.Joint("hinge", mc.JointType.REVOLUTE, (tip, "t"), (base, "b")),)))
    assert [finding.rule for finding in robot.findings] == ["Dy1"]
    assert mc.inverse_dynamics(robot)([0.0], [0.0], [1.0]) == [0.0]
    with pytest.raises(Error, match="joint hinge moves no inertia"):
        mc.forward_dynamics(robot)
