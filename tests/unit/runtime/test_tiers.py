"""Three tiers, one behaviour: the same results and the same sentences, whatever is handed in."""

import array
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.runtime.build import compiler, library
from mutants import tree

Arrays = list[np.ndarray]
Asked = tuple[list[Any], dict[str, Any]]
ROWS = mc.Constraint("tool", "xyz rx")
NAMES = ("q", "v", "tau", "b", "f_ext")


@pytest.fixture(scope="module")
def computations() -> dict[str, mc.Computation]:
    """One question in every tier, opened and called once: the builtin call takes over from the second."""
    if compiler.find_compiler() is None:
        pytest.skip("without a compiler there is one tier")
    made = dict[str, mc.Computation]()
    with pytest.MonkeyPatch.context() as patch:
        for tier in library.TIERS:
            patch.setenv("MOTIONC_TIER", tier)
            made[tier] = mc.constrained_dynamics(
                tree(True),
                [ROWS],
                external_forces=[mc.Force("hand", as_seen_by="hand"), mc.Force("tool", as_seen_by="tool")],
            )
            made[tier](*good())
            assert made[tier].tier == tier
    return made


def good() -> Arrays:
    """Inputs of whole numbers, so that most ways to write them say the same."""
    rng, shapes = np.random.default_rng(7), [(11,), (10,), (10,), (4,), (2, 6)]
    return [rng.integers(-4, 5, shape).astype(float) for shape in shapes]


# ---------------------------------------------------------------- what came of a call


@dataclass
class Outcome:
    """Values or a sentence, and what was said by the way."""

    values: list[Any]
    sentence: str
    warned: list[str]


def outcome(computation: mc.Computation, asked: Asked) -> Outcome:
    inputs, named = asked
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            results, sentence = list(computation(*inputs, **named)), ""
        except mc.Error as error:
            results, sentence = [], f"{type(error).__name__}: {error}"
    return Outcome(results, sentence, [f"{w.category.__name__}: {w.message}" for w in said])


def same(found: list[Any], expected: list[Any], tolerance: float) -> bool:
    """Equal up to this share of the largest: a residual is rounding alone, of numbers as large as the others."""
    a, b = (np.concatenate([np.zeros(0), *map(np.ravel, values)]) for values in (found, expected))
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=1.0)
    return a.shape == b.shape and np.allclose(a, b, rtol=0.0, atol=tolerance * scale, equal_nan=True)


def the_same_everywhere(computations: dict[str, mc.Computation], ask: Callable[[], Asked]) -> Outcome:
    """What came of it, compared between tiers: kinds and shapes, bits where both are compiled, digits elsewhere."""
    glued, compiled, interpreted = (outcome(computations[tier], ask()) for tier in library.TIERS)
    for other in (compiled, interpreted):
        assert (other.sentence, other.warned) == (glued.sentence, glued.warned)
        assert [describe(value) for value in other.values] == [describe(value) for value in glued.values]
    assert same(compiled.values, glued.values, 0.0)
    assert same(interpreted.values, glued.values, 1e-10)
    return glued


def describe(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, np.ndarray):
        return (type(value),)
    return type(value), value.dtype.str, value.shape, value.flags.c_contiguous, value.flags.writeable


# ---------------------------------------------------------------- ways to say the same


def every(change: Callable[[np.ndarray], Any]) -> Callable[[], Asked]:
    return lambda: ([change(value) for value in good()], {})


def spaced(value: np.ndarray) -> np.ndarray:
    wide = np.full(tuple(3 * size for size in value.shape), np.nan)
    view = wide[tuple(slice(1, None, 3) for _ in value.shape)]
    view[...] = value
    return view


def unaligned(value: np.ndarray) -> np.ndarray:
    shifted = np.frombuffer(bytearray(value.nbytes + 1), np.uint8)[1:].view(float).reshape(value.shape)
    shifted[...] = value
    assert not shifted.flags.aligned
    return shifted


def read_only(value: np.ndarray) -> np.ndarray:
    value.flags.writeable = False
    return value


