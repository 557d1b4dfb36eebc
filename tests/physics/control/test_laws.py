"""Control laws: forces they ask of motors, against Pinocchio's dynamics and SciPy's rotations."""

import pickle

import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from all_joints import JointByJoint, build, random_tree
from motionc.control.stability import notes_of
from oracle import Array, error
from rows import row
from trials import trials

Kind = mc.JointType
BALLS = [Kind.REVOLUTE, Kind.SPHERICAL, Kind.PRISMATIC, Kind.PLANAR]


@pytest.fixture(scope="module")
def tree() -> tuple[mc.Robot, JointByJoint]:
    """A floating base, an arm with a ball, a slide and a plane."""
    pieces = random_tree(1, BALLS)
    for piece in pieces:
        piece.joint.pop("mimic", None)
    robot = build(pieces, floating=True)
    return robot, JointByJoint(pieces, robot)


def drawn(robot: mc.Robot, seed: int) -> dict[str, Array]:
    """A state, and a target that moves."""
    rng = np.random.default_rng(seed)
    q, target = robot.random(rng), robot.random(rng)
    v, target_v, target_a = rng.normal(size=(3, robot.nv))
    return {"q": q, "v": v, "target": target, "target_v": target_v, "target_a": target_a}


def seen_from_here(robot: mc.Robot, x: dict[str, Array], rates: str) -> Array:
    """Rates at the target in the axes of the child where it is now, the ball's by SciPy, the plane's by its angle."""
    found = x[rates].copy()
    ball, plane = robot.q_index["to_link2"], robot.q_index["to_link4"]
    here, there = (Turn.from_quat(x[name][ball], scalar_first=True) for name in ("q", "target"))
    found[robot.v_index["to_link2"]] = (here.inv() * there).apply(found[robot.v_index["to_link2"]])
    angle = x["target"][plane][2] - x["q"][plane][2]
    along = robot.v_index["to_link4"]
    found[along][1:] = Turn.from_euler("z", angle).apply([*x[rates][along][1:], 0.0])[:2]
    return found


def base_apart(robot: mc.Robot, values: Array) -> Array:
    """What no motor makes."""
    found = values.copy()
    found[robot.v_index["root_joint"]] = 0.0
    return found


def way(oracle: JointByJoint, x: dict[str, Array]) -> Array:
    """The difference by Pinocchio."""
    return pin.difference(oracle.model, oracle.theirs.q(x["q"]), oracle.theirs.q(x["target"]))[oracle.order]


@pytest.mark.parametrize("feedforward", [None, "gravity", "inverse_dynamics"])
def test_a_pd_pulls_along_the_shorter_way_and_leaves_the_base_alone(tree, feedforward: str | None) -> None:
    robot, oracle = tree
    rng = np.random.default_rng(0)
    K, D = (base_apart(robot, rng.uniform(1, 50, robot.nv)) for _ in range(2))
    law = mc.control.pd(robot, K, D, feedforward=feedforward, moving=True)
    for seed in range(trials(8)):
        x = drawn(robot, seed)
        tau = K * way(oracle, x) + D * (seen_from_here(robot, x, "target_v") - x["v"])
        if feedforward == "gravity":
            tau = tau + oracle.gravity_forces(x["q"])
        if feedforward == "inverse_dynamics":
            tau = tau + oracle.inverse_dynamics(x["target"], x["target_v"], x["target_a"])
        given = [x[port.name] for port in law.inputs]
        assert error(law(*given), base_apart(robot, tau)) < 1e-12
    assert np.all(law(*given)[robot.v_index["root_joint"]] == 0)


def test_computed_torque_makes_the_way_to_the_target_linear() -> None:
    """a = target_a + K e + D ė, by Pinocchio's forward dynamics."""
    pieces = random_tree(1, BALLS, rotors=True)
    for piece in pieces:
        piece.joint.pop("mimic", None)
    robot = build(pieces)
    oracle = JointByJoint(pieces, robot)
    law = mc.control.computed_torque(robot, 64.0, 16.0)
    for seed in range(trials(8)):
        x = drawn(robot, seed)
        a = seen_from_here(robot, x, "target_a") + 64 * way(oracle, x)
        a = a + 16 * (seen_from_here(robot, x, "target_v") - x["v"])
        tau = law(*(x[port.name] for port in law.inputs))
        assert error(oracle.forward_dynamics(x["q"], x["v"], tau), a) < 1e-9


