"""What a computation is, is data: every option that changes a number changes the identity under which code is kept."""

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
import motionc.sweeps.identity as identities
from catalogue import catalogue
from motionc import code_digest
from motionc.runtime.build import cache as build_cache
from motionc.sweeps.options import Fixed, frozen
from option_pairs import NO_NUMBER, PAIRS, every_option, told_apart, two
from trials import some

HELD = mc.Constraint("link_7", "xyz")


def test_every_option_is_tried_or_excused() -> None:
    tried = [(name, option) for name, options in PAIRS.items() for option in options]
    assert sorted([*tried, *NO_NUMBER]) == sorted(every_option())


@pytest.mark.parametrize(("name", "option"), [pair for pair in every_option() if pair not in NO_NUMBER])
def test_an_option_that_changes_numbers_changes_the_identity(name: str, option: str) -> None:
    assert told_apart(name, option)


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "solve"])
def test_equal_questions_have_equal_identities(name: str) -> None:
    option = next(iter(PAIRS[name]))
    assert two(name, option)[0].identity() == two(name, option)[0].identity()


def test_rows_of_all_bodies_that_differ_are_two_computations() -> None:
    robot = mc.load("planar3")
    rows = [
        mc.CenterOfMass("x"),
        mc.CenterOfMass("y"),
        mc.CenterOfMass("x", "link_1"),
        mc.CenterOfMass("x", weight=2.0),
        mc.CenterOfMass("x", level=2),
        mc.Momentum("x"),
        mc.Momentum("rz"),
    ]
    assert len({mc.constrained_dynamics(robot, row).identity() for row in rows}) == len(rows)


def test_an_option_left_out_of_the_identity_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = identities.fields

    def without(value: Any) -> Any:
        return [field for field in complete(value) if field.name != "actuated"]

    monkeypatch.setattr(identities, "fields", without)
    assert not told_apart("constrained_dynamics", "actuated")


# ---------------------------------------------------------------- answers of one cache


@pytest.mark.parametrize("output", some(["unactuated", "tau_command", "residual"]))
def test_motors_that_differ_are_two_computations(output: str) -> None:
    robot = mc.load("lwr4", fixed=["joint_5", "joint_6"])
    rng = np.random.default_rng(0)
    x = robot.random(rng), *rng.normal(size=(2, robot.nv)), rng.normal(size=3)
    for motors in (["joint_1"], ["joint_2", "joint_3"]):
        asked = mc.constrained_dynamics(robot, [HELD], actuated=motors, outputs=[output])
        assert asked(*x) == pytest.approx(asked.run(*x), rel=1e-9, abs=1e-9)
        assert asked.batch(*(np.tile(value, (8, 1)) for value in x))[3] == pytest.approx(asked(*x), rel=1e-9, abs=1e-9)


def links(folder: Path, *names: str) -> mc.Robot:
    """A chain of hinges whose links are called so."""
    text = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
        for name in names
    )
    for k, (parent, child) in enumerate(pairwise(names)):
        text += (
            f'<joint name="j{k}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0.{k} 0.1 0"/><axis xyz="0 {k % 2} {1 - k % 2}"/></joint>'
        )
    (folder / "names.urdf").write_text(f'<robot name="names">{text}</robot>')
    return mc.load(folder / "names.urdf")


def test_frames_whose_joined_names_are_alike_are_told_apart(tmp_path: Path) -> None:
    robot = links(tmp_path, "base", "x", "y, x", "x, y", "y")
    q = np.array([0.3, 0.5, 0.7, 0.9])
    asked = [["x", "y, x"], ["x, y", "x"], ["x", "y", "x"]]
    made = [mc.forward_kinematics(robot, frames) for frames in asked]
    assert len({one.identity() for one in made}) == 3
    for one in made:
        assert one(q) == pytest.approx(one.run(q), abs=1e-14)


# ---------------------------------------------------------------- pickles and copies


@cache
def made_everywhere() -> dict[str, Any]:
    robot = mc.load("planar2")
    asked: dict[str, Any] = {**catalogue(robot)}
    asked["reach"] = mc.inverse_kinematics(robot, "tip", tolerance=1e-5)
    asked["gradient"] = asked["energy"].vjp("kinetic", ["q", "v"])
    asked["sparse"] = asked["inverse_dynamics"].derivative("tau", "q", sparse=True)
    asked["own"] = mc.solve(robot, mc.schedules.INVERSE_DYNAMICS, outputs={"tau": "joint_force"})
    return asked


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_every_computation_is_pickled_and_copied(again: Any) -> None:
    for name, one in made_everywhere().items():
        other = again(one)
        assert other is not one
        assert (other.options, repr(other)) == (one.options, repr(one)), name
        ports = [(port.name, port.shape, port.unit, port.meaning) for port in one.inputs]
        assert [(port.name, port.shape, port.unit, port.meaning) for port in other.inputs] == ports
        if name != "reach":
            assert other.identity() == one.identity()
            assert (other.identity() is None) == (name == "own")
            rng = np.random.default_rng(1)
            given = [port.space.draw(rng).reshape(port.shape) for port in one.inputs]
            for mine, its in zip(one.solver.run(*given).values(), other.solver.run(*given).values(), strict=True):
                assert np.array_equal(mine, its, equal_nan=True)


