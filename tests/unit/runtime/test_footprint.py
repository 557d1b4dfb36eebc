"""What emitted C takes is stated function by function, and holds in what is called: stack, instructions, time."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import motionc as mc
from motionc.program.program import Program
from motionc.program.split import Part, parts
from motionc.runtime import footprint
from motionc.runtime.build.compiler import find_compiler
from motionc.targets import c
from rows import row

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")

MAIN = """
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "lwr4_inverse_dynamics.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(void)
{
    double q[7], v[7], a[7], tau[7], x = 0.5, worst = 0, sum = 0;
    int slow = 0, idle = 0;
    for (int call = 0; call < 1000000; ++call) {
        for (int i = 0; i < 7; ++i) q[i] = 1e-5 * (call % 300000) - i, v[i] = 0.1 * i, a[i] = tau[i] = 1.0 - i;
        const double start = now();
        lwr4_inverse_dynamics(q, v, a, tau);
        const double done = now();
        /* as long a while of something else: how often the machine is away */
        for (int i = 0; i < 200; ++i) x = 3.7 * x * (1.0 - x);
        const double later = now();
        sum += tau[0] + x;
        slow += done - start >= 10.0;
        idle += later - done >= 10.0;
        worst = done - start > worst ? done - start : worst;
    }
    printf("%d %d %.3f %g\\n", slow, idle, worst, sum);
    return 0;
}
"""


def short(program: Program, _: object) -> tuple[Part, ...]:
    """In functions of a few instructions."""
    return parts(program, 100)


def test_functions_and_their_operations_add_up_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = mc.constrained_dynamics(mc.load("planar2"), [mc.Constraint("tip", "xy")])
    for functions in (2, 5):
        sizes = asked.footprint()
        assert len(sizes) == functions
        assert sum(sum(each.operations.values()) for each in sizes) == sum(asked.operations.values())
        text = c.emit(asked.program, asked.function_name).source
        assert all(re.search(rf"\b{each.name}\(", text) for each in sizes)
        assert sizes[-1].name == asked.function_name
        assert len(str(sizes).splitlines()) == len(sizes) + 1
        for module in ("c", "counts"):
            monkeypatch.setattr(f"motionc.targets.{module}.in_functions", short)


def test_functions_that_a_compiler_made_to_measure_are_found() -> None:
    """As GCC 12 writes them: copies for callers, and parts that are seldom reached."""
    assembly = "f_0.constprop.0:\n\t.cfi_startproc\n\tmovl\t%eax, %ebx\n\tret\n\t.cfi_endproc\n"
    assembly += "f_0.cold:\n\tcall\tx\n\t.cfi_endproc\nf:\n\tret\n"
    usage = "p.c:4:19:f_0.constprop\t608\tdynamic,bounded\np.c:4:19:f_0.cold\t8\tstatic\np.c:9:6:f\t32\tstatic\n"
    assert footprint._instructions(assembly) == {"f_0": 3, "f": 1}
    assert footprint._stack(usage) == {"f_0": 608, "f": 32}


def test_without_a_compiler_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionc.runtime.footprint.find_compiler", lambda: None)
    (only,) = mc.energy(mc.load("planar2")).footprint()
    assert only.instructions is only.stack is None
    assert "–" in str(mc.energy(mc.load("planar2")).footprint())


@row("robcogen", 45)
@needs_compiler
def test_a_million_calls_have_a_bound_and_their_code_says_what_it_takes(tmp_path: Path) -> None:
    asked = mc.inverse_dynamics(mc.load("lwr4"))
    asked.emit("c", tmp_path)
    sines, stated = asked.footprint()
    assert (sines.name, sines.operations) == ("sines_and_cosines", {"sin": 6, "cos": 6})
    tool = find_compiler()
    assert tool is not None
    assert stated.stack is not None
    assert stated.instructions is not None
    assert 0 < stated.stack < 65536
    assert stated.instructions >= sum(stated.operations.values()) / 4  # vectors and multiply-adds do several at once

    # neither branch nor memory that depends on data: no if, no loop, no call but of sines and cosines
    source = (tmp_path / "lwr4_inverse_dynamics.c").read_text(encoding="utf-8").partition("#ifdef SELF_TEST")[0]
    body = re.sub(r"/\*.*?\*/", "", source[source.index("void lwr4") :], flags=re.DOTALL)
    assert not re.search(r"\b(if|for|while|switch|goto|malloc|alloca)\b|\?", body)
    assert set(re.findall(r"(\w+)\(", body)) == {"lwr4_inverse_dynamics", "sines_and_cosines"}

    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    command = [*tool.command, "-O2", "-std=c99", "main.c", "lwr4_inverse_dynamics.c", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    # 99.99 % below 10 µs, but for when the machine is away, which strikes anything else as often; three tries
    tries = []
    for _ in range(3):
        said = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        slow, away, worst, _ = said.split()
        print(f"of a million calls {slow} took 10 µs or longer, the worst {worst} µs; elsewhere it was {away}")
        tries.append(int(slow) <= 100 + 2 * int(away))
        if tries[-1]:
            break
    assert any(tries)


def test_the_command_line_reports_it(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from motionc.cli.main import app

    asked = ["generate", "planar2", "--compute", "energy", "--out", str(tmp_path), "--report"]
    said = CliRunner().invoke(app, asked).output
    assert "planar2_energy" in said
    assert "stack" in said
    assert '"stack"' in CliRunner().invoke(app, [*asked, "--json"]).output
