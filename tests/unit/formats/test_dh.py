"""Denavit–Hartenberg tables: against their closed form, published tables, Pinocchio; what a table may not say."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionc as mc
from motionc.formats import read_dh
from oracle import Array, error
from public_robots import needs_public, public_file

# Universal Robots, "DH parameters for calculations of kinematics and dynamics": UR5, standard
UR5 = """name: ur5
a,        alpha, d,        theta, mass,  cx,     cy,       cz
0,        pi/2,  0.089159, 0,     3.7,   0,      -0.02561, 0.00193
-0.425,   0,     0,        0,     8.393, 0.2125, 0,        0.11336
-0.39225, 0,     0,        0,     2.33,  0.15,   0,        0.0265
0,        pi/2,  0.10915,  0,     1.219, 0,      -0.0018,  0.01634
0,        -pi/2, 0.09465,  0,     1.219, 0,      0.0018,   0.01634
0,        0,     0.0823,   0,     0.1879, 0,     0,        -0.001159
"""
# Franka Emika, Franka Control Interface documentation: Panda, Craig's convention
PANDA = """# the last row is the flange
convention: modified
angles: degree
name: panda
link, type, a, alpha, d, lower, upper
panda_link1, R, 0,       0,   0.333, -166.0031, 166.0031
panda_link2, R, 0,       -90, 0,     -101.0010, 101.0010
panda_link3, R, 0,       90,  0.316, -166.0031, 166.0031
panda_link4, R, 0.0825,  90,  0,     -176.0012, -3.9992
panda_link5, R, -0.0825, -90, 0.384, -166.0031, 166.0031
panda_link6, R, 0,       90,  0,     -1.0027,   215.0024
panda_link7, R, 0.088,   90,  0,     -166.0031, 166.0031
panda_link8, F, 0,       0,   0.107, ,
"""


def random_table(seed: int, convention: str) -> list[dict]:
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(5):
        a, alpha, d, theta, offset = rng.normal(size=5)
        half = rng.normal(size=(3, 3)) / 3
        inertia = np.trace(half @ half.T) * np.eye(3) - half @ half.T
        row = {"a": a, "alpha": alpha, "d": d, "theta": theta, "offset": offset, "type": "RRPRF"[(seed + number) % 5]}
        row |= {"mass": rng.uniform(1, 2), "com": rng.normal(size=3), "inertia": inertia}
        rows.append(row | ({"rotor_inertia": 0.1} if row["type"] != "F" else {}))
    return rows


def rotated(axis: int, angle: float) -> Array:
    pose = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    pose[i, i] = pose[j, j] = np.cos(angle)
    pose[j, i], pose[i, j] = np.sin(angle), -np.sin(angle)
    return pose


def moved(x: float, z: float) -> Array:
    pose = np.eye(4)
    pose[0, 3], pose[2, 3] = x, z
    return pose


def products(rows: list[dict], convention: str, q: Array) -> list[Array]:
    """The textbook: frames 1 to n in frame 0."""
    poses, values = [np.eye(4)], iter(q)
    for row in rows:
        theta, d = row["theta"], row["d"]
        if row["type"] == "R":
            theta += row["offset"] + next(values)
        elif row["type"] == "P":
            d += row["offset"] + next(values)
        about_z, about_x = rotated(2, theta) @ moved(0, d), rotated(0, row["alpha"]) @ moved(row["a"], 0)
        poses.append(poses[-1] @ (about_z @ about_x if convention == "standard" else about_x @ about_z))
    return poses[1:]


CONVENTION = pytest.mark.parametrize("convention", ["standard", "modified"])


# ---------------------------------------------------------------- witnesses


@CONVENTION
@pytest.mark.parametrize("seed", range(5))
def test_links_are_at_the_products_of_the_table(seed: int, convention: str) -> None:
    rows = random_table(seed, convention)
    robot = mc.from_dh(rows, convention)
    q = np.random.default_rng(seed).normal(size=robot.nq)
    poses = mc.forward_kinematics(robot, [f"link_{number}" for number in range(1, 6)]).run(q)
    assert error(poses, np.array(products(rows, convention, q))) < 1e-14


@CONVENTION
def test_joints_move_about_z_of_the_frame_before_or_of_their_own(convention: str) -> None:
    rows = random_table(0, convention)
    robot = mc.from_dh(rows, convention)
    q = np.random.default_rng(0).normal(size=robot.nq)
    frames = [np.eye(4), *products(rows, convention, q)]
    J, column = mc.jacobian(robot, "link_5").run(q), 0
    for number, row in enumerate(rows):
        axis = frames[number if convention == "standard" else number + 1][:3, 2]
        if row["type"] != "F":
            assert error(J[:3, column] if row["type"] == "R" else J[3:, column], axis) < 1e-14
            column += 1


@CONVENTION
@pytest.mark.parametrize("seed", range(5))
def test_dynamics_are_pinocchios_of_the_same_numbers(seed: int, convention: str) -> None:
    rows = random_table(seed, convention)
    robot = mc.from_dh(rows, convention)
    model, joint, place = pin.Model(), 0, np.eye(4)
    for number, row in enumerate(rows):
        before = rotated(0, row["alpha"]) @ moved(row["a"], 0) if convention == "modified" else np.eye(4)
        about_z = rotated(2, row["theta"] + row["offset"] * (row["type"] == "R"))
        about_z = about_z @ moved(0, row["d"] + row["offset"] * (row["type"] == "P"))
        after = rotated(0, row["alpha"]) @ moved(row["a"], 0) if convention == "standard" else np.eye(4)
        place = place @ before @ about_z
        if row["type"] != "F":
            kind = pin.JointModelRZ() if row["type"] == "R" else pin.JointModelPZ()
            joint, place = model.addJoint(joint, kind, pin.SE3(place), f"joint_{number + 1}"), np.eye(4)
        place = place @ after
        inertia = pin.Inertia(row["mass"], row["com"], row["inertia"])
        model.appendBodyToJoint(joint, inertia, pin.SE3(place))
    model.armature = np.full(model.nv, 0.1)
    q, v, a = np.random.default_rng(seed).normal(size=(3, robot.nv))
    tau = pin.rnea(model, model.createData(), q, v, a)
    assert error(mc.inverse_dynamics(robot).run(q, v, a), tau) < 1e-12
    assert error(mc.forward_dynamics(robot).run(q, v, tau), a) < 1e-10


def test_the_ur5_stretched_out_is_where_it_is_known_to_be() -> None:
    robot = mc.Robot(read_dh(UR5).chain)
    (pose,) = mc.forward_kinematics(robot, ["link_6"]).run(np.zeros(6))
    assert np.allclose(pose[:3, 3], (-0.81725, -0.19145, -0.005491), rtol=0, atol=1e-15)
    assert sum(link.mass or 0 for link in robot.links) == pytest.approx(17.0489)


@needs_public
@pytest.mark.parametrize(("table", "file", "base", "tools"), [
    (UR5, "ur5_robot", "base", {"link_6": "tool0"}),
    (PANDA, "panda", "panda_link0", {f"panda_link{i}": f"panda_link{i}" for i in range(1, 9)}),
])  # fmt: skip
def test_published_tables_are_the_robots_of_their_urdf(table: str, file: str, base: str, tools: dict) -> None:
    """The vendor's frames base and tool0 are those of the UR5's table; the first link is turned by π against base."""
    ours, model = mc.Robot(read_dh(table).chain), pin.buildModelFromUrdf(str(public_file(file)))
    data = model.createData()
    for seed in range(5):
        q = ours.random(seed)
        pin.framesForwardKinematics(model, data, np.append(q, np.zeros(model.nq - ours.nq)))
        start = data.oMf[model.getFrameId(base)]
        theirs = [start.actInv(data.oMf[model.getFrameId(tool)]).homogeneous for tool in tools.values()]
        assert error(mc.forward_kinematics(ours, list(tools)).run(q), np.array(theirs)) < 1e-9  # the URDF's rounding


# ---------------------------------------------------------------- the table


def test_a_file_says_names_types_limits_and_units(tmp_path: Path) -> None:
    path = tmp_path / "arm.dh.csv"
    path.write_text(PANDA.replace("name: panda\n", ""), encoding="utf-8-sig")
    robot = mc.load(path)
    assert (robot.name, robot.nv, robot.link_names[-1]) == ("arm", 7, "panda_link8")
    assert robot.limits.upper[0] == pytest.approx(np.radians(166.0031))
    assert robot.joints[-1].type is mc.JointType.FIXED
    assert robot.joints[0].place.line == 5
    assert mc.check(path).ok


@pytest.mark.parametrize(("cell", "value"), [
    ("pi", np.pi), ("-pi/2", -np.pi / 2), ("2*pi/3", 2 * np.pi / 3), ("+π", np.pi), ("0.5 pi", np.pi / 2),
])  # fmt: skip
def test_angles_may_be_parts_of_pi(cell: str, value: float) -> None:
    a, b = mc.from_dh([{"alpha": cell}]), mc.from_dh([{"alpha": value}])
    assert np.array_equal(mc.forward_kinematics(a).run([0.3]), mc.forward_kinematics(b).run([0.3]))


def test_rows_and_files_say_the_same() -> None:
    columns = "type, a, alpha, d, theta, offset, lower, upper, velocity, effort, mass, "
    columns += "cx, cy, cz, ixx, ixy, ixz, iyy, iyz, izz"
    numbers = [0.1, 0.2, 0.3, 0.4, 0.5, -1, 1, 2, 3, 4, 0.1, 0.2, 0.3, 1, 0.1, 0.2, 2, 0.3, 2.5]
    row = dict(zip(columns.split(", ")[1:], numbers, strict=True))
    file = read_dh(f"{columns}\n{', '.join(['P', *map(str, numbers)])}").chain.joints[0]
    ours = mc.from_dh([row | {"type": "P"}]).joints[0]
    short = {key: row[key] for key in list(row)[:10]} | {"com": numbers[10:13], "inertia": numbers[13:], "type": "P"}
    other = mc.from_dh([short])
    for joint in (ours, other.joints[0]):
        assert (joint.type, joint.limits, joint.child.link.mass) == (file.type, file.limits, file.child.link.mass)
        assert np.array_equal(joint.child.link.inertia, file.child.link.inertia)


HEAD = "a, alpha, d, type\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 0, 0, "no rows"),
        (HEAD, 0, 0, "no rows"),
        ("a, beta\n0, 0", 1, 4, "no column 'beta'"),
        ("a, a\n0, 0", 1, 4, "twice"),
        (HEAD + "0, 0, 0", 2, 1, "3 cells, the header 4"),
        (HEAD + "0, 0, 0, R\n0,  x, 0, R", 3, 5, "alpha = 'x' is not a number"),
        (HEAD + "0, nan, 0, R", 2, 4, "not a number"),
        (HEAD + "inf, 0, 0, R", 2, 1, "not finite"),
        (HEAD + "1e999, 0, 0, R", 2, 1, "not finite"),
        (HEAD + "0, pi/0, 0, R", 2, 4, "not a number"),
        (HEAD + "0, __import__('os'), 0, R", 2, 4, "not a number"),
        (HEAD + "0, 0, 0, Q", 2, 10, "no joint type is called 'Q'"),
        ("convention: craig\n" + HEAD, 1, 1, "'craig' is unknown"),
        ("speed: 1\n" + HEAD, 1, 1, "no setting 'speed'"),
        ("name: a\nname: b\n" + HEAD, 2, 1, "set twice"),
        ("a, lower, upper\n0, 2, 1", 2, 4, "lower = 2 is above upper = 1"),
        ("a, mass\n0, -1", 2, 4, "negative"),
        ("a, ixx\n0, 1", 2, 4, "no mass"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_column(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(mc.ReadError) as caught:
        read_dh(text, "arm.dh.csv")
    assert (caught.value.file or "arm.dh.csv", caught.value.line, caught.value.column) == ("arm.dh.csv", line, column)
    assert words in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"alfa": 1}, "no entry 'alfa'; did you mean alpha"),
        ({"a": None, "d": []}, "row 1, d: d = '[]' is not a number"),
        ({"a": True}, "not a number"),
        ({"com": (1, 2)}, "give 3 finite numbers"),
        ({"inertia": np.arange(9).reshape(3, 3)}, "not symmetric"),
        ({"inertia": "heavy"}, "give 6 finite numbers"),
        ({"joint": 7}, "is no name"),
        ([1, 2, 3, 4], "the row is list"),
    ],
)
def test_what_is_wrong_in_python_is_named_by_row_and_entry(row: dict, words: str) -> None:
    with pytest.raises(mc.ReadError) as caught:
        mc.from_dh([row])
    assert words in str(caught.value)


def test_conventions_and_tables_that_are_none() -> None:
    with pytest.raises(mc.Error, match="convention='craig'; say 'standard' or 'modified'"):
        mc.from_dh([{}], "craig")  # pyright: ignore
    with pytest.raises(mc.Error, match="no rows"):
        mc.from_dh([])
    with pytest.raises(mc.ModelError, match="joints are called twin"):
        mc.from_dh([{"joint": "twin"}, {"joint": "twin"}])


def test_files_that_are_no_text_or_too_large_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.dh.csv"
    for data, words in ((b"\xff\xfe\x00", "UTF-8"), (b"0" * (2**20 + 1), "larger than")):
        path.write_bytes(data)
        with pytest.raises(mc.ReadError, match=words):
            mc.load(path)


@given(st.text(st.sampled_from('a,pdR0\n#:-1e/ "π'), max_size=80))
def test_noise_is_read_or_refused(noise: str) -> None:
    try:
        read_dh(HEAD + noise)
    except mc.ReadError as refused:
        assert refused.remedy  # noqa: PT017
