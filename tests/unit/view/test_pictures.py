"""Pictures of robots: looked at once and kept, the same bytes every time, and what strangers' files do to them."""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import motionc as mc
from hostile_names import NAMES, UNWRITABLE, built
from motionc.view.faces import Faces, faces
from motionc.view.png import in_few_colours, png

HERE = Path(__file__).parent
SMALL = (120, 80)
POSTURE = [0.5, 0.9]


def decoded(file: Path | bytes) -> np.ndarray:
    """A PNG file as MuJoCo reads it."""
    data = file if isinstance(file, bytes) else file.read_bytes()
    text = '<mujoco><asset><texture name="t" type="2d" file="t.png"/></asset><worldbody/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text, assets={"t.png": data})
    return model.tex_data.reshape(model.tex_height[0], model.tex_width[0], -1)[..., :3].astype(int)


def off(one: Path, other: Path) -> float:
    """The share of pixels that differ visibly."""
    return float((np.abs(decoded(one) - decoded(other)).max(axis=2) > 24).mean())


@pytest.fixture(scope="module")
def robot() -> mc.Robot:
    return mc.load("planar2")


@pytest.fixture(scope="module")
def plain(robot: mc.Robot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mc.view.picture(robot, POSTURE, tmp_path_factory.mktemp("picture") / "plain.png", size=SMALL)


def test_a_robot_looks_as_it_did_when_it_was_looked_at(plain: Path) -> None:
    golden = HERE / "golden" / "planar2.png"
    assert decoded(plain).shape == (80, 120, 3)
    assert off(plain, golden) < 0.01
    # what was looked at: a blue arm with orange balls on a dark base
    seen = decoded(plain)
    assert ((seen[..., 0] > 150) & (seen[..., 2] < 110)).mean() > 0.005
    assert ((seen[..., 2] > 120) & (seen[..., 0] < 90)).mean() > 0.005
    assert (seen.max(axis=2) < 60).mean() > 0.01


def test_the_same_bytes_every_time_and_without_wide_registers(robot: mc.Robot, plain: Path, tmp_path: Path) -> None:
    assert mc.view.picture(robot, POSTURE, tmp_path / "again.png", size=SMALL).read_bytes() == plain.read_bytes()
    code = (
        "import sys, motionc as mc\n"
        f"mc.view.picture(mc.load('planar2'), {POSTURE}, sys.argv[1], size={SMALL})\n"
        "import numpy\nprint(numpy.show_runtime.__name__)"
    )
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    narrow = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    settings = {**os.environ, "NPY_DISABLE_CPU_FEATURES": narrow, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "narrow.png")], env=settings, check=True)
    assert (tmp_path / "narrow.png").read_bytes() == plain.read_bytes()


def test_a_robot_far_from_the_origin_looks_the_same(tmp_path: Path) -> None:
    robot = mc.load("planar2", floating=True)
    near = robot.neutral()
    far = near.copy()
    far[:3] = 5e5, -2e6, 0
    files = [mc.view.picture(robot, q, tmp_path / f"{k}.png", size=SMALL) for k, q in enumerate((near, far))]
    assert off(*files) < 0.005
    far[0] = 1e30
    with pytest.raises(mc.Error, match="picture: q puts planar2 farther than 1e"):
        mc.view.picture(robot, far, tmp_path / "gone.png", size=SMALL)


def test_several_configurations_are_panels_of_one_scale_or_ghosts(robot: mc.Robot, plain: Path, tmp_path: Path) -> None:
    twice = mc.view.picture(robot, [POSTURE, POSTURE], tmp_path / "strip.png", size=(244, 80))
    strip = decoded(twice)
    assert strip.shape == (80, 244, 3)
    assert np.abs(strip[:, :120] - strip[:, 124:]).max() == 0
    assert np.mean(np.abs(strip[:, :120] - decoded(plain))) < 1
    ghosts = mc.view.picture(robot, [[-0.4, -0.9], POSTURE], tmp_path / "ghosts.png", size=SMALL, ghosts=True)
    assert decoded(ghosts).shape == (80, 120, 3)
    assert off(ghosts, plain) > 0.02


def test_frames_and_captions_are_written_whatever_their_names(robot: mc.Robot, tmp_path: Path) -> None:
    bare = mc.view.picture(robot, POSTURE, tmp_path / "bare.png", size=SMALL)
    named = mc.view.picture(
        robot, POSTURE, tmp_path / "named.png", size=SMALL, frames=["tip", "world"], captions="<b>\x00\udc80"
    )
    assert off(bare, named) > 0.01
    names = [*NAMES[8:20], *UNWRITABLE]
    strange = built("<script>", names)
    file = mc.view.picture(strange, strange.neutral(), tmp_path / "strange.png", size=SMALL, frames=names[-8:])
    assert decoded(file).shape == (80, 120, 3)


