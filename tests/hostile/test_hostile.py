"""Files from strangers, all the way: read, check, compute, compile. A located error or a right answer, nothing else."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import motionc as mc
from hostile import INERTIAL, READERS, corpus, growth, survives, tree
from hostile_names import NAMES, UNWRITABLE, built
from motionc.cli.main import app
from motionc.errors import Error
from motionc.formats import read_urdf
from motionc.formats.xml_tree import ReadError
from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Link,
    Robot,
    Role,
    Segment,
    check_chain,
    mechanism,
)
from motionc.model.quotes import visible
from motionc.runtime import Computation
from motionc.solvers import arguments as ports
from motionc.targets import TARGETS
from motionc.targets.c import identifier
from trials import some

CC = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unknown-pragmas", "-c"]

# ---------------------------------------------------------------- names


def urdf(robot: str, names: list[str]) -> str:
    """A chain with these links and joints, a material for each; four joints move, the last a mimic of the first."""
    parts = ["<link name='base'/>"]
    for k, name in enumerate(names):
        said, parent = quoteattr(name), quoteattr(names[k - 1] if k else "base")
        mimic = f'<mimic joint={quoteattr(names[0])} multiplier="-0.5"/>' if k == len(names) - 1 and k else ""
        kind = "continuous" if k < 3 or mimic else "fixed"
        parts.append(f"<material name={said}/><link name={said}><visual name={said}/>{INERTIAL}</link>")
        parts.append(f'<joint name={said} type="{kind}"><parent link={parent}/><child link={said}/>')
        parts.append(f'<origin xyz="0 0.{k} 1"/><axis xyz="0 {k % 2} 1"/>{mimic}</joint>')
    return f"<robot name={quoteattr(robot)}>{''.join(parts)}</robot>"


def code(text: str, name: str) -> str:
    """What a compiler sees: comments and spaces away, the function's own name made one for all."""
    bare = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL))
    return bare.replace(name.upper(), "NAME").replace(name, "name")


def compiles(path: Path) -> None:
    if CC:
        made = subprocess.run([CC, *STRICT, path.name, "-o", "x.o"], cwd=path.parent, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr


def test_every_name_at_once_gives_the_forces_and_the_code_of_plain_names(tmp_path: Path) -> None:
    files = tmp_path / "odd \\ ;'\"*☃.urdf", tmp_path / "plain.urdf"
    plain = [f"n{k}" for k in range(len(NAMES))]
    made: list[Computation] = []
    for file, robot, names in zip(files, (NAMES[0], "robot"), (NAMES, plain), strict=True):
        file.write_text(urdf(robot, names), encoding="utf-8")
        assert mc.check(file).ok
        loaded = mc.load(file)
        assert loaded.link_names == ("base", *names)
        assert loaded.followers == {names[-1]: (names[0], -0.5, 0.0)}
        made.append(mc.inverse_dynamics(loaded, external_forces=[mc.Force(name) for name in names]))
    inputs = [np.random.default_rng(0).normal(size=port.shape) for port in made[0].inputs]
    assert np.array_equal(made[0](*inputs), made[1](*inputs))
    assert np.isfinite(made[0](*inputs)).all()

    for target in ("c", "c_simd"):
        texts = list[str]()
        for computation, folder in zip(made, ("odd", "plain"), strict=True):
            paths = computation.emit(target, tmp_path / folder)
            name = identifier(computation.function_name)
            texts.append("".join(code(path.read_text(encoding="utf-8"), name) for path in paths))
            assert all("evil" not in code(path.read_text(encoding="utf-8"), name) for path in paths)
            compiles(paths[-1])
        assert texts[0] == texts[1]


def test_robots_whose_names_look_alike_keep_files_of_their_own() -> None:
    robots = [built(name, ["link"]) for name in ("a/b", "a.b", "a_b")]
    for target in TARGETS:
        made = [mc.gravity_forces(robot).sources(target) for robot in robots]
        shared = {"CMakeLists.txt"}.intersection(*made)  # one for all headers of a folder
        files = [file for texts in made for file in texts if file not in shared]
        assert len(set(files)) == len(files)
        assert all(len({texts[file] for texts in made}) == 1 for file in shared)


@pytest.mark.parametrize("name", some([*UNWRITABLE, *NAMES], 24), ids=ascii)
def test_a_robot_of_any_name_becomes_c_under_a_sound_one(name: str, tmp_path: Path) -> None:
    computation = mc.inverse_dynamics(
        built(name, [name]), external_forces=[mc.Force(f"{name} tool", as_seen_by=f"{name} tool")]
    )
    header, source = computation.emit("c", tmp_path)
    batch = computation.emit("c_simd", tmp_path)
    for path in (header, source, *batch):
        assert path.parent == tmp_path
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,70}\.[ch]", path.name)
        text = path.read_bytes().decode()
        assert "??" not in text
        assert "\\" not in re.sub(r"\\\n", "", text)  # the lanes' own macros go over several lines
        assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert source.stem.endswith("inverse_dynamics")
    compiles(source)
    plain = mc.inverse_dynamics(built("r", ["a"]), external_forces=[mc.Force("a tool", as_seen_by="a tool")]).emit(
        "c", tmp_path, "plain"
    )
    for path, other in zip((header, source), plain, strict=True):
        odd, same = path.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")
        assert code(odd, source.stem) == code(same, "plain")
    (tau,) = computation.run([0.1], [0.2], [0.3], np.zeros((1, 6)))
    (expected,) = mc.inverse_dynamics(built("r", ["a"])).run([0.1], [0.2], [0.3])
    assert tau == expected


