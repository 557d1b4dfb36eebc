"""Damping and friction of joints in all dynamics: MuJoCo's dampers, Pinocchio's M and h beside a formula of NumPy's,
finite differences.
"""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import motionc as mc
from all_joints import Moving, build, random_tree
from motionc.formats import read_mjcf
from motionc.solvers import hybrid_dynamics
from motionc.targets import c
from oracle import Array, error, partition
from trials import trials

SMOOTHING = 0.3
"""So wide that random rates are in the smooth part of it."""

DAMPED = """
<mujoco model="damped"><worldbody>
  <body name="arm"><joint name="hinge" axis="0 1 0" damping="5"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 1 0 0" mass="1"/>
    <body name="fore" pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0" damping="3"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="1"/>
      <body name="hand" pos="0.5 0 0"><joint name="ball" type="ball" damping="0.7"/>
        <geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0" mass="0.5"/></body></body></body>
</worldbody></mujoco>
"""


class Resisted(Moving):
    """A tree of joints of every type, some of which follow others, with damping and friction at each."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        rng, pieces, at = np.random.default_rng(seed), [], {}
        for piece in random_tree(seed):
            rotor = piece.joint.get("transmission", mc.Transmission()).rotor_inertia
            own = at[f"to_{piece.name}"] = mc.Transmission(rotor, *rng.uniform(0, 3, 2))
            pieces.append(replace(piece, joint=piece.joint | {"transmission": own}))
        self.robot = build(pieces, "root_joint" in self.robot.v_index)
        d, c = np.zeros((2, self.free.nv))
        for name, where in self.free.v_index.items():
            if name in at:
                d[where], c[where] = at[name].damping, at[name].friction
        resists = -(d * self.V + c * self.V / np.sqrt(self.V**2 + SMOOTHING**2))
        self.friction = self.G.T @ resists


def options(**more) -> dict:
    return {"friction": True, "friction_smoothing": SMOOTHING, **more}


def test_dampers_are_mujocos() -> None:
    model = mujoco.MjModel.from_xml_string(DAMPED)
    data, robot = mujoco.MjData(model), mc.Robot(read_mjcf(DAMPED).chain)
    rng = np.random.default_rng(0)
    data.qpos[:], data.qvel[:] = robot.random(rng), rng.normal(size=model.nv)
    mujoco.mj_forward(model, data)
    state = data.qpos, data.qvel, np.zeros(model.nv)
    assert error(mc.forward_dynamics(robot, friction=True).run(*state), data.qacc_smooth) < 1e-10
    assert error(mc.forward_dynamics(robot).run(*state), data.qacc_smooth) > 0.1


@pytest.mark.parametrize("seed", range(trials(12)))
def test_friction_acts_in_all_dynamics_as_a_force_would(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """M and h are Pinocchio's; tau_physical is what a caller would have given in its place."""
    x = Resisted(seed)
    known = x.M @ x.a + x.h - x.friction
    assert error(mc.inverse_dynamics(x.robot, **options()).run(x.q, x.v, x.a), known) < 1e-10
    moved = np.linalg.solve(x.M, x.tau + x.friction - x.h)
    assert error(mc.forward_dynamics(x.robot, **options()).run(x.q, x.v, x.tau), moved) < 1e-9

    names = [name for name in x.robot.joint_names if x.rng.random() < 0.5]
    told = np.zeros(x.robot.nv, bool)
    for name in names:
        told[x.robot.v_index[name]] = True
    tau, a = partition(x.M, x.h - x.friction, x.tau, x.a, told)
    for largest in (-1, 1000):  # by articulated bodies, by blocks of M
        monkeypatch.setattr(hybrid_dynamics, "SOLVED_TOGETHER", largest)
        out = mc.hybrid_dynamics(x.robot, names, **options()).run(x.q, x.v, x.tau, x.a)
        assert error(out.tau, tau) < 1e-9
        assert error(out.a, a) < 1e-9

    rows = [mc.Constraint(x.links[-1], "x rz")]
    ours = mc.constrained_dynamics(x.robot, rows, damping=0.1, **options()).run(x.q, x.v, x.tau, [0.3, -0.2])
    given = mc.constrained_dynamics(x.robot, rows, damping=0.1, physical_torques=True)
    theirs = given.run(x.q, x.v, x.tau, [0.3, -0.2], x.friction)
    for name in theirs.names:
        assert error(ours[name], theirs[name]) < 1e-9, name


def test_a_prescribed_motor_works_against_friction_and_limits_do_not_see_it() -> None:
    robot = rubbing("ur5", 2.0, 1.5)
    q, v, tau, a = robot.random(3), *np.random.default_rng(3).normal(size=(3, 6))
    rows, b = [mc.Constraint("tool0", "xyz")], [0.1, 0.2, 0.3]
    friction = -(2.0 * v + 1.5 * v / np.sqrt(v**2 + 1e-6))
    for more, inputs in (
        ({"prescribed": ["shoulder_pan_joint"]}, (q, v, tau, a, b)),
        ({"limits": {"shoulder_lift_joint": 5.0}}, (q, v, tau, b)),
    ):
        ours = mc.constrained_dynamics(robot, rows, friction=True, **more).run(*inputs)
        given = mc.constrained_dynamics(robot, rows, physical_torques=True, **more).run(*inputs, friction)
        for name in given.names:
            assert error(np.asarray(ours[name]), np.asarray(given[name])) < 1e-9, name
        replayed = mc.forward_dynamics(robot, friction=True).run(q, v, ours.tau_command)
        assert error(replayed, ours.a) < 1e-9


