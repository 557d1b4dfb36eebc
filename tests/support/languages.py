"""How emitted files are run: many computations in one process a tool, states in, outputs out.

A new target is one entry of RUNNERS: which tool it takes, and a function from a folder and jobs to their outputs.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import cuda_on_cpu
from maxima_reader import Session
from motionc.program.port import Port
from motionc.runtime import Computation
from motionc.targets import cpp
from motionc.targets.maxima import number, shaped
from motionc.targets.target import Trial

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Job:
    """A computation under the name it is emitted by, and the states it is asked for."""

    name: str
    computation: Computation
    trials: tuple[Trial, ...]

    def given(self, k: int) -> Array:
        return _states(self.computation.inputs[k], [trial.inputs[k] for trial in self.trials])

    @property
    def ports(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        return self.computation.inputs, self.computation.outputs


Outputs = list[list[Array]]
"""For each job, for each of its outputs, (N, *shape)."""
Run = Callable[[Path, list[Job]], Outputs]


@dataclass(frozen=True)
class Runner:
    """Runs files of a target with a tool, which may be absent."""

    target: str
    tool: str
    run: Run

    @property
    def present(self) -> bool:
        return not self.tool or shutil.which(self.tool) is not None


def difference(jobs: list[Job], outputs: Outputs) -> dict[str, float]:
    """The largest relative error of each job: max|x - ref| / max(1, max|ref|), output by output."""
    errors = dict[str, float]()
    for job, found in zip(jobs, outputs, strict=True):
        worst = 0.0
        for k, (port, values) in enumerate(zip(job.computation.outputs, found, strict=True)):
            expected = _states(port, [trial.outputs[k] for trial in job.trials])
            assert values.shape == expected.shape, f"{job.name}: {port.name} has shape {values.shape}"
            assert np.isfinite(expected).all(), f"{job.name}: {port.name} has no finite answer to compare with"
            off = np.max(np.abs(values - expected), initial=0.0) / np.max(np.abs(expected), initial=1.0)
            worst = max(worst, off) if off == off else float("inf")
        errors[job.name] = worst
    return errors


def _states(port: Port, rows: list[tuple[float, ...]]) -> Array:
    return np.array(rows, float).reshape((len(rows), *port.shape))


def called(command: list[str], folder: Path) -> str:
    """What a command printed; an assertion with all that it said, where it failed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, f"{' '.join(command)[:500]}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def _handed_over(folder: Path, jobs: list[Job]) -> None:
    """All inputs, one after the other, as bytes."""
    arrays = [job.given(k).ravel() for job in jobs for k in range(len(job.computation.inputs))]
    (folder / "inputs.bin").write_bytes(np.concatenate([np.empty(0), *arrays]).tobytes())


def _taken_back(folder: Path, jobs: list[Job]) -> Outputs:
    flat, start, found = np.frombuffer((folder / "outputs.bin").read_bytes()), 0, Outputs()
    for job in jobs:
        found.append([])
        for port in job.computation.outputs:
            size = len(job.trials) * port.size
            found[-1].append(flat[start : start + size].reshape((len(job.trials), *port.shape)))
            start += size
    assert start == len(flat)
    return found


# ---------------------------------------------------------------- C

STRICT = ["-Wall", "-Wextra", "-Werror", "-O0"]
C_MAIN = """#include <stdio.h>
{declared}
static double x[{most}], y[{most}];
int main(void)
{{
    FILE *in = fopen("inputs.bin", "rb"), *out = fopen("outputs.bin", "wb");
{calls}
    return fclose(in) || fclose(out);
}}
"""


def in_c(compiler: str, flags: list[str], declared: str, call: Callable[[Job], str], suffix: str = "c") -> Run:
    """All jobs in one program; `call` computes the outputs y of a job's states from its inputs x."""

    def run(folder: Path, jobs: list[Job]) -> Outputs:
        _handed_over(folder, jobs)
        calls, most = list[str](), 1
        for job in jobs:
            given, found = (len(job.trials) * sum(port.size for port in ports) for ports in job.ports)
            most = max(most, given, found)
            calls += [f"    if (fread(x, 8, {given}, in) != {given}) return 1;", call(job)]
            calls += [f"    if (fwrite(y, 8, {found}, out) != {found}) return 1;"]
        heads = "\n".join(declared.format(name=job.name) for job in jobs)
        (folder / f"main.{suffix}").write_text(C_MAIN.format(declared=heads, most=most, calls="\n".join(calls)))
        sources = sorted(path.name for path in folder.glob("*.c")) or ["main.cpp"]
        called([compiler, *flags, *STRICT, *sources, "-lm", "-o", "all"], folder)
        called([str(folder / "all")], folder)
        return _taken_back(folder, jobs)

    return run


