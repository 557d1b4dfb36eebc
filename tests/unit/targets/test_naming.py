"""Names from files in languages without a compiler to complain: they stay in comments, and code is that of any."""

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from hostile_names import NAMES, UNWRITABLE, built
from languages import called
from maxima_reader import Session

MORE = ["%{", "...", "%", '"""', "'''", '\\"""', "$", ";quit();", "/*", "*/", "end", "lambda", "None", "_x", "x'y"]
ODD = [*NAMES, *UNWRITABLE, *MORE]
PREFIXES = [
    "end",
    "for",
    "lambda",
    "class",
    "np",
    "sin",
    "all",
    "block",
    "Rx",
    "q",
    "tau",
    "t1",
    "3",
    "_",
    "☃",
    "x" * 99,
]
TARGETS = ("matlab", "python", "maxima")


def bare(target: str, text: str, name: str) -> str:
    """What a reader of the language sees: comments away, the function's own name made one for all."""
    if target == "python":
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.Module) and ast.get_docstring(node) is not None:
                node.body.pop(0)
        text = ast.unparse(tree)
    elif target == "matlab":
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("%"))
    else:
        assert all("/*" not in comment[2:] for comment in re.findall(r"/\*.*?\*/", text, re.DOTALL))
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(rf"\b{name}(?=\b|_test)", "NAME", text)


@cache
def named(robot: str, link: str) -> mc.Computation:
    return mc.inverse_dynamics(
        built(robot, [link]), external_forces=[mc.Force(f"{link} tool", as_seen_by=f"{link} tool")]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_robot_of_any_name_becomes_the_code_of_a_plain_one(target: str, tmp_path: Path) -> None:
    plain = named("r", "a").emit(target, tmp_path / "plain", "plain")
    expected = [bare(target, path.read_text(encoding="utf-8"), "plain") for path in plain]
    for k, name in enumerate(ODD):
        paths = named(name, name).emit(target, tmp_path / str(k))
        for path in paths:
            assert path.parent == tmp_path / str(k)
            assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}\.(m|py|mac)", path.name)
            text = path.read_bytes().decode()
            assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert [bare(target, path.read_text(encoding="utf-8"), paths[0].stem) for path in paths] == expected


@pytest.mark.parametrize("prefix", PREFIXES, ids=ascii)
def test_a_prefix_that_is_a_word_of_the_language_still_runs(prefix: str, tmp_path: Path) -> None:
    computation = mc.forward_dynamics(built("r", ["a", "b"]))
    for target in TARGETS:
        computation.emit(target, tmp_path, prefix)
    (module,) = tmp_path.glob("*.py")
    scope = {"__name__": "module"}
    exec(compile(module.read_text(encoding="utf-8"), module.name, "exec"), scope)
    expected = computation.run([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    assert np.allclose(scope[module.stem]([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), expected, rtol=1e-12)
    text = min(tmp_path.glob("*.mac"), key=lambda path: len(path.name))
    session = Session(text.read_text(encoding="utf-8"))
    assert np.allclose(session(text.stem, [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), expected, rtol=1e-12)


@pytest.mark.parametrize("tool", ["octave-cli", "maxima"])
def test_the_tools_themselves_run_files_of_odd_names(tool: str, tmp_path: Path) -> None:
    command = {
        "octave-cli": ["octave-cli", "--norc", "--no-history", "-q", "every_one.m"],
        "maxima": ["maxima", "--very-quiet", "-b", "every_one.m"],
    }[tool]
    tests = list[str]()
    for k, name in enumerate(ODD[::3]):
        computation = mc.inverse_dynamics(
            built(name, [name]), external_forces=[mc.Force(f"{name} tool", as_seen_by=f"{name} tool")]
        )
        paths = computation.emit("matlab" if tool == "octave-cli" else "maxima", tmp_path, f"{k}{name}"[:20])
        tests.append(f"{paths[1].stem};" if tool == "octave-cli" else f'load("{paths[1].name}")$')
    (tmp_path / "every_one.m").write_text("\n".join(tests))
    try:
        said = called(command, tmp_path)
    except FileNotFoundError:
        pytest.skip(f"{tool} is not on this machine; make tools installs it")
    assert len(re.findall(r"3 states, largest relative error", said)) == len(tests)
    assert "is wrong" not in said
