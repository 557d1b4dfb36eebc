"""A kernel more is one file in program/kernels/ and one in targets/kernels/: here the eigenvalues of a 2×2 matrix."""

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

X = np.random.default_rng(7).normal(size=(5, 3))


@pytest.fixture(scope="module", autouse=True)
def _added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Both files, in force while these tests run."""
    folder = tmp_path_factory.mktemp("kernel")
    for name, text in (("eigenvalues_definition", DEFINITION), ("eigenvalues_text", TEXT)):
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    yield
    del KERNELS["eigenvalues"], TEXTS["eigenvalues"]
    del sys.modules["eigenvalues_definition"], sys.modules["eigenvalues_text"]


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
    copy = shutil.copytree(house, tmp_path / "motionc", ignore=shutil.ignore_patterns("__pycache__", "benchmark"))
    (copy / "program/kernels/eigenvalues.py").write_text(DEFINITION, encoding="utf-8")
    (copy / "targets/kernels/eigenvalues.py").write_text(TEXT, encoding="utf-8")
    asked = """import sys; sys.path.insert(0, sys.argv[1])
from motionc.program.kernels import KERNELS
from motionc.targets.kernels import TEXTS
assert KERNELS.keys() == TEXTS.keys()
print("eigenvalues" in KERNELS)"""
    done = subprocess.run([sys.executable, "-I", "-c", asked, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
