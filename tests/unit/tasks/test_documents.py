"""Tasks as documents: three spellings of one task, equal and convertible, and what is refused with its place."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionc as mc
from motionc.tasks import (
    Force,
    Hold,
    Moment,
    Monitor,
    Move,
    Orientation,
    Speed,
    Timeout,
    Tube,
    check,
    parse,
    read,
    schema,
    shipped,
    to_text,
    write,
)
from random_tasks import TASKS
from repository import REPOSITORY

SPELLINGS = ("task", "yaml", "json")
CANONICAL = ("uc1_ex1", "uc1_ex2", "uc2", "uc3_ex1", "uc3_ex2")
SCHEMA = jsonschema.Draft202012Validator(schema())


# ---------------------------------------------------------------- round trips


@pytest.mark.row("lazy-control", 18)
@given(TASKS)
@settings(max_examples=40, deadline=None)
def test_every_task_reads_back_from_every_spelling(task: Any) -> None:
    for spelling in SPELLINGS:
        assert parse(to_text(task, spelling), spelling) == task


@pytest.mark.row("lazy-control", 18)
@pytest.mark.parametrize("name", CANONICAL)
def test_a_canonical_specification_goes_from_text_to_object_to_text_and_round(name: str) -> None:
    task = read(name)
    text = str(task)
    assert parse(text) == task
    assert str(parse(text)) == text
    through = parse(to_text(parse(to_text(task, "yaml"), "yaml"), "json"), "json")
    assert through == task


def test_canonical_specifications_say_what_the_thesis_prints() -> None:
    first, second, path, wipe, turned = map(read, CANONICAL)
    assert (first.x, first.y, first.z, first.free) == (Speed(0.05, 0.005), Tube(0.01), Tube(0.01), ("ax", "ay", "az"))
    assert (second.y, second.orientation, second.free) == (None, Orientation(0.1), ("y",))
    assert (path.sections, path.move.frame, path.move.goal.tolerance) == (12, "T_k", 0.001)
    assert (wipe.z.value, wipe.ax.tolerance, wipe.free, wipe.force_frame) == (0.03, 0.005, ("az",), "T_F")
    assert (turned.ay, turned.az.value, turned.free) == (wipe.ay, 0.2, ())


@pytest.mark.parametrize("name", shipped())
def test_what_comes_along_has_no_errors_and_fits_its_robot(name: str) -> None:
    robot = next((each for each in ("lwr4", "youbot_arm") if name.endswith(each)), "")
    if robot:
        found = check(name, mc.load(robot))
        assert [each.rule for each in found.errors] == (["ForceFrame"] if name == "clean_lwr4" else [])  # its pad
    else:
        assert name in CANONICAL
        assert check(name).ok


@given(TASKS)
@settings(max_examples=15, deadline=None)
def test_every_task_fulfils_the_schema(task: Any) -> None:
    SCHEMA.validate(json.loads(to_text(task, "json")))


def test_a_file_is_read_as_its_ending_says(tmp_path: Path) -> None:
    task = read("clean_lwr4")
    for ending in (".task", ".yaml", ".yml", ".json"):
        file = write(task, tmp_path / f"wipe{ending}")
        assert read(file) == task
    with pytest.raises(mc.Error, match=r"ending in .txt hold no task; name one ending in .task, .yaml"):
        write(task, tmp_path / "wipe.txt")
    with pytest.raises(FileNotFoundError, match="no task of that name comes along"):
        read("pregasp_lwr4")


# ---------------------------------------------------------------- refusals, each with place and remedy

GOOD = """task t
tool link_7
frame T wrt world
force frame pad
move compliantly {
  T X: velocity 0.05 m/s, velocity-tolerance 0.005 m/s
  T Y: 0 m, position-tube 1 cm
  T aX, aY, aZ: no specification
} until either:
  goal area reached, tolerance 0.03 m
  or pad F_X / pad F_Y > 0.5 N
  or task time > 9 s