def test_a_copy_refuses_what_is_not_finite_on_its_own() -> None:
    one = mc.gravity_forces(mc.load("planar2"), gravity=(1.0, 2.0, 3.0))
    one.check_finite = True
    other = pickle.loads(pickle.dumps(one))
    other.check_finite = False
    assert one.check_finite
    with pytest.raises(mc.Error, match="not finite"):
        one([np.nan, 0.0])
    assert np.isnan(other([np.nan, 0.0])).any()


def _forces(one: Any) -> Any:
    return one([0.1, 0.2])


@pytest.mark.calls
def test_a_pool_of_processes_computes_with_what_it_is_sent() -> None:
    one = mc.gravity_forces(mc.load("planar2"), gravity=(1.0, 2.0, 3.0))
    expected = one([0.1, 0.2])
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for found in pool.map(_forces, [one] * 4):
            assert np.array_equal(found, expected)


def test_an_operation_that_cannot_be_imported_is_not_pickled() -> None:
    @mc.operation(mc.OUTWARD, gives=["depth"])
    def depths(joint: Any, parent: Any, child: Any) -> None:
        child["depth"] = parent.get("depth", 0.0) + 1.0

    asked = {"d": mc.Output("depth", "tip")}
    one = mc.solve(mc.load("planar2"), mc.Schedule("mine", (mc.sweep(depths),)), outputs=asked)
    with pytest.raises(mc.Error, match=r"depths.*module"):
        pickle.dumps(one)
    assert copy.copy(one)() == one() == 2.0


def test_a_solver_changed_by_hand_is_known_by_its_program() -> None:
    from dataclasses import replace

    robot = mc.load("planar2")
    plain = mc.inverse_dynamics(robot)
    changed = mc.Computation(replace(plain.solver, schedule=mc.schedules.INVERSE_DYNAMICS))
    assert changed.identity() is None
    with pytest.raises(mc.Error, match="by hand"):
        pickle.dumps(changed)


def test_code_that_cannot_be_looked_at_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_digest, "LOADED", ())
    one = mc.gravity_forces(mc.load("planar2"), gravity=(0.0, -1.0, 0.0))
    assert one.identity() is None
    assert one([0.1, 0.2]) == pytest.approx(one.run([0.1, 0.2]))


SETS = """
import motionc as mc
robot = mc.load("planar3")
asked = mc.forward_kinematics(robot, frames={"link_1", "link_2", "link_3", "tip"})
print(asked.identity(), asked([0.3, -0.7, 0.4]).round(9).tolist(), asked.outputs[0].meaning)
"""


