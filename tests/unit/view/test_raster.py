"""What each sample of a picture sees: as MuJoCo's rays, with no gap and no overlap, the first where some coincide."""

import mujoco
import numpy as np

from motionc.model.shapes import Box, Cylinder, Sphere
from motionc.view.camera import FROM, framing
from motionc.view.faces import Faces, faces
from motionc.view.raster import nearest, seen
from motionc.view.triangles import triangles

SCENE = """<mujoco><worldbody>
  <geom type="box" size="0.3 0.2 0.1" pos="0 0 0.1"/>
  <geom type="cylinder" size="0.1 0.3" pos="0.2 -0.1 0.4" quat="0.9 0.3 0.3 0"/>
  <geom type="sphere" size="0.15" pos="-0.2 0.2 0.3"/>
</worldbody></mujoco>"""
SHAPES = (Box((0.6, 0.4, 0.2)), Cylinder(0.1, 0.6), Sphere(0.15))


def test_samples_see_what_rays_of_mujoco_hit_first_and_as_far_away() -> None:
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    parts = []
    for k, shape in enumerate(SHAPES):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k]
        parts.append(faces(*triangles(shape), (k, 0, 0, 1)).placed(pose))
    scene = Faces.together(parts)
    wide, high = 90, 60
    view = framing(scene.corners.reshape(-1, 3), FROM, wide, high)
    hit, near = nearest(view.corners(scene.corners), wide, high)
    rays = np.stack([np.broadcast_to(each, (high, wide)).reshape(-1) for each in view.rays(wide, high)], axis=1)
    found, others = np.zeros(1, np.int32), []
    for ray in rays:
        far = mujoco.mj_ray(model, data, view.origin, ray / np.linalg.norm(ray), None, 1, -1, found)
        others.append((found[0], far / np.linalg.norm(ray)))
    geom, far = np.array(others).T
    ours = np.where(hit < 0, -1, scene.colours[hit, 0])
    assert np.mean(ours == geom) > 0.985  # round shapes have corners here
    both = (ours == geom) & (hit >= 0)
    assert both.sum() > 500
    assert np.quantile(np.abs(1 / near[both] / far[both] - 1), 0.99) < 0.01
    # weights of corners lead back to the point that was seen
    samples = np.flatnonzero(both)
    what = seen(view.corners(scene.corners), hit, samples, wide)
    points = np.einsum("nki,kn->ni", scene.corners[what.triangles], what.weights)
    assert np.allclose(points, view.origin + rays[samples] * far[samples, None], atol=0.02)


def test_triangles_that_share_edges_cover_every_sample_once() -> None:
    """Edges go through the middles of samples, along rows, columns and diagonals, and elsewhere."""
    ways = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (-0.3, -1), (0, -1), (1, -1)])
    middle = np.array([12.5, 20.5])
    rim = middle + 320 * ways
    fan = np.array([(middle, rim[k - 1], rim[k]) for k in range(len(ways))])
    corners = np.concatenate([fan, np.ones((len(fan), 3, 1))], axis=2)
    covered = sum((nearest(each[None], 40, 40)[0] >= 0).astype(int) for each in corners)
    assert (covered == 1).all()


def test_of_surfaces_that_coincide_the_first_is_seen() -> None:
    tilted = np.array([[2.0, 3.0, 0.1], [37.0, 5.0, 0.7], [10.0, 36.0, 0.4]])
    halves = np.array(
        [[tilted[0], tilted[1], (tilted[1] + tilted[2]) / 2], [tilted[0], (tilted[1] + tilted[2]) / 2, tilted[2]]]
    )
    hit, _ = nearest(np.concatenate([tilted[None], halves]), 40, 40)
    assert set(hit) == {-1, 0}
    again, _ = nearest(np.concatenate([halves, tilted[None]]), 40, 40)
    assert np.array_equal(again >= 0, hit >= 0)
    assert np.isin(again, (-1, 0, 1)).mean() > 0.99


def test_triangles_behind_the_eye_without_area_or_far_away_are_nowhere() -> None:
    nowhere = np.array(
        [
            [[0, 0, np.nan], [9, 0, 1], [0, 9, 1]],
            [[np.nan, 0, 1], [9, 0, 1], [0, 9, 1]],
            [[1, 1, 1], [5, 5, 1], [9, 9, 1]],
            [[1e9, 0, 1], [0, 1e9, 1], [0, 0, 1]],
        ],
        float,
    )
    for each in nowhere[1:]:
        assert (nearest(each[None], 10, 10)[0] < 0).all()
    assert (nearest(np.zeros((0, 3, 3)), 4, 4)[0] < 0).all()
