"""A mass matrix that is singular everywhere is known by the joint to blame, and one that is not is never refused.

The witness is the rank of Pinocchio's mass matrix, scaled to a unit diagonal, over random configurations.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
import motionc.model.robot as model
from all_joints import Coupled, Kind, Piece, build, random_tree
from motionc.formats import read_urdf
from motionc.robots import robot_file
from trials import trials

INERTIAL = re.compile(r"<inertial>.*?</inertial>", re.DOTALL)
POINT = (
    '<inertial><origin xyz="{x} 0 0"/><mass value="{m}"/>'
    '<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def lwr4(kept: str) -> str:
    """LWR 4 with inertia in one link alone, and no rotors."""
    text = re.sub(r"<dynamics [^>]*/>", "", robot_file("lwr4").read_text())
    links = re.split(r"(?=<link )", text)
    return "".join(part if f'name="{kept}"' in part.partition(">")[0] else INERTIAL.sub("", part) for part in links)


def serial(*links: str, axes: str = "0 0 1", step: float = 0.3, mimic: dict[int, str] | None = None) -> str:
    """Hinges one after the other, link k after joint k, the base first; each link's inertial is given."""
    text = "".join(f'<link name="l{k}">{inertial}</link>' for k, inertial in enumerate(links))
    for k in range(1, len(links)):
        text += (
            f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{step if k > 1 else 0} 0 0"/><axis xyz="{axes}"/>{(mimic or {}).get(k, "")}</joint>'
        )
    return f'<robot name="r">{text}</robot>'


def robot(text: str, **options) -> mc.Robot:
    document = read_urdf(text)
    return mc.Robot(document.chain, findings=document.findings, **options)


def point(x: float = 0.3, m: float = 1.0, i: float = 0.0) -> str:
    return POINT.format(x=x, m=m, i=i)


def singular_robots() -> dict[str, tuple[mc.Robot, str]]:
    """A robot for each way to be singular, and the joint to blame: the innermost, where all others are free."""
    return {
        "inertia in the hand alone": (robot(lwr4("link_7")), "joint_0"),
        "a massless root that floats": (robot(serial("", point(i=0.1)), floating=True), "root_joint"),
        "four parallel hinges": (robot(serial("", "", "", "", point(i=0.1))), "j1"),
        "two coaxial hinges": (robot(serial("", "", point(i=0.1), step=0.0)), "j1"),
        "a rod about its own axis": (robot(serial("", point(), axes="1 0 0")), "j1"),
        "a point on the axis, reached by turns": (robot(turned_point()), "j1"),
    }


def turned_point() -> str:
    """A point on the axis of its hinge, but for what rounding makes of three turned frames."""
    fixed = (
        '<joint name="f{k}" type="fixed"><parent link="{a}"/><child link="{b}"/><origin xyz="{x}" rpy="{r}"/></joint>'
    )
    there = mc.placed((0.7, -0.2, 0.4), (0.3, 1.1, -2.0))
    along = np.linalg.solve(there, [0, 0, 1.7, 1])[:3]
    place = ["0.7 -0.2 0.4", "0.3 1.1 -2.0", " ".join(repr(float(x)) for x in along), "0.1 0.2 0.3"]
    text = serial("", "") + fixed.format(k=1, a="l1", b="m", x=place[0], r=place[1])
    text += (
        fixed.format(k=2, a="m", b="p", x=place[2], r=place[3]) + f'<link name="m"/><link name="p">{point(0)}</link>'
    )
    return text.replace("</robot>", "", 1) + "</robot>"


INVERTING: dict[str, Callable[[mc.Robot], object]] = {
    "forward_dynamics": mc.forward_dynamics,
    "step": lambda robot: mc.step(robot, 1e-3),
    "hybrid_dynamics": lambda robot: mc.hybrid_dynamics(robot, []),
    "constrained_dynamics": lambda robot: mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], "x")]),
    "operational_space": lambda robot: mc.operational_space(robot, mc.Constraint(robot.link_names[-1], "x")),
    "impact": lambda robot: mc.impact(robot, [mc.Constraint(robot.link_names[-1], "x", source="contact")]),
    "mass_matrix_inverse": mc.mass_matrix_inverse,
    "inverse by innovations": lambda robot: mc.mass_matrix_inverse(robot, method="innovations"),
    "mass_matrix_solve": mc.mass_matrix_solve,
    "mass_matrix_factor": mc.mass_matrix_factor,
    "inverse_velocity": lambda robot: mc.inverse_velocity(
        robot, robot.link_names[-1], rows="x", joint_weights="inertia"
    ),
}


