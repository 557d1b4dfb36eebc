"""Constraints on any segments, between segments and along joints, against a dense solve and Pinocchio's own solvers.

[M -Jᵀ; J 0] (a; λ) = (force - h; b - J̇ v)        M, h, J, J̇ v from Pinocchio; tests/dense.py writes out the rest
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from all_joints import Moving
from dense import EPSILON, Dense, Question, Real, Rows, all_rows, in_batches, mask, random_rows
from motionc.sweeps import breadth_first
from oracle import Array, error, kkt, unit_wrenches
from rows import row
from trials import LONG, trials

C, J = mc.Constraint, mc.JointConstraint
FEET = {"anymal": ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), "solo12": ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")}
ALL = "xyz rx ry rz"
TREES = trials(360)


def errors(question: Question, dense: Dense, out, a: Array, multipliers: Array) -> float:
    """The worst of all outputs."""
    return max(
        error(out.a, a),
        error(out.multipliers, multipliers),
        error(out.tau_command + out.unactuated, question.motors(dense, a, multipliers)),
        error(dense.missing + out.residual, dense.missing + dense.J @ a - dense.reach - dense.J @ dense.given),
        error(out.coupling, dense.coupling),
    )


# ---------------------------------------------------------------- random trees of every joint type


@cache
def on_a_tree(seed: int) -> tuple[Moving, list[str], list[Rows]]:
    """A tree in a state, prescribed joints, and rows: as many as there are coordinates left, or fewer."""
    x = Moving(seed)
    told = [] if x.robot.followers else [name for name in x.robot.joint_names[1:] if x.rng.random() < 0.4]
    free = int((~mask(x.robot, told)).sum())
    return x, told, random_rows(x, int(x.rng.integers(1, free + 1)), told)


@row("motion-stack", 24, 29)
@row("itasc", 40)
@pytest.mark.parametrize("seed", range(TREES))
def test_rows_anywhere_on_a_tree_are_the_dense_solve(seed: int) -> None:
    """Every joint type, followers, rotors, prescribed joints."""
    x, told, constraints = on_a_tree(seed)
    question = Question(x, constraints, told)
    dense = question.put(x)
    out = question.computation.run(*question.inputs)
    limit = max(1e-10, EPSILON * dense.condition)
    assert out.rank == len(dense.J) > 0
    assert errors(question, dense, out, *dense.kkt()) < limit
    assert 1 <= out.conditioning <= 1e8
    if seed < 10:
        again = question.computation.run(*question.inputs, policy=breadth_first, normalise=False)
        assert errors(question, dense, again, *dense.kkt()) < limit


def test_the_rows_on_those_trees_are_of_every_sort() -> None:
    found: Counter[str] = Counter()
    for seed in range(TREES):
        x, told, constraints = on_a_tree(seed)
        along = [c for c in constraints if isinstance(c, J)]
        moving = [c for c in constraints if isinstance(c, C) and c.wrt != "world"]
        frames = [c.frame for c in constraints if isinstance(c, C)]
        found += Counter(
            {
                "classical between two segments": any(c.kind == "classical" for c in moving),
                "spatial between two segments": any(c.kind == "spatial" for c in moving),
                "along joints": any(c.rows is None for c in along),
                "a matrix along joints": any(c.rows is not None for c in along),
                "along joints of several axes": any(mask(x.robot, c.names).sum() > len(c.names) for c in along),
                "several segments": len(set(frames)) > 2,
                "several on one segment": len(set(frames)) < len(frames),
                "followers": bool(x.robot.followers),
                "a floating base": "root_joint" in x.robot.v_index,
                "prescribed": bool(told),
            }
        )
    assert len(found) == 10
    assert min(found.values()) >= 5, found


# ---------------------------------------------------------------- real robots, one to twenty-four rows

REAL = {"anymal": "independent", "baxter": "follow", "talos_reduced": "independent", "youbot_arm": "independent"}
ALIKE = {"panda": "independent", "solo12": "independent"}
SMALL = [name for name in REAL if name not in ("baxter", "talos_reduced")]


@row("motion-stack", 29)
@row("itasc", 40)
@pytest.mark.parametrize("rows", [1, 6, 12, 24])
@pytest.mark.parametrize("name", REAL | ALIKE if LONG else SMALL)
def test_rows_anywhere_on_a_robot_are_the_dense_solve(name: str, rows: int, record_property: Callable) -> None:
    x = Real(name, (REAL | ALIKE)[name], seed=rows)
    told = [] if x.robot.followers else [str(x.rng.choice(x.robot.joint_names[1:]))]
    question = Question(x, random_rows(x, min(rows, x.robot.nv - len(told)), told), told)
    worst = 0.0
    for _ in range(2):
        dense = question.put(x)
        if dense.condition < 1e8:
            out = question.computation.run(*question.inputs)
            worst = max(worst, errors(question, dense, out, *dense.kkt()))
            assert worst < max(1e-9, EPSILON * dense.condition)
        x.place()
    record_property("worst error", worst)
    assert worst


HELD: dict[str, list[mc.Constraint | mc.JointConstraint]] = {
    "anymal": [*(C(foot, "xyz", source="contact") for foot in FEET["anymal"]), C("base", ALL, kind="spatial")],
    "baxter": [
        # what both hands hold closes a loop
        C("left_gripper", ALL, wrt="right_gripper", as_seen_by="left_gripper", source="contact"),
        C("left_lower_elbow", "z", point=(0.1, 0, 0)),
        C("head", "rz", wrt="right_lower_forearm", kind="spatial"),
        J("l_gripper_l_finger_joint"),
    ],
    "panda": [
        C("panda_hand_tcp", "xyz rx", source="contact"),
        C("panda_link4", "z", wrt="panda_link2", as_seen_by="panda_hand", kind="spatial"),
        J(["panda_finger_joint1", "panda_finger_joint2"], [[1], [-1]]),
    ],
    "talos_reduced": [
        C("left_sole_link", ALL, source="contact"),
        C("right_sole_link", ALL, source="contact", as_seen_by="right_sole_link"),
        C("gripper_left_base_link", ALL, wrt="torso_2_link", as_seen_by="torso_2_link"),
        C("gripper_right_base_link", ALL, wrt="gripper_left_base_link", kind="spatial"),
    ],
    "youbot_arm": [
        C("gripper", "xyz", source="contact"),
        C("arm_link_5", "rz", wrt="arm_link_4", as_seen_by="gripper", kind="spatial"),
    ],
}


@row("motion-stack", 29)
@pytest.mark.parametrize("name", HELD if LONG else SMALL)
def test_compiled_it_is_the_dense_solve(name: str, record_property: Callable) -> None:
    """Up to twenty-four rows: hands and feet of a humanoid."""
    x = Real(name, (REAL | ALIKE)[name], seed=1)
    question = Question(x, HELD[name])
    worst, compared = 0.0, 0
    for dense, out in in_batches(question, x, trials(192)):
        if dense.condition < 1e8:
            found = errors(question, dense, out, *dense.kkt())
            assert found < max(1e-9, EPSILON * dense.condition)
            assert out.rank == len(dense.J)
            worst, compared = max(worst, found), compared + 1
    record_property("worst error", worst)
    assert compared > trials(150)


@row("motion-stack", 30)
def test_four_feet_held_in_six_directions_are_more_than_a_quadruped_has() -> None:
    """Twenty-four rows on eighteen coordinates: every coordinate is fixed, and misses are shared out."""
    x = Real("solo12", seed=2)
    question = Question(x, [C(foot, ALL, source="contact") for foot in FEET["solo12"]])
    compared = 0
    for dense, out in in_batches(question, x, trials(192)):
        values = np.linalg.svd(dense.coupling, compute_uv=False)
        if values[17] > 1e-8 * values[0]:
            a, multipliers, _ = dense.levels(question.level, question.weight, 1e-10)
            assert out.rank == 18
            assert errors(question, dense, out, a, multipliers) < max(1e-9, 10 * EPSILON * values[0] / values[17])
            compared += 1
    assert compared > trials(150)


# ---------------------------------------------------------------- what a moving observer sees

OBSERVED = {
    "anymal": ("LF_FOOT", "RH_SHANK"),  # two branches
    "panda": ("panda_hand_tcp", "panda_link2"),  # an ancestor
    "youbot_arm": ("arm_link_2", "gripper"),  # a descendant
    "talos_reduced": ("gripper_left_base_link", "leg_right_3_link"),
}


@pytest.mark.parametrize("kind", ["classical", "spatial"])
@pytest.mark.parametrize("name", OBSERVED)
def test_what_a_moving_observer_sees_is_what_was_asked(name: str, kind: str) -> None:
    """Second differences of Pinocchio's poses, as seen by the observer, along the motion that was found."""
    x, (frame, wrt), point = Real(name, seed=3), OBSERVED[name], np.array((0.1, -0.2, 0.15))
    rows = "x ry z rx" if name != "youbot_arm" else "x z"
    dynamics = mc.constrained_dynamics(x.robot, [C(frame, rows, wrt, tuple(point), wrt, kind)], outputs=["a"])
    b = x.rng.normal(size=len(rows.split()))
    a, step = dynamics.run(x.q, x.v, x.tau, b), 2e-3

    def seen(steps: int) -> tuple[Array, Array]:
        """Place and orientation after some steps."""
        t = steps * step
        x.world.place(x.robot.integrate(x.q, x.v + 0.5 * t * a, t))
        pose = np.linalg.inv(x.world.pose(wrt)) @ x.world.pose(frame)
        return pose[:3, :3] @ point + pose[:3, 3], pose[:3, :3]

    places, turns = zip(*map(seen, (-2, -1, 0, 1, 2)), strict=True)
    angles = [Turn.from_matrix(turn @ turns[2].T).as_rotvec() for turn in turns]
    path = np.hstack([angles, places])
    rate = np.array([1, -8, 0, 8, -1]) @ path / (12 * step)
    second = np.array([-1, 16, -30, 16, -1]) @ path / (12 * step**2)
    if kind == "spatial":
        second[3:] -= np.cross(rate[:3], rate[3:])
    assert np.allclose(unit_wrenches(rows).T @ second, b, rtol=0, atol=1e-6)


