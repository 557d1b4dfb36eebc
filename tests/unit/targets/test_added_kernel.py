"""A kernel more is one file in program/kernels/ and one in targets/kernels/: here the eigenvalues of a 2×2 matrix, and
one whose matrix is not square."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import motionc
from languages import RUNNERS, Job, Runner
from motionc.program import Program
from motionc.program.build import Writer
from motionc.program.derive.differentiate import jacobian, pullback
from motionc.program.evaluate import evaluate
from motionc.program.kernels import KERNELS
from motionc.program.port import Port
from motionc.runtime.build.library import interpreted
from motionc.targets import TARGETS
from motionc.targets.kernels import TEXTS
from motionc.targets.target import Trial

DEFINITION = '''
"""eigenvalues: both of a symmetric 2×2 matrix, the lesser one first."""

from collections.abc import Sequence

from motionc.program.kernels.kernel import Kernel, Rule, Site, register
from motionc.program.kernels.scalars import Policy, Rows, Scalar, root


def _eigenvalues(matrix: Rows, _: list[Scalar], __: Policy) -> tuple[list[Scalar], ...]:
    (a, b), (_, c) = matrix
    middle, half = 0.5 * (a + c), 0.5 * (a - c)
    reach = root(half * half + b * b)
    return ([middle - reach, middle + reach],)


def _eigenvalues_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    (A, _), (dA, _) = site.split(site.given), site.split(changes)
    low, high = site.found
    middle, half = 0.5 * (dA[0, 0] + dA[1, 1]), 0.5 * (A[0, 0] - A[1, 1])
    reach = (half * (0.5 * (dA[0, 0] - dA[1, 1])) + A[0, 1] * dA[0, 1]) / (0.5 * (high - low))
    return [middle - reach, middle + reach]


register(
    Kernel(
        "eigenvalues",
        "both eigenvalues of a symmetric 2×2 matrix, the lesser one first",
        _eigenvalues,
        lambda m: (2,),
        Rule(_eigenvalues_change),
        right=0,
    )
)
'''

TEXT = '''
"""eigenvalues in C, MATLAB and Maxima."""

from motionc.targets.kernels.text import KernelText, register

C = """\\
    const number middle = splat(0.5) * (a[0] + a[3]), half = splat(0.5) * (a[0] - a[3]);
    const number reach = sqrt_lanes(half * half + a[1] * a[1]);
    x[0] = middle - reach;
    x[1] = middle + reach;
"""
MATLAB = """\\
function x = eigenvalues(a, ~, ~, ~, ~)
% both eigenvalues of a symmetric 2x2 matrix
    reach = sqrt(((a(1) - a(4)) / 2)^2 + a(2)^2);
    x = (a(1) + a(4)) / 2 + [-reach; reach];
end
"""
MAXIMA = """\\
/* both eigenvalues of a symmetric 2x2 matrix */
motionc_eigenvalues(a, blocks, tolerance, most, weights) := block([reach],
    reach: sqrt(((a[1] - a[4])/2)^2 + a[2]^2),
    [(a[1] + a[4])/2 - reach, (a[1] + a[4])/2 + reach])$
"""
register(KernelText("eigenvalues", lambda call, form: C, MATLAB, MAXIMA))
'''

ROOTS_DEFINITION = '''
"""row_roots: of the largest entry of each row, of a matrix that need not be square."""

from typing import Any

from motionc.program.kernels.kernel import Kernel, Rule, register, written_out
from motionc.program.kernels.scalars import Rows, Scalar, greater, root, select


def _row_roots(matrix: Rows, _: list[Scalar], __: tuple[int, ...], columns: int) -> list[Scalar]:
    found: list[Scalar] = []
    for row in matrix:
        largest = row[0]
        for k in range(1, columns):
            largest = select(greater(row[k], largest), row[k], largest)
        found.append(root(largest))
    return found


def _along_alone(*_: Any) -> tuple[list[Scalar], ...]:
    raise AssertionError


register(
    Kernel(
        "row_roots",
        "the square root of the largest entry of each row",
        _along_alone,
        lambda m: (m,),
        Rule(written_out),
        right=0,
        along=_row_roots,
        square=False,
    )
)
'''

ROOTS_TEXT = '''
"""row_roots in C, MATLAB and Maxima."""

from motionc.targets.kernels.text import KernelText, register

C = """\\
    enum {{ W = {columns} }};
    for (int i = 0; i < M; ++i) {{
        number largest = a[i * W];
        for (int k = 1; k < W; ++k) largest = choose(less(largest, a[i * W + k]), a[i * W + k], largest);
        x[i] = sqrt_lanes(largest);
    }}