@pytest.mark.parametrize(
    "prefix", ["for", "restrict", "class", "main", "sin", "y0", "q", "tau", "w", "t1", "3", "NAN", "linux", "*/", "☃"]
)
def test_a_prefix_that_is_a_word_of_c_still_compiles(prefix: str, tmp_path: Path) -> None:
    computation = mc.inverse_dynamics(built("r", ["a"]))
    _, source = computation.emit("c", tmp_path, prefix)
    assert source.stem not in ("for", "restrict", "class", "main", "sin", "y0", "NAN", "linux")
    compiles(source)


def test_long_names_that_differ_anywhere_give_different_files() -> None:
    robots = ["x" * 300, "x" * 150 + "y" + "x" * 149]
    names = [f"{robot}_{computation}" for robot in robots for computation in ("inverse_dynamics", "forward_dynamics")]
    assert len({identifier(name) for name in names}) == 4
    assert all(len(identifier(name)) <= 63 for name in names)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_command_line_shows_any_name_on_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(urdf(name, [name]), encoding="utf-8")
    for arguments in (["show", "--fates"], ["check"]):
        result = CliRunner().invoke(app, [*arguments, str(tmp_path / "r.urdf")])
        assert result.exit_code == 0, result.output
        assert all(letter.isprintable() or letter == "\n" for letter in result.output)
    assert visible(name) in CliRunner().invoke(app, ["show", str(tmp_path / "r.urdf")]).output


# ---------------------------------------------------------------- files that are refused


def two_links(joint: str = "", link: str = INERTIAL, type: str = "continuous") -> str:
    return f"""<robot name="r"><link name="a"/>
<link name="b">{link}</link>
<joint name="j" type="{type}"><parent link="a"/><child link="b"/>{joint}</joint></robot>"""