@pytest.mark.parametrize("what", singular_robots())
@pytest.mark.parametrize("computation", INVERTING)
def test_what_inverts_a_singular_mass_matrix_is_refused_by_joint(what: str, computation: str) -> None:
    singular, joint = singular_robots()[what]
    with pytest.raises(mc.Error, match=rf"movable joint {joint} moves no inertia of its own .*fixed="):
        INVERTING[computation](singular)


@pytest.mark.parametrize("what", singular_robots())
def test_kinematics_and_inverse_dynamics_of_a_singular_robot_work(what: str) -> None:
    singular, joint = singular_robots()[what]
    q, ones = singular.random(0), np.ones(singular.nv)
    tau = mc.inverse_dynamics(singular).run(q, ones, ones)
    M, h = mc.mass_matrix(singular).run(q), mc.bias_forces(singular).run(q, ones)
    np.testing.assert_allclose(tau, M @ ones + h, rtol=0, atol=1e-12 * np.abs(tau).max())
    assert np.linalg.matrix_rank(M) < singular.nv
    mc.jacobian(singular, singular.link_names[-1])
    assert singular.findings.of_rule("Dy1") or joint == "root_joint"


def test_the_finding_names_joint_place_and_remedy() -> None:
    (finding,) = read_urdf(lwr4("link_7")).findings.of_rule("Dy1")
    assert "movable joint joint_0 moves no inertia of its own" in finding.message
    assert finding.place.line > 1
    assert "fixed=" in finding.remedy


def test_four_parallel_hinges_have_one_too_many_and_with_a_point_two() -> None:
    assert robot(serial("", "", "", "", point(i=0.1))).idle_joints == ("j1",)
    assert robot(serial("", "", "", "", point())).idle_joints == ("j1", "j2")
    assert robot(serial("", "", "", point(i=0.1))).idle_joints == ()


def test_a_mass_matrix_that_is_singular_in_some_poses_only_is_accepted() -> None:
    """Two hinges and a point: singular where the arm is stretched, and that is its neutral configuration."""
    arm = robot(serial("", "", point()))
    assert np.linalg.matrix_rank(mc.mass_matrix(arm).run(arm.neutral())) == 1
    assert arm.idle_joints == ()
    mc.forward_dynamics(arm)


@pytest.mark.parametrize("length", [1e-6, 1e-4, 1.0, 1e4])
@pytest.mark.parametrize("mass", [1e-9, 1.0, 1e6])
def test_the_verdict_has_no_unit(length: float, mass: float) -> None:
    body = point(0.3 * length, mass, 0.1 * mass * length**2)
    assert robot(serial("", body, body, body, step=0.3 * length)).idle_joints == ()
    assert robot(serial("", "", "", "", body, step=0.3 * length)).idle_joints == ("j1",)


def test_links_of_a_tenth_of_a_millimetre_and_a_microgram_move_forward() -> None:
    small = robot(serial("", *[point(1e-4, 1e-9, 4e-18)] * 2, step=1e-4))
    q, v, tau = np.array([0.4, 0.7]), np.zeros(2), np.array([1e-16, -2e-16])
    a = mc.forward_dynamics(small, gravity=(0, 0, 0)).run(q, v, tau)
    np.testing.assert_allclose(mc.inverse_dynamics(small, gravity=(0, 0, 0)).run(q, v, a), tau, rtol=1e-9)