"""
MATLAB = """\\
function x = row_roots(a, ~, columns)
% the square root of the largest entry of each row
    x = sqrt(max(reshape(a, columns, []), [], 1))';
end
"""
MAXIMA = """\\
/* the square root of the largest entry of each row */
motionc_row_roots(a, pattern, columns) := makelist(
    sqrt(lmax(makelist(a[(i - 1)*columns + k], k, 1, columns))), i, 1, length(a)/columns)$
"""
register(KernelText("row_roots", lambda call, _: C.format(columns=call.columns), MATLAB, MAXIMA, chooses=True))
'''

FILES = {
    "eigenvalues_definition": DEFINITION,
    "eigenvalues_text": TEXT,
    "row_roots_definition": ROOTS_DEFINITION,
    "row_roots_text": ROOTS_TEXT,
}
X = np.random.default_rng(7).normal(size=(5, 3))


@pytest.fixture(scope="module", autouse=True)
def _added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All files, in force while these tests run."""
    folder = tmp_path_factory.mktemp("kernel")
    for name, text in FILES.items():
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    yield
    for kernel in ("eigenvalues", "row_roots"):
        del KERNELS[kernel], TEXTS[kernel]
    for name in FILES:
        del sys.modules[name]


def ellipse() -> Program:
    """y = eigenvalues of [1 + x0²  x0 x1; x0 x1  x2], the second one times x2."""
    writer = Writer()
    x = writer.inputs(0, 3)
    matrix = [[1.0 + x[0] * x[0], x[0] * x[1]], [x[0] * x[1], x[2]]]
    low, high = writer.call(KERNELS["eigenvalues"].call(2), matrix)
    steps, results = writer.needed([[low, high * x[2]]])
    ports = Port("x", (3,), "1", "in"), Port("y", (2,), "1", "out")
    return Program("ellipse", "y = eigenvalues(x)", ports[:1], ports[1:], steps, results)


def by_numpy(x: np.ndarray) -> np.ndarray:
    low, high = np.linalg.eigvalsh([[1 + x[0] ** 2, x[0] * x[1]], [x[0] * x[1], x[2]]])
    return np.array([low, high * x[2]])


EXPECTED = np.array([by_numpy(x) for x in X])