def test_it_does_not_matter_which_of_two_bodies_observes_where_they_move_as_one() -> None:
    """Rows that hold one body on another are those that hold the other on the one."""
    x = Real("anymal", seed=4)
    held = C("LF_FOOT", ALL, wrt="RH_FOOT")
    rows, _ = all_rows(x.world, x.V, x.robot, x.G, [held])
    v = x.v - np.linalg.pinv(rows) @ rows @ x.v
    one, other = (
        mc.constrained_dynamics(x.robot, [constraint], outputs=["a", "tau_command"]).run(x.q, v, x.tau, np.zeros(6))
        for constraint in (held, C("RH_FOOT", ALL, wrt="LF_FOOT"))
    )
    assert error(one.a, other.a) < 1e-9
    assert error(one.tau_command, other.tau_command) < 1e-9


# ---------------------------------------------------------------- who makes the force


@row("itasc", 44)
@pytest.mark.parametrize("name", ["anymal", "talos_reduced"])
def test_what_comes_back_replays_the_motion_with_forces_on_both_bodies_of_a_contact(name: str) -> None:
    """Pinocchio's articulated bodies under tau_command + unactuated + what acts anyway + the contacts' wrenches."""
    x, (frame, wrt) = Real(name, seed=5), OBSERVED[name]
    contacts = [C(frame, "z rx", wrt, (0.1, 0, 0.2), source="contact"), C(wrt, "xyz", source="contact")]
    question = Question(x, [*contacts, C(frame, "y", wrt), J(x.robot.joint_names[-1])], actuated=None)
    question.put(x)
    out = question.computation.run(*question.inputs)
    _, _, _, _, f_ext, physical, _ = question.inputs
    at = x.world.pose(frame) @ [0.1, 0, 0.2, 1]
    wrench = unit_wrenches("z rx") @ out.multipliers[:2]
    forces = {
        (question.pushed, question.pushed): f_ext[0],
        (frame, "world"): moved(wrench, at, x.world.pose(frame)),
        (wrt, "world"): unit_wrenches("xyz") @ out.multipliers[2:5] - moved(wrench, at, x.world.pose(wrt)),
    }
    a = x.world.forward_dynamics(x.q, x.v, out.tau_command + out.unactuated + physical, forces)
    assert error(a, out.a) < 1e-9
    base = mask(x.robot, ["root_joint"])
    assert np.all(out.tau_command[base] == 0)
    assert np.all(out.unactuated[~base] == 0)
    assert np.all(out.unactuated[base] != 0)


