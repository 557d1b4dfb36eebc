"""Noise in every language: words and uniform numbers bit by bit those of NumPy, normal ones to the last places."""

import ctypes
import shutil
import subprocess
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import pytest

import cuda_on_cpu
from long_numbers import box_muller
from motionc.program.noise import draw, philox
from motionc.program.port import Precision
from motionc.targets import c_simd, noise
from trials import some, trials

Array = np.ndarray
TYPES: dict[Precision, Any] = {"double": np.float64, "single": np.float32}
BOTH = ("uniform", "normal")
CC, CLANG, CXX, OCTAVE = (shutil.which(name) for name in ("gcc", "clang", "g++", "octave"))
FLAGS = ("-O1", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-fPIC", "-shared")
STRICT = ("-Wall", "-Wextra", "-Werror")
INTEGERS = "unsigned long long seed, unsigned long long lane, unsigned long long step, unsigned int block"

Form = Literal["c", "c++", "lanes", "cuda"]
EDGES = [0, 1, 2**31, 2**32 - 3, 2**32 - 1, 2**32]


# ---------------------------------------------------------------- calling what is emitted

NUMBERS = """
EXPORT int width(void) {{ return 1; }}
EXPORT void uniform({integers}, int n, {real} *out) {{ draw_uniform(seed, lane, step, block, n, out); }}
EXPORT void normal({integers}, int n, {real} *out) {{ draw_normal(seed, lane, step, block, n, out); }}
EXPORT void words({integers}, unsigned long long *out)
{{
    unsigned int word[4];
    philox(seed, lane, step, block, word);
    for (int i = 0; i < 4; ++i) out[i] = word[i];
}}
"""
IN_LANES = """
int width(void) {{ return LANES; }}
#define EACH(kind)                                                                   \\
    void kind({integers}, int n, real *out)                                           \\
    {{                                                                               \\
        lanes found[40];                                                             \\
        draw_##kind(seed, lane, step, block, n, found);                              \\
        for (int k = 0; k < LANES; ++k)                                              \\
            for (int i = 0; i < n; ++i) out[k * n + i] = found[i][k];                \\
    }}
EACH(uniform)
EACH(normal)
void words_of({integers}, unsigned long long *out)
{{
    for (int first = 0; first < LANES; first += WORDS) {{
        words word[4];
        philox(seed, lane + first, step, block, word);
        for (int k = 0; k < WORDS; ++k)
            for (int i = 0; i < 4; ++i) out[4 * (first + k) + i] = word[i][k];
    }}
}}
"""


@cache
def library(form: Form, precision: Precision, *more: str) -> ctypes.CDLL:
    real = "double" if precision == "double" else "float"
    numbers = NUMBERS.format(integers=INTEGERS, real=real)
    cuda = resources.files("motionc.targets").joinpath("device.cuh").read_text(encoding="utf-8")
    single = f"#define SINGLE {int(precision == 'single')}"
    body = "\n".join(noise.for_lanes(BOTH))
    text = {
        "c": ["#define EXPORT", "#include <math.h>", *noise.for_one(BOTH, precision), numbers],
        "c++": ['#define EXPORT extern "C"', "#include <math.h>", *noise.for_one(BOTH, precision), numbers],
        "lanes": [c_simd.header(precision, body), body, IN_LANES.format(integers=INTEGERS)],
        "cuda": [
            cuda_on_cpu.HEADER,
            single,
            cuda,
            *noise.for_gpu(BOTH, precision),
            '#define EXPORT extern "C"',
            numbers,
        ],
    }[form]
    compiler, suffix = (CXX, "cpp") if form in ("c++", "cuda") else (CC, "c")
    if "clang" in more:
        compiler = CLANG
    quiet = ("-Wno-unused", "-Wno-unknown-pragmas") if form == "cuda" else ()
    if compiler is None:
        pytest.skip("no such compiler on this machine")
    with TemporaryDirectory() as folder:
        source, made = Path(folder, f"noise.{suffix}"), Path(folder, "noise.so")
        source.write_text("\n".join(text), encoding="utf-8")
        flags = [*FLAGS, *STRICT, *quiet, *(flag for flag in more if flag.startswith("-"))]
        done = subprocess.run([compiler, *flags, "-o", str(made), str(source), "-lm"], capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return ctypes.CDLL(str(made))


def drawn(of: ctypes.CDLL, kind: str, precision: Precision, where: tuple[int, int, int, int], n: int) -> Array:
    """(lanes, n) numbers, or (lanes, 4) words."""
    seed, lane, step, block = where
    width = of.width()
    integers = [*(ctypes.c_ulonglong(value) for value in (seed, lane, step)), ctypes.c_uint(block)]
    if kind == "words":
        out = np.empty((width, 4), np.uint64)
        (of.words if width == 1 else of.words_of)(*integers, ctypes.c_void_p(out.ctypes.data))
        return out
    out = np.empty((width, n), TYPES[precision])
    getattr(of, kind)(*integers, ctypes.c_int(n), ctypes.c_void_p(out.ctypes.data))
    return out


def places(count: int) -> list[tuple[int, int, int, int]]:
    """Seeds, lanes, steps and blocks anywhere, and where a word ends."""
    rng = np.random.default_rng(4)
    edges = [(seed, lane, 2**48 - 1, 2**32 - 1 - lane % 2) for seed in (0, 2**64 - 1) for lane in EDGES]
    whole = [(2**64, np.uint64), (2**47, np.uint64), (2**48, np.uint64), (2**31, np.uint64)]
    return edges + [
        tuple(int(rng.integers(0, limit, dtype=kind, endpoint=False)) for limit, kind in whole)  # type: ignore[misc]
        for _ in range(count)
    ]


FORMS: list[tuple[Form, tuple[str, ...]]] = [
    ("c", ()),
    ("lanes", ()),
    ("cuda", ()),
    ("lanes", ("-DVECTOR_BYTES=16",)),
    ("lanes", ("-DVECTOR_BYTES=64",)),
    ("lanes", ("clang",)),
    ("c++", ()),
    ("c", ("clang",)),
]


@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize(("form", "more"), some(FORMS, 4), ids=str)
def test_words_and_numbers_are_those_of_numpy(form: Form, more: tuple[str, ...], precision: Precision) -> None:
    of = library(form, precision, *more)
    for where in places(trials(200)):
        seed, lane, step, block = where
        lanes = np.arange(lane, lane + of.width())
        assert np.array_equal(drawn(of, "words", precision, where, 4), philox(seed, lanes, step, block))
        # an odd number of them ends in the middle of a block
        n = 1 + lane % 2
        assert np.array_equal(
            drawn(of, "uniform", precision, where, n), draw("uniform", seed, lanes, step, block, n, precision)
        )


@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize(("form", "more"), some(FORMS, 3), ids=str)
def test_normal_numbers_are_exact_to_four_places(form: Form, more: tuple[str, ...], precision: Precision) -> None:
    of = library(form, precision, *more)
    for step in range(trials(800)):
        lanes, n = np.arange(7, 7 + of.width()), 33
        found = drawn(of, "normal", precision, (3, 7, step, 5), n)
        uniform = draw("uniform", 3, lanes, step, 5, n + 1, precision)
        exact = box_muller(uniform.reshape(-1, 2)).reshape(-1, n + 1)[:, :n]
        ulp = np.spacing(np.abs(exact).astype(TYPES[precision]))
        assert np.max(np.abs(found - exact) / ulp) < 4
        assert np.max(np.abs(found - draw("normal", 3, lanes, step, 5, n, precision)) / ulp) <= 4


def test_only_what_is_drawn_is_emitted() -> None:
    for texts in (
        noise.for_one(["uniform"], "double"),
        noise.for_gpu(["uniform"], "single"),
        noise.in_matlab(["uniform"]),
        noise.in_python(["uniform"]),
    ):
        assert "draw_uniform" in "".join(texts)
        assert "draw_normal" not in "".join(texts)
    assert [noise.for_one([], "double"), noise.for_gpu([], "double"), noise.for_lanes([]), noise.in_matlab([])] == [
        []
    ] * 4


def test_python_carries_its_definition_along() -> None:
    scope: dict[str, Any] = {"np": np, "Any": Any}
    exec("\n\n".join(noise.in_python(["normal"])), scope)
    expected = draw("normal", 8, np.arange(5), 2, 1, 7)
    assert np.array_equal(scope["draw_normal"](8, np.arange(5), 2, 1, 7), expected)


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not on this machine")
def test_octave_draws_the_same(tmp_path: Path) -> None:
    asked = places(4)[::3]
    lines = list[str]()
    for seed, lane, step, block in asked:
        integers = [noise.matlab_integer(value) for value in (seed, lane, step)]
        first = f"{integers[0]}, {integers[1]} + uint64(0:2), {integers[2]}, {block}"
        lines += [f"fwrite(out, philox({first}), 'uint64');"]
        lines += [f"fwrite(out, draw_{kind}({first}, 1), 'double');" for kind in BOTH]
        lines += [f"fwrite(out, draw_normal({first.rpartition(', ')[0]}, 5, 7), 'double');"]
    text = ["1;", *noise.in_matlab(BOTH), "out = fopen('out.bin', 'w');", *lines, "fclose(out);"]
    (tmp_path / "noise.m").write_text("\n".join(text), encoding="utf-8")
    assert OCTAVE
    subprocess.run([OCTAVE, "--norc", "-q", "noise.m"], cwd=tmp_path, check=True, capture_output=True)
    found = np.frombuffer((tmp_path / "out.bin").read_bytes()).reshape(len(asked), -1, 3 * 1)
    for rows, (seed, lane, step, block) in zip(found.reshape(len(asked), -1), asked, strict=True):
        lanes = np.arange(lane, lane + 3)
        assert np.array_equal(rows[:12].view(np.uint64).reshape(3, 4), philox(seed, lanes, step, block))
        assert np.array_equal(rows[12:15], draw("uniform", seed, lanes, step, block, 1)[:, 0])
        assert rows[15:18] == pytest.approx(draw("normal", seed, lanes, step, block, 1)[:, 0], rel=1e-15)
        assert rows[18:].reshape(3, 7) == pytest.approx(draw("normal", seed, lanes, step, 5, 7), rel=1e-15)
