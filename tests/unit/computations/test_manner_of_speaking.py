"""One manner of speaking: what stands for a frame, the words of arguments, and what errors are."""

import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionc as mc

Q, V = [0.3, 0.8], [0.1, -0.2]


@pytest.fixture(scope="module")
def robot() -> mc.Robot:
    return mc.load("planar2")


def same(one: mc.Computation, other: mc.Computation, *inputs: object) -> bool:
    """Whether both give the same, to the last bit, step by step."""
    found, expected = (each.solver.run(*inputs) for each in (one, other))
    return all(np.array_equal(found[name], expected[name]) for name in expected)


# ---------------------------------------------------------------- frames


def test_a_frame_is_a_name_a_target_a_constraint_or_a_list(robot: mc.Robot) -> None:
    where = {"wrt": "upper_arm", "point": (0.1, 0.0, 0.0), "as_seen_by": "tip"}
    target, constraint = mc.Target("tip", **where), mc.Constraint("tip", **where)
    for said in (target, constraint, [target], [constraint]):
        assert same(mc.jacobian(robot, said), mc.jacobian(robot, "tip", **where), Q)
        assert same(mc.jacobian_rate(robot, said), mc.jacobian_rate(robot, "tip", **where), Q, V)
        assert same(mc.frame_motion(robot, said), mc.frame_motion(robot, "tip", **where), Q, V, V)
    assert same(mc.jacobian(robot, ["tip"]), mc.jacobian(robot, "tip"), Q)
    for said in ("tip", mc.Target("tip"), [mc.Constraint("tip")]):
        assert same(mc.forward_kinematics(robot, said), mc.forward_kinematics(robot, ["tip"]), Q)
        assert same(mc.transform(robot, "world", said), mc.transform(robot, "world", "tip"), Q)
        assert same(mc.path_jacobian(robot, "world", said), mc.path_jacobian(robot, "world", "tip"), Q)


def test_rows_are_said_by_a_target_a_constraint_or_beside_a_name(robot: mc.Robot) -> None:
    target, constraint = mc.Target("tip", "x y"), mc.Constraint("tip", "x y")
    for said in (target, constraint, [target]):
        assert same(mc.inverse_velocity(robot, said), mc.inverse_velocity(robot, "tip", rows="x y"), Q, [0.1, 0.2])
        assert same(mc.operational_space(robot, said), mc.operational_space(robot, "tip", rows="x y"), Q, V)
        inputs = (Q, V, [0.0, 0.0], [0.1, 0.2])
        assert same(mc.constrained_dynamics(robot, said), mc.constrained_dynamics(robot, [constraint]), *inputs)
        assert same(mc.impact(robot, said), mc.impact(robot, [constraint]), Q, V)
    assert mc.inverse_kinematics(robot, "tip", rows="x y").targets == [target]
    assert mc.inverse_kinematics(robot, constraint).targets == [target]
    assert mc.Constraint("tip") == mc.Constraint("tip", "rx ry rz x y z")
    weighed = mc.inverse_velocity(robot, mc.Constraint("tip", "x y z", weight=2.0))
    assert same(weighed, mc.inverse_velocity(robot, mc.Target("tip", "x y z", weight=2.0)), Q, [0.1, 0.2, 0.3])


