"""MuJoCo's geoms as shapes: where MuJoCo has them, meshes as they stand in their files, written back as they came."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

import motionc as mc
from motionc.formats import read_mjcf
from motionc.model.shapes import Box, Capsule, Material, Mesh, Shape

MODEL = """<mujoco model="x"><compiler meshdir="assets" angle="degree"/>
<default><mesh scale="0.5 0.5 0.5"/>
  <default class="look"><geom type="mesh" contype="0" conaffinity="0" group="2" material="red"/></default></default>
<asset>
  <material name="red" rgba="1 0 0 1"/><mesh file="part.stl"/>
  <mesh name="mirrored" file="part.stl" scale="1 2 -1" refpos="0.1 0.2 0.3"/>
  <mesh name="turned" file="part.stl" scale="2 2 2" refpos="0.1 0.2 0.3" refquat="0.7 0.1 0.2 0.3"/>
</asset>
<worldbody><geom type="plane" size="1 1 1"/>
  <body name="arm" pos="1 2 3" euler="10 20 30"><joint name="j"/>{}
    <frame pos="0.1 0 0" euler="0 30 0"><geom class="look" mesh="part" pos="0 1 0" euler="10 20 30"/></frame>
    <geom class="look" mesh="mirrored" pos="0 1 0" euler="10 20 30" rgba="0 1 0 1"/>
    <geom class="look" mesh="turned" pos="0 1 0" euler="10 20 30"/>
    <geom name="rod" type="capsule" size="0.05" fromto="0 0 0 0.4 0 0.3" group="3"/>
    <geom type="box" size="0.1 0.2 0.3"/>
    <geom type="ellipsoid" size="0.1 0.2 0.3"/>
  </body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


@pytest.fixture(params=["", INERTIAL], ids=["weighed by its geoms", "weighed by itself"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """One file that MuJoCo must read for its inertia, and one of which it sees the names alone."""
    (tmp_path / "assets").mkdir()
    ball, box = trimesh.creation.icosphere(1, 0.1), trimesh.creation.box((0.2, 0.1, 0.1))
    ball.vertices = ball.vertices * [1, 2, 3] + [0.1, 0.2, 0.3]
    box.apply_translation([0.5, 0, 0])
    trimesh.util.concatenate([ball, box]).export(tmp_path / "assets/part.stl")
    (tmp_path / "model.xml").write_text(MODEL.format(request.param))
    return tmp_path / "model.xml"


def shapes(robot: mc.Robot) -> list[Shape]:
    return [shape for segment in robot.segments for shape in segment.link.shapes]


def test_meshes_are_drawn_where_mujoco_has_them(model: Path) -> None:
    drawn = mc.view.drawing(mc.load(model))
    theirs = mujoco.MjModel.from_xml_path(str(model))
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    (body,) = (data.body("arm"),)
    turn, at = body.xmat.reshape(3, 3), body.xpos
    assert drawn.left_out == ()
    meshes = [geom for geom in range(theirs.ngeom) if theirs.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH]
    for geom, piece in zip(meshes, drawn.pieces[:3], strict=True):
        number = theirs.geom_dataid[geom]
        first = theirs.mesh_vertadr[number]
        own = theirs.mesh_vert[first : first + theirs.mesh_vertnum[number]]
        world = own @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        ours = piece.vertices @ turn.T + at
        assert np.allclose(np.sort(ours, axis=0), np.sort(world, axis=0), rtol=0, atol=1e-6)  # theirs are of 32 bits


def test_geoms_become_shapes_to_look_at_and_to_collide_with(model: Path) -> None:
    found = shapes(mc.load(model))
    assert [(type(shape.geometry), shape.purpose, shape.name) for shape in found] == [
        *[(Mesh, "visual", "")] * 3,
        (Capsule, "collision", "rod"),
        (Box, "visual", ""),
        (Box, "collision", ""),
    ]
    assert found[0].material == Material("red", (1.0, 0.0, 0.0, 1.0))
    assert found[1].material is not None
    assert found[1].material.rgba == (0.0, 1.0, 0.0, 1.0)
    assert found[0].geometry == Mesh("assets/part.stl", (0.5, 0.5, 0.5))
    assert found[3].geometry == Capsule(0.05, pytest.approx(0.5))


def test_shapes_come_back_from_mjcf_and_urdf(model: Path) -> None:
    robot = mc.load(model)
    urdf = model.with_name("back.urdf")
    urdf.write_text(mc.to_urdf(robot))
    mjcf = model.with_name("back.xml")
    mjcf.write_text(mc.to_mjcf(robot, meshes=True))
    mujoco.MjModel.from_xml_path(str(mjcf))  # which opens the meshes
    first = mc.view.drawing(robot)
    for path in (urdf, mjcf):
        back = mc.view.drawing(mc.load(path))
        assert back.left_out == ()
        for one, other in zip(first.pieces, back.pieces, strict=True):
            assert np.allclose(one.vertices, other.vertices, rtol=0, atol=1e-9)
            assert one.rgba == other.rgba


def test_meshes_are_not_written_unless_asked_for_and_found(model: Path) -> None:
    robot = mc.load(model)
    assert "part.stl" not in mc.to_mjcf(robot)
    (model.parent / "assets/part.stl").rename(model.parent / "moved.stl")
    assert "part.stl" not in mc.to_mjcf(robot, meshes=True)
    assert mc.to_mjspec(robot, meshes=True).compile().nmesh == 0


def test_a_mesh_that_weighs_nothing_is_named_and_not_opened(tmp_path: Path) -> None:
    text = MODEL.format(INERTIAL).replace("part.stl", "/etc/part.stl")
    found = [shape.geometry for segment in read_mjcf(text).chain.segments for shape in segment.link.shapes]
    assert found[0] == Mesh("/etc/part.stl", (0.5, 0.5, 0.5))
    drawn = mc.view.drawing(mc.load(text))
    assert len(drawn.left_out) == 3
    assert "not opened" in drawn.left_out[0] or "in none of the folders" in drawn.left_out[0]