def coloured(seen: Any, axis: str) -> Any:
    """Where a picture has the colour of an axis."""
    red, green, blue = (seen[..., k].astype(int) for k in range(3))
    return {
        "x": (red > 170) & (green < 90) & (blue < 90),
        "y": (green > 110) & (red < 70) & (blue < 100),
        "z": (blue > 170) & (red < 80) & (green < 130),
    }[axis]


def test_axes_of_a_frame_point_where_they_do_in_their_colours(tmp_path: Path) -> None:
    robot = mc.load(
        """<robot name="post"><link name="base"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
        <link name="turned"/><joint name="j" type="fixed"><parent link="base"/><child link="turned"/>
        <origin rpy="0 1.5707963267948966 0"/></joint></robot>"""
    )
    ahead = mc.view.Camera((0, -1, 0), (0, 0, 0), 30)  # x is to the right, z up
    for frame, expected in (("base", {"x": (1, 0), "z": (0, -1)}), ("turned", {"x": (0, 1), "z": (1, 0)})):
        file = mc.view.picture(robot, [], tmp_path / "x.png", size=(200, 200), camera=ahead, frames=frame)
        for axis, way in expected.items():
            rows, columns = np.nonzero(coloured(decoded(file), axis))
            middle = np.array([np.median(columns) - 100, np.median(rows) - 100])
            assert np.allclose(middle / np.linalg.norm(middle), way, atol=0.2), (frame, axis)


def test_ghosts_are_faint_and_frames_stand_where_the_last_configuration_is(robot: mc.Robot, tmp_path: Path) -> None:
    above = {"size": (240, 160), "camera": mc.view.Camera((0, 0.2, 3), (0, 0.2, 0), 40)}
    before, last, away = [1.5, 0.3], [-1.5, 0.3], [3.0, 0.0]

    def seen(q: Any, **words: Any) -> Any:
        return decoded(mc.view.picture(robot, q, tmp_path / "x.png", **above, **words)).astype(int)

    ghosts, solid, alone, without = seen([before, last], ghosts=True), seen(before), seen(last), seen(away)
    only = (np.abs(solid - without).max(-1) > 60) & (np.abs(alone - without).max(-1) < 4)
    assert only.sum() > 50
    share = np.abs(ghosts - alone)[only].sum() / np.abs(solid - alone)[only].sum()
    assert 0.15 < share < 0.6
    frames = coloured(seen([before, last], ghosts=True, frames="tip"), "x"), coloured(seen(last, frames="tip"), "x")
    assert frames[1].sum() > 5
    assert np.array_equal(*frames)


def test_the_floor_is_where_it_is_said_and_colours_are_as_few_as_said(robot: mc.Robot, tmp_path: Path) -> None:
    usual, low, few = (
        mc.view.picture(robot, POSTURE, tmp_path / f"{k}.png", size=SMALL, **words)
        for k, words in enumerate(({}, {"ground": -0.5}, {"colours": 8}))
    )
    assert off(usual, low) > 0.01
    assert (
        len(np.unique(decoded(few).reshape(-1, 3), axis=0)) <= 8 < len(np.unique(decoded(usual).reshape(-1, 3), axis=0))
    )