monitor speed > 0.2 m/s: tell
"""

REFUSED = {
    "wrong unit": ("1 cm", "1 N", 7, 27, "Length cannot be given in newton", "use meter"),
    "no unit": ("1 cm", "1", 7, 27, "1 has no unit", "such as 1 m"),
    "unknown unit": ("1 cm", "1 parsec", 7, 27, "no unit 'parsec'", "m, mm, cm"),
    "no tolerance": (", position-tube 1 cm", "", 7, 8, "without a tolerance", "position-tube"),
    "no tolerance of a speed": (", velocity-tolerance 0.005 m/s", "", 6, 8, "velocity without", "velocity-tolerance"),
    "no tolerance of a goal": (", tolerance 0.03 m", "", 10, 3, "without a tolerance", "tolerance 1 cm"),
    "another tolerance": ("velocity-tolerance", "position-tube", 6, 27, "velocity with a position-tube", "say velo"),
    "unknown frame": ("T Y", "Tt Y", 7, 3, "no frame 'Tt' is named above; did you mean T", "frame Tt wrt"),
    "frame of forces": (
        "T Y: 0 m, position-tube 1 cm",
        "T Y: force 5 N, force-tolerance 1 N",
        7,
        3,
        "axis of pad",
        "pad",
    ),
    "frame of contacts": ("pad F_X", "T F_X", 11, 6, "axes of pad, not of T", "write pad"),
    "tube and force": ("  T aX", "  pad Y: force 5 N, force-tolerance 1 N\n  T aX", 8, 7, "said in line 7", "keep one"),
    "turns and tube": (
        "no specification",
        "0 rad, orientation-tube 1 deg\n  pad aY: 0 Nm, moment-tolerance 1 Nm",
        *(9, 7, "aY is said in line 8 already", "keep one"),
    ),
    "orientation in part": (
        "aY, aZ: no specification",
        "aZ: 0 rad, orientation-tube 1 deg",
        8,
        13,
        "aY is not said",
        "aX, aY, aZ",
    ),
    "contact in a force": (
        "T Y: 0 m, position-tube 1 cm",
        "pad Y: force 5 N, force-tolerance 1 N",
        11,
        6,
        "ends it",
        "leave y out",
    ),
    "tube elsewhere": ("0 m, position", "1 cm, position", 7, 8, "about the axis", "shift the frame"),
    "tube along X": (
        "velocity 0.05 m/s, velocity-tolerance 0.005 m/s",
        "0 m, position-tube 1 cm",
        6,
        5,
        "X cannot",
        "velocity",
    ),
    "backwards": ("velocity 0.05", "velocity -0.05", 6, 17, "not more than nothing", "0.5 m/s"),
    "no force frame": ("force frame pad\n", "", 10, 6, "axes of T, not of pad", "write T"),
    "no goal without a way": (
        "  T X: velocity 0.05 m/s, velocity-tolerance 0.005 m/s\n",
        "",
        9,
        3,
        "nothing moves along X",
        "timeout",
    ),
    "two timeouts": ("9 s", "9 s or task time > 8 s", 12, 25, "a second timeout", "keep one"),
    "unknown signal": ("monitor speed", "monitor sped", 13, 1, "did you mean speed", "{speed: …}"),
    "unknown word": ("move comp", "mve comp", 5, 1, "'mve' where", "did you mean move"),
    "not closed": ("} until", "until", 9, 1, "'until' where '}'", "write it there"),
    "no tool": ("tool link_7\n", "", 1, 1, "a move has no tool", "say its tool"),
    "no rotation": (
        "wrt world",
        "wrt world at (0, 0, 0) m with rows (1, 0, 0) (0, 1, 0) (0, 0, 2)",
        3,
        19,
        "no rotation",
        "digits",
    ),
    "no unit of a place": ("wrt world", "wrt world at (0, 0, 0)", 3, 23, "0 has no unit", "0 m"),
}


@pytest.mark.row("lazy-control", 18)
@pytest.mark.parametrize("what", REFUSED)
def test_a_mistake_is_refused_at_its_line_and_column_with_a_remedy(what: str) -> None:
    old, new, line, column, message, remedy = REFUSED[what]
    assert parse(GOOD).name == "t"
    assert GOOD.count(old) >= 1
    with pytest.raises(mc.ReadError) as refusal:
        parse(GOOD.replace(old, new, 1))
    said = refusal.value
    assert (said.line, said.column) == (line, column)
    assert message in said.message
    assert remedy in said.remedy
    assert f"{line:5} | " in str(said)
    assert "^" in str(said)


YAML = """task: t
tool: link_7
frame: {name: T, wrt: world}
move:
  x: {velocity: 5 cm/s, tolerance: 5 mm/s}
  y: {tube: 1 cm}
