"""Tubes in a scene: walls where they are, colours that say what is the matter."""

from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.geometry.lie import rotation_from_quaternion
from motionc.simulate import Mode, Recording, Signal, Tube
from motionc.simulate.recording import model_of
from motionc.view.tube_marks import BEFORE, INSIDE, LEFT, OFF, walls

pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")


def volume(vertices: Any, faces: Any) -> float:
    """Of what walls enclose, by the divergence theorem, with the ends closed by hand: (x, y, z) · n of the sides."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)[:, 1:] * ((a + b + c) / 3)[:, 1:]
    return abs(float(across.sum())) / 2 / 2


@pytest.mark.parametrize(("width", "area"), [((0.1, 0.2), 0.08), (0.3, np.pi * 0.09)])
def test_walls_enclose_what_the_tube_does(width: Any, area: float) -> None:
    vertices, faces, _ = walls(Tube("tool", np.eye(4), width, 0.5, ahead=0.25))
    assert vertices[:, 0].min() == -0.5
    assert vertices[:, 0].max() == 0.25
    assert volume(vertices, faces) == pytest.approx(area * 0.75, rel=0.01)


def test_a_direction_that_is_free_has_no_walls() -> None:
    vertices, faces, _ = walls(Tube("tool", np.eye(4), (0.1, np.inf), 1.0))
    assert len(faces) == 4
    normals = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
    assert np.abs(normals[:, 2]).max() == 0
    assert sorted({float(abs(y)) for y in vertices[:, 1]}) == [0.1]


def test_a_viewer_shows_where_tubes_are_and_how_they_are_kept() -> None:
    robot = mc.load("planar2")
    times = np.arange(5) / 10
    q = np.array([[0.6, 0.0], [0.0, 0.0], [0.6, 0.0], [0.6, 0.0], [0.0, 0.0]])
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, 3] = [0.0, 0.0, 0.5]
    # links lie along y where q is 0
    across = np.array([[0.0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    tubes = [Tube("tip", across, 0.1, 1.0, during=("ON",)), Tube("tip", "pose", 0.1, 1.0)]
    recording = Recording(
        signals=[Signal("q", times, q), Signal("pose", [0.0, 0.4], poses)],
        model=model_of(robot),
        tubes=tubes,
        modes=[Mode((0.0, 0.3), ("ON", "OFF"))],
    )
    with mc.view.show(recording, port=0, open_browser=False) as viewer:
        colours, heights = list[Any](), list[float]()
        for time in times:
            viewer.time = time
            (turned, mesh, lines), (frame, _, _) = viewer._tubes._nodes
            np.testing.assert_allclose(rotation_from_quaternion(turned.wxyz), across[:3, :3], atol=1e-9)
            assert tuple(lines.colors) == tuple(mesh.color)
            colours.append(tuple(mesh.color))
            heights.append(float(frame.position[2]))
        assert colours == [BEFORE, INSIDE, LEFT, OFF, OFF]
        assert heights == [0.0, 0.0, 0.0, 0.0, 0.5]
        assert viewer._server.scene.get_handle_by_name("/ways/0").points.shape == (4, 2, 3)