@pytest.mark.parametrize("rows", ["xyz", "xyz rx ry rz"])
def test_an_impedance_is_a_spring_and_a_damper_at_the_frame(tree, rows: str) -> None:
    """Jᵀ (K e + D (ẏ_target - ẏ)) with Pinocchio's Jacobian, in the axes of a frame that moves itself."""
    robot, oracle = tree
    turns = "rx" in rows
    # of a rotation vector one stiffness for all turns
    K, D = (np.array([[130, 230, 330, 40, 40, 40], [15, 25, 35, 4, 4, 4]]) * 1.0)[:, : 6 if turns else 3]
    law = mc.control.impedance(
        robot, "link3", K, D, rows=rows, point=(0.1, -0.2, 0.3), moving=True, feedforward="gravity", joint_damping=2.0
    )
    order = [3, 4, 5, 0, 1, 2] if turns else [3, 4, 5]
    for seed in range(trials(8)):
        x, rng = drawn(robot, seed), np.random.default_rng(seed)
        goal, twist = mc.placed(rng.normal(size=3), rng.uniform(-2, 2, 3)), rng.normal(size=6)
        oracle.place(x["q"], x["v"])
        here, J = oracle.pose("link3"), oracle.jacobian("link3", point=(0.1, -0.2, 0.3))
        e = np.concatenate(
            [
                Turn.from_matrix(goal[:3, :3] @ here[:3, :3].T).as_rotvec(),
                goal[:3, 3] - here[:3, :3] @ (0.1, -0.2, 0.3) - here[:3, 3],
            ]
        )
        f = K * e[order] + D * (twist - J @ x["v"])[order]
        tau = J[order].T @ f + oracle.gravity_forces(x["q"]) - 2.0 * x["v"]
        told = (goal, twist) if turns else (goal[:3, 3], twist[3:])
        assert error(law(x["q"], x["v"], *told), base_apart(robot, tau)) < 1e-11


def test_an_impedance_along_some_axes_of_a_moving_frame_conserves_energy() -> None:
    """Rows of the tool's own: tau = -∂(e·K e/2)/∂q, though the axes turn with the joints."""
    robot = mc.load("youbot_arm")
    K = np.array([300.0, 200.0, 20.0])
    law = mc.control.impedance(robot, "arm_link_5", K, 0.0, rows="x z ry", as_seen_by="arm_link_5")
    goal = mc.forward_kinematics(robot, "arm_link_5")(robot.random(3))[0]
    fk = mc.forward_kinematics(robot, "arm_link_5")

    def energy(q: Array) -> float:
        here = fk(q)[0]
        turn = Turn.from_matrix(goal[:3, :3] @ here[:3, :3].T).as_rotvec()
        shift = here[:3, :3].T @ (goal[:3, 3] - here[:3, 3])
        missing = np.array([shift[0], shift[2], (here[:3, :3].T @ turn)[1]])
        return K @ missing**2 / 2

    q, h = robot.random(4), 1e-6
    slope = [(energy(q + h * unit) - energy(q - h * unit)) / (2 * h) for unit in np.eye(robot.nv)]
    assert error(law(q, np.zeros(robot.nv), goal), -np.array(slope)) < 1e-6


@row("robcogen", 49)
def test_a_leg_of_another_name_behaves_as_its_mirror_image() -> None:
    """HyQ's legs in one pose, targets on either side: the same forces at both legs, none elsewhere."""
    robot, rng = mc.load("hyq"), np.random.default_rng(0)
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[7:], v[6:] = np.tile(rng.uniform(-0.5, 0.5, 3), 4), np.tile(rng.normal(size=3), 4)
    shift, made = rng.uniform(-0.1, 0.1, 3), dict[str, Array]()
    for leg, mirror in (("LF", 1.0), ("RF", -1.0)):
        law = mc.control.impedance(robot, f"{leg}_foot", (800.0, 600.0, 400.0), 20.0)
        foot = mc.forward_kinematics(robot, f"{leg}_foot").run(q)[0, :3, 3]
        tau = law(q, v, foot + shift * (1.0, mirror, 1.0))
        made[leg] = np.array([tau[robot.v_index[f"{leg}_{joint}"]] for joint in ("HAA", "HFE", "KFE")])
        assert np.count_nonzero(tau) == 3
    assert np.abs(made["LF"]).min() > 1.0
    assert error(made["RF"], made["LF"]) < 1e-12


