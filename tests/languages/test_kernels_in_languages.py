"""Kernels and instructions in languages of their own loops: what their definition gives, singular or not."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from boxes import doubtful_box, random_box
from cones import random_cones
from instructions import SPECIAL, functions, meanings
from languages import RUNNERS, Job, Runner, difference
from motionc.program import Instruction, Program
from motionc.program.derive.differentiate import jacobian, pullback
from motionc.program.evaluate import evaluate
from motionc.program.instructions import OPERATIONS, Operation, Spelling
from motionc.program.kernels import KERNELS, Call
from motionc.program.kernels.box_solve import box_solve
from motionc.program.kernels.cone_solve import cone_solve
from motionc.program.kernels.lu_solve import lu_solve
from motionc.program.passes import optimise
from motionc.sweeps import Port
from motionc.targets import TARGETS, c_simd, cuda
from motionc.targets.target import Trial
from random_programs import values
from tables import INDICES, PATH, looking_up, meant
from trials import LONG

OTHERS = [runner for runner in RUNNERS if runner.target in ("matlab", "python", "maxima")]
STATES = 5


@dataclass(frozen=True)
class Alone:
    """A program that no robot is behind, emitted as a computation is."""

    program: Program

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self.program.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self.program.outputs

    def emit(self, target: str, folder: Path, name: str) -> None:
        for file, text in TARGETS[target](self.program, name, "double", ()).items():
            (folder / file).write_text(text, encoding="utf-8")


def calling(call: Call) -> Program:
    """From all a kernel takes to all it gives."""
    n = call.inputs
    steps = [Instruction("input", (), (0, k)) for k in range(n)]
    steps += [Instruction("call", tuple(range(n)), call)]
    steps += [Instruction("pick", (n,), k) for k in range(call.outputs)]
    ports = Port("x", (n,), "1", "in"), Port("y", (call.outputs,), "1", "out")
    results = (tuple(range(n + 1, n + 1 + call.outputs)),)
    return Program("kernel", "y = kernel(x)", ports[:1], ports[1:], tuple(steps), results)


def semidefinite(rng: np.random.Generator, m: int, rank: int) -> np.ndarray:
    """Rows that depend on each other do so exactly: they are sums of others."""
    rows = rng.normal(size=(m, m + 2))
    for k in range(rank, m):
        rows[k] = rows[k - rank] - 2 * rows[0]
    return rows @ rows.T


def lu_matrix(rng: np.random.Generator, m: int, k: int) -> np.ndarray:
    """Not symmetric; its diagonal 0, a column 0, or rows of another size."""
    matrix = rng.normal(size=(m, m))
    if k == 1 and m > 1:
        np.fill_diagonal(matrix, 0.0)
    matrix[:, m // 2] *= k != 2
    return matrix * (10.0 ** rng.integers(-6, 7, size=(m, 1)) if k == 3 else 1.0)


def problems(call: Call, rng: np.random.Generator) -> np.ndarray:
    m, found = call.size, list[np.ndarray]()
    for k in range(STATES):
        if call.kernel == "box_solve":
            box = random_box(rng, call.blocks, ["", "dead", "nothing free", "few numbers", "unlimited"][k])
            found.append(box.rows.ravel())
        elif call.kernel == "cone_solve":
            special = ["rough", "dependent", "nothing gives way", "compliant", "cold"][k]
            found.append(random_cones(rng, call, special).flat)
        elif call.pattern:
            square = semidefinite(rng, m, m) if call.kernel == "tree_factor" else np.eye(m) + rng.random((m, m))
            free = rng.normal(size=call.inputs)
            given = np.concatenate([square.ravel(), free])[: call.inputs] if KERNELS[call.kernel].square else free
            given[[call.matrix + k for k in range(call.inputs - call.matrix) if call.empty >> k & 1]] = 0.0
            found.append(given)
        elif call.kernel == "lu_solve":
            matrix = lu_matrix(rng, m, k)
            found.append(np.concatenate([matrix.ravel(), rng.normal(size=call.inputs - m * m)]))
        else:
            rank = m if call.kernel == "ldlt_solve" else max(1, m - k % 3)
            right = rng.normal(size=call.inputs - m * m)
            found.append(np.concatenate([semidefinite(rng, m, rank).ravel(), right]))
    if call == DOUBTFUL:
        found[-1] = doubtful_box().rows.ravel()
    return np.array(found)


def boxed(*blocks: int, weights: tuple[float, ...] = ()) -> Call:
    return box_solve(blocks, weights=weights).call(sum(blocks))


DOUBTFUL = boxed(5, 0, 2, 2)
# few rows and sweeps, and so many that a GPU keeps its loops
CONTACTS = ((["box", "cone"], 2), (["box", "one_sided"], 1), (["cone", "one_sided", "box", "cone", "cone"], 17))
BRANCHES = (-1, 0, 1, 2, *range(3, 9), 2, 10, 11, 2, 13, 14, 13, 16, 16)
"""Chains of even and odd length, and a row on which two hang."""
WOVEN = (-1, 0, 0, 1, 2, 1)
"""Rows of either branch stand between those of the other."""
CALLS = (
    *(
        Call(kernel, (m,))
        for kernel in ("ldlt_solve", "truncated_solve", "range_solve", "truncated_inverse")
        for m in (1, 2, 5)
    ),
    *(Call(kernel, (2, 1, 3)) for kernel in ("truncated_solve", "range_solve")),
    Call("truncated_solve", (3, 2), 1e-6),
    Call("truncated_solve", (4, 3), most=5, weights=(3.0, 0.5, 1.0, 2.0, 1.0, 4.0, 0.25)),
    Call("range_solve", (2, 3), most=4, weights=(3.0, 0.5, 1.0, 2.0, 1.0)),
    Call("truncated_inverse", (4,), most=3),
    boxed(3, 1, 2, 2, weights=(1.0, 2.0, 0.5, 1.0)),
    *(boxed(*blocks) for blocks in ((1, 0, 1), (4, 2, 1, 1), (3, 1, 2))),
    *[DOUBTFUL] * 9,
    Call("tree_pairs", (4,), None, (0, 1, 4, 1, 2, 2, 2, 4, 4, 2, 4, 4, 2), 3),
    Call("tree_symmetric", (4,), None, (4, 2, 4, 4), 3),
    Call("tree_factor", (5,), None, (-1, 0, 1, 0, 3)),
    Call("tree_factor", (6,), None, WOVEN),
    Call("tree_factor", (19,), None, BRANCHES),
    Call("tree_solve", (6,), None, WOVEN, 2),
    *(Call("tree_solve", (5,), None, (-1, 0, 1, 0, 3), columns) for columns in (1, 2)),
    *(Call("tree_solve", (19,), None, BRANCHES, columns) for columns in (9, 50)),  # more than one tile of wide columns
    # one branch alone is not empty in the first tile of lanes, and a column of others
    Call(
        "tree_solve", (19,), None, BRANCHES, 13, empty=sum(1 << k for k in range(13 * 19) if k // 13 < 10 or k % 13 > 6)
    ),
    *(lu_solve(m, columns) for m, columns in ((1, 2), (4, 3), (13, 1))),
    *(cone_solve(kinds, sweeps) for kinds, sweeps in CONTACTS),
)


@cache
def kernel_jobs(calls: tuple[Call, ...]) -> list[Job]:
    rng = np.random.default_rng(3)
    jobs = list[Job]()
    for k, call in enumerate(calls):
        given = problems(call, rng)
        trials = list[Trial]()
        for x in given:
            outputs = call.run([float(each) for each in x])
            trials.append(Trial((tuple(map(float, x)),), (tuple(map(float, outputs)),)))
        jobs.append(Job(f"kernel{k}", Alone(calling(call)), tuple(trials)))  # type: ignore[arg-type]
    return jobs


def given_to(runner: Runner) -> None:
    if not runner.present:
        pytest.skip(f"{runner.tool} is not on this machine; make tools installs it")


@pytest.fixture(autouse=True)
def kernels_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those along a tree, too, which are written out where programs are short."""
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)
    monkeypatch.setattr(cuda, "GPU_WRITTEN_OUT", 0)


