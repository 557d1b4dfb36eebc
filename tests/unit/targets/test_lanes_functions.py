"""Square root, floor, exponential, logarithm and angle in lanes: 2 ulp from longer numbers, no call of a library."""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import long_numbers
from motionc.program.port import Precision
from motionc.targets import c_simd
from trials import some, trials

Array = np.ndarray[Any, np.dtype[Any]]
TYPES: dict[Precision, Any] = {"double": np.float64, "single": np.float32}
ONE = ("sqrt", "exp", "log", "floor")
COMPILERS = [found for name in ("gcc", "clang") if (found := shutil.which(name))]
pytestmark = pytest.mark.skipif(not COMPILERS, reason="neither gcc nor clang is here")

ENTRY = """
void {name}_all(long count, const real *a, const real *b, real *out)
{{
    for (long i = 0; i < count; i += LANES) {{
        lanes x, y;
        __builtin_memcpy(&x, a + i, sizeof x);
        __builtin_memcpy(&y, b + i, sizeof y);
        x = {name}_lanes({arguments});
        __builtin_memcpy(out + i, &x, sizeof x);
    }}
}}
"""
BODY = "".join(ENTRY.format(name=name, arguments="x") for name in ONE) + ENTRY.format(name="atan2", arguments="x, y")
WAYS = [
    ("gcc", "-O2", "-ffp-contract=fast"),
    ("gcc", "-O1", "-ffp-contract=off", "-DVECTOR_BYTES=64"),
    ("clang", "-O2", "-ffp-contract=fast", "-fno-slp-vectorize"),
    ("gcc", "-O1", "-ffp-contract=off", "-DVECTOR_BYTES=16"),
    ("clang", "-O1", "-ffp-contract=off", "-DVECTOR_BYTES=16"),
]


@cache
def library(precision: Precision, name: str, *flags: str) -> tuple[ctypes.CDLL, str]:
    """The functions, and what they call of others."""
    compiler = shutil.which(name)
    if compiler is None:
        pytest.skip(f"no {name} on this machine")
    with TemporaryDirectory() as folder:
        source, made = Path(folder, "lanes.c"), Path(folder, "lanes.so")
        source.write_text(f"{c_simd.header(precision, BODY)}\n{BODY}", encoding="utf-8")
        strict = ["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-march=native", "-fno-math-errno", "-fPIC", "-shared"]
        command = [compiler, *strict, *flags, "-o", str(made), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        names = subprocess.run(["nm", "-D", "-u", str(made)], capture_output=True, text=True, check=True).stdout
        return ctypes.CDLL(str(made)), names


def given(of: ctypes.CDLL, name: str, a: Array, b: Array) -> Array:
    """What it gives to each pair; the last block is filled up with ones."""
    size = -(-len(a) // 16) * 16
    padded = [np.concatenate([x, np.ones(size - len(x), x.dtype)]) for x in (a, b)]
    out = np.empty_like(padded[0])
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*padded, out)]
    getattr(of, f"{name}_all")(ctypes.c_long(size), *pointers)
    return out[: len(a)]


def arguments(precision: Precision, count: int) -> dict[str, list[tuple[Array, Array]]]:
    """Where each function is asked: over all magnitudes, denormal ones too, and where it is hard."""
    rng, real = np.random.default_rng(6), TYPES[precision]
    largest = np.finfo(real).maxexp

    def any_size() -> Array:
        return np.exp2(rng.uniform(-largest - 20, largest, count))

    top = largest * np.log(2)
    normal, small = rng.normal(size=count), 1e-3 * rng.normal(size=count)
    asked = {
        "sqrt": [any_size(), rng.random(count)],
        "exp": [rng.uniform(-1.05 * top, top, count), normal, small],
        "floor": [any_size() * np.sign(normal), 10 * normal, np.round(10 * normal), 2.0**22 * normal],
        "log": [any_size(), rng.uniform(0.5, 2, count), 1 + small, rng.random(count)],
        "atan2": [normal, any_size(), rng.uniform(-1, 1, count), any_size() * np.sign(normal)],
    }
    beside = [rng.normal(size=count), -any_size(), np.ones(count), np.exp2(rng.uniform(-3, 3, count))]
    return {
        name: [(x.astype(real), y.astype(real)) for x, y in zip(of, beside, strict=False)] for name, of in asked.items()
    }


@pytest.mark.parametrize("way", some(WAYS, 3), ids=" ".join)
@pytest.mark.parametrize("precision", TYPES)
def test_functions_are_exact_to_two_places(precision: Precision, way: tuple[str, ...]) -> None:
    long_numbers.needed()
    of, _ = library(precision, *way)
    least = np.finfo(TYPES[precision]).smallest_subnormal
    for name, pairs in arguments(precision, trials(100_000)).items():
        for x, y in pairs:
            long = x.astype(np.longdouble), y.astype(np.longdouble)
            exact = np.arctan2(*long) if name == "atan2" else getattr(np, name)(long[0])
            ulp = np.maximum(np.spacing(np.abs(exact).astype(x.dtype)), least)
            off = np.abs(given(of, name, x, y) - exact) / ulp
            assert np.max(off) < {"sqrt": 0.501, "floor": 1e-9, "exp": 1, "log": 1, "atan2": 2}[name], (
                name,
                x[np.argmax(off)],
            )


@pytest.mark.parametrize("way", some(WAYS, 1), ids=" ".join)
@pytest.mark.parametrize("precision", TYPES)
@np.errstate(all="ignore")
def test_special_values_are_those_of_the_library(precision: Precision, way: tuple[str, ...]) -> None:
    of, real = library(precision, *way)[0], TYPES[precision]
    info = np.finfo(real)
    ends = [0.0, info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny, 1.0, 2.0, 0.4375, 0.6875, info.max]
    over, under = np.log(info.max), np.log(info.smallest_subnormal)
    edges = [np.nextafter(real(bound), real(to)) for bound in (over, under) for to in (-np.inf, np.inf)]
    values = np.array([*ends, np.inf, np.nan, over, under, *edges, over + 1, under - 1, 1e9, 1e30], real)
    values = np.append(values, np.array([0.5, 2.5, 2.0**22 + 0.5, 2.0**51 + 0.5, 2.0**52 - 0.5], real))
    values = np.concatenate([values, -values])
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    for name in (*ONE, "atan2"):
        found = given(of, name, x, y)
        expected = np.arctan2(x, y) if name == "atan2" else getattr(np, name)(x)
        close = np.isclose(found, expected, rtol=2 * info.eps, atol=2 * info.smallest_subnormal, equal_nan=True)
        assert close.all(), (name, x[~close][:3], y[~close][:3])
        # the sign of a zero, and of an angle, is part of it
        numbers = ~np.isnan(expected)
        assert np.array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers])), name


@pytest.mark.parametrize("way", some(WAYS, 3), ids=" ".join)
def test_no_lane_calls_a_library(way: tuple[str, ...]) -> None:
    names = library("double", *way)[1] + library("single", *way)[1]
    assert not any(f" {name}" in names for name in (*ONE, "atan2"))


def test_a_text_carries_along_what_it_calls() -> None:
    functions = ("exp_lanes", "log_lanes", "atan2_lanes")
    for asked in ("", *functions):
        text = c_simd.header("double", f"/* exp_lanes(x) is not called */ y = {asked}(x);")
        assert [name for name in functions if f"lanes {name}(lanes" in text] == [asked] * bool(asked)