def test_sets_are_in_one_order_in_every_process(tmp_path: Path) -> None:
    folder = str(Path(mc.__file__).parents[1])
    said = set[str]()
    for seed in ("1", "2", "3"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": folder, "MOTIONC_CACHE": str(tmp_path)}
        said.add(subprocess.run([sys.executable, "-c", SETS], env=environment, capture_output=True, check=True).stdout)
    assert len(said) == 1
    with pytest.raises(mc.Error, match="has no order; give a list"):
        mc.jacobian(mc.load("planar3"), "tip", point={0.1, 0.2, 0.3})


def test_options_of_types_that_are_not_ours_are_known_by_their_program() -> None:
    def along(row: int) -> mc.Constraint:
        class Mine(mc.Constraint):
            def wrenches(self) -> Any:
                return np.eye(6)[:, [row]], ("mine",)

        return Mine("tip", "x")

    robot = mc.load("planar3")
    state = [0.3, -0.7, 0.4], [0.1, 0.2, 0.3], np.zeros(3), [1.0]
    made = [mc.constrained_dynamics(robot, [along(row)], outputs=["a"]) for row in (3, 4)]
    assert [one.identity() for one in made] == [None, None]
    for one in made:
        assert one(*state) == pytest.approx(one.run(*state), rel=1e-9, abs=1e-9)
    third = mc.jacobian(robot, "tip", point=(Fraction(1, 2), 0, 0))
    assert np.array_equal(third(state[0]), mc.jacobian(robot, "tip", point=(0.5, 0, 0))(state[0]))


def test_what_a_robot_says_of_itself_cannot_be_written_to() -> None:
    robot = mc.load("lwr4")
    for array in (robot.limits.effort, robot.limits.lower, robot.links[1].com, robot.links[1].inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 5.0
    with pytest.raises(TypeError):
        robot.q_index["joint_0"] = slice(3, 4)  # pyright: ignore[reportIndexIssue]


# ---------------------------------------------------------------- what options are


def test_options_cannot_be_changed_from_outside() -> None:
    robot, gravity, rows = mc.load("lwr4"), np.array([0.0, 0.0, -1.0]), np.eye(6)
    one = mc.inverse_dynamics(robot, gravity=gravity)
    held = mc.Constraint("link_7", rows)
    gravity[2], rows[0, 0] = 5.0, 7.0
    assert one.options.said() == {"gravity": (0.0, 0.0, -1.0)}
    assert held.rows[0, 0] == 1.0
    assert held == mc.Constraint("link_7", np.eye(6)) != mc.Constraint("link_7", 2 * np.eye(6))
    assert len({held, mc.Constraint("link_7", np.eye(6))}) == 1
    with pytest.raises(AttributeError):
        one.options.gravity = (0, 0, 0)  # pyright: ignore[reportAttributeAccessIssue]
    limits = {"joint_1": [1.0]}
    kept = frozen(limits)
    limits["joint_1"][0] = 2.0
    assert kept == {"joint_1": (1.0,)}
    assert isinstance(kept, Fixed)
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_a_computation_is_shown_as_one_would_write_it() -> None:
    """Rows and all other options, as far as a line has room."""
    rows = [mc.Constraint("tip", "x", weight=np.float32(2)), mc.JointConstraint("elbow", [[2.0]], level=2)]
    dynamics = mc.constrained_dynamics(mc.load("planar2"), rows[:1], outputs="a")
    assert repr(dynamics) == (
        "Computation(constrained_dynamics of planar2, constraints=(Constraint('tip', rows='x', weight=2.0),), "
        "outputs=('a',): q, v, tau, b → a)"
    )
    longer = mc.constrained_dynamics(mc.load("planar2"), rows, outputs="a", posture=1)
    assert len(repr(longer)) < 200
    assert repr(longer.options.constraints[1]) == "JointConstraint('elbow', rows=[[2.0]], level=2)"
    assert repr(mc.Target("tip", point=[0, 0, 1])) == "Target('tip', point=(0.0, 0.0, 1.0))"


def test_help_and_signature_are_the_options() -> None:
    import inspect

    for name in ("forward_dynamics", "constrained_dynamics", "inverse_kinematics", "solve"):
        make = getattr(mc, name)
        asked = mc.computations.CATALOGUE[name]
        assert list(inspect.signature(make).parameters) == ["robot", *inspect.signature(asked).parameters]
        assert make.__doc__.startswith(inspect.cleandoc(asked.__doc__ or ""))
        for option in inspect.signature(asked).parameters:
            assert f"    {option}: " in make.__doc__


def test_a_word_nobody_knows_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"forward_dynamics: .*'gravitiy'.*external_forces, gravity"):
        mc.forward_dynamics(mc.load("lwr4"), gravitiy=(0, 0, 0))  # pyright: ignore[reportCallIssue]


# ---------------------------------------------------------------- two levels


def test_a_known_text_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path))
    compiled = count(monkeypatch)
    mc.gravity_forces(mc.load("planar2"))([0.1, 0.2])
    assert len(compiled) == 1
    for entry in build_cache.entries():  # as after an upgrade that changes no C: no computation is known any more
        if entry.suffix == ".text":
            entry.path.unlink()
    mc.gravity_forces(mc.load("planar2"))([0.1, 0.2])
    assert len(compiled) == 1
    assert [entry.suffix for entry in build_cache.entries()].count(".text") == 1


def test_a_known_computation_is_not_traced_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count(monkeypatch)  # without a compiler nothing is kept
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path))
    mc.gravity_forces(mc.load("planar2"))([0.1, 0.2])
    again = mc.gravity_forces(mc.load("planar2"))
    again([0.1, 0.2])
    assert "program" not in vars(again)


def test_a_spoilt_note_is_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count(monkeypatch)  # without a compiler nothing is kept
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path))
    expected = mc.gravity_forces(mc.load("planar2"))([0.1, 0.2])
    (note,) = [entry.key for entry in build_cache.entries() if entry.suffix == ".text"]
    for spoilt in ("", "nonsense", f"{'0' * 64} 17"):
        build_cache.put(note, ".text", spoilt)
        assert np.array_equal(mc.gravity_forces(mc.load("planar2"))([0.1, 0.2]), expected)
        (text,) = [entry for entry in build_cache.entries() if entry.suffix == ".text"]
        assert text.path.read_text() != spoilt


def count(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is compiled from now on."""
    from motionc.runtime.build import compiler

    if compiler.find_compiler() is None:
        pytest.skip("no compiler")
    compiled: list[Any] = []
    compile_library = compiler.compile_library

    def noted(*arguments: Any, **named: Any) -> None:
        compiled.append(named["label"])
        compile_library(*arguments, **named)

    monkeypatch.setattr(compiler, "compile_library", noted)
    return compiled
