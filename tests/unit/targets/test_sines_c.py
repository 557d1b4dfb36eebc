"""Sines and cosines of several angles at once in C: 1 ulp from longer numbers, at any angle, with any compiler."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import long_numbers
import motionc as mc
from motionc.program.port import Precision
from motionc.targets import sines_c

Array = np.ndarray[Any, np.dtype[Any]]
TYPES: dict[Precision, Any] = {"double": np.float64, "single": np.float32}
COUNTS = (3, 4, 5, 7, 8, 9, 12, 16, 17, 33)
WAYS = [
    ("gcc", "-O2", "-march=native"),
    ("gcc", "-O1", "-march=native", "-mno-avx512f", "-ffp-contract=off"),
    ("gcc", "-O2", "-march=x86-64"),
    ("clang", "-O2", "-march=native"),
]
FREELY = [
    ("gcc", "-Ofast", "-march=native"),
    ("gcc", "-Ofast", "-march=native", "-mno-fma"),
    ("gcc", "-O2", "-march=native", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
    ("clang", "-O3", "-ffast-math", "-march=native"),
]
"""With leave to calculate as with real numbers."""


def block(count: int, precision: Precision) -> mc.Computation:
    """Sines and cosines of so many angles."""
    angles = mc.Port("q", (count,), "rad", "angles")
    found = [mc.Port(name, (count,), "1", name) for name in ("s", "c")]
    return mc.block("turns", lambda q: {"s": np.sin(q), "c": np.cos(q)}, [angles], found, precision=precision)


@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_they_are_one_ulp_from_longer_numbers(way: tuple[str, ...], precision: Precision, tmp_path: Path) -> None:
    if shutil.which(way[0]) is None:
        pytest.skip(f"{way[0]} is not here")
    long_numbers.needed()
    kind, rng = TYPES[precision], np.random.default_rng(0)
    size = 2 if precision == "single" else 1
    for count in COUNTS:
        folder = tmp_path / f"{count}"
        block(count, precision).emit("c", folder, "turns")
        assert f"sines_and_cosines({'q' if count >= sines_c.SMALLEST else 'a'}" in (folder / "turns.c").read_text(
            "utf-8"
        )
        command = [*way, "-std=gnu99", "-shared", "-fPIC", "turns.c", "-o", "turns.so", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        turns = ctypes.CDLL(str(folder / "turns.so")).turns
        for scale in (1e-9, 1.0, 1e3, 8e5, 1e9):
            q = (rng.uniform(-scale, scale, count)).astype(kind)
            s, c = np.empty(count, kind), np.empty(count, kind)
            turns(*(array.ctypes.data_as(ctypes.c_void_p) for array in (q, s, c)))
            for found, exact in ((s, np.sin(q.astype(np.longdouble))), (c, np.cos(q.astype(np.longdouble)))):
                off = np.abs(found.astype(np.longdouble) - exact)
                assert np.all(off <= size * np.spacing(np.abs(exact).astype(kind)).astype(np.longdouble)), (
                    count,
                    scale,
                )


@pytest.mark.calls
@pytest.mark.parametrize("precision", TYPES)
def test_next_to_quarter_turns_no_digit_is_lost(precision: Precision) -> None:
    """Where nearly all of an angle is taken off: what is left is as small as what pi/2 in two pieces lacks."""
    long_numbers.needed()
    kind, size = TYPES[precision], 2 if precision == "single" else 1
    turns, quarter = block(16, precision), np.longdouble("1.570796326794896619231321691639751442")
    k = np.concatenate([np.arange(1, 1000), np.random.default_rng(1).integers(1000, 2**19, 3000), [204551, 409102]])
    near = (k * quarter).astype(kind)
    angles = np.concatenate([near, np.nextafter(near, kind(0)), np.nextafter(near, kind(1e9)), near[:5]])
    for q in angles[: len(angles) // 16 * 16].reshape(-1, 16):
        found = turns(q)
        for made, exact in ((found.s, np.sin(q.astype(np.longdouble))), (found.c, np.cos(q.astype(np.longdouble)))):
            off = np.abs(made.astype(np.longdouble) - exact)
            assert np.all(off <= size * np.spacing(np.abs(exact).astype(kind)).astype(np.longdouble)), q


@pytest.mark.parametrize("way", FREELY, ids=" ".join)
@pytest.mark.parametrize("target", ["c", "cpp", "c_simd"])
def test_compilers_that_may_reorder_sums_take_nothing_from_them(
    way: tuple[str, ...], target: str, tmp_path: Path
) -> None:
    """They fold what is added and taken off again, unless they are kept from it."""
    twin = {"gcc": "g++", "clang": "clang++"}[way[0]] if target == "cpp" else way[0]
    if shutil.which(twin) is None:
        pytest.skip(f"{twin} is not here")
    block(9, "double").emit(target, tmp_path, "turns")
    (source,) = [path for path in tmp_path.iterdir() if path.suffix in (".c", ".hpp", ".cpp")][-1:]
    language = ["-x", "c++"] if target == "cpp" else ["-std=gnu99"]
    command = [twin, *way[1:], "-DSELF_TEST", *language, str(source), "-o", str(tmp_path / "test"), "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([str(tmp_path / "test")], check=True)


@pytest.mark.calls
def test_what_vectors_do_not_reach_is_what_the_library_says() -> None:
    turns = block(9, "double")
    q = np.array([0.0, -0.0, 1e6, -1e22, 823549.5, np.nan, np.inf, -np.inf, 0.5])
    found = turns(q)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found.s, np.sin(q), rtol=0, atol=2e-16)
        np.testing.assert_allclose(found.c, np.cos(q), rtol=0, atol=2e-16)
    assert np.signbit(found.s[1])
    assert not np.signbit(found.s[0])


@pytest.mark.parametrize("precision", TYPES)
def test_what_vectors_reach_is_not_left_to_the_library(precision: Precision, tmp_path: Path) -> None:
    """Of either sign: the library is slow, and gives numbers that are as good."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    sources, guard = block(9, precision).sources("c", "turns"), "if (!(SINES_ABS(angles[i]) <= SINES_REACH)) {"
    text = sources["turns.c"].replace(guard, "{").replace("sines[i] = SINES_SIN(angles[i]);", "sines[i] = 77;")
    assert text.count("sines[i] = 77;") == 1
    assert guard in sources["turns.c"]
    (tmp_path / "turns.h").write_text(sources["turns.h"], "utf-8")
    known = f"{sines_c.KNOWN}\nint known = 1;\n#else\nint known = 0;\n#endif\n"
    (tmp_path / "turns.c").write_text(f"{text}\n{known}", "utf-8")
    command = ["gcc", "-O1", "-march=native", "-std=gnu99", "-shared", "-fPIC", "turns.c", "-o", "turns.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "turns.so"))
    if not ctypes.c_int.in_dll(library, "known").value:
        pytest.skip("the library is faster on this machine")
    turns = library.turns
    for most, left in ((8e5, False), (-8e5, False), (9e5, True), (-9e5, True)):
        q = np.linspace(0, most, 9).astype(TYPES[precision])
        s, c = np.empty_like(q), np.empty_like(q)
        turns(*(ctypes.c_void_p(array.ctypes.data) for array in (q, s, c)))
        assert np.all(s == 77) == left


@pytest.mark.calls
@pytest.mark.parametrize("precision", TYPES)
def test_one_angle_that_vectors_do_not_reach_is_found_wherever_it_stands(precision: Precision) -> None:
    turns, kind = block(19, precision), TYPES[precision]
    for k in range(19):
        q = np.linspace(-3, 3, 19).astype(kind)
        q[k] = 1e6
        found = turns(q)
        np.testing.assert_allclose(found.s, np.sin(q.astype(float)), rtol=0, atol=2 * np.finfo(kind).eps)
        np.testing.assert_allclose(found.c, np.cos(q.astype(float)), rtol=0, atol=2 * np.finfo(kind).eps)


@pytest.mark.calls
@pytest.mark.parametrize("precision", TYPES)
def test_vectors_are_no_wider_than_the_shortest_run(precision: Precision) -> None:
    """A long run, and a short one that waits for it."""
    turns = mc.block(
        "twice",
        lambda q: {"s": np.sin(q), "c": np.cos(q), "y": np.sin(np.sin(q)[:3] + 1), "z": np.cos(np.sin(q)[:3] + 1)},
        [mc.Port("q", (17,), "rad", "angles")],
        [mc.Port(name, (size,), "1", name) for name, size in (("s", 17), ("c", 17), ("y", 3), ("z", 3))],
        precision=precision,
    )
    q = np.linspace(-3, 3, 17).astype(TYPES[precision])
    s, c = np.sin(q.astype(float)), np.cos(q.astype(float))
    for found, exact in zip(turns(q), (s, c, np.sin(s[:3] + 1), np.cos(s[:3] + 1)), strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=4 * np.finfo(q.dtype).eps)


def test_angles_side_by_side_in_a_port_are_read_there_and_others_gathered() -> None:
    robot = mc.load("lwr4")
    text = mc.inverse_dynamics(robot).sources("c", "f")["f.c"]
    assert re.search(r"sines_and_cosines\(q \+ 1, 6, (k\d+), \1 \+ 6\);", text)
    both = mc.block(
        "both",
        lambda p, q: {"y": np.sin(p).sum() + np.cos(q).sum()},
        [mc.Port("p", (2,), "rad", "…"), mc.Port("q", (2,), "rad", "…")],
        [mc.Port("y", (), "1", "…")],
    )
    text = both.sources("c", "f")["f.c"]
    assert re.search(r"const double (a\d+)\[4\] = \{t\d+, t\d+, t\d+, t\d+\};\n.*\n    sines_and_cosines\(\1, 4,", text)


def test_one_or_two_angles_are_the_librarys() -> None:
    assert "sines_and_cosines" not in block(2, "double").sources("c", "f")["f.c"]


def test_words_of_the_text_are_nobody_elses() -> None:
    """Ports and functions may be called as the text for lanes calls its own words."""
    q = mc.Port("lanes", (4,), "rad", "…")
    named = mc.block("turn", lambda lanes: {"mask": np.sin(lanes)}, [q], [mc.Port("mask", (4,), "1", "…")])
    header = named.sources("c", "turn")["turn.h"]
    assert "void turn(const double *restrict lanes," in header
    assert "double *restrict mask);" in header
    np.testing.assert_allclose(named(np.arange(4.0)), np.sin(np.arange(4.0)), rtol=0, atol=2e-16)


def test_words_of_comments_are_nobodys_names() -> None:
    """What is renamed in code stays as it is in sentences, but for macros."""
    text = block(6, "double").sources("c", "f")["f.c"]
    said = " ".join(re.findall(r"/\*.*?\*/", text, re.DOTALL))
    assert "the nearest quarter turn" in said
    assert "at least SINES_LANES" in said
    assert "sines_" not in said