def joint(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'


LINKS = '<robot name="r">\n' + "".join(f'<link name="{name}"/>' for name in "abcd")
LAUGHS = "".join(f'<!ENTITY x{k} "{f"&x{k - 1};" * 10}">' for k in range(1, 30))
QUADRATIC = f'<!DOCTYPE r [<!ENTITY x "{"x" * 100_000}">]><robot name="{"&x;" * 10_000}"/>'
TEN_MB = "x" * 10_000_000

MALFORMED: dict[str, str | bytes] = {
    "billion laughs": f'<!DOCTYPE r [<!ENTITY x0 "ha">{LAUGHS}]><robot name="&x29;"/>',
    "quadratic blowup": QUADRATIC,
    "external entity": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r">&x;</robot>',
    "external subset": '<!DOCTYPE r SYSTEM "http://x/y.dtd"><robot name="r"/>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % x SYSTEM "file:///etc/passwd">%x;]><robot name="r"/>',
    "defaulted attribute": '<!DOCTYPE r [<!ATTLIST link name CDATA "a">]><robot name="r"><link/></robot>',
    "undeclared entity": two_links("&x;"),
    "instruction": two_links("<?php evil ?>"),
    "deep nesting": "<robot name='r'>" + "<link name='a'>" * 100_000,
    "deep text": "<" * 100_000,
    "a tag of 10 MB": f"<{TEN_MB}>",
    "a name of 10 MB": two_links().replace('"b"', f'"{TEN_MB}"'),
    "a number of 10 MB": two_links(f'<origin xyz="0 0 {"1" * 10_000_000}"/>'),
    "10 MB of numbers": two_links(f'<origin xyz="{"0 " * 5_000_000}"/>'),
    "duplicate attribute": two_links('<axis xyz="0 0 1" xyz="0 1 0"/>'),
    "unquoted attribute": two_links("<axis xyz=1/>"),
    "two root elements": two_links() + two_links(),
    "UTF-16 that says UTF-8": b'<?xml version="1.0" encoding="utf-8"?>' + two_links().encode("utf-16"),
    "UTF-8 that says UTF-16": b'<?xml version="1.0" encoding="utf-16"?>' + two_links().encode(),
    "UTF-32": two_links().encode("utf-32"),
    "Latin-1 that says nothing": two_links().replace('"b"', '"ö"').encode("latin-1"),
    "UTF-7": b'<?xml version="1.0" encoding="utf-7"?>' + two_links().encode("utf-7"),
    "an unknown encoding": b'<?xml version="1.0" encoding="klingon"?>' + two_links().encode(),
    "NUL": two_links().replace('"b"', '"b\x00"'),
    "NUL by reference": two_links().replace('"b"', '"b&#0;"'),
    "ESC by reference": two_links().replace('"b"', '"b&#27;"'),
    "gzip": b"\x1f\x8b\x08\x00" + bytes(range(256)),
    "zip": b"PK\x03\x04" + bytes(100),
    "nothing": b"",
    "cycle": LINKS + joint("1", "a", "b") + joint("2", "b", "c") + joint("3", "c", "a") + "</robot>",
    "cycle apart": LINKS + joint("1", "a", "b") + joint("2", "c", "d") + joint("3", "d", "c") + "</robot>",
    "self-loop": LINKS + joint("1", "a", "a") + "</robot>",
    "two roots": LINKS + joint("1", "a", "b") + joint("2", "c", "d") + "</robot>",
    "two parents": LINKS + joint("1", "a", "b") + joint("2", "a", "c") + joint("3", "b", "c") + "</robot>",
    "missing parent": LINKS + joint("1", "nobody", "b") + "</robot>",
    "missing child": LINKS + joint("1", "a", "nobody") + "</robot>",
    "a link alone": LINKS + joint("1", "a", "b") + joint("2", "a", "c") + "</robot>",
    "same link twice": LINKS + '<link name="a"/></robot>',
    "a link called world": two_links().replace('"b"', '"world"'),
    "a link called as a joint": two_links().replace('"b"', '"joint:j"'),
    "mimics itself": two_links('<mimic joint="j"/>'),
    "negative mass": two_links(link=INERTIAL.replace('"2"', '"-2"')),
}
NO_NUMBERS = "nan NaN inf -Infinity 1e400 1e40 0x1p3 0x10 1_000 ١ ½ 1,5 1.2.3 1e --1 1f"
NUMBERS: dict[str, Callable[[str], str]] = {
    "mass": lambda odd: two_links(link=INERTIAL.replace('"2"', f'"{odd}"')),
    "moment": lambda odd: two_links(link=INERTIAL.replace('ixx="1"', f'ixx="{odd}"')),
    "place": lambda odd: two_links(f'<origin xyz="0 {odd} 0"/>'),
    "angle": lambda odd: two_links(f'<origin rpy="0 {odd} 0"/>'),
    "turn": lambda odd: two_links(f'<origin quat_xyzw="0 0 0 {odd}"/>'),
    "damping": lambda odd: two_links(f'<dynamics damping="{odd}"/>'),
}
for odd in ["0,0,1", "0;0;1", "0 0", "0 0 0 1", "[0 0 1]", "0\u00a00\u00a01", "0\u20280 1"]:
    MALFORMED[f"axis {odd!a}"] = two_links(f'<axis xyz="{odd}"/>')


@pytest.mark.parametrize("kind", MALFORMED, ids=ascii)
def test_what_is_malformed_is_refused_by_a_short_sentence_with_line_and_column(kind: str, tmp_path: Path) -> None:
    file, content = tmp_path / "r.urdf", MALFORMED[kind]
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(Error) as refused:
        mc.load(file)
    assert re.search(r"r\.urdf:\d+:\d+: ", str(refused.value))
    assert "remedy: " in str(refused.value)
    assert len(str(refused.value)) < 2000

    findings = mc.check(file)
    assert not findings.ok
    assert all(finding.place.line >= 1 and finding.place.column >= 1 for finding in findings)
    if len(content) < 1_000_000:
        result = CliRunner().invoke(app, ["check", str(file)])
        assert (result.exit_code, len(result.output) < 3000) == (1, True)


@pytest.mark.parametrize("odd", NO_NUMBERS.split(), ids=ascii)
@pytest.mark.parametrize("what", NUMBERS)
def test_what_is_no_finite_decimal_number_is_refused_by_its_own_text(what: str, odd: str) -> None:
    with pytest.raises(ReadError) as refused:
        read_urdf(NUMBERS[what](odd))
    assert f"{odd!r} is " in refused.value.message
    assert refused.value.line == (2 if what in ("mass", "moment") else 3)


@pytest.mark.parametrize(
    ("kind", "content"),
    {
        "UTF-16": two_links().encode("utf-16"),
        "UTF-8 with a mark": two_links().encode("utf-8-sig"),
        "Latin-1 that says so": b'<?xml version="1.0" encoding="latin-1"?>' + two_links().encode("latin-1"),
        "a comment of 10 MB": f"<!--{TEN_MB}-->{two_links()}".encode(),
        "an unknown attribute of 10 MB": two_links(f'<axis xyz="0 0 1" is="{TEN_MB}"/>').encode(),
        "text of 10 MB": two_links(TEN_MB).encode(),
        "no mass, negative": two_links(link=INERTIAL.replace('"2"', '"-0.0"')).encode(),
        "a mass next to none": two_links(link=INERTIAL.replace('"2"', '"5e-324"')).encode(),
        "a mass that vanishes": two_links(link=INERTIAL.replace('"2"', '"1e-999"')).encode(),
        "all that is allowed": two_links('<origin xyz="9e39 9e39 9e39"/>', INERTIAL.replace('"2"', '"9e39"')).encode(),
        "a direction next to none": two_links('<axis xyz="0 5e-324 0"/>').encode(),
        "a turn next to none": two_links('<origin quat_xyzw="0 0 5e-324 5e-324"/>').encode(),
        "tabs and newlines": two_links('<axis xyz="&#9;0\n0\r\n1&#10;"/>').encode(),
        "many digits": two_links(f'<axis xyz="0 0 {"1" * 39}.{"0" * 300}"/>').encode(),
    }.items(),
)
def test_what_is_odd_but_legal_is_a_robot_with_finite_forces(kind: str, content: bytes) -> None:
    robot = survives(read_urdf, content)
    assert isinstance(robot, Robot), str(robot)[:500]
    assert robot.nv == 1
    assert len(str(robot.findings)) < 2000


SMALL = two_links('<axis xyz="0 1 0"/>').encode()


def test_a_file_cut_at_any_byte_is_refused_with_its_place() -> None:
    for end in range(len(SMALL)):
        with pytest.raises(ReadError) as refused:
            read_urdf(SMALL[:end])
        last = SMALL[:end].count(b"\n") + 1
        assert 1 <= refused.value.line <= last
        assert refused.value.remedy


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_file_with_wrong_bytes_is_refused_or_a_robot(wrong: list[tuple[int, int]]) -> None:
    data = bytearray(SMALL)
    for place, byte in wrong:
        data[place] = byte
    survives(read_urdf, bytes(data))


@pytest.mark.parametrize("file", [(name, file) for name in READERS for file in corpus(name)], ids=lambda f: f[1].name)
def test_what_the_fuzzer_found_or_started_from_is_refused_or_a_robot(file: tuple[str, Path]) -> None:
    survives(READERS[file[0]], file[1].read_bytes())


def test_factors_that_multiply_beyond_all_bounds_are_refused() -> None:
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>' for k in range(12))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
        + (f'<mimic joint="j{k - 1}" multiplier="1e30"/>' if k > 1 else "")
        + "</joint>"
        for k in range(1, 12)
    )
    refused = survives(read_urdf, f'<robot name="r">{links}{joints}</robot>'.encode())
    assert isinstance(refused, Error)
    assert "j3 mimics j1 with 1e+60, 0 in the end" in str(refused)


