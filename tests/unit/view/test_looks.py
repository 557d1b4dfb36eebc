"""What is drawn beside a robot: where each mark is in the world, which way it points, and what its colour says."""

import base64
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Recording, Signal
from motionc.simulate.recording import model_of
from motionc.view.looks import FORCE, TURN, ellipsoid, inertia_ellipsoid
from motionc.view.track import track
from motionc.view.viewer import GHOST

pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")

CART = """<robot name="slide"><link name="base"/>
<link name="cart"><inertial><mass value="2"/><origin xyz="0.1 0.2 0.3"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.1 0.1 0.1"/></geometry><material name="m"><color rgba="1 0 0.2 0.5"/></material></visual>
</link>
<link name="hook"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-0.25" upper="0.5" effort="1" velocity="1"/></joint>
<joint name="weld" type="fixed"><parent link="cart"/><child link="hook"/>
<origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/></joint></robot>"""


@pytest.fixture(scope="module")
def robot() -> Any:
    return mc.load("planar2")


def shown(*arguments: Any, **options: Any) -> Any:
    return mc.view.show(*arguments, port=0, open_browser=False, **options)


def node(viewer: Any, name: str) -> Any:
    return viewer._server.scene.get_handle_by_name(name)


def by_user(handle: Any, value: Any) -> Any:
    handle._impl.value = value
    for told in handle._impl.update_cb:
        told(SimpleNamespace(client=object(), target=handle))


def test_the_robots_weight_is_an_arrow_as_long_as_the_robot_along_the_force_on_it(robot: Any) -> None:
    times, weight = [0.0, 0.1], 9.81 * sum(link.mass or 0.0 for link in robot.links)
    forces = np.array([[[0.0, 0.0, weight]], [[weight / 2, 0.0, 0.0]]])
    points = np.array([[[0.5, 0.1, 0.0]], [[0.7, 0.0, 0.0]]])
    signals = [Signal("q", times, np.zeros((2, 2))), Signal("contact_force", times, forces)]
    recording = Recording(signals=[*signals, Signal("contact_point", times, points)])
    with shown(robot, recording) as viewer:
        from motionc.view.scene import extent

        low, high = extent(viewer.figure, viewer.q)
        size = float((high - low).max())
        for k, time in enumerate(times):
            viewer.time = time
            ((start, end),) = node(viewer, "/forces").points
            np.testing.assert_allclose(start, points[k, 0], atol=1e-6)
            np.testing.assert_allclose(end - start, size * forces[k, 0] / weight, atol=1e-6)


def test_forces_of_a_run_act_where_kinematics_puts_its_contacts() -> None:
    robot = mc.load("hyq")
    frames = ("LF_lowerleg", "RH_lowerleg")
    plant = mc.simulate.Plant(robot, contacts=[mc.simulate.Contact(frame, point=(0.0, 0.01, 0.02)) for frame in frames])
    loop = mc.simulate.closed(plant, log=["q", "contact_force"])
    start = robot.neutral()
    start[2], start[robot.q_index["LF_KFE"]] = 2.0, -1.0
    found = track(loop(plant.start(start), tau=np.zeros(robot.nv), seconds=0.003))
    assert found.points is not None
    where = mc.forward_kinematics(robot, list(frames))
    for k, q in enumerate(found.q):
        expected = (np.asarray(where(q)) @ [0.0, 0.01, 0.02, 1.0])[:, :3]
        np.testing.assert_allclose(found.points[k], expected, atol=1e-9)


def test_a_ghost_stands_where_its_own_recording_is_at_that_time(robot: Any) -> None:
    first, fine = np.linspace(0.0, 1.0, 11), np.linspace(0.0, 1.0, 41)
    runs = [
        Recording(signals=[Signal("q", times, np.stack([sign * times, 0 * times], axis=1))], model=model_of(robot))
        for times, sign in ((first, 1.0), (fine, -1.0))
    ]
    with shown(robot, runs) as viewer:
        viewer.time = 0.5
        assert viewer.q.tolist() == [0.5, 0.0]
        (ghost,) = viewer._ghosts
        np.testing.assert_allclose(ghost._last[0, :2, 0], [np.cos(-0.5), np.sin(-0.5)], atol=1e-9)
        solid, faint = (next(iter(figure.pieces.values())) for figure in (viewer.figure, ghost))
        assert solid.opacity is None
        assert faint.opacity == GHOST[3]
        assert tuple(faint.color) == tuple(round(255 * part) for part in GHOST[:3])


