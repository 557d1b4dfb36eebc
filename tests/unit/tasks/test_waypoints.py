"""Task frames of paths: X along each section, at its end; a plane's normal kept."""

import numpy as np
import pytest

import motionc as mc
from motionc.tasks.waypoints import frames_along

STEPS = np.array([(0.0, 0, 0), (0.3, 0, 0), (0.3, 0, 0.4), (0.6, 0, 0.4)])


def test_frames_lead_from_point_to_point() -> None:
    frames = frames_along(STEPS, normal=(0, 1, 0))
    assert frames.shape == (3, 4, 4)
    for T, start, end in zip(frames, STEPS[:-1], STEPS[1:], strict=True):
        way = np.linalg.norm(end - start)
        assert T[:3, 3] == pytest.approx(end, abs=1e-15)
        assert T[:3, :3].T @ (start - end) == pytest.approx([-way, 0, 0], abs=1e-15)
        assert T[:3, 2] == pytest.approx([0, 1, 0], abs=1e-15)
        assert T[:3, :3].T @ T[:3, :3] == pytest.approx(np.eye(3), abs=1e-15)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)


def test_a_path_that_leaves_its_plane_is_nearly_level() -> None:
    (T,) = frames_along([(0, 0, 0), (1, 0, 1)])
    assert T[:3, 1] == pytest.approx([0, 1, 0], abs=1e-15)
    assert T[:3, 2] == pytest.approx(np.array([-1, 0, 1]) / np.sqrt(2), abs=1e-15)


def test_how_long_a_section_or_its_normal_is_does_not_matter() -> None:
    whole, small = frames_along(STEPS, normal=(0, 1, 0)), frames_along(1e-4 * STEPS, normal=(0, 1e-3, 0))
    assert small[:, :3, :3] == pytest.approx(whole[:, :3, :3], abs=1e-12)
    with pytest.raises(mc.Error, match="goes along the normal"):
        frames_along([(0, 0, 0), (1e-4, 0, 1e3)])


@pytest.mark.parametrize(
    ("points", "normal", "said"),
    [
        ([(0, 0, 0)], (0, 0, 1), "there is 1; give two points"),
        ([(0, 0, 0), (0, 0, 0)], (0, 0, 1), "section 0 has no length"),
        ([(0, 0, 0), (1, 0, 0), (1, 0, 2)], (0, 0, 1), "section 1 has no length, or goes along the normal"),
        ([(0, 0, 0), (1, 0, 0)], (0, 0, 0), "normal is 0"),
        ([(0, 0), (1, 0)], (0, 0, 1), "frames_along: points"),
    ],
)
def test_points_that_lead_nowhere_are_refused(points, normal, said) -> None:
    with pytest.raises(mc.Error, match=said):
        frames_along(points, normal)
