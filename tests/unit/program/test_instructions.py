"""The table of instructions: complete, and meaning what NumPy says."""

import string
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from instructions import ARGUMENTS, SPECIAL, meanings
from motionc.program import Instruction, Program
from motionc.program.evaluate import evaluate
from motionc.program.instructions import OPERATIONS, Operation, Spelling
from motionc.program.passes.simplify import simplified
from motionc.sweeps import Port

LANGUAGES = [field.name for field in fields(Spelling)]
ROWS = np.array([*product(SPECIAL, SPECIAL, (0.3, 7.0))])


def test_an_instruction_is_known_by_its_name_and_takes_as_many_arguments_as_it_says() -> None:
    assert {op: operation.name for op, operation in OPERATIONS.items()} == {op: op for op in OPERATIONS}
    assert {op: operation.arguments for op, operation in OPERATIONS.items()} == ARGUMENTS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_language_spells_every_instruction_with_all_its_arguments(op: str, language: str) -> None:
    text = getattr(OPERATIONS[op].spelling, language)
    places = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    extra = {"c": {"real", "f"}, "cuda": {"real", "f", "sine", "cosine"}, "lanes": {"sine", "cosine"}}
    assert {name for name in places if name.isdigit()} == {str(k) for k in range(ARGUMENTS[op])}
    assert {name for name in places if not name.isdigit()} <= extra.get(language, set())


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_instruction_that_a_language_lacks_cannot_be_made(language: str) -> None:
    with pytest.raises(TypeError, match=language):
        Spelling(**{name: "{0}" for name in LANGUAGES if name != language})


def test_an_instruction_without_a_derivative_or_a_spelling_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="derivative"):
        Operation("f", 1, "f(a)", abs, abs, spelling=Spelling(*["{0}"] * len(LANGUAGES)))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="spelling"):
        Operation("f", 1, "f(a)", abs, abs, None)  # type: ignore[call-arg]


@pytest.mark.parametrize("op", OPERATIONS)
def test_the_form_on_arrays_means_what_numpy_says(op: str) -> None:
    columns = ROWS.T[: ARGUMENTS[op]]
    with np.errstate(all="ignore"):
        found = OPERATIONS[op].numpy(*columns)
    assert np.array_equal(np.asarray(found, float), np.asarray(meanings(ROWS)[op], float), equal_nan=True)


@pytest.mark.parametrize("op", OPERATIONS)
def test_constants_fold_to_what_numpy_says_or_not_at_all(op: str) -> None:
    """Not at all only where the answer is no number."""
    for row, expected in zip(ROWS.tolist(), meanings(ROWS)[op], strict=True):
        found = OPERATIONS[op].fold(row[: ARGUMENTS[op]])
        if found is None:
            assert not np.isfinite(expected), row
        else:
            assert found == pytest.approx(float(expected), rel=1e-15, abs=0, nan_ok=True), row


@pytest.mark.parametrize(("op", "constant"), [("sqrt", -1.0), ("log", 0.0), ("exp", 1e4), ("sin", np.inf)])
def test_a_constant_beyond_an_instruction_is_left_to_the_languages(op: str, constant: float) -> None:
    steps = Instruction("const", (), constant), Instruction(op, (0,))
    program = simplified(Program("p", "y = f", (), (Port("y", (1,), "1", "out"),), steps, ((1,),)))
    assert [step.op for step in program.instructions] == ["const", op]
    with np.errstate(all="ignore"):
        expected = {"sqrt": np.sqrt, "log": np.log, "exp": np.exp, "sin": np.sin}[op](constant)
    assert evaluate(program, {})["y"] == pytest.approx([expected], nan_ok=True)
