"""A robot's drawing: triangles of shapes and meshes in the frames of their links, and sentences about the rest."""

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

import motionc as mc
from collada_files import COLLADA
from motionc.errors import Error
from motionc.view.meshes import read_mesh
from public_robots import public_file

BOX = trimesh.creation.box((1.0, 2.0, 3.0))
URDF = """<robot name="r">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base">{shapes}<collision><geometry><sphere radius="1"/></geometry></collision></link>
</robot>"""


def robot(folder: Path, shapes: str) -> mc.Robot:
    (folder / "r.urdf").write_text(URDF.format(shapes=shapes))
    return mc.load(folder / "r.urdf")


def visual(geometry: str, more: str = "") -> str:
    return f"<visual><geometry>{geometry}</geometry>{more}</visual>"


def mesh(file: str, more: str = "") -> str:
    return visual(f'<mesh filename="{file}"{more}/>')


def test_shapes_are_placed_on_their_links_which_are_placed_in_the_world() -> None:
    arm = mc.load("planar3")
    drawn = mc.view.drawing(arm)
    poses = mc.forward_kinematics(arm, list(drawn.links))
    many = np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]])
    assert drawn.left_out == ()
    assert np.array_equal(drawn.place(many[0]), poses(many[0]))
    assert np.allclose(drawn.place(many), [poses(q) for q in many], atol=1e-14)
    assert drawn.place(arm.configuration(many[0])).shape == (len(drawn.links), 4, 4)
    with pytest.raises(Error, match="q"):
        drawn.place([0.1, 0.2])


def test_a_shape_has_its_origin_its_colour_and_its_purpose(tmp_path: Path) -> None:
    ball = '<origin xyz="1 2 3"/><material name="red"/>'
    made = robot(tmp_path, visual('<box size="2 2 2"/>', ball) + visual('<sphere radius="1"/>'))
    box, sphere = mc.view.drawing(made).pieces
    assert np.allclose([box.vertices.min(axis=0), box.vertices.max(axis=0)], [[0, 1, 2], [2, 3, 4]])
    assert box.rgba == (1.0, 0.0, 0.0, 0.5)
    assert (box.link, box.name, sphere.name) == ("base", "base/0", "base/1")
    (collision,) = mc.view.drawing(made, "collision").pieces
    assert np.allclose(np.linalg.norm(collision.vertices, axis=1), 1.0)


def test_a_robot_without_shapes_is_an_empty_drawing() -> None:
    bare = mc.load("<robot name='r'><link name='base'/></robot>")
    drawn = mc.view.drawing(bare)
    assert (drawn.pieces, drawn.links, drawn.left_out) == ((), (), ())
    assert drawn.place(bare.neutral()).shape == (0, 4, 4)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "glb"])
def test_a_mesh_is_read_as_it_was_written(tmp_path: Path, kind: str) -> None:
    """Witness: trimesh wrote it."""
    file = tmp_path / f"box.{kind.removesuffix('_ascii')}"
    BOX.export(file, file_type=kind)
    made = robot(tmp_path, mesh(file.name, ' scale="1 -2 1"'))
    (piece,) = mc.view.drawing(made).pieces
    loaded = trimesh.Trimesh(piece.vertices, piece.triangles, process=False)
    loaded.merge_vertices(merge_tex=True, merge_norm=True)
    assert loaded.is_watertight
    assert loaded.volume == pytest.approx(12.0)  # mirrored, and still looking outward
    assert np.allclose(np.ptp(piece.vertices, axis=0), [1, 4, 3])
    assert len(piece.vertices) <= 24


def test_collada_has_units_nodes_colours_and_textures(tmp_path: Path) -> None:
    pil = pytest.importorskip("PIL.Image")
    (tmp_path / "plate.dae").write_text(COLLADA)
    pil.new("RGB", (4, 2), (10, 20, 30)).save(tmp_path / "skin.png")
    drawn = mc.view.drawing(robot(tmp_path, mesh("plate.dae")))
    green, textured = drawn.pieces
    assert drawn.left_out == ()
    assert (green.rgba, green.texture, green.uv) == ((0.0, 1.0, 0.0, 1.0), None, None)
    # cm, turned about z by 90°, and not about x although it says that y is up
    assert np.allclose(sorted(textured.vertices.tolist()), [[-1, 0, 0.5], [-1, 1, 0.5], [0, 0, 0.5], [0, 1, 0.5]])
    corner = np.argmin(np.linalg.norm(textured.vertices - [0, 1, 0.5], axis=1))
    assert textured.uv[corner].tolist() == [1.0, 0.0]
    assert textured.texture.shape == (2, 4, 4)
    assert textured.texture[0, 0].tolist() == [10, 20, 30, 255]
    assert len(textured.triangles) == 2