def test_what_a_law_and_its_feedforward_share_is_computed_once_in_any_precision_and_after_a_pickle() -> None:
    robot = mc.load("ur5")
    x = drawn(robot, 0)
    law = mc.control.computed_torque(robot, 100.0, 20.0)
    again = pickle.loads(pickle.dumps(law))
    given = [x[port.name] for port in law.inputs]
    assert np.array_equal(again.run(*given), law.run(*given))
    dynamics = sum(mc.inverse_dynamics(robot).operations.values())
    assert sum(law.operations.values()) <= dynamics + 6 * robot.nv
    impedance = mc.control.impedance(robot, "wrist_3_link", 100.0, 10.0, feedforward="gravity")
    alone = mc.control.impedance(robot, "wrist_3_link", 100.0, 10.0), mc.gravity_forces(robot)
    assert sum(impedance.operations.values()) < sum(sum(part.operations.values()) for part in alone)
    single = mc.control.pd(robot, 100.0, 20.0, feedforward="gravity", precision="single")
    double = mc.control.pd(robot, 100.0, 20.0, feedforward="gravity")
    here = x["q"], x["v"], x["target"]
    assert single(*here).dtype == np.float32
    assert error(single(*here), double.run(*here)) < 1e-5


def test_laws_close_the_loop_with_a_step_by_name_and_meaning() -> None:
    """An arm comes to rest where it is told, its weight carried."""
    robot = mc.load("ur5")
    sizes = np.array([1.0, 1.0, 0.3, 1e-3, 1e-3, 1e-4])
    law = mc.control.pd(robot, 1000.0 * sizes, 100.0 * sizes, feedforward="gravity")
    loop = mc.loop([law, mc.step(robot, 1e-3)], feedback={"q": "q_next", "v": "v_next"}, held=["target"])
    target = np.array([0.3, -1.0, 1.2, -0.4, 0.2, 0.1])
    end = loop(q=target + 0.3, v=np.zeros(6), target=target, seconds=3.0).state
    assert np.abs(end.q - target).max() < 1e-3


@pytest.mark.parametrize("share", [0.97, 1.03])
@pytest.mark.parametrize("law", ["pd", "impedance"])
def test_gains_that_a_step_cannot_follow_are_noted_and_shake_the_arm(law: str, share: float) -> None:
    """On either side of 4 M = 2 dt D + dt² K, by SciPy's eigenvalues; the run dies down, or does not."""
    robot, dt = mc.load("planar3"), 1e-3
    M = mc.mass_matrix(robot).run(robot.neutral())
    K, D = np.array([3000.0, 1000.0, 200.0]), np.array([30.0, 10.0, 3.0])
    J = np.eye(3) if law == "pd" else mc.jacobian(robot, "tip").run(robot.neutral())[[3, 4, 2]]
    factor = share * 4 / eigh(J.T @ np.diag(2 * dt * D + dt**2 * K) @ J, M, eigvals_only=True)[-1]
    gains = K * factor, D * factor
    made = mc.control.pd(robot, *gains) if law == "pd" else mc.control.impedance(robot, "tip", *gains, rows="x y rz")
    target = robot.neutral() if law == "pd" else mc.forward_kinematics(robot, "tip").run(robot.neutral())[0]
    aim = made.inputs[2].name
    loop = mc.loop([made, mc.step(robot, dt)], feedback={"q": "q_next", "v": "v_next"}, held=[aim])
    end = loop(q=robot.neutral() + 1e-9, v=np.zeros(3), **{aim: target}, seconds=2.0).state.q
    shaken = not np.abs(end).max() < 1e-6
    assert shaken == (share > 1)
    assert bool(list(notes_of(made.solver, dt))) == shaken
    if law == "pd":
        assert (mc.control.stability_note(robot, *gains, dt) is not None) == shaken
        assert bool(list(notes_of(mc.control.pd(robot, *gains, feedforward="gravity").solver, dt))) == shaken


REFUSED = {
    "computed_torque of quadruped: no motor drives root_joint": lambda: mc.control.computed_torque(
        mc.load("quadruped"), 1.0, 1.0
    ),
    "pd: stiffness of root_joint: no motor drives it": lambda: mc.control.pd(
        mc.load("quadruped"), {"root_joint": 1.0}, 1.0
    ),
    "pd: damping=-1.0; give finite numbers": lambda: mc.control.pd(mc.load("planar2"), 1.0, -1.0),
    "impedance: stiffness of shape (2,); give one number, or 3": lambda: mc.control.impedance(
        mc.load("planar2"), "tip", (1.0, 2.0), 1.0
    ),
    "impedance of 'tipp': there is no frame": lambda: mc.control.impedance(mc.load("planar2"), "tipp", 1.0, 1.0),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_is_refused_by_a_sentence(sentence: str) -> None:
    with pytest.raises(mc.Error) as refusal:
        REFUSED[sentence]()
    assert str(refusal.value).startswith(sentence)