def _places(job: Job) -> list[list[str]]:
    """Where each port's states start in x and in y."""
    places = list[list[str]]()
    for letter, ports in zip("xy", job.ports, strict=True):
        starts = np.cumsum([0, *(port.size * len(job.trials) for port in ports)])[:-1]
        places.append([f"{letter} + {start}" for start in starts])
    return places


def _one_by_one(job: Job) -> str:
    places, ports = _places(job), job.ports
    arguments = [f"{at} + i * {port.size}" for k in (0, 1) for at, port in zip(places[k], ports[k], strict=True)]
    return f"    for (int i = 0; i < {len(job.trials)}; ++i) {job.name}({', '.join(arguments)});"


def _in_namespace(job: Job) -> str:
    space, function = cpp.spaces(job.computation.program, job.name)
    return _one_by_one(replace(job, name=f"{space}::{function}"))


def _in_lanes(job: Job) -> str:
    text, arguments = list[str](), list[str]()
    for letter, const, places, ports in zip("xy", ("const ", ""), _places(job), job.ports, strict=True):
        sizes = ", ".join(str(port.size) for port in ports) or "0"
        ones = ", ".join("1" for _ in ports) or "0"
        text.append(f"{const}double *const {letter}_[] = {{{', '.join(places) or '0'}}};")
        text.append(f"const long {letter}s[] = {{{sizes}}}, {letter}e[] = {{{ones}}};")
        arguments += [f"{letter}_", f"{letter}s", f"{letter}e"]
    return f"    {{ {' '.join(text)} {job.name}_batch({len(job.trials)}, {', '.join(arguments)}); }}"


# ---------------------------------------------------------------- Octave

OCTAVE = """
in = fopen('inputs.bin'); out = fopen('outputs.bin', 'w');
function x = shaped(x, sizes)
  if numel(sizes) > 1, x = permute(reshape(x, [fliplr(sizes), size(x, 2)]), [numel(sizes):-1:1, numel(sizes) + 1]); end
  if numel(sizes) == 3, x = permute(x, [2 3 1 4]); end
end
function flat(out, x, sizes)
  if numel(sizes) == 3, x = permute(x, [3 1 2 4]); end
  if numel(sizes) > 1, x = permute(x, [numel(sizes):-1:1, numel(sizes) + 1]); end
  fwrite(out, x(:), 'double');
end
"""


def in_octave(folder: Path, jobs: list[Job]) -> Outputs:
    _handed_over(folder, jobs)
    text = [OCTAVE]
    for job in jobs:
        n = len(job.trials)
        for k, port in enumerate(job.computation.inputs):
            sizes = " ".join(map(str, port.shape))
            text.append(f"x{k} = shaped(fread(in, [{port.size}, {n}], 'double'), [{sizes}]);")
        given = ", ".join(f"x{k}" for k in range(len(job.computation.inputs)))
        found = ", ".join(f"y{k}" for k in range(len(job.computation.outputs)))
        text.append(f"[{found}] = {job.name}({given});")
        for k, port in enumerate(job.computation.outputs):
            text.append(f"flat(out, y{k}, [{' '.join(map(str, port.shape))}]);")
    (folder / "every_job.m").write_text("\n".join([*text, "fclose(out);", ""]))
    called(["octave-cli", "--norc", "--no-history", "-q", "every_job.m"], folder)
    return _taken_back(folder, jobs)


# ---------------------------------------------------------------- Python