def test_strips_of_collada_look_outward_all_along(tmp_path: Path) -> None:
    strip = COLLADA.replace("<triangles material", "<tristrips material").replace("</triangles>", "</tristrips>")
    (tmp_path / "plate.dae").write_text(strip.replace("<p>0 1 2</p>", "<p>0 1 3 2</p>"))
    piece, *_ = mc.view.drawing(robot(tmp_path, mesh("plate.dae"))).pieces
    a, b, c = (piece.vertices[piece.triangles[:, k]] for k in range(3))
    assert np.allclose(np.cross(b - a, c - a), [[0, 0, 1], [0, 0, 1]])


def test_steps_of_a_node_of_collada_follow_each_other(tmp_path: Path) -> None:
    steps = "<translate>100 0 0</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>"
    (tmp_path / "plate.dae").write_text(
        COLLADA.replace("<translate>0 0 50</translate><rotate>0 0 2 90</rotate>", steps).replace("diffuse", "emission")
    )
    piece, *_ = mc.view.drawing(robot(tmp_path, mesh("plate.dae"))).pieces
    assert np.allclose(sorted(piece.vertices.tolist()), [[0, 2, 0], [1, 0, 0], [1, 2, 0]])
    assert piece.rgba == (0.0, 1.0, 0.0, 1.0)  # of what shines, where nothing else is said


def test_the_colour_in_the_file_of_a_mesh_goes_before_the_models(tmp_path: Path) -> None:
    (tmp_path / "plate.dae").write_text(COLLADA)
    red = '<material name="red"/>'
    piece, *_ = mc.view.drawing(robot(tmp_path, visual('<mesh filename="plate.dae"/>', red))).pieces
    assert piece.rgba == (0.0, 1.0, 0.0, 1.0)


def test_a_texture_that_is_not_there_leaves_one_colour_and_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "plate.dae").write_text(COLLADA)
    drawn = mc.view.drawing(robot(tmp_path, mesh("plate.dae")))
    assert len(drawn.pieces) == 2
    assert len(drawn.left_out) == 1
    assert "skin.png" in drawn.left_out[0]


def test_a_mesh_that_several_shapes_name_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BOX.export(tmp_path / "box.stl")
    times = []
    monkeypatch.setattr(
        sys.modules["motionc.view.drawings"],
        "read_mesh",
        lambda path, roots: (times.append(path), read_mesh(path, roots))[1],
    )
    assert len(mc.view.drawing(robot(tmp_path, mesh("box.stl") * 3)).pieces) == 3
    assert len(times) == 1


def test_a_robot_of_too_many_triangles_is_drawn_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BOX.export(tmp_path / "box.stl")
    monkeypatch.setattr(sys.modules["motionc.view.drawings"], "LARGEST_DRAWING", 30)
    drawn = mc.view.drawing(robot(tmp_path, mesh("box.stl") * 3))
    assert len(drawn.pieces) == 2
    assert "more than 30 triangles; make its meshes coarser" in drawn.left_out[0]


def test_what_cannot_be_drawn_is_named_and_the_rest_drawn(tmp_path: Path) -> None:
    (tmp_path / "cut.stl").write_bytes(bytes(80) + struct.pack("<I", 1) + b"x")
    made = robot(tmp_path, mesh("gone.stl") + mesh("cut.stl") + visual('<sphere radius="1"/>') + mesh("x.step"))
    drawn = mc.view.drawing(made)
    assert [piece.name for piece in drawn.pieces] == ["base/2"]
    assert [words.split(":")[0] for words in drawn.left_out] == ["base/0", "base/1", "base/3"]


def test_a_public_robot_is_drawn_with_its_meshes_and_no_option_is_given() -> None:
    arm = mc.load(public_file("ur5_robot"))
    drawn = mc.view.drawing(arm, "collision")
    assert drawn.left_out == ()
    assert len(drawn.links) == 8
    poses = dict(zip(drawn.links, drawn.place(arm.neutral()), strict=True))
    reach = max(
        (piece.vertices @ poses[piece.link][:3, :3].T + poses[piece.link][:3, 3]).max() for piece in drawn.pieces
    )
    assert 0.8 < reach < 1.2
