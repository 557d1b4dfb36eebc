"""What a user holds: ports, three readings that agree, errors by name, results by name, with and without a compiler."""

import threading

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.runtime import build
from mutants import tree


@pytest.fixture(params=["as it is", "no compiler"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once with the compiler of this machine, if any, and once without."""
    build.find_compiler.cache_clear()
    if request.param == "no compiler":
        monkeypatch.setenv("PATH", "")
        monkeypatch.delenv("CC", raising=False)
    yield request.param
    build.find_compiler.cache_clear()


def question(robot: mc.Robot, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), *rng.normal(size=(2, robot.nv))


@pytest.mark.filterwarnings("ignore:no C compiler found")
@pytest.mark.parametrize("floating", [False, True])
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
    assert computation.tier == ("interpreted" if tier == "no compiler" else computation.tier)


def test_without_a_compiler_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    build.find_compiler.cache_clear()
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.warns(RuntimeWarning, match="no C compiler found"):
        assert build.find_compiler() is None
    build.find_compiler.cache_clear()


def test_one_output_is_bare_and_several_have_names() -> None:
    robot = mc.load("planar2")
    q, v, tau = question(robot)
    assert mc.forward_dynamics(robot)(q, v, tau).shape == (2,)
    out = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")])(q, v, tau, [0.5])
    assert list(out) == ["a", "tau_command", "multipliers", "residual", "unactuated", "rank"]
    assert out.a is out["a"]
    assert isinstance(out.rank, float)
    assert out.notes == []
    with pytest.raises(AttributeError, match="there are a, tau_command"):
        _ = out.torque


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
def test_bad_input_gets_a_sentence_that_names_it(inputs, named, said) -> None:
    with pytest.raises(Error, match=said):
        mc.forward_dynamics(mc.load("planar2"))(*inputs, **named)


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
        (lambda r: mc.forward_dynamics(r, external_forces=["base"]), "fixed base"),
        (lambda r: mc.forward_dynamics(r, gravity=(0, 0)), "three finite numbers"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "xw")]), "rows='xw'"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "xx")]), "at most once"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", np.eye(3))]), "6×m matrix"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("base", "x")]), "cannot accelerate"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x"), mc.Constraint("leg", "x")]), "one segment"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], damping=-1), "damping=-1"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], actuated=["wirst"]), "did you mean wrist"),
        (lambda r: mc.constrained_dynamics(r, [mc.Constraint("hand", "x")], outputs=["b"]), "no such output"),
        (lambda r: mc.forward_dynamics(r).emit("rust", "x"), "'rust' is unknown"),
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