def moved(wrench: Array, at: Array, pose: Array) -> Array:
    """The same wrench at a frame's origin, in world axes."""
    n, f = np.split(wrench, 2)
    return np.concatenate([n + np.cross((at - pose[:, 3])[:3], f), f])


def test_standing_on_contacts_asks_nothing_of_a_floating_base() -> None:
    """Feet are held by the ground, hips by brakes: motors make what they make anyway."""
    x = Real("solo12", seed=6)
    rows = [C(foot, "xyz", source="contact") for foot in FEET["solo12"]]
    x.tau[:6] = 0
    rows += [J("FL_HAA", source="contact"), J("FR_HAA")]
    dynamics = mc.constrained_dynamics(x.robot, rows, actuated=x.robot.joint_names)
    out = dynamics.run(x.q, x.v, x.tau, np.zeros(14))
    made = np.where(mask(x.robot, ["FR_HAA"]), out.multipliers[13], 0)
    assert error(out.tau_command, x.tau + made) < 1e-12
    assert np.all(out.unactuated == 0)
    assert out.notes == []


# ---------------------------------------------------------------- Pinocchio's own constrained dynamics

KINDS = {
    pin.ContactType.CONTACT_3D: ("xyz", "classical"),
    pin.ContactType.CONTACT_6D: (ALL, "spatial"),
}
AXES = {pin.LOCAL: "own", pin.LOCAL_WORLD_ALIGNED: "world"}