# ---------------------------------------------------------------- size


def frames_on_one_link(n: int) -> Robot:
    features = {f"f{k}": np.eye(4) for k in range(n)}
    base, tip = Segment("b", Link.rigid("b"), (Attachment("o", Role.JOINT),)), Link.rigid("t", 1.0, features=features)
    end = Segment("t", tip, (Attachment("i", Role.JOINT),))
    return Robot(KinematicChain("r", (Joint("j", JointType.REVOLUTE, (end, "i"), (base, "o")),)))


def one_name_for_all(n: int) -> None:
    base = Segment("b", Link.rigid("b"), tuple(Attachment(f"o{k}", Role.JOINT) for k in range(n)))
    ends = [Segment(f"s{k}", Link.rigid(f"s{k}"), (Attachment("i", Role.JOINT),)) for k in range(n)]
    joints = [Joint(f"j{k // 2}", JointType.FIXED, (end, "i"), (base, f"o{k}")) for k, end in enumerate(ends)]
    assert len(check_chain(KinematicChain("r", tuple(joints))).of_rule("Kc5")) == n // 2


def loaded(text: str, **options: Any) -> Robot:
    document = read_urdf(text)
    return Robot(document.chain, findings=document.findings, **options)


def circle(n: int) -> None:
    assert not read_urdf(tree([*range(1, n), 0])).findings.ok
    assert not read_urdf(tree([*range(n)], mimic=lambda k: f'<mimic joint="j{k % n + 1}"/>')).findings.ok