def test_the_centre_of_mass_is_a_ball_that_goes_along_and_a_line_to_the_ground(robot: Any) -> None:
    text = mc.to_urdf(robot.chain).replace('<axis xyz="0.0 0.0 1.0"/>', '<axis xyz="1.0 0.0 0.0"/>')
    lifted = mc.load(text)
    where = mc.center_of_mass(lifted)
    with shown(lifted) as viewer:
        ball = node(viewer, "/centre_of_mass")
        assert not ball.visible
        by_user(viewer._mass, True)
        assert ball.visible
        for q in ([0.3, 0.5], [1.2, -0.4]):
            viewer.q = q
            centre = np.asarray(where(np.array(q)))
            assert centre[2] > 0.05
            np.testing.assert_allclose(ball.position, centre, atol=1e-9)
            ((top, foot),) = node(viewer, "/centre_of_mass/plumb").points
            np.testing.assert_allclose(ball.position + top, centre, atol=1e-6)
            np.testing.assert_allclose(ball.position + foot, [centre[0], centre[1], 0.0], atol=1e-6)
        thin = {piece.opacity for piece in viewer.figure.pieces.values()}
        assert None not in thin
        by_user(viewer._mass, False)
        assert {piece.opacity for piece in viewer.figure.pieces.values()} == {None}


def test_directions_start_at_their_point_and_lie_along_the_axes_they_are_written_in(robot: Any) -> None:
    own = mc.Constraint("tip", "x rz", point=(0.1, 0.2, 0.0), as_seen_by="tip")
    other = mc.Constraint("tip", "y")
    with shown(robot, constraints=[own, other]) as viewer:
        viewer.q = [0.4, 0.3]
        pose = np.asarray(mc.forward_kinematics(robot, ["tip"])(viewer.q)).reshape(4, 4)
        arrows = node(viewer, "/constraints")
        starts, along = arrows.points[:, 0], arrows.points[:, 1] - arrows.points[:, 0]
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        at = (pose @ [0.1, 0.2, 0.0, 1.0])[:3]
        np.testing.assert_allclose(starts, [at, at, pose[:3, 3]], atol=1e-6)
        by_axis = {tuple(map(int, colour)): row for colour, row in zip(arrows.colors[:2], along[:2], strict=True)}
        np.testing.assert_allclose(by_axis[FORCE], pose[:3, 0], atol=1e-6)
        np.testing.assert_allclose(by_axis[TURN], pose[:3, 2], atol=1e-6)
        np.testing.assert_allclose(along[2], [0.0, 1.0, 0.0], atol=1e-6)


def test_the_ellipsoid_has_the_inertia_of_its_link_and_lies_about_its_centre_of_mass() -> None:
    robot = mc.load(CART)
    cart, hook = robot.links["cart"], robot.links["hook"]
    sizes, axes = inertia_ellipsoid(cart)  # pyright: ignore[reportGeneralTypeIssues]
    a, b, c = np.square(sizes)
    moments = axes @ np.diag([b + c, a + c, a + b]) @ axes.T * cart.mass / 5
    np.testing.assert_allclose(moments, cart.inertia, atol=1e-12)
    vertices, _ = ellipsoid(cart)  # pyright: ignore[reportGeneralTypeIssues]
    np.testing.assert_allclose((vertices.min(0) + vertices.max(0)) / 2, [0.1, 0.2, 0.3], atol=1e-9)
    with shown(robot) as viewer:
        viewer.show_link("hook")  # 1 m above the body that carries it
        middle = np.asarray(viewer.card._node.vertices)
        np.testing.assert_allclose((middle.min(0) + middle.max(0)) / 2, [0.0, 0.0, 1.0], atol=1e-6)
        assert hook.mass == 1.0


def test_frames_are_shown_where_they_are_and_go_when_others_are_chosen() -> None:
    robot = mc.load(CART)
    with shown(robot, frames=["hook"]) as viewer:
        (marks,) = viewer._frames._nodes.values()
        np.testing.assert_allclose(marks[1].position, [0.0, 0.0, 1.0], atol=1e-9)
        np.testing.assert_allclose(marks[1].wxyz, [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0], atol=1e-9)
        path = marks[1].name
        by_user(viewer._all_frames, True)
        assert {*viewer._frames._nodes} == {*robot.frame_names} - {"world"}
        by_user(viewer._all_frames, False)
        viewer.show_frames("cart")
        assert [*viewer._frames._nodes] == ["cart"]
        assert node(viewer, path) is None