class Contacts:
    """Pinocchio's constraints, without a corrector; the second body is held where the first one is now."""

    def __init__(self, x: Real, kind: pin.ContactType, pairs: list[tuple[str, str]], axes: pin.ReferenceFrame) -> None:
        self.world, self.models = x.world, pin.StdVec_RigidConstraintModel()
        model, data = x.world.model, x.world.data
        for frame, wrt in pairs:
            one = model.frames[x.world._id(frame)]
            other = 0 if wrt == "world" else model.frames[x.world._id(wrt)].parentJoint
            there = data.oMi[other].inverse() * data.oMf[x.world._id(frame)]
            ends = one.parentJoint, one.placement, other, there
            self.models.append(pin.RigidConstraintModel(kind, model, *ends, axes))
        self.datas = pin.StdVec_RigidConstraintData()
        for constraint in self.models:
            self.datas.append(constraint.createData())

    def proximal(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """a and the multipliers, exact."""
        world, data = self.world, self.world.model.createData()
        pin.initConstraintDynamics(world.model, data, self.models, self.datas)
        given = world._q(q), world._v(v), world._v(tau), self.models, self.datas
        a = pin.constraintDynamics(world.model, data, *given, pin.ProximalSettings(1e-14, 0.0, 1))
        return a[world.order], np.array(data.lambda_c)

    def articulated(self, q: Array, v: Array, tau: Array) -> Array:
        """a by articulated bodies of loops, which ends at about 1e-10."""
        world, data = self.world, self.world.model.createData()
        pin.computeJointMinimalOrdering(world.model, data, self.models)
        given = world._q(q), world._v(v), world._v(tau), self.models, self.datas
        return pin.lcaba(world.model, data, *given, pin.ProximalSettings(1e-14, 1e-4, 20))[world.order]


@row("motion-stack", 29)
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["panda", "talos_reduced"])
def test_contacts_with_the_world_are_pinocchios(name: str, kind: pin.ContactType, axes: pin.ReferenceFrame) -> None:
    """At any velocity: points by classical, bodies by spatial accelerations."""
    frames = ["left_sole_link", "right_sole_link", "gripper_left_base_link"] if name != "panda" else ["panda_hand_tcp"]
    rows, sort = KINDS[kind]
    seen = [frame if axes == pin.LOCAL else "world" for frame in frames]
    rigid = [C(frame, rows, as_seen_by=by, kind=sort, source="contact") for frame, by in zip(frames, seen, strict=True)]
    x = Real(name, seed=7)
    dynamics = mc.constrained_dynamics(x.robot, rigid, outputs=["a", "multipliers"])
    out = dynamics.run(x.q, x.v, x.tau, np.zeros(len(frames) * len(rows.replace(" ", "").replace("r", ""))))
    a, multipliers = Contacts(x, kind, [(frame, "world") for frame in frames], axes).proximal(x.q, x.v, x.tau)
    assert error(out.a, a) < 1e-9
    assert error(out.multipliers, multipliers) < 1e-9