def test_a_force_is_said_alone_and_its_wrench_is_one_row(robot: mc.Robot) -> None:
    several = mc.inverse_dynamics(robot, external_forces=["tip"])
    wrench = np.arange(6.0)
    for said in ("tip", mc.Force("tip"), [mc.Force("tip")]):
        one = mc.inverse_dynamics(robot, external_forces=said)
        assert one.inputs[-1].shape == (1, 6)
        assert same(one, several, Q, V, V, wrench[np.newaxis])
        assert np.array_equal(one.run(Q, V, V, wrench), one.run(Q, V, V, wrench[np.newaxis]))
    assert np.array_equal(several(Q, V, V, wrench), several(Q, V, V, wrench[np.newaxis]))
    with pytest.raises(mc.Error, match=r"f_ext has shape \(5,\); it must be \(1, 6\)"):
        several.run(Q, V, V, wrench[:5])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: mc.jacobian(r, ["tip", "base"]), r"frame=\('tip', 'base'\): that is 2 frames"),
        (lambda r: mc.jacobian(r, mc.Target("tip", "xyz")), "names rows, but all six are given here"),
        (lambda r: mc.jacobian(r, mc.Target("tip"), wrt="base"), "wrt='base' is for frames given by name"),
        (lambda r: mc.forward_kinematics(r, mc.Target("tip", wrt="base")), "says more than a frame"),
        (lambda r: mc.forward_kinematics(r, mc.Force("tip")), "is a force, not a frame; give its name, 'tip'"),
        (lambda r: mc.forward_kinematics(r, []), "frames is empty; give the name of a frame"),
        (lambda r: mc.forward_kinematics(r, "tool0"), "there is no frame 'tool0'"),
        (lambda r: mc.inverse_dynamics(r, external_forces="tool0"), "there is no frame 'tool0'"),
        (lambda r: mc.inverse_dynamics(r, external_forces=mc.Constraint("tip", "x")), "is no force: a wrench has all"),
        (lambda r: mc.inverse_dynamics(r, gravity=lambda p: p), "gravity=<function.*give three finite numbers"),
        (lambda r: mc.inverse_dynamics(r, gravity="down"), "gravity='down'; give three finite numbers"),
        (lambda r: mc.inverse_velocity(r, mc.Constraint("tip", level=2)), "give a Target, or a Constraint of level 1"),
        (lambda r: mc.inverse_velocity(r, mc.JointConstraint("elbow")), "give a Target, or a Constraint"),
        (lambda r: mc.constrained_dynamics(r, "tip", physical_torques=2), "physical_torques=2; say True or False"),
        (lambda r: mc.constrained_dynamics(r, "tip", posture=-3), "posture=-3; give 0 .* to 1"),
        (lambda r: mc.load("planar2", floating="no"), "floating='no'; say True or False"),
        (lambda r: mc.forward_dynamics(r).derivative("a", []), "wrt is empty; name at least one"),
        (lambda r: mc.forward_dynamics(r).derivative(None, None), "of=None; give outputs: a"),
        (lambda r: mc.constrained_dynamics(r, "tip", regularisation=1, outputs=["rank"]), "no row is dropped there"),
        (
            lambda r: mc.inverse_velocity(r, "tip", "damped", outputs=["rank"]),
            "outputs='rank': inverse_velocity has no such output",
        ),
    ],
)
def test_what_has_no_meaning_there_is_one_sentence(robot: mc.Robot, ask, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        ask(robot)


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("ask", "old", "new"),
    [
        (lambda r, **how: mc.inverse_velocity(r, **how), {"frame": "tip"}, {"frames": "tip"}),
        (lambda r, **how: mc.inverse_kinematics(r, **how).step, {"targets": "tip"}, {"frames": "tip"}),
        (lambda r, **how: mc.impact(r, **how), {"contacts": "tip"}, {"constraints": "tip"}),
        (lambda r, **how: mc.transform(r, "world", **how), {"target": "tip"}, {"frame": "tip"}),
        (lambda r, **how: mc.transform(r, frame="tip", **how), {"base": "world"}, {"wrt": "world"}),
        (lambda r, **how: mc.path_jacobian(r, "world", **how), {"target": "tip"}, {"frame": "tip"}),
        (lambda r, **how: mc.constrained_dynamics(r, "tip", **how), {"damping": 0.1}, {"regularisation": 0.1}),
        (lambda r, **how: mc.inverse_velocity(r, "tip", "damped", **how), {"damping": 0.1}, {"damping_factor": 0.1}),
    ],
)
def test_a_word_of_before_is_taken_with_one_warning_that_names_the_new_one(robot, ask, old, new) -> None:
    (before,), (now,) = old, new
    with pytest.warns(DeprecationWarning, match=f"{before}= is called {now}= now") as heard:
        asked = ask(robot, **old)
    assert [Path(warning.filename).name for warning in heard] == [Path(__file__).name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ask(robot, **new).identity() == asked.identity()
        warnings.simplefilter("ignore")
        with pytest.raises(mc.Error, match="say it once"):
            ask(robot, **old, **new)


def test_a_star_in_a_parameter_stands_for_all_there_are() -> None:
    robot = mc.load("ur5")
    links = ["shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link"]
    every = mc.inverse_dynamics(robot, parameters="*.mass")
    assert [port.name for port in every.inputs[3:]] == [f"{link}.mass" for link in links]
    wrist = mc.inverse_dynamics(robot, parameters=["wrist_*.com", "gravity"])
    assert [port.name for port in wrist.inputs[3:]] == [*(f"wrist_{k}_link.com" for k in (1, 2, 3)), "gravity"]
    assert len(mc.mass_matrix(robot, parameters="*.rotor_inertia").inputs) == 1 + 6
    for kind in ("damping", "friction"):
        opened = mc.forward_dynamics(robot, friction=True, parameters=f"*.{kind}").inputs[3:]
        assert [port.name for port in opened] == [f"{joint}.{kind}" for joint in robot.joint_names]
    spelled = mc.inverse_dynamics(robot, parameters=[f"{link}.mass" for link in links])
    inputs = [robot.random(1), np.zeros(6), np.ones(6), *(every.defaults[f"{link}.mass"] + 1 for link in links)]
    assert same(every, spelled, *inputs)
    for said in ("*.weight", "leg_*.mass"):
        with pytest.raises(mc.Error, match=r"stands for nothing that ur5"):
            mc.inverse_dynamics(robot, parameters=said)
    with pytest.raises(mc.Error, match="that is open already"):
        mc.inverse_dynamics(robot, parameters=["*.mass", "wrist_1_link.inertial"])


# ---------------------------------------------------------------- inverse kinematics


def test_followers_stay_within_their_limits_whatever_limits_are_given() -> None:
    text = """<robot name="pair"><link name="base"/><link name="a"/><link name="b"/>
      <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
      <joint name="follow" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-0.5" upper="0.5" effort="1" velocity="1"/><mimic joint="lead" multiplier="2"/></joint></robot>"""
    robot = mc.load(text)
    ik = mc.inverse_kinematics(robot, "b", rows="rz", limits=([-2.0], [2.0]))
    assert (ik.lower, ik.upper) == ([-0.25], [0.25])
    with pytest.raises(mc.Error, match=r"follow follows lead as .*nowhere are both within their limits"):
        mc.inverse_kinematics(robot, "b", limits=([1.0], [2.0]))


def test_starts_are_drawn_when_they_are_needed(robot: mc.Robot) -> None:
    many, few = (mc.inverse_kinematics(robot, "tip", rows="x y", restarts=count) for count in (10**8, 3))
    goal = mc.forward_kinematics(robot, "tip")([0.4, 1.1])[0]
    assert np.array_equal(many([0.0, 0.0], goal).q, few([0.0, 0.0], goal).q)


def test_a_goal_at_infinity_is_not_blamed_on_the_start(robot: mc.Robot) -> None:
    ik, goal = mc.inverse_kinematics(robot, "tip", rows="x y"), np.eye(4)
    goal[0, 3] = np.inf
    with pytest.raises(mc.Error, match=r"targets are no poses; give .*, all of it finite"):
        ik([0.0, 0.0], goal)
    with pytest.raises(mc.Error, match="targets are no poses in state 1"):
        ik.batch([0.0, 0.0], np.array([np.eye(4), goal]))


# ---------------------------------------------------------------- errors, texts and folders


def test_errors_are_those_of_python_too(robot: mc.Robot) -> None:
    with pytest.raises(ValueError, match="precision='half'"):
        mc.energy(robot, precision="half")
    with pytest.raises(TypeError, match="frame=3; give the name of a frame"):
        mc.jacobian(robot, 3)
    with pytest.raises(TypeError, match="missing a required argument: 'frame'"):
        mc.jacobian(robot)
    with pytest.raises(FileNotFoundError, match="there is no such file") as missing:
        mc.load("nowhere.urdf")
    assert isinstance(missing.value, mc.ReadError)
    assert missing.value.filename == "nowhere.urdf"
    assert str(pickle.loads(pickle.dumps(missing.value))) == str(missing.value)


def test_texts_are_loaded_as_their_files_are(robot: mc.Robot) -> None:
    expected = mc.mass_matrix(robot).run(Q)
    for text in (mc.to_urdf(robot), "\n" + mc.to_mjcf(robot)):
        assert np.allclose(mc.mass_matrix(mc.load(text)).run(Q), expected, rtol=1e-12, atol=0)
    assert [finding.rule for finding in mc.check("<robot")] == ["Read"]
    with pytest.raises(mc.ReadError, match="the root element is <html>"):
        mc.load("<html/>")


def test_a_tilde_is_the_home_folder(robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    energy = mc.energy(robot)
    assert all(path.is_relative_to(tmp_path / "x") for path in energy.emit("python", "~/x"))
    mc.convert("planar2", "~/p.urdf")
    assert mc.load("~/p.urdf").nv == 2
    assert not (tmp_path / "~").exists()
    for folder in ("~nobody-of-that-name/x", tmp_path / "p.urdf", "/dev/null", "/dev/full"):
        with pytest.raises(mc.Error, match=r"home folder|cannot be written.*; choose|Not a directory"):
            energy.emit("python", folder)


def test_control_characters_are_not_written_to_xml(robot: mc.Robot) -> None:
    odd = mc.Robot(replace(robot.chain, name="a\x01b"))
    for write in (mc.to_urdf, mc.to_mjcf):
        with pytest.raises(mc.Error, match=r"holds '.x01', which XML cannot; rename it"):
            write(odd)
