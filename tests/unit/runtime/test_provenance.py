"""Emitted files say what they are, and no other question is written over them unasked."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import motionc as mc
from hostile_names import NAMES, UNWRITABLE, built
from motionc.cli.main import app
from motionc.runtime.build import library
from motionc.runtime.provenance import block
from motionc.targets import TARGETS, c

MOON = (0.0, 0.0, -1.62)


def about(path: Path) -> dict[str, object]:
    said = block(path, path.read_text(encoding="utf-8"))
    assert said is not None
    return said


def test_every_file_says_what_is_asked_of_whom(tmp_path: Path) -> None:
    robot = mc.load("hyq_leg", fixed={"LF_HAA": 0.5})
    asked = mc.operational_space(robot, ["LF_foot"], rows="xz", gravity=MOON, parameters=["LF_leg.mass"])
    for target in TARGETS:
        for path in [path for path in asked.emit(target, tmp_path / target) if path.name != "CMakeLists.txt"]:
            said: Any = about(path)
            assert said["motionc"] == mc.__version__
            assert said["computation"] == "operational_space"
            assert said["gravity"] == list(MOON)
            assert said["frames"] == ["LF_foot", "world"]
            assert said["parameters"] == ["LF_leg.mass"]
            assert said["robot"]["held"] == {"LF_HAA": 0.5}
            assert said["robot"]["source"] == "hyq_leg"
            assert said["limits"][0] == ["LF_HFE", *(row[0] for row in table(robot))]
            assert said["precision"] == "double"
            assert said["operations"] == asked.operations
            top = path.read_text(encoding="utf-8")
            assert target == "matlab" or top.index("motionc provenance") < 8


def table(robot: mc.Robot) -> list[list[float]]:
    limits = robot.limits
    return [list(each) for each in (limits.lower, limits.upper, limits.velocity, limits.effort)]


def test_several_together_say_what_they_fall_by(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    falling, other = mc.forward_dynamics(robot, gravity=MOON), mc.gravity_forces(robot, gravity=(0, 0, -1))
    for k, (parts, gravity) in enumerate(
        [
            ((falling, mc.mass_matrix(robot)), list(MOON)),
            ((falling, other), [list(MOON), [0.0, 0.0, -1.0]]),
            ((mc.mass_matrix(robot), mc.jacobian(robot, "tip")), None),
        ]
    ):
        assert about(mc.together(*parts).emit("c", tmp_path / str(k))[0])["gravity"] == gravity


def test_what_is_open_in_a_part_or_a_derivative_is_said(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    falling = mc.forward_dynamics(robot, parameters=["gravity", "forearm.mass"], external_forces=mc.Force("tip"))
    both = mc.together(mc.mass_matrix(robot, parameters=["forearm.mass"]), falling)
    for k, asked in enumerate((falling.derivative("a", "q"), both, both.derivative("a", ["q"]))):
        said = about(asked.emit("c", tmp_path / str(k))[0])
        assert said["gravity"] == "open"
        assert set(said["parameters"]) == {"forearm.mass", "gravity"}  # type: ignore[call-overload]
        assert said["frames"] == ["tip", "world"]  # not the inputs that a derivative is by


def test_what_is_built_and_kept_knows_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, texts = mc.energy(mc.load("planar2")), list[str]()
    monkeypatch.setattr(library, "opened", lambda *given: texts.append(given[3](asked.program)))  # type: ignore[misc]
    library.compiled(asked.solver, None)  # type: ignore[arg-type]
    assert texts[0].startswith(c.emit(asked.program, "planar2_energy").together)
    assert "provenance" not in texts[0]


@pytest.mark.parametrize("name", [*NAMES, *UNWRITABLE], ids=ascii)
def test_names_of_strangers_reach_a_block_quoted(name: str, tmp_path: Path) -> None:
    asked = mc.energy(built(name, [name]))
    for target in ("c", "python"):
        path = asked.emit(target, tmp_path)[-1]
        assert about(path)["robot"]["name"] == name  # type: ignore[index]
        text = path.read_text(encoding="utf-8")
        lines = text[: text.index("}\n")].splitlines()
        assert all(re.fullmatch(r"[ -~]*", line) and "\\" not in line for line in lines)
        assert not any("*/" in line or "??" in line for line in lines)


# ---------------------------------------------------------------- no silent overwriting


def test_another_question_is_not_written_over_a_file(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    here = mc.forward_dynamics(robot).emit("c", tmp_path)
    before = [path.read_bytes() for path in here]
    assert mc.forward_dynamics(robot).emit("c", tmp_path) == here  # the same one may be
    with pytest.raises(mc.Error, match=r"answers another question: forward_dynamics of planar2; this is .*-1\.62"):
        mc.forward_dynamics(robot, gravity=MOON).emit("c", tmp_path)
    with pytest.raises(mc.Error, match=r"energy of planar2; this|forward_dynamics of planar2; this is energy"):
        mc.energy(robot).emit("c", tmp_path, "planar2_forward_dynamics")
    longer = mc.load("planar2").with_frame("tcp", "tip")
    with pytest.raises(mc.Error, match=r"planar2 \(digest \w{8}\); this is .* \(digest \w{8}\)"):
        mc.forward_dynamics(longer).emit("c", tmp_path)
    assert [path.read_bytes() for path in here] == before
    mc.forward_dynamics(robot, gravity=MOON).emit("c", tmp_path, force=True)
    assert about(here[0])["gravity"] == list(MOON)


def test_another_function_of_the_same_question_is_not_written_over_a_file(tmp_path: Path) -> None:
    """A name may end in what a language, or a self-test, puts behind one."""
    asked = mc.energy(mc.load("planar2"))
    for target, other, ending in (("c_simd", "c", "batch"), ("matlab", "matlab", "test")):
        here = asked.emit(target, tmp_path, "f")
        before = [path.read_bytes() for path in here]
        with pytest.raises(mc.Error, match=rf"function='f'; this is .*function='f_{ending}'"):
            asked.emit(other, tmp_path, f"f_{ending}")
        assert [path.read_bytes() for path in here] == before
        assert asked.emit(target, tmp_path, "f") == here


def test_a_checkout_with_other_line_ends_is_the_same_file(tmp_path: Path) -> None:
    asked = mc.energy(mc.load("planar2"), gravity=MOON)
    for target in ("c", "python", "matlab"):
        for path in asked.emit(target, tmp_path):
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
            assert mc.from_file(path).options == asked.options
        asked.emit(target, tmp_path)


def test_a_robot_of_the_same_name_with_another_number_is_another_one(tmp_path: Path) -> None:
    """Any number that a computation may read; colours and shapes are none."""
    text = mc.to_urdf(mc.load("hyq_leg"))
    asked = mc.energy(mc.load(text))
    asked.emit("c", tmp_path)
    for word in ("mass value", "ixx", "effort", "velocity", "lower", "upper"):
        other = re.sub(rf'{word}="[^"]*"', f'{word}="{-0.5 if word == "lower" else 0.0625}"', text, count=1)
        assert other != text
        with pytest.raises(mc.Error, match=r"digest \w{8}\); this is"):
            mc.energy(mc.load(other)).emit("c", tmp_path)
    mc.energy(mc.load(text.replace("0.95 0.45", "0.45 0.95"))).emit("c", tmp_path)


def test_what_is_nobodys_or_was_changed_by_hand_stays(tmp_path: Path) -> None:
    asked = mc.energy(mc.load("planar2"))
    _, source = asked.emit("c", tmp_path)
    text = source.read_text(encoding="utf-8")
    source.write_text(text + "/* mine */\n", encoding="utf-8")
    with pytest.raises(mc.Error, match="changed by hand"):
        asked.emit("c", tmp_path)
    for other in (b"int mine;\n", b"\xff\xfe\x00", text.replace("planar2", "planar3", 1).encode()):
        source.write_bytes(other)
        with pytest.raises(mc.Error, match=r"no question|was changed since it was written"):
            asked.emit("c", tmp_path)
        assert source.read_bytes() == other
    asked.emit("c", tmp_path, force=True)
    assert source.read_text(encoding="utf-8") == text


def test_a_path_longer_than_any_is_one_sentence() -> None:
    folder = "/".join(["f" * 200] * 30)
    with pytest.raises(mc.Error, match="cannot be written"):
        mc.energy(mc.load("planar2")).emit("c", folder)
    with pytest.raises(mc.Error, match="no such file"):
        mc.load(folder)


def test_generate_with_another_frame_is_refused_unless_forced(tmp_path: Path) -> None:
    def generate(frame: str, *more: str) -> tuple[int, str]:
        asked = ["generate", "planar2", "--compute", "jacobian", "--frame", frame, "--out", str(tmp_path)]
        result = CliRunner().invoke(app, [*asked, *more])
        return result.exit_code, str(result.exception)

    assert generate("tip")[0] == generate("tip")[0] == 0
    code, said = generate("forearm")
    assert code == 1
    assert "frame='tip'" in said
    assert "frame='forearm'" in said
    assert generate("forearm", "--force")[0] == 0


def test_a_whole_robot_says_what_it_is_too(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    for path in mc.emit_robot(robot, tmp_path, dynamics=False):
        assert path.name == "CMakeLists.txt" or about(path)["computation"] == "emit_robot"
    with pytest.raises(mc.Error, match="another question"):
        mc.emit_robot(robot, tmp_path, dynamics=False, transforms=[("base", "tip")])
    mc.emit_robot(robot, tmp_path, dynamics=False, transforms=[("base", "tip")], force=True)
