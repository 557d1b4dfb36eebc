"""What a .xacro file may do, and what not: every attack ends in a sentence, and nothing outside was read or run."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import motionc as mc
import motionc.formats.xacro as macros
from motionc.cli.main import app
from motionc.errors import Error
from motionc.formats import ReadError, read_urdf
from motionc.formats.xacro_child import Refused, checked, evaluated
from public_robots import public_file

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="n" default="2"/>
<xacro:macro name="part" params="k"><link name="link${k}"/><xacro:if value="${k &lt; int(n)}">
<joint name="j${k}" type="fixed"><parent link="link${k}"/><child link="link${k + 1}"/></joint>
<xacro:part k="${k + 1}"/></xacro:if></xacro:macro><xacro:property name="n" value="$(arg n)"/>
<xacro:part k="0"/></robot>"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model, beside it a secret one, and links that lead there."""
    folder, secret, package = tmp_path / "model", tmp_path / "secret", tmp_path / "share" / "arm"
    for each in (folder, secret, package):
        each.mkdir(parents=True)
    (secret / "key.yaml").write_text("key: SECRET\n")
    (secret / "part.xacro").write_text(f'{HEAD}<link name="SECRET"/></robot>')
    (folder / "link.yaml").symlink_to(secret / "key.yaml")
    (folder / "linked.xacro").symlink_to(secret / "part.xacro")
    (folder / "units.yaml").write_text('a: !degrees "().__class__"\n')
    (folder / "sizes.yaml").write_text("arm: {length: 0.5, angle: !degrees 180}\nnames: [a, b]\n")
    (folder / "part.xacro").write_text(f'{HEAD}<link name="part"/></robot>')
    (package / "arm.xacro").write_text(f'{HEAD}<link name="arm"/></robot>')
    os.mkfifo(folder / "pipe")
    return folder


def expand(folder: Path, body: str, **options) -> str:
    (folder / "r.xacro").write_text(f"{HEAD}{body}</robot>")
    return macros.expand(folder / "r.xacro", **options)


def link(expression: str) -> str:
    return f'<link name="${{{expression}}}"/>'


# ---------------------------------------------------------------- what works


def test_macros_are_expanded_with_arguments(tmp_path: Path) -> None:
    file = tmp_path / "r.xacro"
    file.write_text(ARM)
    assert len(read_urdf(macros.expand(file)).chain.joints) == 2
    assert len(read_urdf(macros.expand(file, {"n": "4"})).chain.joints) == 4


EXPRESSIONS = {
    "pi / 2 + sin(0.1) ** 2": str(math.pi / 2 + math.sin(0.1) ** 2),
    "math.pi * -2": str(-2 * math.pi),
    "'left' + '_' + 'arm'": "left_arm",
    "'x' * 3": "xxx",
    "[1, 2, 3][1:]": "[2, 3]",
    "dict(a=1)['a'] if True and not False else 0": "1",
    "max(1, 2) == 2 or 1 in (1, 2)": "True",
    "'%.3f' % 2.5": "2.500",
    "xacro.load_yaml('sizes.yaml')['arm']['length']": "0.5",
    "xacro.load_yaml('sizes.yaml').arm.angle": str(math.pi),
    "'a,b'.split(',')[0].upper()": "A",
    "xacro.tokenize('a, b;c')": "['a', 'b', 'c']",
    "sorted(list(range(3)))": "[0, 1, 2]",
    "python.sum([1, 2]) + len('ab')": "5",
    "10 ** 20 % 7": "2",
    "math.factorial(5)": "120",
    "_own": "7",
}


def test_expressions_compute_with_numbers_texts_lists_and_files_beside(model: Path) -> None:
    links = "".join(map(link, EXPRESSIONS))
    found = re.findall('<link name="(.*)"/>', expand(model, '<xacro:property name="_own" value="7"/>' + links))
    assert dict(zip(EXPRESSIONS, found, strict=True)) == EXPRESSIONS


def test_files_beside_and_in_roots_are_included(model: Path) -> None:
    share = model.parent / "share"
    assert 'name="part"' in expand(model, '<xacro:include filename="part.xacro"/>')
    assert 'name="part"' in expand(model, '<xacro:include filename="pa*.xacro"/>')
    for name in ("$(find arm)/arm.xacro", f"{share}/arm/arm.xacro"):
        for roots in ([share], [str(share / "arm")]):
            assert 'name="arm"' in expand(model, f'<xacro:include filename="{name}"/>', roots=roots)
    text = f'{HEAD}<xacro:include filename="$(find arm)/arm.xacro"/></robot>'
    (model / "r.xacro").write_text(text)
    assert mc.load(model / "r.xacro", roots=[share]).link_names == ("arm",)
    assert mc.check(model / "r.xacro", roots=[share]).ok
    said, target = ["--root", str(share)], str(model / "r.urdf")
    for command in (["check"], ["show"], ["convert"]):
        words = [*command, str(model / "r.xacro"), *([target] if command == ["convert"] else []), *said]
        assert CliRunner().invoke(app, words).exit_code == 0
    assert "arm" in Path(target).read_text()
    assert not mc.check(model / "r.xacro").ok