@pytest.mark.parametrize("seed", [1, 4])
def test_derivatives_know_friction(seed: int) -> None:
    """By sweeps where they know the rest, else instruction by instruction; against central differences."""
    x, step = Resisted(seed), 1e-6
    nv = x.robot.nv
    leader = next(name for name in x.robot.joint_names if name != "root_joint")
    open = options(parameters=[f"{leader}.damping", f"{leader}.friction"])
    rows = [mc.Constraint(x.links[-1], "x")]
    for question, given, of, wrt in (
        (mc.inverse_dynamics(x.robot, **options()), [x.q, x.v, x.a], "tau", "v"),
        (mc.forward_dynamics(x.robot, **options()), [x.q, x.v, x.tau], "a", "v"),
        (mc.forward_dynamics(x.robot, **options()), [x.q, x.v, x.tau], "a", "q"),
        (mc.constrained_dynamics(x.robot, rows, **options()), [x.q, x.v, x.tau, [0.3]], "tau_command", "v"),
        (mc.forward_dynamics(x.robot, **open), [x.q, x.v, x.tau, 1.2, 0.8], "a", f"{leader}.damping"),
        (mc.inverse_dynamics(x.robot, **open), [x.q, x.v, x.a, 1.2, 0.8], "tau", f"{leader}.friction"),
    ):
        k = [port.name for port in question.inputs].index(wrt)

        def at(value: Array, question=question, given=given, k=k, of=of) -> Array:
            out = question.run(*given[:k], value, *given[k + 1 :])
            return out if isinstance(out, np.ndarray) else out[of]

        moved = np.eye(nv) * step if wrt in ("q", "v") else np.array([step])
        ends = (
            [(x.robot.integrate(given[k], e, 1.0), x.robot.integrate(given[k], -e, 1.0)) for e in moved]
            if (wrt == "q")
            else [(given[k] + e, given[k] - e) for e in moved]
        )
        slopes = np.array([(at(up) - at(down)) / (2 * step) for up, down in ends]).T
        found = question.derivative(of, wrt).run(*given)
        assert error(np.reshape(found, slopes.shape), slopes) < 1e-6, (question, wrt)


def rubbing(name: str, damping: float, friction: float) -> mc.Robot:
    """A shipped robot with damping and friction at every joint."""
    chain = mc.load(name).chain
    at = mc.Transmission(damping=damping, friction=friction)
    return mc.Robot(replace(chain, joints=tuple(replace(joint, transmission=at) for joint in chain.joints)))


def test_nothing_is_written_down_where_nobody_asks() -> None:
    """Code of a robot with friction is that of the same without. A damper costs two operations, friction five more."""
    plain = mc.load("planar3")
    for question in (mc.inverse_dynamics, mc.forward_dynamics):
        rubbed = question(rubbing("planar3", 2.0, 1.0))
        assert c.emit(rubbed.program, "one").together == c.emit(question(plain).program, "one").together
        free = sum(question(plain).operations.values())
        assert sum(question(plain, friction=True).operations.values()) == free
        assert sum(question(rubbing("planar3", 2.0, 0.0), friction=True).operations.values()) == free + 3 * 2
        assert sum(question(rubbing("planar3", 2.0, 1.0), friction=True).operations.values()) <= free + 3 * 7


def test_open_damping_is_an_input() -> None:
    robot = rubbing("planar3", 2.0, 1.0)
    open = mc.inverse_dynamics(robot, friction=True, parameters=["joint_2.damping", "joint_2.friction"])
    v = np.array([0.4, -0.9, 0.2])
    at = robot.neutral(), v, np.zeros(3)
    assert {name: float(value) for name, value in open.defaults.items()} == {
        "joint_2.damping": 2.0,
        "joint_2.friction": 1.0,
    }
    changed = open.run(*at, 5.0, 0.5) - mc.inverse_dynamics(robot, friction=True).run(*at)
    smooth = v[1] / np.sqrt(v[1] ** 2 + 1e-6)
    assert np.allclose(changed, [0, 3.0 * v[1] - 0.5 * smooth, 0], rtol=1e-12, atol=1e-12)
    assert "friction" in str(open)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: mc.forward_dynamics(r, friction=2), "friction=2; say True or False"),
        (lambda r: mc.forward_dynamics(r, friction_smoothing=0.0), "a speed from 1e-12 to 1e12"),
        (lambda r: mc.inverse_dynamics(r, friction_smoothing="little"), "a speed from 1e-12 to 1e12"),
        (lambda r: mc.inverse_dynamics(r, parameters="joint_2.damping"), "friction=True"),
        (lambda r: mc.mass_matrix(r, parameters="joint_2.friction"), "nothing here depends on it"),
    ],
)
def test_what_has_no_meaning_is_refused(ask, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        ask(mc.load("planar3"))
