"""Simple shapes as triangles: closed, looking outward, as large as the shape itself."""

import numpy as np
import pytest
import trimesh

from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Sphere, mass_properties
from motionc.view.triangles import triangles


@pytest.mark.parametrize("shape", [Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.3, 2.0), Capsule(0.3, 2.0)], ids=str)
def test_triangles_of_a_shape_close_it_and_look_outward(shape: Geometry) -> None:
    vertices, faces = triangles(shape)
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    weighed = mass_properties(shape, density=1.0)
    assert mesh.is_watertight
    assert 0.98 * weighed.mass <= mesh.volume <= weighed.mass + 1e-12  # round ones are cut inside
    assert np.allclose(mesh.center_mass, 0, atol=1e-12)
    assert np.allclose(mesh.moment_inertia, weighed.inertia, atol=0.04 * weighed.inertia.max())
    assert faces.dtype == np.int32