PYTHON = """
import importlib, sys
import numpy as np
sys.path.insert(0, ".")
flat, start, found = np.fromfile("inputs.bin"), 0, [np.empty(0)]
for name, states, shapes in {jobs!r}:
    given = []
    for shape in shapes:
        size = states * int(np.prod(shape))
        given.append(flat[start : start + size].reshape((states, *shape)))
        start += size
    out = getattr(importlib.import_module(name), name)(*given)
    found += [np.ravel(y) for y in (out if isinstance(out, tuple) else [out])]
np.concatenate(found).tofile("outputs.bin")
assert "motionc" not in sys.modules
"""


def in_python(folder: Path, jobs: list[Job]) -> Outputs:
    _handed_over(folder, jobs)
    listed = [(job.name, len(job.trials), [port.shape for port in job.computation.inputs]) for job in jobs]
    (folder / "every_job.py").write_text(PYTHON.format(jobs=listed))
    called([sys.executable, "-I", "every_job.py"], folder)
    return _taken_back(folder, jobs)


# ---------------------------------------------------------------- Maxima

MAXIMA = """fpprintprec: 16$
show(x) := if matrixp(x) then show(args(x)) elseif listp(x) then for one in x do show(one) else print("value", x)$
"""


def in_maxima(folder: Path, jobs: list[Job]) -> Outputs:
    """One process, and of each job two states: it is slow."""
    text = [MAXIMA]
    for job in jobs:
        text.append(f'load("{job.name}.mac")$')
        for trial in job.trials[:2]:
            given = [
                shaped(port.shape, [number(value) for value in values])
                for port, values in zip(job.computation.inputs, trial.inputs, strict=True)
            ]
            text.append(f"show({job.name}({', '.join(given)}))$")
    (folder / "every_job.mac").write_text("\n".join(text))
    said = called(["maxima", "--very-quiet", "-b", "every_job.mac"], folder).split("\n")
    values = iter([float("".join(line.split()[1:])) for line in said if line.startswith("value ")])
    found = Outputs()
    for job in jobs:
        rows = [[[next(values) for _ in range(port.size)] for port in job.computation.outputs] for _ in job.trials[:2]]
        found.append([_states(port, [row[k] for row in rows]) for k, port in enumerate(job.computation.outputs)])
    return found


def in_reader(folder: Path, jobs: list[Job]) -> Outputs:
    """Our own reader of Maxima's text."""
    found = Outputs()
    for job in jobs:
        session = Session((folder / f"{job.name}.mac").read_text(encoding="utf-8"))
        rows = list[list[Any]]()
        for state in range(len(job.trials)):
            out = session(job.name, *(job.given(k)[state] for k in range(len(job.computation.inputs))))
            rows.append(out if len(job.computation.outputs) > 1 else [out])
        found.append([np.array([row[k] for row in rows]) for k in range(len(job.computation.outputs))])
    return found


# ---------------------------------------------------------------- CUDA


def in_threads(folder: Path, jobs: list[Job]) -> Outputs:
    """CUDA as C++ for the processor."""
    found = Outputs()
    for job in jobs:
        library = cuda_on_cpu.compiled(
            (folder / f"{job.name}.cu").read_text(encoding="utf-8").split("#ifdef SELF_TEST")[0]
        )
        given = [job.given(k) for k in range(len(job.computation.inputs))]
        found.append([np.empty((len(job.trials), *port.shape)) for port in job.computation.outputs])
        ports = [(array, port.size, 1) for array, port in zip((*given, *found[-1]), sum(job.ports, ()), strict=True)]
        cuda_on_cpu.launch(library, job.name, len(job.trials), ports)
    return found


C99 = ["-std=c99", "-pedantic"]
CPP17 = ["-std=c++17", "-pedantic", "-DMOTIONC_NO_EIGEN"]
RUNNERS = [
    *(Runner("c", tool, in_c(tool, C99, '#include "{name}.h"', _one_by_one)) for tool in ("gcc", "clang")),
    Runner("cpp", "g++", in_c("g++", CPP17, '#include "{name}.hpp"', _in_namespace, "cpp")),
    *(Runner("c_simd", tool, in_c(tool, C99, '#include "{name}_batch.h"', _in_lanes)) for tool in ("gcc", "clang")),
    Runner("cuda", "g++", in_threads),
    Runner("matlab", "octave-cli", in_octave),
    Runner("python", "", in_python),
    Runner("maxima", "maxima", in_maxima),
    Runner("maxima", "", in_reader),
]
