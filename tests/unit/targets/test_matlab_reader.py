"""MATLAB text where there is no Octave: emitted files are well formed, and computed here they say what Python says."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from matlab_reader import checked, computed
from mutants import tree
from oracle import error
from rows import row

TIP = [mc.Constraint("tip", "x y")]
COUPLED = tree(floating=False, coupled=True)
ASKED: dict[str, Callable[[], mc.Computation]] = {
    "poses in pages": lambda: mc.forward_kinematics(mc.load("planar2")),
    "followers": lambda: mc.inverse_dynamics(COUPLED),
    "zeros and ones": lambda: mc.mass_matrix(COUPLED),
    "a kernel with levels": lambda: mc.constrained_dynamics(mc.load("planar2"), TIP),
    "two kernels": lambda: mc.constrained_dynamics(mc.load("planar2"), TIP, limits=[0.3, 0.15]),
    "a tree's kernel": lambda: mc.mass_matrix_solve(mc.load("hyq")),
}


@row("robcogen", 36)
@pytest.mark.parametrize("question", ASKED)
def test_an_emitted_file_read_back_gives_the_numbers(question: str, tmp_path: Path) -> None:
    asked, rng = ASKED[question](), np.random.default_rng(0)
    asked.emit("matlab", tmp_path, "emitted")
    checked((tmp_path / "emitted_test.m").read_text(encoding="utf-8"))
    given = [rng.normal(size=port.shape) for port in asked.inputs]
    expected = asked.run(*given)
    found = computed((tmp_path / "emitted.m").read_text(encoding="utf-8"), *given)
    named = expected.values() if isinstance(expected, mc.Results) else [expected]
    for one, other in zip(found, named, strict=True):
        assert error(one.reshape(np.shape(other)), other) < 1e-12


GOOD = "function [y] = f(x)\n    [x, n0] = entries('x', x, [2]);\n    y = sin(x(1, :)) .* 2.0;\nend\n"


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("end\n", "", "an end is missing"),
        ("end\n", "end\nend\n", "nothing is open"),
        ("x(1, :))", "x(1, :)", "never closed"),
        ("[2]", "[2}", "closes nothing"),
        (" .* ", " .*. ", "cannot be computed"),
        ("sin(", "sine(", "'sine' is not defined"),
        ("x(1, :)", "x(3, :)", "out of bounds"),
        ("2.0;", "2.0", "without its semicolon"),
        ("[y] =", "y <-", "no heading"),
    ],
)
def test_a_text_that_is_wrong_gets_a_sentence(right: str, wrong: str, said: str) -> None:
    assert computed(GOOD, [0.5, 0.0])[0] == 2 * np.sin(0.5)
    assert right in GOOD
    with pytest.raises(mc.Error, match=said):
        computed(GOOD.replace(right, wrong, 1), [0.5, 0.0])
