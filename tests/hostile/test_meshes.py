"""Meshes from strangers: nothing outside is opened, nothing is waited for, memory stays small."""

import json
import os
import resource
import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

import motionc as mc
from motionc.view import meshes

MODEL = '<robot name="r"><link name="base"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
TRIANGLE = "0 0 0 1 0 0 0 1 0"


def glb(tree: object, binary: bytes = b"") -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    parts = struct.pack("<I4s", len(text), b"JSON") + text
    parts += struct.pack("<I4s", len(binary), b"BIN\0") + binary if binary else b""
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def collada(nodes: str, geometry: str = "") -> bytes:
    source = f'<source id="p"><float_array>{TRIANGLE}</float_array></source>'
    made = f"""<COLLADA><library_geometries><geometry id="g"><mesh>{source}
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles><input semantic="VERTEX" source="#v" offset="0"/>{geometry or "<p>0 1 2</p>"}</triangles>
      </mesh></geometry></library_geometries><library_visual_scenes><visual_scene>{nodes}</visual_scene>
      </library_visual_scenes></COLLADA>"""
    return made.encode()


def zipped() -> bytes:
    """A thousand times as large inside."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.dae", bytes(5_000_000))
    return out.getvalue()


def doubling() -> bytes:
    """2^60 copies by nodes that name each other twice."""
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(60)
    )
    return collada(nodes + '<node id="n60"><instance_geometry url="#g"/></node>')


def wide() -> bytes:
    """A picture of 5,000 × 5,000 pixels in a few bytes, in a glTF file."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))  # noqa: E731
    picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 5000, 5000, 8, 2, 0, 0, 0))
    picture += chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<6f", 0, 0, 1, 0, 0, 1)
    views = [(0, 36), (36, 24), (60, len(picture))]
    return glb(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
            "textures": [{"source": 0}],
            "images": [{"bufferView": 2, "mimeType": "image/png"}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"},
            ],
            "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
            "buffers": [{"byteLength": 60 + len(picture)}],
        },
        corners + picture,
    )


FOUR_BILLION = 2**32 - 1
ARRAY = {"componentType": 5126, "count": FOUR_BILLION, "type": "VEC4"}
VIEW = [{"buffer": 0, "byteLength": 4}]
BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a head that says four billion": ("x.stl", lambda: bytes(80) + struct.pack("<I", FOUR_BILLION) + bytes(50)),
    "a binary head cut off": ("x.stl", lambda: b"\1\2\3"),
    "text cut off": ("x.stl", lambda: b"solid x\nvertex 0 0 0\nvertex 1 0 0\n"),
    "text of words": ("x.stl", lambda: b"solid x\nvertex 0 0 a\nvertex 1 0 0\nvertex 1 1 0"),
    "NaN in text": ("x.stl", lambda: b"solid x\nvertex 0 0 nan\nvertex 1 0 0\nvertex 1 1 0"),
    "NaN in numbers": ("x.stl", lambda: bytes(80) + struct.pack("<I12fH", 1, *([float("nan")] * 12), 0)),
    "deep XML": ("x.dae", lambda: b"<COLLADA>" + b"<node>" * 1_000_000),
    "entities": ("x.dae", lambda: b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><COLLADA>&b;</COLLADA>'),
    "an archive": ("x.dae", zipped),
    "no Collada": ("x.dae", lambda: b"<html/>"),
    "nodes that double": ("x.dae", doubling),
    "a node in itself": ("x.dae", lambda: collada('<node id="n"><instance_node url="#n"/></node>')),
    "corners elsewhere": ("x.dae", lambda: collada('<node><instance_geometry url="#g"/></node>', "<p>0 1 9</p>")),
    "corners before": ("x.dae", lambda: collada('<node><instance_geometry url="#g"/></node>', "<p>0 1 -1</p>")),
    "corners beyond counting": (
        "x.dae",
        lambda: collada('<node><instance_geometry url="#g"/></node>', f"<p>0 1 {'9' * 30}</p>"),
    ),
    "a placement of words": ("x.dae", lambda: collada("<node><translate>a b c</translate></node>")),
    "zeros without end": ("x.glb", lambda: glb({"accessors": [ARRAY], "bufferViews": VIEW})),
    "arrays beyond their file": ("x.glb", lambda: glb({"accessors": [ARRAY | {"bufferView": 0}], "bufferViews": VIEW})),
    "nodes in a ring": ("x.glb", lambda: glb({"nodes": [{"children": [1, 1]}, {"children": [0]}]})),
    "deep JSON": ("x.gltf", lambda: b"[" * 1_000_000),
    "no glTF": ("x.glb", lambda: b"glTF" + bytes(100)),
    "an archive called glb": ("x.glb", zipped),
    "an outside buffer": (
        "x.gltf",
        lambda: b'{"buffers": [{"uri": "/etc/passwd"}], "bufferViews": [], "accessors": []}',
    ),
    "four billion vertices": (
        "x.ply",
        lambda: (
            f"ply\nformat binary_little_endian 1.0\nelement vertex {FOUR_BILLION}\nproperty float x\n"
            f"element face {FOUR_BILLION}\nproperty list uint int vertex_indices\nend_header\n".encode()
            + b"\xff" * 99
        ),
    ),
    "a face of nothing": ("x.obj", lambda: b"v 0 0 0\nf 1 2 3\n"),
    "an OBJ of bytes": ("x.obj", lambda: bytes(range(256))),
    "nothing at all": ("x.obj", lambda: b""),
    "an archive of Collada": ("x.zae", zipped),
    "a script": ("x.py", lambda: b"print(1)"),
}