class Emitted:
    """The program, as a computation is emitted."""

    def __init__(self, program: Program) -> None:
        self.program, self.inputs, self.outputs = program, program.inputs, program.outputs

    def emit(self, target: str, folder: Path, name: str) -> None:
        for file, text in TARGETS[target](self.program, name, "double", ()).items():
            (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_adds_a_kernel_in_one_file_of_each_of_two_rooms(runner: Runner, tmp_path: Path) -> None:
    if not runner.present:
        pytest.skip(f"{runner.tool} is not on this machine; make tools installs it")
    trials = tuple(Trial((tuple(x.tolist()),), (tuple(y.tolist()),)) for x, y in zip(X, EXPECTED, strict=True))
    job = Job("ellipse", Emitted(ellipse()), trials)  # type: ignore[arg-type]
    job.computation.emit(runner.target, tmp_path, job.name)
    ((found,),) = runner.run(tmp_path, [job])
    assert found == pytest.approx(EXPECTED[: len(found)], rel=1e-13, abs=1e-13)


def test_the_added_kernel_is_run_and_counted_here() -> None:
    program = ellipse()
    entry, y = interpreted(program), np.empty(2)
    for x, expected in zip(X, EXPECTED, strict=True):
        entry(x, y)
        assert y == pytest.approx(expected, rel=1e-13, abs=1e-13)
        assert evaluate(program, {"x": x})["y"] == pytest.approx(expected, rel=1e-13, abs=1e-13)
    # inside: (a + c)/2, (a - c)/2, their root, both; outside: three products and a sum
    assert program.operations == {"add": 3 + 1, "sub": 2, "mul": 4 + 3, "sqrt": 1}


def test_the_added_kernel_changes_as_finite_differences_say() -> None:
    program, step = ellipse(), 1e-6
    there = jacobian(program, ["y"], ["x"]).program
    back = pullback(program, ["y"], ["x"])
    for x in X:
        slopes = [(by_numpy(x + step * e) - by_numpy(x - step * e)) / (2 * step) for e in np.eye(3)]
        assert evaluate(there, {"x": x})["dy_dx"] == pytest.approx(np.transpose(slopes), abs=1e-8)
        pulled = evaluate(back, {"x": x, "y_bar": np.array([2.0, -1.0])})["x_bar"]
        assert pulled == pytest.approx(np.array(slopes) @ [2.0, -1.0], abs=1e-8)


def test_a_new_file_in_each_room_is_found_by_itself(tmp_path: Path) -> None:
    house = Path(motionc.__file__).parent
    copy = shutil.copytree(house, tmp_path / "motionc", ignore=shutil.ignore_patterns("benchmark"))
    (copy / "program/kernels/eigenvalues.py").write_text(DEFINITION, encoding="utf-8")
    (copy / "targets/kernels/eigenvalues.py").write_text(TEXT, encoding="utf-8")
    asked = """import sys; sys.path.insert(0, sys.argv[1])
from motionc.program.kernels import KERNELS
from motionc.targets.kernels import TEXTS
assert KERNELS.keys() == TEXTS.keys()
print("eigenvalues" in KERNELS)"""
    done = subprocess.run([sys.executable, "-I", "-c", asked, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


# ---------------------------------------------------------------- rows and columns


def two_widths(pattern: tuple[int, ...]) -> Program:
    """The same rows twice, of two columns and of three."""
    writer = Writer()
    x = writer.inputs(0, 10)
    narrow, wide = (KERNELS["row_roots"].on_tree(pattern, columns).call(2) for columns in (2, 3))
    found = [*writer.call(narrow, x[:4]), *writer.call(wide, x[4:])]
    steps, results = writer.needed([found])
    ports = Port("x", (10,), "1", "in"), Port("y", (4,), "1", "out")
    return Program("widths", "y = row_roots(x)", ports[:1], ports[1:], steps, results)


@pytest.mark.parametrize("pattern", [(), (7,)], ids=["nothing more told", "told a number"])
@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_a_matrix_need_not_be_square_and_one_program_may_call_two_widths(
    runner: Runner, tmp_path: Path, pattern: tuple[int, ...]
) -> None:
    if not runner.present:
        pytest.skip(f"{runner.tool} is not on this machine; make tools installs it")
    x = np.random.default_rng(8).uniform(0.1, 1, (5, 10))
    expected = np.sqrt(np.hstack([x[:, :4].reshape(5, 2, 2).max(axis=2), x[:, 4:].reshape(5, 2, 3).max(axis=2)]))
    trials = tuple(Trial((tuple(a.tolist()),), (tuple(b.tolist()),)) for a, b in zip(x, expected, strict=True))
    job = Job("widths", Emitted(two_widths(pattern)), trials)  # type: ignore[arg-type]
    job.computation.emit(runner.target, tmp_path, job.name)
    ((found,),) = runner.run(tmp_path, [job])
    assert found == pytest.approx(expected[: len(found)], rel=1e-14)


def test_the_root_of_a_negative_number_is_nan_wherever_the_definition_is_read(tmp_path: Path) -> None:
    program, x, y = two_widths(()), -np.ones(10), np.empty(4)
    interpreted(program)(x, y)
    assert np.isnan(y).all()
    assert np.isnan(evaluate(program, {"x": x})["y"]).all()
    assert np.isnan(KERNELS["row_roots"].on_tree((), 2).call(2).run([-1.0, -4.0, -np.inf, np.nan])).all()
    ((shipped,),) = [list(TARGETS["python"](program, "widths", "double", ()).values())]
    scope = {"__name__": "widths"}
    exec(shipped, scope)
    assert np.isnan(scope["widths"](x)).all()  # type: ignore[operator]


# ---------------------------------------------------------------- what was forgotten


@pytest.mark.parametrize("target", sorted(TARGETS.keys() - {"python"}))
def test_a_kernel_without_a_text_is_refused(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(TEXTS, "eigenvalues")
    with pytest.raises(motionc.Error, match=r"kernel 'eigenvalues' has no text: add targets/kernels/eigenvalues\.py"):
        TARGETS[target](ellipse(), "ellipse", "double", ())


def test_a_call_on_too_few_or_too_many_numbers_is_refused() -> None:
    writer = Writer()
    x = writer.inputs(0, 5)
    for count in (3, 5):
        with pytest.raises(motionc.Error, match=f"eigenvalues on 2 rows takes 4 numbers, not {count}"):
            writer.call(KERNELS["eigenvalues"].call(2), x[:count])
