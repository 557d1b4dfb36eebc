"""Several computations in one program: the same numbers, fewer operations, in every reading and language."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from oracle import error

TIP = "tip"


def parts(robot: mc.Robot, **how) -> list[mc.Computation]:
    return [mc.forward_dynamics(robot, **how), mc.jacobian(robot, TIP, **how), mc.bias_forces(robot, **how)]


def state(computation: mc.Computation, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [port.space.draw(rng).reshape(port.shape) for port in computation.inputs]


def size(computation: mc.Computation) -> int:
    return sum(computation.operations.values())


def test_each_answers_as_by_itself_and_what_is_shared_is_done_once() -> None:
    robot = mc.load("planar3")
    made = parts(robot)
    whole = mc.together(*made)
    q, v, tau = state(whole)
    assert [port.name for port in whole.inputs] == ["q", "v", "tau"]
    expected = made[0](q, v, tau), made[1](q), made[2](q, v)
    for found in (whole(q, v, tau), whole.run(q, v, tau)):
        assert list(found.keys()) == ["a", "J", "h"]
        for ours, theirs in zip(found.values(), expected, strict=True):
            assert error(ours, theirs) < 1e-12
    assert whole.batch(np.tile(q, (9, 1)), v, tau).J[4] == pytest.approx(expected[1], abs=1e-12)
    assert size(whole) < sum(map(size, made))
    assert size(mc.together(made[2], made[2])) == size(made[2])


def test_it_is_data_and_is_pickled_and_copied() -> None:
    robot = mc.load("planar2")
    whole = mc.together(*parts(robot))
    again = mc.together(*parts(mc.load("planar2")))
    other = mc.together(*parts(robot, precision="single"))
    turned = mc.together(*reversed(parts(robot)))
    moon = mc.together(mc.forward_dynamics(robot, gravity=(0, 0, -1.62)), *parts(robot)[1:])
    assert whole.identity() == again.identity() is not None
    assert len({one.identity() for one in (whole, other, turned, moon, *parts(robot))}) == 7
    for twin in (pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)):
        assert twin.identity() == whole.identity()
        assert repr(twin) == repr(whole)
        assert np.array_equal(twin.run(*state(whole)).a, whole.run(*state(whole)).a)
    nested = mc.together(mc.together(*parts(robot)[:2]), parts(robot)[2])
    assert nested.identity() == whole.identity()
    assert "jacobian(frame='tip')" in repr(whole)


def test_names_that_several_have_say_whose_they_are() -> None:
    robot = mc.load("planar2")
    hold = mc.constrained_dynamics(robot, mc.Constraint(TIP, "x"), outputs=["a", "rank"])
    whole = mc.together(mc.forward_dynamics(robot), hold, mc.jacobian(robot, TIP), mc.jacobian(robot, "forearm"))
    names = [port.name for port in whole.outputs]
    assert names == ["forward_dynamics_a", "constrained_dynamics_a", "rank", "jacobian_J_1", "jacobian_J_2"]
    out = whole.run(*state(whole))
    assert error(out.jacobian_J_2, mc.jacobian(robot, "forearm").run(state(whole)[0])) < 1e-14
    # what a part says of its results is said here, too
    twice = mc.constrained_dynamics(robot, [mc.Constraint(TIP, "x")] * 2)
    told = mc.together(mc.energy(robot), twice)
    assert any("rank 1 of 2" in str(note) for note in told.run(*state(told)).notes)


def test_a_number_that_an_output_has_already_is_not_given_again() -> None:
    robot = mc.load("planar2")
    own = mc.solve(robot, mc.schedules.INVERSE_DYNAMICS, outputs={"jacobian_J_1": "joint_force"})
    whole = mc.together(mc.jacobian(robot, TIP), own, mc.jacobian(robot, "forearm"))
    assert [port.name for port in whole.outputs] == ["jacobian_J_2", "jacobian_J_1", "jacobian_J_3"]


def test_derivatives_are_those_of_the_parts_by_sweeps_where_these_know_them() -> None:
    robot = mc.load("planar3")
    fd, J, _ = parts(robot)
    whole = mc.together(fd, J)
    both = whole.derivative(["a", "J"], ["q", "tau"])
    inputs = state(whole)
    out = both.run(*inputs)
    assert error(out.da_dq, fd.derivative("a", "q").run(*inputs)) < 1e-12
    assert error(out.dJ_dq, J.derivative("J", "q").run(inputs[0])) < 1e-12
    assert not out.dJ_dtau.any()
    assert size(whole.derivative("a", "q")) <= size(fd.derivative("a", "q"))
    assert both.identity() == mc.together(fd, J).derivative(["a", "J"], ["q", "tau"]).identity()
    assert pickle.loads(pickle.dumps(both)).identity() == both.identity()
    back = whole.vjp(["a", "J"], "q").run(*inputs, np.ones(3), np.zeros((6, 3)))
    assert error(back, out.da_dq.sum(axis=0)) < 1e-11
    beside = mc.together(fd, fd.derivative("a", "q"))
    assert [port.name for port in beside.outputs] == ["a", "da_dq"]
    assert size(beside) < size(fd) + size(fd.derivative("a", "q"))


def test_what_is_open_is_open_once() -> None:
    robot = mc.load("planar2")
    made = [make(robot, parameters=["forearm.mass"]) for make in (mc.mass_matrix, mc.gravity_forces)]
    whole = mc.together(*made, mc.integrate(robot))
    assert [port.name for port in whole.inputs] == ["q", "v", "dt", "forearm.mass"]
    assert list(whole.defaults) == ["forearm.mass"]
    q, v, dt, _ = state(whole)
    assert error(whole.run(q, v, dt, 2.0).M, made[0].run(q, 2.0)) < 1e-14


@pytest.mark.parametrize("target", ["c", "c_simd", "cpp", "cuda", "matlab", "python", "maxima"])
def test_every_language_has_it(target: str, tmp_path: Path) -> None:
    whole = mc.together(*parts(mc.load("planar2")))
    texts = whole.sources(target)
    assert any("planar2_forward_dynamics_and_jacobian_and_bias_forces" in file for file in texts)


def test_emitted_python_gives_the_same_numbers(tmp_path: Path) -> None:
    whole = mc.together(*parts(mc.load("planar2")))
    whole.emit("python", tmp_path, "both")
    space: dict = {}
    exec((tmp_path / "both.py").read_text(), space)
    inputs = state(whole)
    for ours, theirs in zip(space["both"](*inputs), whole.run(*inputs).values(), strict=True):
        assert error(np.asarray(ours), theirs) < 1e-12


def test_on_the_command_line(tmp_path: Path) -> None:
    asked = ["generate", "planar2", "--compute", "forward_dynamics", "--compute", "jacobian", "--frame", TIP]
    result = CliRunner().invoke(app, [*asked, "--derivative", "a: q", "--together", "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(result.stdout)
    assert entry["computation"] == "forward_dynamics_and_jacobian_and_forward_dynamics_da_dq"
    assert sum(entry["operations"].values()) > 0
    assert all(Path(path).is_file() for path in entry["files"])
    for words, said in (("a", "OF: WRT"), ("b: q", "no computation has these")):
        refused = CliRunner().invoke(app, [*asked, "--derivative", words, "--out", str(tmp_path)])
        assert refused.exit_code != 0
        assert said in " ".join(refused.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("make", "one", "other"),
    [
        (mc.constrained_dynamics, mc.Constraint(TIP, "x"), mc.Constraint(TIP, "x", point=(0, 1, 0))),
        (mc.constrained_dynamics, *(mc.Constraint(TIP, np.eye(6)[:, [k]]) for k in (3, 4))),
        (mc.constrained_dynamics, *(mc.CenterOfMass(np.eye(3)[:, [k]]) for k in (0, 1))),
        (mc.constrained_dynamics, *(mc.JointConstraint(["shoulder", "elbow"], np.eye(2)[:, [k]]) for k in (0, 1))),
        (mc.inverse_velocity, mc.Target(TIP, "x"), mc.Target(TIP, "x", point=(0, 1, 0))),
        (mc.inverse_velocity, *(mc.Momentum(np.eye(6)[:, [k]]) for k in (3, 4))),
    ],
)
def test_rows_along_other_directions_or_at_other_points_are_no_one_input(make, one, other) -> None:
    """Of two that sound alike numbers would go into the other's rows without a word."""
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match=r"input \w+ is not the same"):
        mc.together(make(robot, one), make(robot, other))


def by_hand(robot: mc.Robot) -> mc.Computation:
    from dataclasses import replace

    plain = mc.mass_matrix(robot)
    return mc.Computation(replace(plain.solver, equation="another"))


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (lambda r: [], "1 given"),
        (lambda r: [None], "is none; give computations"),
        (lambda r: [mc.inverse_kinematics(r, TIP)], "its step"),
        (lambda r: [mc.mass_matrix(mc.load("planar3"))], "two robots"),
        (lambda r: [mc.mass_matrix(r, precision="single")], "single"),
        (lambda r: [by_hand(r)], "by hand"),
        (
            lambda r: [mc.constrained_dynamics(r, mc.Constraint(link, "x")) for link in (TIP, "forearm")],
            "input b is not the same",
        ),
        (
            lambda r: [mc.inverse_dynamics(r, external_forces=mc.Force(link)) for link in (TIP, "forearm")],
            "input f_ext is not the same",
        ),
        (lambda r: [mc.gravity_forces(r, parameters=["gravity"], gravity=g) for g in ((0, 0, 1), (0, 0, 2))], "alike"),
    ],
)
def test_what_does_not_fit_is_one_sentence(others, said: str) -> None:
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match=said):
        mc.together(mc.energy(robot), *others(robot))