def drawn(folder: Path, name: str) -> mc.view.Drawing:
    (folder / "r.urdf").write_text(MODEL.format(name))
    return mc.view.drawing(mc.load(folder / "r.urdf"))


@pytest.mark.parametrize("what", BOMBS)
def test_a_mesh_that_is_a_bomb_is_left_out_with_a_sentence(tmp_path: Path, what: str) -> None:
    name, make = BOMBS[what]
    (tmp_path / name).write_bytes(make())
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, process_time()
    found = drawn(tmp_path, name)
    assert process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # KiB
    assert found.pieces == ()
    (said,) = found.left_out
    assert said.startswith("base/0: ")
    assert "\n" not in said
    assert len(said) < 600


def test_a_texture_that_is_a_bomb_is_left_out_and_the_mesh_drawn(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    (tmp_path / "x.glb").write_bytes(wide())
    found = drawn(tmp_path, "x.glb")
    assert len(found.pieces) == 1
    assert found.pieces[0].texture is None
    assert len(found.left_out) == 1
    assert "5000 × 5000" in found.left_out[0]


@pytest.mark.parametrize(
    "name", ["pipe.stl", "folder.stl", "device.stl", "out.stl", "gone.stl", "loop.stl", "/dev/zero"]
)
def test_what_is_no_file_of_the_package_is_left_out_at_once(tmp_path: Path, name: str) -> None:
    triangle = b"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    (tmp_path / "secret.stl").write_bytes(b"solid x\n" + triangle + b"endsolid x\n")
    home = tmp_path / "robot"
    home.mkdir()
    os.mkfifo(home / "pipe.stl")
    (home / "folder.stl").mkdir()
    for link, target in (("device", "/dev/zero"), ("out", "../secret.stl"), ("gone", "nowhere"), ("loop", "loop.stl")):
        (home / f"{link}.stl").symlink_to(target)
    found = drawn(home, name)
    assert found.pieces == ()
    assert len(found.left_out) == 1


def test_a_file_that_changes_after_it_was_found_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.stl")
    for path, said in ((tmp_path / "pipe.stl", "no regular file"), (Path("/dev/zero"), "no regular file")):
        with pytest.raises(mc.Error, match=said):
            meshes.read_bytes(path)


def test_a_mesh_too_large_and_a_robot_of_too_many_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.stl").write_bytes(b"solid x\n" + b"vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n" * 10)
    with monkeypatch.context() as small:
        small.setattr(meshes, "LARGEST_FILE", 100)
        assert "more than the 100" in drawn(tmp_path, "x.stl").left_out[0]
    monkeypatch.setattr("motionc.view.stl.LARGEST_MESH", 9)
    assert "triangles; make it coarser" in drawn(tmp_path, "x.stl").left_out[0]