SHAPES: dict[str, Callable[[int], Any]] = {
    "chain": lambda n: loaded(tree([*range(n)])),
    "floating chain": lambda n: loaded(tree([*range(n)]), floating=True).limits,
    "chain of fixed joints": lambda n: loaded(tree([*range(n)], "fixed")).frame_names,
    "star": lambda n: loaded(tree([0] * n)).frame_names,
    "star of fixed joints": lambda n: loaded(tree([0] * n, "fixed")).mechanism,
    "caterpillar": lambda n: loaded(tree([k - k % 2 for k in range(n)])).links,
    "mimics outward": lambda n: loaded(tree([*range(n)], mimic=lambda k: f'<mimic joint="j{k + 1}"/>' * (k < n))),
    "mimics inward": lambda n: loaded(tree([*range(n)], mimic=lambda k: f'<mimic joint="j{k - 1}"/>' * (k > 1))),
    "massless chain": lambda n: loaded(tree([*range(n)]).replace(INERTIAL, "")).idle_joints,
    "frames on one link": frames_on_one_link,
    "one name for all": one_name_for_all,
    "circles": circle,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_links_are_twice_the_work(shape: str) -> None:
    assert growth(lambda n: lambda: SHAPES[shape](n)) < 2.05


@pytest.mark.parametrize("type", some(["fixed", "continuous"]))
def test_a_chain_deeper_than_any_stack_is_checked_shown_and_listed(type: str, tmp_path: Path) -> None:
    file, n = tmp_path / "r.urdf", 2 * sys.getrecursionlimit()
    file.write_text(tree([*range(n)], type))
    checked, shown, listed = (
        CliRunner().invoke(app, [*command, str(file)]) for command in (["check"], ["show"], ["show", "--json"])
    )
    assert [result.exit_code for result in (checked, shown, listed)] == [0, 0, 0]
    assert f"and {n - 500} more joints" in shown.output
    assert f"j500 {type}" in shown.output
    assert len(shown.output) < 1_500_000
    assert f'"joint:j{n}"' in listed.output


def test_hundreds_of_findings_are_counted_and_the_first_of_them_said(tmp_path: Path) -> None:
    file, n = tmp_path / "r.urdf", 600
    file.write_text(tree([0] * n).replace(INERTIAL, ""))
    result = CliRunner().invoke(app, ["check", str(file)])
    assert f"and {n - 1} more like it" in result.output
    assert f"{n} warnings" in result.output
    assert len(result.output) < 2000
    words = ["".join(letters) for letters in product("abcdefghi", repeat=3)]
    file.write_text(tree([0]).replace("</robot>", "".join(f"<{word}/>" for word in words) + "</robot>"))
    assert f"and {len(words) - 500} more; --json" in CliRunner().invoke(app, ["check", str(file)]).output

    file.write_text(tree([*range(n)]).replace('value="2"', 'value="-2"'))
    with pytest.raises(Error, match=rf"… and {n} more like it: lines [\d, ]+, …$") as refused:
        mc.load(file)
    assert len(str(refused.value)) < 1000
    file.write_text(tree([0] * len(words), mimic=lambda k: f"<mimic joint='{words[k - 1]}'/>"))
    with pytest.raises(Error, match=rf"… and {len(words) - 100} more$") as refused:
        mc.load(file)
    assert len(str(refused.value)) < 100_000


def test_more_joints_than_can_be_compiled_are_refused_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism, "LARGEST_MECHANISM", 5)
    robot = loaded(tree([*range(6)]))
    for compute in (mc.inverse_dynamics, mc.forward_dynamics, mc.forward_kinematics):
        with pytest.raises(Error, match=r"r has 6 movable joints, more than the 5 .*fixed="):
            compute(robot)
    assert mc.inverse_dynamics(loaded(tree([*range(6)]), fixed=["j3"])).inputs[0].shape == (5,)
    many_frames = tree([0] * 20, "fixed").replace("fixed", "continuous", 1)
    assert mc.inverse_dynamics(loaded(many_frames)).inputs[0].shape == (1,)


def test_more_joints_than_can_be_solved_together_are_refused_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "LARGEST_COUPLED", 5)
    text = tree([*range(6)], mimic=lambda k: '<mimic joint="j1"/>' * (k == 4))
    with pytest.raises(Error, match=r"6 movable joints follow others.* 5 at most.*mimic="):
        mc.forward_dynamics(loaded(text))
    assert mc.forward_dynamics(loaded(text, mimic="independent")).inputs[0].shape == (6,)
    assert mc.forward_dynamics(loaded(text, fixed=["j6"])).inputs[0].shape == (4,)


def test_names_of_frames_are_those_of_the_mechanism() -> None:
    for robot in (frames_on_one_link(3), loaded(tree([0, 0, 1, 1])), loaded(tree([0, 1]), floating=True)):
        assert robot.frame_names == tuple(robot.mechanism.frames)


def test_a_name_that_is_nowhere_near_is_not_compared_with_all_there_are() -> None:
    robot = loaded(tree([0] * 300))
    with pytest.raises(Error, match=r"did you mean .*j123"):
        loaded(tree([0] * 300), fixed=["j1233"])
    with pytest.raises(Error, match="there are j1, j2"):
        Robot(robot.chain, fixed=["j" * 2000])