LOOPS = {
    pin.ContactType.CONTACT_3D: [("LF_FOOT", "RH_FOOT"), ("RF_FOOT", "world"), ("LH_FOOT", "base")],
    pin.ContactType.CONTACT_6D: [("LF_FOOT", "RH_FOOT")],
}


@row("motion-stack", 29)
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("kind", LOOPS, ids=str)
def test_closed_loops_are_pinocchios(kind: pin.ContactType, axes: pin.ReferenceFrame) -> None:
    """While what is held together moves together, all agree what a relative acceleration is."""
    x, (rows, sort) = Real("anymal", seed=8), KINDS[kind]
    rigid = [
        C(one, rows, other, (0, 0, 0), one if axes == pin.LOCAL else "world", sort, "contact")
        for one, other in LOOPS[kind]
    ]
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rigid)
    contacts = Contacts(x, kind, LOOPS[kind], axes)
    v = x.v - np.linalg.pinv(moves) @ moves @ x.v
    dynamics = mc.constrained_dynamics(x.robot, rigid, outputs=["a", "multipliers"])
    out = dynamics.run(x.q, v, x.tau, np.zeros(len(moves)))
    a, multipliers = contacts.proximal(x.q, v, x.tau)
    assert error(out.a, a) < 1e-9
    assert error(out.multipliers, multipliers) < 1e-9
    assert error(out.a, contacts.articulated(x.q, v, x.tau)) < 1e-7


def test_a_body_seen_by_a_moving_body_is_pinocchios_at_any_velocity() -> None:
    x = Real("anymal", seed=9)
    rigid = C("LF_FOOT", ALL, "RH_FOOT", (0, 0, 0), "LF_FOOT", "spatial")
    out = mc.constrained_dynamics(x.robot, [rigid], outputs=["a", "multipliers"]).run(x.q, x.v, x.tau, np.zeros(6))
    a, multipliers = Contacts(x, pin.ContactType.CONTACT_6D, [("LF_FOOT", "RH_FOOT")], pin.LOCAL).proximal(
        x.q, x.v, x.tau
    )
    assert error(out.a, a) < 1e-9
    assert error(out.multipliers, multipliers) < 1e-9


# ---------------------------------------------------------------- MuJoCo

TIED = """<mujoco model="tied">
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="left" pos="0.3 0 1">
      <joint name="a" axis="0 1 0.2"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 -0.2"/>
      <body name="left_tip" pos="0.3 0 -0.2">
        <joint name="b" axis="0 1 0"/><joint name="c" axis="1 0 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 -0.2 0.1 -0.3"/>
      </body>
    </body>
    <body name="right" pos="-0.3 0 1">
      <joint name="d" axis="0.3 1 0"/><geom type="box" size="0.05 0.1 0.2" pos="0 0 -0.2"/>
      <body name="right_tip" pos="0 0 -0.4"><joint name="e" type="ball"/><geom size="0.08" pos="0.1 0 0"/></body>
    </body>
  </worldbody>
  <equality><connect body1="left_tip" body2="right_tip" anchor="-0.2 0.1 -0.3"/></equality>
</mujoco>"""