def test_meshes_are_found_in_the_folders_that_are_named(tmp_path: Path) -> None:
    package = tmp_path / "elsewhere" / "arm"
    (package / "meshes").mkdir(parents=True)
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]], "<f4")
    facet = bytes(12) + corners.tobytes() + bytes(2)
    (package / "meshes" / "hand.stl").write_bytes(bytes(80) + (1).to_bytes(4, "little") + facet)
    robot = mc.load(
        """<robot name="r"><link name="base"><visual><geometry><mesh filename="package://arm/meshes/hand.stl"/></geometry>
        </visual></link></robot>"""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.view.picture(robot, [], tmp_path / "x.png", size=SMALL, roots=[tmp_path / "elsewhere"])


def test_a_robot_without_shapes_is_a_skeleton(tmp_path: Path) -> None:
    table = [(0.3, 0.0, 0.2, 0.4), (0.4, np.pi / 2, 0.0, 0.3), (0.2, 0.0, 0.1, 0.0)]
    joints, last = [], mc.Segment("base", mc.Link.rigid("base"), (mc.Attachment("out", mc.Role.JOINT),))
    for k, (a, roll, d, yaw) in enumerate(table):
        ends = (
            mc.Attachment(f"in{k}", mc.Role.JOINT),
            mc.Attachment(f"out{k}", mc.Role.JOINT, mc.placed((a, 0, d), (roll, 0, yaw))),
        )
        link = mc.Segment(f"link{k}", mc.Link.rigid(f"link{k}", 1.0, (0.1, 0, 0), (1, 1, 1)), ends)
        kind = mc.JointType.PRISMATIC if k == 1 else mc.JointType.REVOLUTE
        joints.append(mc.Joint(f"j{k}", kind, (link, f"in{k}"), (last, last.frames[-1].name)))
        last = link
    robot = mc.Robot(mc.KinematicChain("bare", tuple(joints)))
    seen = decoded(mc.view.picture(robot, [0.2, 0.1, 0.3], tmp_path / "bones.png", size=SMALL))
    assert ((seen[..., 0] > 150) & (seen[..., 2] < 100)).mean() > 0.005  # joints that turn
    assert ((seen[..., 2] > 80) & (seen[..., 0] < 70)).mean() > 0.002  # one that slides
    point = mc.Robot(mc.KinematicChain("point", (), mc.Segment("it", mc.Link.rigid("it"))))
    assert mc.view.picture(point, [], tmp_path / "point.png", size=SMALL).exists()


def test_meshes_that_are_not_there_are_named_and_the_rest_is_drawn(tmp_path: Path) -> None:
    model = tmp_path / "half.urdf"
    model.write_text(
        """<robot name="half"><link name="base">
        <visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
        <visual><geometry><mesh filename="package://nowhere/meshes/gone.stl"/></geometry></visual></link></robot>"""
    )
    robot = mc.load(model)
    with pytest.warns(match=r"half: left out of the picture: .*gone\.stl"):
        file = mc.view.picture(robot, [], tmp_path / "half.png", size=SMALL)
    seen = decoded(file)
    assert ((seen[..., 0] > 120) & (seen[..., 2] < 60)).mean() > 0.1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"q": [0.1]}, r"q has shape \(1,\); planar2 needs \(2,\)"),
        ({"q": [0.1, np.nan]}, "q=.*; give 2 finite numbers"),
        ({"q": np.zeros((25, 2))}, "give one configuration, or 1 to 24 of them"),
        ({"q": np.zeros((0, 2))}, "give one configuration, or 1 to 24 of them"),
        ({"size": (5, 5)}, "picture: size=.*; give width and height"),
        ({"size": (100000, 100)}, "picture: size=.*; give width and height"),
        ({"camera": (0, 0, 0)}, "picture: camera=.*; give the direction x, y, z"),
        ({"camera": "above"}, "picture: camera=.*; give the direction x, y, z"),
        ({"frames": "nowhere"}, "no frame 'nowhere'"),
        ({"captions": ["a", "b"]}, "captions has 2 entries; give one for each panel"),
        ({"purpose": "pretty"}, "say 'visual' or 'collision'"),
        ({"colours": 300}, "give a whole number from 8 to 256"),
        ({"path": ""}, "picture: path=''; give the path of a .png file"),
        ({"path": "arm.jpg"}, r"picture: path='arm.jpg'; pictures are PNG files; give a name that ends in \.png"),
    ],
)
def test_nonsense_gets_a_sentence(robot: mc.Robot, tmp_path: Path, words: dict, said: str) -> None:
    given = {"q": POSTURE, "path": tmp_path / "x.png", "size": SMALL} | words
    with pytest.raises(mc.Error, match=said):
        mc.view.picture(robot, **given)
    assert not (tmp_path / "x.png").exists()


def test_cameras_anywhere_give_pictures(robot: mc.Robot, plain: Path, tmp_path: Path) -> None:
    inside = mc.view.Camera((0, 0, 0.05), (1, 0, 0.05), 90)
    for k, camera in enumerate(((0, 0, 1), (0, 0, -1), (1, 1, -0.2), inside)):
        file = mc.view.picture(robot, POSTURE, tmp_path / f"{k}.png", size=(60, 40), camera=camera)
        assert decoded(file).shape == (40, 60, 3)
    with pytest.raises(mc.Error, match="Camera: eye and target are both"):
        mc.view.Camera((1, 2, 3), (1, 2, 3))


def test_textures_colour_triangles_where_their_corners_say() -> None:
    skin = np.zeros((2, 2, 4), np.uint8)
    skin[0, 0], skin[0, 1], skin[1, 0], skin[1, 1] = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255,) * 4
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    surface = faces(corners, np.array([[0, 1, 2], [0, 2, 3]]), (1, 1, 1, 1), corners[:, :2], skin)
    both = Faces.together([faces(corners, np.array([[0, 1, 2]]), (0.5, 0.5, 0.5, 1)), surface])
    weights = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.2, 0.1, 0.7]]).T
    seen = both.coloured(np.array([1, 1, 1, 2]), weights)[:, :3]
    assert seen.tolist() == [[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0]]  # v is up, rows are down
    assert both.coloured(np.array([0]), np.full((3, 1), 1 / 3)).tolist() == [[0.5, 0.5, 0.5, 1.0]]


def test_png_files_hold_what_was_painted_in_as_few_colours_as_asked() -> None:
    rng = np.random.default_rng(1)
    few = rng.integers(0, 256, (200, 3)).astype(np.uint8)
    pixels = few[rng.integers(0, 200, (31, 47))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(decoded(png(pixels)), pixels)
    smooth = np.stack([np.add.outer(np.arange(60) * k, np.arange(80)) % 256 for k in (1, 2, 3)], axis=2).astype(
        np.uint8
    )
    palette, names = in_few_colours(smooth, 64)
    assert len(palette) <= 64
    assert np.abs(palette[names].astype(int) - smooth).mean() < 24