def test_pieces_have_the_colours_of_the_model() -> None:
    with shown(mc.load(CART)) as viewer:
        (piece,) = viewer.figure.pieces.values()
        assert tuple(piece.color) == (255, 0, 51)
        assert piece.opacity == 0.5


def test_sliders_have_the_limits_and_units_of_their_own_joints() -> None:
    robot = mc.load(CART)
    with shown(robot) as viewer:
        ((slider, low, high),) = viewer.sliders._of.values()
        assert (low, high, slider.hint) == (-0.25, 0.5, "m")
    quadruped = mc.load("hyq")  # its base has seven entries of q and six of v
    with shown(quadruped) as viewer:
        for name in ("LF_HAA", "RH_KFE"):
            slider, low, high = viewer.sliders._of[quadruped.q_index[name].start]
            limits = (ends[quadruped.v_index[name].start] for ends in (quadruped.limits.lower, quadruped.limits.upper))
            np.testing.assert_allclose((low, high), tuple(limits), atol=1e-3)
            assert slider.hint == "rad"


def test_a_base_that_floats_stays_while_a_leg_is_dragged() -> None:
    robot = mc.load("hyq")
    with shown(robot) as viewer:
        before = viewer.q
        viewer.drag.choose("LF_lowerleg")
        handle = viewer.drag._handle
        handle._impl.position[:] = np.array(handle.position) + np.array([0.05, 0.0, 0.05])
        viewer.drag._dragged(SimpleNamespace(client=object(), target=handle, phase="update"))
        np.testing.assert_allclose(viewer.q[:7], before[:7], atol=1e-3)
        assert np.abs(viewer.q[7:] - before[7:]).max() > 0.02


def film(page: Path) -> tuple[float, list[tuple[float, dict[str, Any]]]]:
    """How long a replay is, and what happens in its scene when."""
    import msgspec
    import zstandard

    packed = base64.b64decode(page.read_text().partition('__VISER_EMBED_DATA__="')[2].partition('"')[0])
    data = zstandard.ZstdDecompressor().decompressobj().decompress(packed[8:])
    said = msgspec.msgpack.decode(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return said["durationSeconds"], said["messages"]


def test_a_replay_keeps_time_and_shows_poses_forces_and_tubes_as_they_were(robot: Any, tmp_path: Path) -> None:
    times, ahead = np.linspace(1.0, 2.0, 11), np.eye(4)
    ahead[:3, :3], ahead[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.0, 0.8, 0.0]
    still = Signal("q", times, np.stack([times - 1.0, 0 * times], axis=1))
    force = np.tile([0.0, 0.0, 3.0], (11, 1, 1)) * np.arange(1, 12)[:, None, None]
    beside = [Signal("contact_force", times, force), Signal("contact_point", times, np.ones((11, 1, 3)))]
    recording = Recording(signals=[still, *beside], tubes=[mc.simulate.Tube("tip", ahead, 0.3, 1.0)])
    seconds, told = film(mc.view.replay(recording, tmp_path / "a.html", rate=10.0, robot=robot))
    assert seconds == pytest.approx(1.1)
    turns = [
        (time, 2 * np.arctan2(one["wxyz"][3], one["wxyz"][0]))
        for time, one in told
        if one["type"] == "SetOrientationMessage" and "upper_arm" in one["name"] and "forearm" not in one["name"]
    ]
    assert [turn for _, turn in turns][-10:] == pytest.approx([time for time, _ in turns][-10:], abs=1e-3)
    changed = [(time, one["name"]) for time, one in told if one["type"] == "SceneNodeUpdateMessage"]
    assert len({time for time, name in changed if name == "/forces"}) >= 10
    assert any(time > 0 and name == "/tubes/0/walls" for time, name in changed)


def test_a_replay_draws_the_shapes_that_are_asked_for(robot: Any, tmp_path: Path) -> None:
    still = Recording(signals=[Signal("q", [0.0, 0.1], np.zeros((2, 2)))])
    for purpose in ("visual", "collision"):
        _, told = film(mc.view.replay(still, tmp_path / "a.html", robot=robot, purpose=purpose))
        meshes = {one["name"] for _, one in told if one["type"] == "MeshMessage"}
        assert len(meshes) == len(mc.view.drawing(robot, purpose).pieces)