@row("motion-stack", 29)
def test_two_arms_tied_together_are_mujocos(tmp_path: Path) -> None:
    """At rest its M, bias and Jacobian of the tie make a dense solve; moving, both bodies keep one point in common.

    What it integrates itself lets a tie give way; what it is made of is exact.
    """
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "tied.xml"
    file.write_text(TIED, encoding="utf-8")
    robot, model = mc.load(file), mujoco.MjModel.from_xml_path(str(file))
    data, anchor = mujoco.MjData(model), np.array((-0.2, 0.1, -0.3))
    # the order of their joints is ours, and so are the ball's rates
    assert list(robot.joint_names) == ["a", "b", "c", "d", "e"]
    dynamics = mc.constrained_dynamics(robot, [C("left_tip", "xyz", "right_tip", tuple(anchor))])
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, tau = robot.random(rng), rng.normal(size=robot.nv)
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        # put the second end of the tie where the first is now
        place = data.body("left_tip").xpos + data.body("left_tip").xmat.reshape(3, 3) @ anchor
        there = data.body("right_tip").xmat.reshape(3, 3).T @ (place - data.body("right_tip").xpos)
        model.eq_data[0, 3:6] = there
        mujoco.mj_forward(model, data)
        M, tie = np.zeros((model.nv, model.nv)), data.efc_J.reshape(-1, model.nv).copy()
        for column, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, column, unit)
        a, multipliers = kkt(M, tie, tau - data.qfrc_bias, np.zeros(3))
        out = dynamics.run(q, np.zeros(robot.nv), tau, np.zeros(3))
        assert error(out.a, a) < 1e-9
        assert error(out.multipliers, multipliers) < 1e-9
        # rates at which the tie holds
        v = rng.normal(size=robot.nv)
        v = v - np.linalg.pinv(tie) @ tie @ v
        data.qvel[:] = v
        mujoco.mj_forward(model, data)
        data.qacc[:] = dynamics.run(q, v, tau, np.zeros(3)).a
        mujoco.mj_rnePostConstraint(model, data)
        ends = [point_acceleration(mujoco, model, data, *end) for end in (("left_tip", anchor), ("right_tip", there))]
        assert np.allclose(ends[0], ends[1], rtol=0, atol=1e-9)


def point_acceleration(mujoco, model, data, body: str, point: Array) -> Array:
    """Of a point of a body, by its spatial acceleration and velocity about the tree's centre of mass."""
    number = model.body(body).id
    center = data.subtree_com[model.body_rootid[number]]
    r = data.xpos[number] + data.xmat[number].reshape(3, 3) @ point - center
    (turning, going), (w, v) = np.split(data.cacc[number], 2), np.split(data.cvel[number], 2)
    return going + np.cross(turning, r) + np.cross(w, v + np.cross(w, r))


# ---------------------------------------------------------------- rows that nearly depend on each other


@pytest.mark.parametrize(
    ("name", "told", "constraints"),
    [
        ("panda", [], [C("panda_hand", ALL)]),
        ("panda", ["panda_joint1"], [C("panda_hand", ALL)]),
        *([("baxter", [], [C("left_wrist", ALL), C("right_wrist", ALL)])] * LONG),
    ],
    ids=["six rows", "one joint prescribed", *(["twelve rows"] * LONG)],
)
def test_refined_answers_hold_where_rows_nearly_depend_on_each_other(name: str, told: list[str], constraints) -> None:
    """To 1e-9 up to conditions of 1e8."""
    x = Real(name)
    exact, plain = (Question(x, constraints, told, refine=refine) for refine in (True, False))
    plain.pushed, plain.made = exact.pushed, exact.made
    worst, beyond, seen = 0.0, 0.0, 0
    while seen < trials(24):
        dense = exact.put(x.place())
        if not 1e6 < dense.condition < 1e8:
            continue
        seen += 1
        refined, rough = (question.computation.run(*exact.inputs) for question in (exact, plain))
        worst = max(worst, errors(exact, dense, refined, *dense.kkt()))
        beyond = max(beyond, errors(exact, dense, rough, *dense.kkt()))
    assert worst < 1e-9
    assert beyond > worst