def test_a_rotor_is_inertia_of_its_own() -> None:
    def with_rotor(joint: str) -> mc.Robot:
        opened = f'<joint name="{joint}" type="revolute">'
        return robot(lwr4("link_7").replace(opened, f'{opened}<dynamics rotor_inertia="0.01"/>'))

    assert with_rotor("joint_2").idle_joints == ()
    # the elbow stands still while the arm swivels about the line from shoulder to wrist
    assert with_rotor("joint_3").idle_joints == ("joint_0",)


def test_prescribed_joints_need_no_inertia() -> None:
    """The free part of M alone must be regular; what is computed then agrees with a dense solve of Pinocchio's M."""
    arm, told = robot(lwr4("link_7")), "joint_2"
    with pytest.raises(mc.Error, match="joint_0 moves no inertia"):
        mc.hybrid_dynamics(arm, [])
    world = pin.buildModelFromXML(lwr4("link_7"))
    data, rng = world.createData(), np.random.default_rng(1)
    q, v, a, tau = rng.normal(size=(4, 7))
    found = mc.hybrid_dynamics(arm, [told])(q=q, v=v, a=a, tau=tau)
    M, h = pin.crba(world, data, q), pin.nle(world, data, q, v)
    M = np.triu(M) + np.triu(M, 1).T
    free, held = [0, 1, 3, 4, 5, 6], [2]
    expected = np.linalg.solve(M[np.ix_(free, free)], (tau - h)[free] - M[np.ix_(free, held)] @ a[held])
    np.testing.assert_allclose(found.a[free], expected, rtol=1e-6)
    assert arm.idle_besides([told]) == ()
    assert arm.idle_besides(["joint_3"]) == ("joint_0",)
    # six are left for one body: with one told that does not help, the innermost free one is to blame
    assert robot(serial("", "", "", "", "", point(i=0.1))).idle_besides(["j5"]) == ("j1",)


def test_moments_that_no_body_has_are_no_inertia() -> None:
    negative = point(0.1, 1.0, -0.02)
    assert robot(serial("", negative)).idle_joints == ("j1",)
    assert robot(serial("", point(0.2, 1.0, -0.02))).idle_joints == ()


# ---------------------------------------------------------------- followers


def finger(leading: str, following: str) -> str:
    return serial("", point(i=0.1), leading, following, axes="0 1 0", mimic={3: '<mimic joint="j2" multiplier="-2"/>'})


def test_followers_count_through_their_leaders() -> None:
    assert robot(finger(point(), "")).idle_joints == ()
    assert robot(finger("", point(i=0.1))).idle_joints == ()
    assert robot(finger("", "")).idle_joints == ("j2",)
    assert robot(finger(point(), ""), mimic="independent").idle_joints == ("j3",)
    assert robot(finger("", point(0, 0, 0.1)), mimic="independent").idle_joints == ("j2",)


def test_a_follower_that_undoes_its_leader_moves_nothing() -> None:
    """The hand keeps its orientation and the point is on both axes."""
    text = serial("", point(i=0.1), "", point(0, 0, 0.1), step=0.0, mimic={3: '<mimic joint="j2" multiplier="-1"/>'})
    assert robot(text).idle_joints == ("j2",)
    assert robot(text.replace('"-1"', '"-0.9"')).idle_joints == ()
    # the same where the follower comes first: its leader moves inertia of its own, and yet none
    text = serial("", "", point(0, 0, 0.1), step=0.0, mimic={1: '<mimic joint="j2" multiplier="-1"/>'})
    assert robot(text).idle_joints == ("j2",)
    assert robot(text.replace('"-1"', '"-0.9"')).idle_joints == ()


# ---------------------------------------------------------------- random trees