class Special(np.ndarray):
    """A subclass that spoils what is done to it as an array."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        return NotImplemented


class Convertible:
    """No array, but it knows how to become one."""

    def __init__(self, value: np.ndarray) -> None:
        self.value = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.value.astype(dtype or float)


def by_name(*order: str) -> Callable[[], Asked]:
    def ask() -> Asked:
        named = dict(zip(NAMES, good(), strict=True))
        return [named[name] for name in NAMES if name not in order], {name: named[name] for name in order}

    return ask


SAME: dict[str, Callable[[], Asked]] = {
    "as they are": every(lambda value: value),
    "lists": every(np.ndarray.tolist),
    "tuples": every(lambda value: tuple(map(tuple, value.tolist())) if value.ndim > 1 else tuple(value.tolist())),
    "lists of arrays": every(list),
    "integers": every(lambda value: value.astype(int)),
    "small integers": every(lambda value: value.astype(np.int8)),
    "single precision": every(lambda value: value.astype(np.float32)),
    "half precision": every(lambda value: value.astype(np.float16)),
    "long double": every(lambda value: value.astype(np.longdouble)),
    "objects": every(lambda value: value.astype(object)),
    "the other byte order": every(lambda value: value.astype(value.dtype.newbyteorder())),
    "a type with a note": every(lambda value: value.astype(np.dtype(float, metadata={"note": 1}))),
    "Fortran order": every(np.asfortranarray),
    "transposed": every(lambda value: value.T.copy().T),
    "spaced": every(spaced),
    "backwards": every(lambda value: value[::-1].copy()[::-1]),
    "unaligned": every(unaligned),
    "read-only": every(read_only),
    "a view of a column": every(lambda value: np.stack([value, value], axis=-1)[..., 1]),
    "a subclass": every(lambda value: value.view(Special)),
    "without a mask": every(np.ma.asarray),
    "convertible": every(Convertible),
    "buffers": every(lambda value: array.array("d", value) if value.ndim == 1 else memoryview(value)),
    "by name": by_name(*NAMES),
    "by name in another order": by_name("f_ext", "tau", "q", "b", "v"),
    "the last by name": by_name("b", "f_ext"),
}


@pytest.mark.parametrize("way", SAME)
def test_every_way_to_write_the_inputs_gives_the_same_everywhere(
    way: str, computations: dict[str, mc.Computation]
) -> None:
    found = the_same_everywhere(computations, SAME[way])
    assert found.sentence == ""
    assert found.warned == []
    assert same(found.values, list(computations["glued"](*good())), 0.0)


def test_what_was_handed_in_stays_as_it_was_everywhere(computations: dict[str, mc.Computation]) -> None:
    for computation in computations.values():
        given = good()
        results = computation(*given)
        for value in results:
            if isinstance(value, np.ndarray):
                value[...] = np.nan
        assert all(map(np.array_equal, given, good()))


# ---------------------------------------------------------------- numbers that are no good


def one(k: int, change: Callable[[np.ndarray], Any]) -> Callable[[], Asked]:
    """Input k changed, the others as they are."""
    return lambda: ([change(value) if i == k else value for i, value in enumerate(good())], {})


def spoilt(number: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(value: np.ndarray) -> np.ndarray:
        value.flat[-1] = number
        return value

    return change


@pytest.mark.parametrize(
    ("k", "number"),
    [(k, number) for k in range(5) for number in (np.nan, np.inf, -np.inf, 1e200, 1e-320, -0.0)],
)
def test_numbers_that_are_no_good_pass_through_or_are_refused_everywhere(
    k: int, number: float, computations: dict[str, mc.Computation]
) -> None:
    assert the_same_everywhere(computations, one(k, spoilt(number))).sentence == ""
    for computation in computations.values():
        computation.check_finite = True
    try:
        said = the_same_everywhere(computations, one(k, spoilt(number))).sentence
    finally:
        for computation in computations.values():
            computation.check_finite = False
            computation(*good())
    if np.isfinite(number):
        assert said == ""
    else:
        where = f"{NAMES[k]} holds a value that is not finite, at entry {good()[k].size - 1}"
        assert said == f"Error: constrained_dynamics: {where}"


# ---------------------------------------------------------------- calls that are refused


def masked(value: np.ndarray) -> np.ndarray:
    return np.ma.masked_array(value, np.arange(value.size) == 1)


def without_one(value: np.ndarray) -> list[Any]:
    return [None, *value.tolist()[1:]]


BAD: dict[str, tuple[Callable[[], Asked], str]] = {
    "nothing": (lambda: ([], {}), "takes 5 inputs .* not 0"),
    "one too few": (lambda: (good()[:4], {}), "takes 5 inputs .* not 4"),
    "one too many": (lambda: ([*good(), good()[0]], {}), "takes 5 inputs .* not 6"),
    "too short": (one(1, lambda v: v[:-1]), r"v has shape \(9,\); it must be \(10,\)"),
    "too long": (one(3, lambda v: np.append(v, 0.0)), r"b has shape \(5,\); it must be \(4,\)"),
    "empty": (one(3, lambda v: v[:0]), r"b has shape \(0,\)"),
    "a row": (one(0, lambda v: v[None]), r"q has shape \(1, 11\)"),
    "a column": (one(0, lambda v: v[:, None]), r"q has shape \(11, 1\)"),
    "turned": (one(4, lambda v: v.T), r"f_ext has shape \(6, 2\); it must be \(2, 6\)"),
    "flat": (one(4, np.ravel), r"f_ext has shape \(12,\)"),
    "without axes": (one(2, lambda v: np.array(1.0)), r"tau has shape \(\)"),
    "a number": (one(2, lambda v: 1.0), r"tau has shape \(\)"),
    "a NumPy number": (one(2, lambda v: np.float64(1.0)), r"tau has shape \(\)"),
    "nobody": (one(2, lambda v: None), r"tau (must be numbers|has shape)"),
    "a word": (one(2, lambda v: "all"), "tau must be numbers of shape .* not str"),
    "words": (one(2, lambda v: ["a"] * 10), "tau must be numbers"),
    "a set": (one(2, set), "tau must be numbers"),
    "a table": (one(2, lambda v: {"a": 1.0}), "tau must be numbers"),
    "a ragged list": (one(4, lambda v: [[0.0] * 6, [0.0] * 5]), "f_ext must be numbers"),
    "objects that are no numbers": (one(1, lambda v: np.array([object()] * 10)), "v must be numbers"),
    "complex numbers": (one(1, lambda v: v + 1j), "v must be numbers of shape .* not complex128"),
    "a record": (one(1, lambda v: np.zeros(10, [("a", float), ("b", float)])), "v must be numbers"),
    "numbers of which one is masked": (one(1, masked), "v must be numbers"),
    "numbers of which one is missing": (one(1, without_one), "v must be numbers"),
    "numbers in words": (one(1, lambda v: v.astype(str)), "v must be numbers"),
    "dates": (one(1, lambda v: v.astype("M8[s]")), "v must be numbers"),
    "an unknown name": (
        lambda: (good()[:4], {"w": good()[4]}),
        "takes no input 'w' here; it takes q, v, tau, b, f_ext",
    ),
    "a name left out": (lambda: (good()[:3], {"f_ext": good()[4]}), "input b is missing"),
    "a name given twice": (lambda: (good(), {"q": good()[0]}), "input q is given twice"),
    "a name given before": (lambda: (good()[:4], {"v": good()[1]}), "input v is given twice"),
}


@pytest.mark.parametrize("way", BAD)
def test_bad_calls_get_the_same_sentence_everywhere(way: str, computations: dict[str, mc.Computation]) -> None:
    ask, said = BAD[way]
    found = the_same_everywhere(computations, ask)
    assert re.match(rf"Error: constrained_dynamics.*{said}", found.sentence), found.sentence
    assert found.warned == []
    # and the next call is as good as ever
    assert the_same_everywhere(computations, SAME["as they are"]).sentence == ""
