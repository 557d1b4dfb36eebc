"""lu_solve: what SciPy gives, whatever rows must change places; what is said of singular systems; how it changes."""

import numpy as np
import pytest
from scipy import linalg

import motionc as mc
from motionc.program import Program
from motionc.program.build import Writer
from motionc.program.derive.differentiate import jacobian, pullback, pushforward
from motionc.program.evaluate import evaluate
from motionc.program.kernels.lu_solve import LU_SOLVE, lu_solve
from motionc.program.port import Port
from motionc.runtime.build.library import interpreted
from trials import trials

Array = np.ndarray


def solved(A: Array, R: Array) -> tuple[Array, float]:
    """X and rank."""
    m, columns = R.shape
    *x, rank = lu_solve(m, columns).run([*A.ravel(), *R.ravel()])
    return np.array(x, float).reshape(m, columns), rank


def solving(m: int, columns: int) -> Program:
    """From A and R to X and rank."""
    writer = Writer()
    A, R = writer.inputs(0, m * m), writer.inputs(1, m * columns)
    *x, rank = writer.call(lu_solve(m, columns), A, R)
    steps, results = writer.needed([x, [rank]])
    given = Port("A", (m, m), "1", "matrix"), Port("R", (m, columns), "1", "right sides")
    found = Port("X", (m, columns), "1", "answer"), Port("rank", (1,), "1", "pivots")
    return Program("solving", "X = inv(A) R", given, found, steps, results)


def matrices(rng: np.random.Generator, m: int) -> list[Array]:
    """Any; with zeros where pivots are looked for; of rows and columns of other sizes; a permutation; a triangle."""
    plain, hollow, sparse = rng.normal(size=(3, m, m))
    if m > 1:
        np.fill_diagonal(hollow, 0.0)
    sparse *= rng.random((m, m)) < 0.4
    sparse[np.arange(m), rng.permutation(m)] += 3.0
    scaled = plain * 10.0 ** rng.integers(-8, 9, size=(m, 1)) * 10.0 ** rng.integers(-8, 9, size=(1, m))
    tiny = plain.copy()
    tiny[0, 0] = 1e-18
    return [plain, hollow, sparse, scaled, tiny, np.eye(m)[rng.permutation(m)], np.tril(plain) + np.eye(m)]


@pytest.mark.parametrize("m", [1, 2, 4, 9])
def test_answers_are_those_of_scipy(m: int) -> None:
    rng = np.random.default_rng(m)
    for _ in range(trials(40)):
        columns = int(rng.integers(1, 4))
        for A in matrices(rng, m):
            R = A @ rng.normal(size=(m, columns))
            x, rank = solved(A, R)
            expected = linalg.lu_solve(linalg.lu_factor(A), R)
            # as far from SciPy's as a system like this one lets two solves be
            row, column = np.max(np.abs(A), axis=1), np.max(np.abs(A / np.max(np.abs(A), axis=1)[:, None]), axis=0)
            far = np.linalg.cond(A / row[:, None] / column)
            off = np.max(np.abs((x - expected) * column[:, None])) / np.max(np.abs(expected) * column[:, None])
            assert rank == m
            assert off < 1e-14 * max(far, 100.0) * m


def test_64_rows_are_solved_and_65_refused() -> None:
    rng = np.random.default_rng(1)
    A, R = rng.normal(size=(64, 64)), rng.normal(size=(64, 2))
    x, rank = solved(A, R)
    assert rank == 64
    assert x == pytest.approx(linalg.solve(A, R), rel=1e-9, abs=1e-10)
    for m, columns in ((0, 1), (65, 1), (3, 0)):
        with pytest.raises(mc.Error, match="it takes 1 to 64 rows and at least one side"):
            lu_solve(m, columns)