def light_tree(seed: int) -> tuple[list[Piece], bool]:
    """A random tree of which many links weigh nothing, or are points; and whether its root floats."""
    rng = np.random.default_rng(seed)
    kinds = None if seed % 2 else [Kind.REVOLUTE] * int(rng.integers(2, 8))
    pieces, lengths = random_tree(seed, kinds, rotors=False), 10.0 ** rng.integers(-3, 3)
    nothing = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3))}
    light = []
    for piece in pieces:
        drawn, joint = rng.random(), dict(piece.joint)
        if rng.random() < 0.1 and piece.kind is not Kind.FIXED:
            joint["transmission"] = mc.Transmission(rotor_inertia=0.1 * lengths**2)
        if "pitch" in joint:
            joint["pitch"] *= lengths
        parallel = {"reference": with_length(mc.placed(piece.reference[:3, 3]), lengths), "target": np.eye(4)}
        turned = {name: with_length(getattr(piece, name), lengths) for name in ("reference", "target")}
        if rng.random() < 0.4:
            turned, joint["axis"] = parallel, (0.0, 0.0, 1.0)
            joint.pop("second_axis", None)
        said = {} if drawn > 0.6 else {"inertia": np.zeros((3, 3))} if drawn > 0.5 else nothing
        piece = replace(piece, **{"com": piece.com * lengths, "inertia": piece.inertia * lengths**2, **said, **turned})
        light.append(replace(piece, joint=joint))
    still = any(piece.parent == 0 and piece.kind is Kind.FLOATING for piece in light)
    return light, seed % 5 == 0 and not still


def with_length(pose: np.ndarray, length: float) -> np.ndarray:
    pose = pose.copy()
    pose[:3, 3] *= length
    return pose


def rank(tree: Coupled, seed: int) -> int:
    """The largest of Pinocchio's M over random configurations, scaled to a unit diagonal."""
    ranks = []
    for k in range(4):
        q = tree.whole(tree.robot.random(100 * seed + k))
        M = tree.G.T @ tree.world.mass_matrix(q) @ tree.G
        d = np.sqrt(np.diag(M).clip(1e-300))
        ranks.append(np.linalg.matrix_rank(M / np.outer(d, d) * (d > 1e-9 * d.max()), tol=1e-11, hermitian=True))
    return int(max(ranks, default=0))


@pytest.mark.parametrize("block", range(2))
def test_random_trees_are_refused_exactly_where_pinocchios_mass_matrix_has_no_full_rank(block: int) -> None:
    singular = regular = 0
    for seed in range(block, trials(360), 2):
        pieces, floating = light_tree(seed)
        tree = Coupled(pieces, floating)
        if not tree.robot.nv:
            continue
        idle, full = tree.robot.idle_joints, rank(tree, seed) == tree.robot.nv
        assert (not idle) == full, f"seed {seed}: {idle}"
        singular, regular = singular + (not full), regular + full
        # and those named are to blame: holding them is enough
        if idle and "root_joint" not in idle:
            assert build(pieces, floating, fixed=idle).idle_joints == (), f"seed {seed}"
    assert singular > 10
    assert regular > 10


# ---------------------------------------------------------------- cost


def test_it_is_asked_once_for_a_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    count, ask = 0, model.idle_joints

    def counted(*arguments, **options):
        nonlocal count
        count += 1
        return ask(*arguments, **options)

    monkeypatch.setattr(model, "idle_joints", counted)
    arm = mc.load("lwr4")
    for _ in range(3):
        mc.forward_dynamics(arm)
        mc.mass_matrix_inverse(arm)
    assert count == 1


def test_a_joint_proven_by_bodies_further_out_is_not_blamed_later() -> None:
    """Two links without inertia, each before a link with some: the second look must not forget what the first saw."""
    inertial = '<inertial><origin xyz="0.1 0.05 0.02"/><mass value="1"/><inertia {}/></inertial>'
    full = inertial.format('ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"')
    mass = '<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    joints = [
        ("revolute", "1 0 0", "", "0 0 0"),
        ("prismatic", "1 0 0", mass, "0 0 0"),
        ("revolute", "0 1 0", full, "0.2 0 0"),
        ("revolute", "0 0 1", full, "0.2 0 0"),
        ("revolute", "0 1 0", "", "0.3 0 0"),
        ("revolute", "1 0 0", full, "0 0 0"),
    ]
    text = '<link name="l0"/>'
    for k, (kind, axis, weight, xyz) in enumerate(joints, start=1):
        text += f'''<link name="l{k}">{weight}</link><joint name="j{k}" type="{kind}"><parent link="l{k - 1}"/>
            <child link="l{k}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>
            <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>'''
    assert robot(f'<robot name="r">{text}</robot>').idle_joints == ()