def test_arguments_are_computed_with(model: Path) -> None:
    said = '<xacro:arg name="n" default="3"/>'
    assert 'name="4' in expand(model, said + '<link name="$(eval n + 1)"/>')
    assert 'name="5.5' in expand(model, said + '<link name="$(eval n + 1)"/>', arguments={"n": "4.5"})
    assert 'name="none"' in expand(model, '<link name="$(optenv HOME none)"/>')


def test_a_public_library_of_macros_expands_as_by_xacro_itself(tmp_path: Path) -> None:
    library = public_file("hector_description/robots/quadrotor_base.urdf.xacro")
    body = f"""{HEAD}<xacro:include filename="{library}"/><xacro:quadrotor_base_macro/>
        <xacro:property name="length" value="${{0.3 * cos(pi / 6)}}"/>
        <xacro:macro name="rotor" params="k *origin **more side:=left parent:=base_link">
          <link name="${{side}}_${{k}}"><xacro:insert_block name="more"/></link>
          <joint name="to_${{side}}_${{k}}" type="${{'continuous' if k % 2 else 'fixed'}}">
            <xacro:insert_block name="origin"/><parent link="${{parent}}"/><child link="${{side}}_${{k}}"/></joint>
          <xacro:unless value="${{k == 0}}"><xacro:rotor k="${{k - 1}}" side="${{side}}" parent="${{side}}_${{k}}">
            <origin xyz="${{length}} 0 ${{-k / 10.0}}"/><more/></xacro:rotor></xacro:unless></xacro:macro>
        <xacro:rotor k="3"><origin xyz="0 ${{length}} 0"/><more><inertial><mass value="${{2 ** -3}}"/></inertial></more>
        </xacro:rotor></robot>"""
    file = tmp_path / "r.xacro"
    file.write_text(body)
    theirs = f"import xacro; print(xacro.process_file({str(file)!r}).toprettyxml(indent='  '), end='')"
    done = subprocess.run([sys.executable, "-c", theirs], capture_output=True, text=True, check=True)
    assert macros.expand(file, roots=[library.parent]) == done.stdout


def test_without_xacro_one_is_told_where_to_get_it(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "_packages", lambda: None)
    with pytest.raises(Error, match=r"pip install 'motionc\[xacro\]'"):
        expand(model, "")


# ---------------------------------------------------------------- syntax

SYNTAX = {
    "a lambda": "(lambda: ().__class__.__bases__[0].__subclasses__())()",
    "a list comprehension": "[x for x in (1, 2)]",
    "a generator": "list(x for x in (1, 2))",
    "a set of all": "{x for x in (1, 2)}",
    "a dictionary of all": "{x: x for x in (1, 2)}",
    "an assignment": "(a := 1)",
    "an f-string": "f'{().__class__}'",
    "a dunder attribute": "().__class__",
    "a dunder of a result": "str(1).__class__",
    "a hidden attribute": "xacro._setitem('a', 1)",
    "a dunder name": "__import__('os')",
    "the builtins": "__builtins__",
    "a format": "'{0.__class__}'.format(1)",
    "a format for later": "map('{0.__globals__}'.format, [xacro.load_yaml])",
    "a format of a mapping": "'{a.__class__}'.format_map(dict(a=1))",
    "a chain of classes": "str.mro()",
    "a shift": "1 << 10 ** 10",
    "an await": "await x",
    "a yield": "(yield 1)",
    "a dunder beyond a unicode twin": "().__ｃlass__",
}


@pytest.mark.parametrize("what", SYNTAX)
def test_syntax_that_reaches_further_is_refused_before_anything_is_evaluated(what: str) -> None:
    with pytest.raises((Refused, SyntaxError)):
        checked(SYNTAX[what])
    with pytest.raises((Refused, SyntaxError)):
        evaluated(SYNTAX[what], {"str": str, "map": map, "list": list})


@pytest.mark.parametrize(
    "expression",
    ["'x' * 10 ** 10", "[0] * 10 ** 9", "10 ** 10 ** 10", "(2 ** 60000) * 2 ** 60000", "10 ** 9 * 'x'", "1" * 20_000],
)
def test_what_grows_beyond_all_bounds_is_refused_before_it_is_computed(expression: str) -> None:
    with pytest.raises(Refused, match=r"most|too large"):
        evaluated(expression, {})


# ---------------------------------------------------------------- every way into an expression