def test_where_nothing_is_left_of_a_column_its_unknown_is_zero() -> None:
    rng = np.random.default_rng(2)
    for m in (1, 2, 5):
        for gone in range(1, m + 1):
            A, R = rng.normal(size=(m, m)), rng.normal(size=(m, 2))
            dead = rng.permutation(m)[:gone]
            A[:, dead] = 0.0
            x, rank = solved(A, R)
            assert rank == m - gone
            assert np.isfinite(x).all()
            assert np.all(x[dead] == 0.0)
    # rows that agree are solved, as far as they go
    x, rank = solved(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[1.0], [2.0]]))
    assert (rank, x.ravel().tolist()) == (1.0, [1.0, 0.0])
    # up to rounding there is a pivot, and an answer beyond all others
    x, rank = solved(np.array([[0.1, 0.3], [0.3, 0.9 + 1e-16]]), np.array([[1.0], [0.0]]))
    assert rank == 2
    assert 1e14 < np.min(np.abs(x)) < np.inf


def test_what_is_no_number_stays_none() -> None:
    rng = np.random.default_rng(3)
    for place in np.ndindex(3, 3):
        A, R = rng.normal(size=(3, 3)), rng.normal(size=(3, 1))
        A[place] = np.nan
        assert np.isnan(solved(A, R)[0]).any()
    R = np.array([[1.0, np.nan]] * 3)
    x, _ = solved(rng.normal(size=(3, 3)), R)
    assert np.isnan(x).any(axis=0).tolist() == [False, True]


def test_the_written_program_runs_and_counts() -> None:
    rng, program = np.random.default_rng(4), solving(4, 2)
    A, R = rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    assert evaluate(program, {"A": A, "R": R})["X"] == pytest.approx(linalg.solve(A, R), rel=1e-12)
    found = np.empty(9)
    interpreted(program)(np.concatenate([A.ravel(), R.ravel()]), found)
    assert found[:8].reshape(4, 2) == pytest.approx(linalg.solve(A, R), rel=1e-12)
    assert found[8] == 4
    counts, m, k = lu_solve(4, 2).operations(), 4, 2
    # one product and one difference for each entry below and right of a pivot, and on the way back
    inner = sum((m - 1 - j) * (m - 1 - j + k) for j in range(m)) + k * m * (m - 1) // 2
    assert counts["sub"] == inner
    assert counts["mul"] == inner + m * (m - 1) // 2 + k * m + m
    assert counts["div"] == m
    assert counts["select"] == sum(2 * (m - 1 - j) * (m - j + k) for j in range(m)) + m * m + 2 * m


def test_it_changes_as_finite_differences_say_forward_and_back() -> None:
    m, columns, step = 3, 2, 1e-6
    rng, program = np.random.default_rng(5), solving(3, 2)
    A, R, dA, dR = (rng.normal(size=size) for size in ((m, m), (m, columns)) * 2)
    there, back = (linalg.solve(A + s * dA, R + s * dR) for s in (step, -step))
    slope = (there - back) / (2 * step)
    given = {"A": A, "R": R}
    forward = evaluate(pushforward(program, ["X"], ["A", "R"]), {**given, "dA": dA, "dR": dR})["dX"]
    assert forward == pytest.approx(slope, rel=1e-7, abs=1e-8)
    bar = rng.normal(size=(m, columns))
    pulled = evaluate(pullback(program, ["X"], ["A", "R"]), {**given, "X_bar": bar})
    # Aᵀ on the way back, as SciPy has it
    expected = linalg.solve(A.T, bar)
    assert pulled["R_bar"] == pytest.approx(expected, rel=1e-11)
    assert pulled["A_bar"] == pytest.approx(-expected @ linalg.solve(A, R).T, rel=1e-11)
    whole = evaluate(jacobian(program, ["X", "rank"], ["R"]).program, given)
    assert whole["dX_dR"][:, 0, :, 0] == pytest.approx(linalg.inv(A), rel=1e-11)
    assert not np.any(whole["drank_dR"])


def test_numpy_reads_the_definition() -> None:
    A = np.array([[0.0, 2.0], [4.0, 0.0]])
    x, rank = LU_SOLVE.numpy(A, np.array([[2.0], [4.0]]))
    assert (x.ravel().tolist(), rank.item()) == ([1.0, 1.0], 2.0)