COMPILED_ONCE = [runner for runner in RUNNERS if LONG or runner.tool != "clang"]


@pytest.mark.parametrize("runner", COMPILED_ONCE, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_kernels_give_what_their_definition_gives(runner: Runner, tmp_path: Path) -> None:
    given_to(runner)
    assert {call.kernel for call in CALLS} == set(KERNELS)
    # what is compiled first takes each of them once, and one of each kernel where each is compiled by itself
    calls = CALLS if runner in OTHERS else tuple(dict.fromkeys(CALLS))
    if runner.target == "cuda" and not LONG:
        calls = tuple({call.kernel: call for call in calls}.values())
    jobs = kernel_jobs(calls)
    for job in jobs:
        job.computation.emit(runner.target, tmp_path, job.name)
    outputs = runner.run(tmp_path, jobs)
    jobs = [
        Job(job.name, job.computation, job.trials[: len(found[0])]) for job, found in zip(jobs, outputs, strict=True)
    ]
    errors = difference(jobs, outputs)
    allowed = [1e-9 if call.kernel == "box_solve" else 1e-12 for call in calls]
    wrong = {str(calls[k]): error for k, error in enumerate(errors.values()) if not error <= allowed[k]}
    assert wrong == {}


@pytest.mark.parametrize("runner", OTHERS, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_instructions_mean_what_numpy_says(runner: Runner, tmp_path: Path) -> None:
    given_to(runner)
    ops = sorted(OPERATIONS)
    # Maxima refuses what is not finite, and a division by zero
    values = [x for x in SPECIAL if 0 < abs(x) < 1e3] if runner.target == "maxima" else SPECIAL
    x = np.array([[a, b, c] for a in values for b in values for c in (0.3, 7.0)])
    if runner.target == "maxima":
        x = np.abs(x[::7])
    expected = np.column_stack([meanings(x)[op] for op in ops])
    trials = tuple(
        Trial((tuple(map(float, row)),), (tuple(map(float, y)),)) for row, y in zip(x, expected, strict=True)
    )
    job = Job("every", Alone(functions(*ops)), trials)  # type: ignore[arg-type]
    job.computation.emit(runner.target, tmp_path, job.name)
    ((found,),) = runner.run(tmp_path, [job])
    same = np.isclose(found, expected[: len(found)], rtol=1e-14, atol=0, equal_nan=True)
    assert [ops[k] for k in np.flatnonzero(~same.all(axis=0))] == []


# ---------------------------------------------------------------- an instruction more

BELL = Operation(
    "bell",
    1,
    "e to the power of -a²",
    lambda a: math.exp(-a * a),
    lambda a: np.exp(-a * a),
    (lambda x, y: -2.0 * x[0] * y,),
    Spelling(
        c="exp{f}(-{0} * {0})",
        lanes="exp_lanes(-{0} * {0})",
        cuda="exp{f}(-{0} * {0})",
        matlab="exp(-{0} .* {0})",
        maxima="exp(-{0}*{0})",
        python="math.bell({0})",
        numpy="np.exp(-{0} * {0})",
    ),
)


def bells() -> Program:
    """y = bell(x0) + bell(2) x1."""
    steps = [Instruction("input", (), (0, 0)), Instruction("input", (), (0, 1)), Instruction("const", (), 2.0)]
    steps += [Instruction("bell", (0,)), Instruction("bell", (2,)), Instruction("mul", (4, 1))]
    steps += [Instruction("add", (3, 5))]
    ports = Port("x", (2,), "1", "in"), Port("y", (1,), "1", "out")
    return Program("bells", "y = bell(x0) + bell(2) x1", ports[:1], ports[1:], tuple(steps), ((6,),))


COMPILED_ONCE = [runner for runner in RUNNERS if LONG or runner.tool != "clang"]


@pytest.mark.parametrize("runner", COMPILED_ONCE, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_an_instruction_more_and_entries_of_tables_are_the_same_in_every_language(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OPERATIONS, "bell", BELL)
    given_to(runner)
    x = np.random.default_rng(0).normal(size=(STATES, 2))
    expected = np.exp(-(x[:, 0] ** 2)) + np.exp(-4.0) * x[:, 1]
    trials = tuple(Trial((tuple(map(float, row)),), ((float(y),),)) for row, y in zip(x, expected, strict=True))
    jobs = [Job("bells", Alone(bells()), trials), looking_up_jobs()]  # type: ignore[arg-type]
    for job in jobs:
        job.computation.emit(runner.target, tmp_path, job.name)
    (found,), (seen,) = runner.run(tmp_path, jobs)
    assert found[:, 0] == pytest.approx(expected[: len(found)], rel=1e-14)
    entries = np.array([trial.outputs[0] for trial in jobs[1].trials[: len(seen)]])
    assert seen == pytest.approx(entries, rel=1e-14)


def looking_up_jobs() -> Job:
    """Each state has its own table, and looks at its own place in it."""
    trials, rng = list[Trial](), np.random.default_rng(1)
    for index in (1.7, 2.999, *INDICES):
        path, at = rng.normal(size=PATH.shape), np.array([index, 0.75])
        given = tuple(tuple(map(float, x.ravel())) for x in (path, at))
        trials.append(Trial(given, (tuple(map(float, meant(path, at))),)))
    return Job("tables", Alone(optimise(looking_up())), tuple(trials))  # type: ignore[arg-type]


def test_an_instruction_added_to_the_table_is_counted_folded_run_and_differentiated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(OPERATIONS, "bell", BELL)
    program, x = bells(), np.array([0.7, -0.4])
    expected = np.exp(-(x[0] ** 2)) + np.exp(-4.0) * x[1]
    assert program.operations["bell"] == 2
    assert optimise(program).operations["bell"] == 1
    assert evaluate(program, {"x": x})["y"] == pytest.approx([expected], rel=1e-15)
    assert values(program, x.tolist()) == pytest.approx([expected], rel=1e-15)
    slope = [-2 * x[0] * np.exp(-(x[0] ** 2)), np.exp(-4.0)]
    assert evaluate(jacobian(program, ["y"], ["x"]).program, {"x": x})["dy_dx"] == pytest.approx(np.array([slope]))
    pulled = evaluate(pullback(program, ["y"], ["x"]), {"x": x, "y_bar": np.ones(1)})["x_bar"]
    assert pulled == pytest.approx(slope)