BAD = "${().__class__}"
WAYS = {
    "an attribute": f'<link name="{BAD}"/>',
    "a text": f"<link>{BAD}</link>",
    "a condition": f'<xacro:if value="{BAD}"/>',
    "an exception": f'<xacro:unless value="{BAD}"/>',
    "a property": f'<xacro:property name="a" value="{BAD}"/><link name="${{a}}"/>',
    "a property at once": f'<xacro:property name="a" value="{BAD}" lazy_eval="false"/>',
    "a property's name": f'<xacro:property name="{BAD}" value="1"/>',
    "a default": f'<xacro:macro name="m" params="a:={BAD}"><link name="${{a}}"/></xacro:macro><xacro:m/>',
    "a parameter": f'<xacro:macro name="m" params="a"><link name="${{a}}"/></xacro:macro><xacro:m a="{BAD}"/>',
    "an argument's default": f'<xacro:arg name="a" default="{BAD}"/>',
    "an element's name": f'<xacro:element xacro:name="{BAD}"/>',
    "an attribute's value": f'<link><xacro:attribute name="name" value="{BAD}"/></link>',
    "a call": f'<xacro:call macro="{BAD}"/>',
    "a namespace": f'<xacro:include filename="part.xacro" ns="{BAD}"/>',
    "a file name": f'<xacro:include filename="{BAD}"/>',
    "a comment": f"<!-- xacro:eval-comments --><!-- {BAD} -->",
    "an evaluated argument": '<link name="$(eval [].__class__)"/>',
    "an assembled argument": '<xacro:property name="u" value="_"/><link name="$(eval [].${u}${u}class${u}${u})"/>',
    "an assembled expression": '<xacro:arg name="a" default="().__cla"/><link name="${$(arg a)ss__}"/>',
    "a unit": link("xacro.load_yaml('units.yaml')['a']"),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_an_expression_is_open(model: Path, way: str) -> None:
    with pytest.raises(ReadError, match=r"the attribute __class__ is not for a \.xacro file"):
        expand(model, WAYS[way])


# ---------------------------------------------------------------- files, environment, the current folder

OUTSIDE = {
    "an absolute name": link("xacro.load_yaml('{secret}/key.yaml')['key']"),
    "the short name": link("load_yaml('{secret}/key.yaml')['key']"),
    "by way of map": link("list(map(load_yaml, ['{secret}/key.yaml']))"),
    "upwards": link("xacro.load_yaml('../secret/key.yaml')['key']"),
    "a link": link("xacro.load_yaml('link.yaml')['key']"),
    "the environment of the process": link("xacro.load_yaml('/proc/self/environ')"),
    "an endless device": link("xacro.load_yaml('/dev/zero')"),
    "a pipe that nobody fills": link("xacro.load_yaml('pipe')"),
    "an include": '<xacro:include filename="{secret}/part.xacro"/>',
    "an include upwards": '<xacro:include filename="../secret/part.xacro"/>',
    "an include that may fail": '<xacro:include filename="{secret}/part.xacro" optional="true"/>',
    "an include of a link": '<xacro:include filename="linked.xacro"/>',
    "an include of many": '<xacro:include filename="{secret}/*.xacro"/>',
    "a package": '<xacro:include filename="$(find secret)/part.xacro"/>',
    "a package of dots": '<xacro:include filename="$(find ..)/secret/part.xacro"/>',
    "the current folder": '<xacro:include filename="$(cwd)/../secret/part.xacro"/>',
}


@pytest.mark.parametrize("way", OUTSIDE)
def test_no_file_outside_the_roots_is_read(model: Path, way: str) -> None:
    body = OUTSIDE[way].replace("{secret}", str(model.parent / "secret"))
    with pytest.raises(
        ReadError, match=r"none of the folders given|outside the folders given|no regular file"
    ) as refused:
        expand(model, body)
    assert "SECRET" not in str(refused.value)


def test_the_environment_is_not_seen(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_SECRET", "SECRET")
    with pytest.raises(ReadError, match=r"sees no environment; give an argument"):
        expand(model, '<link name="$(env MOTIONC_SECRET)"/>')
    with pytest.raises(ReadError, match=r"sees no environment"):
        expand(model, '<link name="$(eval env)"/><link name="$(env HOME)"/>')
    assert "SECRET" not in expand(model, '<link name="$(optenv MOTIONC_SECRET none)"/>')


def test_entities_bring_no_file(model: Path) -> None:
    file = model / "r.xacro"
    entity = f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{model.parent}/secret/key.yaml">]>'
    file.write_text(f'{entity}{HEAD}<link name="a">&x;</link></robot>')
    assert "SECRET" not in macros.expand(file)
    with pytest.raises(ReadError):
        mc.load(file)


@pytest.mark.parametrize("start", [["-c", "import sys; from motionc.cli import main; main()"], ["-m", "motionc.cli"]])
def test_nothing_of_the_current_folder_runs(model: Path, start: list[str]) -> None:
    """Whatever it is called; -c and -m put the current folder first in the path of the command line itself."""
    (model / "r.xacro").write_text(f'{HEAD}<link name="a"/></robot>')
    mark = model / "ran"
    code = f"open({str(mark)!r}, 'w').write(__name__)\nraise SystemExit(1)\n"
    for name in ("xacro", "yaml", "sitecustomize", "usercustomize"):
        (model / f"{name}.py").write_text(code)
    # those the command line itself imports would run in its own process, started as it is here
    only = ("xacro", "yaml") if start[0] == "-m" else ("xacro", "yaml", "sitecustomize", "usercustomize")
    source = str(Path(mc.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(
        [sys.executable, *start, "check", "r.xacro"],
        cwd=model,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not mark.exists() or mark.read_text() not in only, done
    assert done.returncode == 0, done


def test_the_expanding_process_ignores_the_current_folder_and_pythonpath(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = model / "ran"
    for name in ("json", "yaml", "xacro", "ast", "math", "re", "sitecustomize"):
        (model / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').write('ran')\n")
    monkeypatch.chdir(model)
    monkeypatch.setenv("PYTHONPATH", str(model))
    monkeypatch.setenv("PYTHONSTARTUP", str(model / "json.py"))
    monkeypatch.syspath_prepend("")
    assert 'name="a"' in expand(model, '<link name="a"/>')
    assert not mark.exists()


# ---------------------------------------------------------------- memory and time


def doubling(step: str) -> str:
    first = '<xacro:property name="p0" value="abcdefgh"/>'
    more = [f'<xacro:property name="p{k}" value="{step.format(k - 1)}"/>' for k in range(1, 40)]
    return first + "".join(more) + link("p39")


SIZES = {
    "a text": link("'x'*10**10"),
    "a padded text": link("'x'.ljust(10**10)"),
    "a formatted number": link("'%9999999999d' % 1"),
    "a replaced text": link("('a'*1000000).replace('a', 'b'*1000000)"),
    "a power": link("10**10**10"),
    "a factorial": link("math.factorial(10**9)"),
    "a range": link("python.sum(range(10**12))"),
    "a text that doubles": doubling("${{p{0}+p{0}}}"),
    "a text that doubles without plus": doubling("${{p{0}}}${{p{0}}}"),
    "a macro that calls itself": '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
    "a deep expression": link("-" * 9000 + "1"),
}


@pytest.mark.parametrize("what", SIZES)
def test_what_grows_without_bound_ends_in_a_sentence(model: Path, what: str) -> None:
    with pytest.raises(ReadError, match=r"the most|too large|more memory|above 1000|too deep|recursion"):
        expand(model, SIZES[what])


def test_what_never_ends_is_stopped(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "TIMEOUT", 1.5)
    macro = '<xacro:macro name="m{0}"><xacro:m{1}/><xacro:m{1}/></xacro:macro>'
    laughing = "".join(macro.format(k, k - 1) for k in range(1, 40)) + '<xacro:macro name="m0"><link/></xacro:macro>'
    with pytest.raises(ReadError, match=r"xacro was stopped after 1\.5 s"):
        expand(model, laughing + "<xacro:m39/>")


def test_a_wrong_macro_gets_a_sentence_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "r.xacro"
    file.write_text(ARM.replace("int(n)", "nobody"))
    with pytest.raises(ReadError, match=r"r\.xacro: .*nobody"):
        macros.expand(file)


# ---------------------------------------------------------------- the second wall

SECOND = """
import os, sys
sys.argv = ["child", {file!r}]
import importlib.util
spec = importlib.util.spec_from_file_location("child", {child!r})
child = importlib.util.module_from_spec(spec); spec.loader.exec_module(child)
child.watch(child.Roots([{folder!r}]))
try:
    {act}
except child.Refused as refused:
    os.write(1, str(refused).encode())
    os._exit(7)
os._exit(0)
"""


@pytest.mark.parametrize(
    "act",
    [
        "os.system('touch ran')",
        "open('/etc/passwd')",
        "open({file!r}, 'w')",
        "os.open({file!r}, os.O_WRONLY | os.O_TRUNC)",
        "os.remove({file!r})",
        "os.fork()",
        "import ctypes",
        "import socket",
        "os.execv('/bin/true', ['true'])",
    ],
)
def test_even_code_that_runs_in_the_process_can_neither_write_nor_leave(model: Path, act: str) -> None:
    """As if an expression had escaped: the audit hook is in the way."""
    file = model / "part.xacro"
    before = file.read_text()
    names = {"file": str(file), "child": str(macros.CHILD), "folder": str(model)}
    script = SECOND.format(act=act.format(**names), **names)
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False, cwd=model)
    assert done.returncode == 7, done
    assert file.read_text() == before
