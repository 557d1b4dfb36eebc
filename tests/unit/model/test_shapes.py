"""Mass from shape and density: against MuJoCo's own, against trimesh, against a body's sum of parts."""

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from motionc.errors import Error
from motionc.model import placed
from motionc.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Mesh,
    Shape,
    Sphere,
    combined,
    inertia_matrix,
    mass_properties,
)

SHAPES = [
    (Box((0.1, 0.2, 0.3)), 'type="box" size="0.05 0.1 0.15"'),
    (Sphere(0.2), 'type="sphere" size="0.2"'),
    (Cylinder(0.1, 0.5), 'type="cylinder" size="0.1 0.25"'),
    (Capsule(0.1, 0.5), 'type="capsule" size="0.1 0.25"'),
]


@pytest.mark.parametrize(("geometry", "geom"), SHAPES, ids=lambda value: type(value).__name__)
def test_mass_properties_are_mujocos(geometry: Geometry, geom: str) -> None:
    pose = placed((0.3, -0.2, 0.1), (0.4, -0.7, 1.1))
    found = mass_properties(Shape(geometry, pose), density=700.0)
    place = f'pos="0.3 -0.2 0.1" euler="0.4 -0.7 1.1" density="700" {geom}'
    body = f"<worldbody><body><freejoint/><geom {place}/></body></worldbody>"
    text = f'<mujoco><compiler angle="radian" eulerseq="XYZ"/>{body}</mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[1])
    axes = rotation.reshape(3, 3)
    assert found.mass == pytest.approx(model.body_mass[1], rel=1e-12)
    assert np.allclose(found.com, model.body_ipos[1], rtol=0, atol=1e-12)
    assert np.allclose(found.inertia, axes @ np.diag(model.body_inertia[1]) @ axes.T, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("geometry", [shape for shape, _ in SHAPES], ids=lambda shape: type(shape).__name__)
def test_a_given_mass_is_the_mass(geometry: Geometry) -> None:
    by_mass = mass_properties(geometry, mass=3.0)
    by_density = mass_properties(geometry, density=3.0 / mass_properties(geometry, density=1.0).mass)
    assert by_mass.mass == pytest.approx(3.0, rel=1e-14)
    assert np.allclose(by_mass.inertia, by_density.inertia, rtol=1e-13)


def test_a_mesh_weighs_what_its_box_weighs(tmp_path: Path) -> None:
    trimesh.creation.box((0.1, 0.2, 0.3)).apply_translation((0.5, 0, 0)).export(tmp_path / "box.stl")
    found = mass_properties(Mesh("package://x/box.stl", (2.0, 1.0, 1.0)), mass=2.0, find=lambda _: tmp_path / "box.stl")
    expected = mass_properties(Shape(Box((0.2, 0.2, 0.3)), placed((1.0, 0, 0))), mass=2.0)
    assert np.allclose(found.com, expected.com, rtol=0, atol=1e-6)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-5)
    inward = trimesh.creation.box((0.1, 0.2, 0.3))
    inward.invert()
    inward.export(tmp_path / "inward.stl")
    assert mass_properties(Mesh(str(tmp_path / "inward.stl")), density=1000.0).mass == pytest.approx(6.0, rel=1e-5)


def test_what_has_no_mass_is_refused_by_name(tmp_path: Path) -> None:
    open_box = trimesh.creation.box((1, 1, 1))
    open_box.update_faces(np.arange(len(open_box.faces)) > 1)
    open_box.export(tmp_path / "open.stl")
    (tmp_path / "broken.stl").write_text("solid")
    for geometry, said, message in (
        (Mesh(str(tmp_path / "open.stl")), {"mass": 1.0}, "is not closed"),
        (Mesh(str(tmp_path / "broken.stl")), {"mass": 1.0}, "cannot be read|is not closed"),
        (Mesh(str(tmp_path / "none.stl")), {"mass": 1.0}, "cannot be read"),
        (Box((0.0, 1.0, 1.0)), {"mass": 1.0}, "has no volume"),
        (Sphere(float("nan")), {"density": 1.0}, "has no volume"),
        (Sphere(1.0), {}, "either density"),
        (Sphere(1.0), {"mass": 1.0, "density": 1.0}, "either density"),
        (Sphere(1.0), {"mass": -1.0}, "mass=-1.0; give a finite number > 0"),
    ):
        with pytest.raises(Error, match=message):
            mass_properties(geometry, **said)
    with pytest.raises(Error, match="no bodies"):
        combined([])


def test_two_halves_make_a_whole() -> None:
    halves = [mass_properties(Shape(Box((0.5, 1.0, 1.0)), placed((x, 0, 0))), mass=1.0) for x in (-0.25, 0.25)]
    whole, expected = combined(halves), mass_properties(Box((1.0, 1.0, 1.0)), mass=2.0)
    assert np.allclose(whole.com, 0, rtol=0, atol=1e-12)
    assert np.allclose(whole.inertia, expected.inertia, rtol=1e-13)


def test_products_of_inertia_have_the_sign_that_is_said() -> None:
    tensor = inertia_matrix(1, 2, 3, 0.1, 0.2, 0.3, products="tensor")
    moments = inertia_matrix(1, 2, 3, -0.1, -0.2, -0.3, products="moments")
    assert np.array_equal(tensor, moments)
    assert np.array_equal(tensor, tensor.T)
    with pytest.raises(TypeError):
        inertia_matrix(1, 2, 3, 0, 0, 0)  # type: ignore[call-arg]
    with pytest.raises(Error, match="say 'tensor' for"):
        inertia_matrix(1, 2, 3, 0, 0, 0, products="cad")  # type: ignore[arg-type]


@pytest.mark.parametrize(("unit", "metre"), [("", 1.0), ('<unit meter="0.01" name="centimeter"/>', 0.01)])
def test_a_collada_file_weighs_by_its_unit(unit: str, metre: float, tmp_path: Path) -> None:
    pytest.importorskip("collada", reason="mass of Collada files needs pycollada: pip install 'motionc[mesh]'")
    text = trimesh.creation.box((10.0, 20.0, 30.0)).export(file_type="dae").decode()
    without = re.sub(r"<unit[^>]*/>", "", text)
    assert "<asset>" in without
    (tmp_path / "box.dae").write_text(without.replace("<asset>", f"<asset>{unit}", 1))
    found = mass_properties(Mesh(str(tmp_path / "box.dae"), (1.0, 0.5, 1.0)), density=2.0)
    box = mass_properties(Box((10.0 * metre, 10.0 * metre, 30.0 * metre)), density=2.0)
    assert found.mass == pytest.approx(box.mass)
    np.testing.assert_allclose(found.inertia, box.inertia, atol=1e-9 * box.inertia.max())