until: [{goal: 3 cm}, {timeout: 9 s}]
"""
IN_YAML = {
    "wrong unit": ("1 cm", "1 N", 6, 13, "Length cannot be given in newton"),
    "no unit": ("1 cm", "1", 6, 13, "1 has no unit"),
    "no tolerance": (", tolerance: 5 mm/s", "", 5, 6, "a speed has no tolerance"),
    "tube and force": ("{tube: 1 cm}", "{tube: 1 cm, force: 5 N}", 6, 19, "no 'force' in a tube"),
    "turns and tube": (
        "  y: ",
        "  orientation: {tube: 1 deg}\n  az: {angle: 1 rad, tolerance: 1 deg}\n  y: ",
        *(7, 3, "az and orientation contradict each other"),
    ),
    "unknown key": ("tool", "tol", 2, 1, "no 'tol' in a move; did you mean tool"),
    "unknown band": ("tube", "tub", 6, 6, "did you mean tube"),
    "one name": ("name: T", "name: world", 3, 1, "the task frame and the frame that it is told wrt"),
}


@pytest.mark.parametrize("what", IN_YAML)
def test_a_mistake_in_yaml_is_refused_at_its_line_and_column(what: str) -> None:
    old, new, line, column, message = IN_YAML[what]
    assert parse(YAML, "yaml").name == "t"
    with pytest.raises(mc.ReadError) as refusal:
        parse(YAML.replace(old, new, 1), "yaml")
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert message in refusal.value.message


@pytest.mark.parametrize(
    "what", ["wrong unit", "no unit", "no tolerance", "tube and force", "unknown key", "unknown band"]
)
def test_the_schema_refuses_what_the_reader_refuses(what: str) -> None:
    yaml = pytest.importorskip("yaml")
    old, new, *_ = IN_YAML[what]
    assert SCHEMA.is_valid(yaml.safe_load(YAML))
    assert not SCHEMA.is_valid(yaml.safe_load(YAML.replace(old, new, 1)))


def check_text(text: str) -> list[mc.ReadError]:
    """What a text is refused for, if it is."""
    try:
        parse(text)
    except mc.ReadError as refusal:
        return [refusal]
    return []


@given(st.integers(0, len(GOOD)), st.integers(0, 6), st.text(max_size=4))
@settings(max_examples=80, deadline=None)
def test_a_text_with_a_hole_or_more_in_it_is_a_task_or_refused(start: int, length: int, more: str) -> None:
    broken = GOOD[:start] + more + GOOD[start + length :]
    refusals = check_text(broken)
    assert all(one.remedy and (one.line or not broken.strip()) for one in refusals)


def test_a_text_is_no_longer_than_a_task_can_be() -> None:
    with pytest.raises(mc.ReadError, match="larger than 131072 bytes"):
        parse("#" * 2**17 + "\n")
    deep = {"task": "'\\[' where", "yaml": "nested more than 32 deep", "json": "nested too deeply"}
    for spelling, words in deep.items():
        with pytest.raises(mc.ReadError, match=words):
            parse("[" * 5000, spelling)


# ---------------------------------------------------------------- the rest of the language


def test_units_and_brackets_are_read_wherever_numbers_are() -> None:
    said = "[mm/s]", "5 [mm/s]"
    text = GOOD.replace("0.05 m/s", f"50 {said[0]}").replace("0.005 m/s", said[1]).replace("0.03 m", "3cm")
    assert parse(text) == parse(GOOD)
    moments = GOOD.replace("T aX, aY, aZ:", "pad aX: 0 N m, moment-tolerance 5 Ncm\nT aY, aZ:")
    assert parse(moments).ax == mc.tasks.Moment(0.0, 0.05)


def test_comments_and_line_ends_are_free() -> None:
    loose = GOOD.replace("task t\n", "// a task\ntask t # called t\n").replace("\n", "\r\n")
    assert parse(loose) == parse(GOOD)
    assert parse(" ".join(GOOD.split())) == parse(GOOD)


@pytest.mark.row("lazy-control", 19)
def test_one_angle_is_the_orientation_of_all_three_axes_however_it_is_written() -> None:
    lines = "".join(f"  T {axis}: 0 rad, orientation-tube 2 deg\n" for axis in ("aX", "aY", "aZ"))
    together = GOOD.replace("no specification", "0 [rad], orientation tube 2 [deg]")
    apart = GOOD.replace("  T aX, aY, aZ: no specification\n", lines)
    assert parse(together) == parse(apart)
    assert parse(apart).orientation == Orientation(2 * 3.141592653589793 / 180)
    with pytest.raises(mc.ReadError, match="one number for all three axes"):
        parse(apart.replace("2 deg", "3 deg", 1))


def test_the_text_on_the_page_is_a_task() -> None:
    page = (REPOSITORY / "docs" / "guide" / "tasks.md").read_text(encoding="utf-8")
    (text,) = [block for block in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if "move compliantly" in block]
    wipe = parse(text)
    assert (wipe.z, wipe.ax, wipe.ay) == (Force(5.0, 0.5), Moment(0.0, 0.05), Moment(0.0, 0.05))
    assert wipe.monitors == (Monitor("speed", 0.25),)


def test_phases_share_what_stands_above_them() -> None:
    text = """
        tool hand  frame T wrt world
        phase reach
          move compliantly { T X: velocity 5 cm/s, velocity-tolerance 5 mm/s  T Y, Z: 0 m, position-tube 1 cm }
          until either: goal area reached, tolerance 1 cm
        phase turn tool wrist move compliantly { T aX, aY, aZ: 0 rad, orientation-tube 3 deg }
          until either: task time > 2 s"""
    reach, turn = parse(text).tasks
    assert (reach.tool, turn.tool, reach.frame, turn.frame) == ("hand", "wrist", "T", "T")
    assert (reach.free, turn.free) == (("ax", "ay", "az"), ("x", "y", "z"))
    shared = """
        tool: hand
        frame: {name: T}
        move: {x: {velocity: 5 cm/s, tolerance: 5 mm/s}, y: {tube: 1 cm}, z: {tube: 1 cm}}
        phases:
          - {task: reach, until: [{goal: 1 cm}]}
          - task: turn
            tool: wrist
            move: {x: free, y: free, z: free, orientation: {tube: 3 deg}}
            until: [{timeout: 2 s}]
        """
    assert parse(shared, "yaml") == parse(text)
    less = shared.replace("{x: free, y: free, z: free, orientation: {tube: 3 deg}}", "{z: free}")
    assert parse(less, "yaml").tasks[1].free == ("z", "ax", "ay", "az")  # of a move, direction by direction


@pytest.mark.parametrize("shared", ["move", "hold"])
def test_a_phase_that_holds_leaves_a_shared_move_and_the_other_way_round(shared: str) -> None:
    how = {
        "move": "{x: {velocity: 5 cm/s, tolerance: 5 mm/s}, y: {tube: 1 cm}}",
        "hold": "{position: {tube: 1 cm}, orientation: {tube: 3 deg}}",
    }
    other = "hold" if shared == "move" else "move"
    both = parse(
        f"""
        tool: hand
        frame: {{name: T}}
        {shared}: {how[shared]}
        phases:
          - {{task: as_shared, until: [{{timeout: 1 s}}]}}
          - {{task: as_said, {other}: {how[other]}, until: [{{timeout: 2 s}}]}}
        """,
        "yaml",
    )
    tasks = {
        "move": Move("hand", "T", x=Speed(0.05, 0.005), y=Tube(0.01)),
        "hold": Hold("hand", "T", position=Tube(0.01), orientation=Orientation(math.radians(3))),
    }
    assert both.tasks == (
        replace(tasks[shared], name="as_shared", until=[Timeout(1.0)]),
        replace(tasks[other], name="as_said", until=[Timeout(2.0)]),
    )
    assert parse(str(both)) == both


def test_sections_have_numbers_of_their_own() -> None:
    text = to_text(read("uc2")) + "section 2 {\n  T_k X: velocity 2 cm/s, velocity-tolerance 1 mm/s\n}\n"
    path = parse(text)
    assert [path.section(k).x for k in (1, 2)] == [Speed(0.06, 0.005), Speed(0.02, 0.001)]
    with pytest.raises(mc.ReadError, match="section 13 is told apart, and there are 12"):
        parse(text.replace("section 2", "section 13"))
    pressed = text.replace("tool tool", "tool tool force frame P").replace("T_k F", "P F")
    with pytest.raises(mc.ReadError, match="asks for a Force in y, and the others for a Tube"):
        parse(pressed.replace("section 2 {", "section 2 { P Y: force 1 N, force-tolerance 1 N"))


# ---------------------------------------------------------------- printed rotations


def test_a_printed_rotation_is_projected_and_said_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "motionc"):
        task = read("pregrasp_lwr4")
    assert "RᵀR misses the identity by 0.0032; the nearest one is taken" in caplog.text
    found = check("pregrasp_lwr4")
    assert [(each.rule, each.severity, each.place.line, each.place.column) for each in found] == [
        ("Rotation", "note", 5, 42)
    ]
    again = parse(str(task))
    assert again.pose == task.pose  # what was projected once stays as it is


def test_a_rotation_with_a_wrong_digit_warns() -> None:
    text = str(read("pregrasp_lwr4")).replace(str(read("pregrasp_lwr4").pose[0][0]), "-0.462")
    with pytest.warns(mc.tasks.TaskWarning, match="rounding explains less"):
        parse(text)
