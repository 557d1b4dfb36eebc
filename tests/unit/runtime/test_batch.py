"""Batches: the same numbers as one call a state, in any layout, by name when wrong, in bounded memory, on threads."""

import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.runtime.arrays import batch
from motionc.runtime.build import compiler, library
from mutants import tree
from tiers import needs_compiler
from trials import some

Array = np.ndarray[Any, Any]
ROWS = [mc.Constraint("tool", "xyz rx")]


@pytest.fixture(params=library.TIERS)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param != "interpreted" and compiler.find_compiler() is None:
        pytest.skip("no C compiler on this machine")
    monkeypatch.setenv("MOTIONC_TIER", request.param)
    return request.param


def states(computation: mc.Computation, count: int, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, (count, *port.shape)) for port in computation.inputs]


def one_by_one(computation: mc.Computation, inputs: list[Array]) -> list[Array]:
    """Every output from one call a state."""
    found = [computation(*(values[k] for values in inputs)) for k in range(len(inputs[0]))]
    if len(computation.outputs) == 1:
        return [np.array(found)]
    return [np.array([out[name] for out in found]) for name in found[0].names]


def outputs(result: Any) -> list[Array]:
    return list(result) if isinstance(result, tuple) else [result]


MAKE: dict[str, Callable[[str], mc.Computation]] = {
    "constrained_dynamics": lambda p: mc.constrained_dynamics(tree(False), ROWS, precision=p),
    "forward_kinematics": lambda p: mc.forward_kinematics(tree(True), precision=p),
    "jacobian": lambda p: mc.jacobian(tree(False), "tool", precision=p),
    "inverse_dynamics": lambda p: mc.inverse_dynamics(
        tree(True), external_forces=[mc.Force("hand", as_seen_by="hand")], precision=p
    ),
    "forward_dynamics": lambda p: mc.forward_dynamics(tree(True), precision=p),
}


@pytest.mark.parametrize(
    ("name", "precision"), [*((name, "double") for name in MAKE), *((name, "single") for name in some(MAKE))]
)
def test_a_batch_is_one_call_a_state(tier: str, name: str, precision: str) -> None:
    computation = MAKE[name](precision)
    inputs = states(computation, 37)
    expected = one_by_one(computation, inputs)
    bound = 1e-11 if precision == "double" else 2e-3
    for axis in (0, -1):
        turned = [np.ascontiguousarray(np.moveaxis(values, 0, axis)) for values in inputs]
        for got, wanted in zip(outputs(computation.batch(*turned, axis=axis)), expected, strict=True):
            assert got.dtype.kind == "i" or got.dtype == (np.float64 if precision == "double" else np.float32)
            assert got.flags.c_contiguous
            assert np.max(np.abs(np.moveaxis(got, axis, 0) - wanted)) <= bound * max(1.0, np.max(np.abs(wanted)))
    assert computation.tier == tier


@pytest.mark.calls
@pytest.mark.parametrize("count", [0, 1, 3, 64, 65, 20_001])
@needs_compiler
def test_any_number_of_states(count: int) -> None:
    computation = mc.inverse_dynamics(mc.load("planar2"))
    inputs = states(computation, count)
    got = computation.batch(*inputs)
    assert got.shape == (count, 2)
    for k in {0, count // 2, count - 1} & set(range(count)):
        assert np.allclose(got[k], computation(*(values[k] for values in inputs)), rtol=1e-13, atol=1e-13)


def odd_layouts(values: Array) -> list[Array]:
    """The same numbers, standing otherwise."""
    count = len(values)
    wide = np.zeros((2 * count, *values.shape[1:]))
    wide[::2] = values
    backwards = np.ascontiguousarray(values[::-1])
    unaligned = np.frombuffer(b"x" + values.tobytes(), np.uint8)[1:].view(np.float64).reshape(values.shape)
    return [
        wide[::2],
        backwards[::-1],
        np.asfortranarray(values),
        values.astype(">f8"),
        unaligned,
        np.ma.masked_array(values),
    ]


@pytest.mark.parametrize("k", range(6))
def test_any_layout_of_the_same_numbers(tier: str, k: int) -> None:
    computation = mc.inverse_dynamics(
        tree(True), external_forces=[mc.Force("hand", as_seen_by="hand"), mc.Force("tool", as_seen_by="tool")]
    )
    inputs = states(computation, 9)
    expected = computation.batch(*inputs)
    assert np.array_equal(expected, computation.batch(*(odd_layouts(values)[k] for values in inputs)))
    lists = [values.tolist() for values in inputs]
    assert np.array_equal(expected, computation.batch(*lists))
    lower = [values.astype(np.float32) for values in inputs]
    assert np.array_equal(computation.batch(*lower), computation.batch(*(values.astype(float) for values in lower)))
    assert computation.tier == tier


def test_an_input_of_one_state_is_for_all(tier: str) -> None:
    computation = mc.inverse_dynamics(tree(False), external_forces=[mc.Force("hand", as_seen_by="hand")])
    q, v, a, f = states(computation, 10)
    everywhere = np.broadcast_to(f[0], f.shape)
    expected = computation.batch(q, v, a, everywhere)
    assert np.array_equal(expected, computation.batch(q, v, a, f[0]))
    assert np.array_equal(computation.batch(q, v[0], a[0], f[0]), computation.batch(q, v=v[0], a=a[0], f_ext=f[0]))
    assert computation.tier == tier


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("count", [2048, 2043])
def test_outputs_larger_than_caches_go_past_them_unchanged(axis: int, precision: Any, count: int) -> None:
    """Transposed in registers, written in whole lines of memory where these are whole; duplicates and zeros too."""
    computation = mc.mass_matrix(mc.load("humanoid"), precision=precision)
    q = states(computation, 16)[0]
    many = np.resize(q, (count, *q.shape[1:]))
    found = computation.batch(many if axis == 0 else many.T, axis=axis)
    assert found.nbytes > 8e6 or precision == "single"
    each = np.stack([computation(one) for one in q])
    expected = np.resize(each, (count, *each.shape[1:]))
    tolerance = 1e-12 if precision == "double" else 1e-4
    assert np.allclose(np.moveaxis(found, axis, 0), expected, rtol=0, atol=tolerance * np.abs(each).max())


def test_answers_go_into_arrays_that_are_given() -> None:
    fd = mc.forward_dynamics(mc.load("lwr4"))
    q, v, tau = states(fd, 20)
    expected = fd.batch(q, v, tau)
    mine = np.full_like(expected, np.nan)
    assert fd.batch(q, v, tau, out=mine) is mine
    assert np.array_equal(mine, expected)
    energy = mc.energy(mc.load("lwr4"))
    first = energy.batch(q, v)
    again = energy.batch(q[::-1], v[::-1], out=first)
    assert again.kinetic is first.kinetic
    assert np.array_equal(again.kinetic[::-1], energy.batch(q, v).kinetic)
    by_name = {name: np.empty_like(first[name]) for name in reversed(first.names)}
    named = energy.batch(q, v, out=by_name)
    assert all(named[name] is by_name[name] for name in first.names)
    assert np.array_equal(named.potential, energy.batch(q, v).potential)
    assert fd.batch(q, v, tau, out={"a": mine}) is mine
    wide = np.full((20, 14), np.nan)
    fd.batch(q, v, tau, out=wide[:, :7])
    assert np.array_equal(wide[:, :7], expected)
    assert np.isnan(wide[:, 7:]).all()


@pytest.mark.parametrize("count", [2, 3])
def test_few_states_go_where_strides_say(count: int) -> None:
    """Also where a state's numbers are as far apart as there are states, or states lie from the last to the first."""
    robot = mc.load("lwr4")
    computation, q = mc.mass_matrix(robot), robot.random(0, size=count)
    expected = np.array([computation(each) for each in q])
    wide, behind = np.full((count, 7, 7 * count), np.nan), np.full((7, 7, count), np.nan)
    flat = np.full((count, 49 * count), np.nan)
    apart = np.lib.stride_tricks.as_strided(flat, (count, 7, 7), (flat.strides[0], 7 * count * 8, count * 8))
    assert computation.batch(q, out=apart) is apart
    assert np.array_equal(apart, expected)
    assert np.isnan(flat).sum() == flat.size - expected.size
    computation.batch(q.T.copy(), axis=-1, out=behind[..., ::-1])
    assert np.array_equal(behind[..., ::-1], np.moveaxis(expected, 0, -1))
    computation.batch(q, out=wide[..., ::count])
    assert np.array_equal(wide[..., ::count], expected)
    assert np.isnan(wide).sum() == wide.size - expected.size


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (lambda q: np.empty((20, 6)), r"a is float64 \(20, 6\); give an array of float64, \(20, 7\)"),
        (lambda q: np.empty((20, 7), np.float32), "give an array of float64"),
        (lambda q: [np.empty((20, 7)), np.empty((20, 7))], "out has 2 arrays; give what a batch returned"),
        (lambda q: "there", "a is a str; give an array of float64"),
        (lambda q: [[0.0, 1.0]], "a is a list; give an array of float64"),
        (lambda q: {}, "out has no a; give what a batch returned, an array for a, or a mapping by name"),
        (lambda q: {"a": np.empty((20, 7)), "tau": q}, "out has 'tau', which is no output"),
        (lambda q: q, "memory in common with an input, q; give another"),
        (lambda q: np.broadcast_to(np.zeros(7), (20, 7)), "cannot be written in place, for it is read-only"),
        (lambda q: np.zeros(20 * 56 + 8, np.int8)[1:1121].view(float).reshape(20, 7), "numbers do not begin where"),
    ],
)
def test_arrays_that_answers_cannot_go_into_are_refused_by_name(out: Any, words: str) -> None:
    fd = mc.forward_dynamics(mc.load("lwr4"))
    q, v, tau = states(fd, 20)
    before = q.copy()
    with pytest.raises(mc.Error, match=words):
        fd.batch(q, v, tau, out=out(q))
    assert np.array_equal(q, before)


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (lambda array: [array], "out has 1 array; give what a batch returned, 2 arrays in the order of"),
        (lambda array: array, r"out is one array, \(20,\)"),
        (lambda array: "there", "out is a str; give"),
        (lambda array: {"kinetic": array}, "out has no potential; give .*, or a mapping by name"),
    ],
)
def test_refusals_of_what_is_given_for_several_outputs_show_no_numbers(out: Any, words: str) -> None:
    energy = mc.energy(mc.load("lwr4"))
    q, v = states(energy, 20)
    with pytest.raises(mc.Error, match=words) as refused:
        energy.batch(q, v, out=out(np.full(20, 0.125)))
    assert "0.125" not in str(refused.value)


def test_two_arrays_in_one_place_are_refused_by_name() -> None:
    energy, same = mc.energy(mc.load("lwr4")), np.zeros(20)
    with pytest.raises(mc.Error, match="two arrays, kinetic and potential, have memory in common"):
        energy.batch(*states(energy, 20), out=[same, same])


@pytest.mark.parametrize("strides", [(8, 8), (16, 8), (8, 64), (-8, 8), (0, 8), (56, 0)])
def test_arrays_with_two_numbers_in_one_place_are_no_place_for_answers(strides: tuple[int, int]) -> None:
    fd = mc.forward_dynamics(mc.load("lwr4"))
    inputs = states(fd, 20)
    fd.batch(*inputs)
    room = np.zeros(400)[200:]
    with pytest.raises(mc.Error, match="cannot be written in place, for some of its numbers share memory"):
        fd.batch(*inputs, out=np.lib.stride_tricks.as_strided(room, (20, 7), strides))


def test_an_axis_of_one_number_may_have_any_stride() -> None:
    """Whether the batch is the first one, run by ctypes, or converts its inputs."""
    robot = mc.load("planar2", fixed=[mc.load("planar2").joint_names[0]])
    jacobian = mc.jacobian(robot, robot.link_names[-1])
    q = robot.random(0, size=200)
    expected = np.array([jacobian(each) for each in q])
    for given in (q, q, q.tolist()):
        room = np.full((200, 6, 5), np.nan)
        jacobian.batch(given, out=room[:, :, 2:3])
        np.testing.assert_allclose(room[:, :, 2:3], expected, rtol=0, atol=1e-15)
        assert np.isnan(room[:, :, [0, 1, 3, 4]]).all()


@pytest.mark.parametrize("axis", [0, -1])
def test_answers_go_beside_the_inputs_in_one_array(axis: int) -> None:
    """A row of an array is a whole state, what it does included: the columns have no memory in common."""
    change = mc.forward_dynamics(mc.load("lwr4")).derivative("a", ["q", "v"])
    q, v, tau = states(change, 70)
    expected = change.batch(q, v, tau, threads=1)
    rows = np.full((70, 21 + 2 * 49), np.nan)
    rows[:, :21] = np.hstack([q, v, tau])
    if axis:
        rows = rows.T.copy().T
    whole = [rows[:, first : first + 7] for first in (0, 7, 14)]
    given = [rows[:, first : first + 49].reshape(70, 7, 7) for first in (21, 70)]
    assert all(np.may_share_memory(part, rows) for part in given)
    if axis:
        whole, given = [part.T for part in whole], [np.moveaxis(part, 0, -1) for part in given]
    found = change.batch(*whole, axis=axis, out=given, threads=1)
    assert np.allclose(np.moveaxis(found.da_dq, -1, 0) if axis else found.da_dq, expected.da_dq, rtol=1e-12)
    assert np.allclose(rows[:, 70:].reshape(70, 7, 7), expected.da_dv, rtol=1e-12)
    assert np.array_equal(rows[:, :21], np.hstack([q, v, tau]))


def test_what_is_wrong_is_named() -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    good = np.zeros((4, 2))
    for inputs, message in (
        ((good, good), r"batch takes 3 inputs \(q, v, tau\), not 2"),
        ((good, np.zeros((4, 3)), good), r"v has shape \(4, 3\); it must be \(N, 2\), or \(2,\) for all states"),
        ((good, good, np.zeros((5, 2))), "tau has 5 states, but q has 4"),
        ((good[0], good[0], good[0]), "no input has an axis of states; for one state call forward_dynamics itself"),
        ((good, "fast", good), r"v must be numbers of shape \(N, 2\), or \(2,\) for all states, not str"),
        ((good, good, good.astype(complex)), "tau must be numbers of shape .* not complex128"),
    ):
        with pytest.raises(Error, match=message):
            fd.batch(*inputs)
    with pytest.raises(Error, match=r"q has shape \(4, 2\); it must be \(2, N\).*; for these say axis=0"):
        fd.batch(good, good, good, axis=-1)
    with pytest.raises(Error, match="axis is 1; say 0 for arrays"):
        fd.batch(good, good, good, axis=1)
    with pytest.raises(Error, match=r"axis is 0\.0; say 0 for arrays"):
        fd.batch(good, good, good, axis=0.0)  # type: ignore[arg-type]
    with pytest.raises(Error, match="threads=0; give a whole number"):
        fd.batch(good, good, good, threads=0)
    with pytest.raises(Error, match="takes no input 'torque' here; it takes q, v, tau"):
        fd.batch(good, good, torque=good)
    with pytest.raises(Error, match="precision='half'; say 'double' or 'single'"):
        mc.forward_dynamics(mc.load("planar2"), precision="half")  # type: ignore[arg-type]


def test_a_value_that_is_not_finite_is_named_with_its_state() -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    fd.check_finite = True
    good, bad = np.zeros((9000, 2)), np.zeros((9000, 2))
    bad[8999, 1] = np.inf
    with pytest.raises(Error, match="v holds a value that is not finite, at entry 1 of state 8999"):
        fd.batch(good, bad, good)
    with pytest.raises(Error, match="tau holds a value that is not finite, at entry 0"):
        fd.batch(good, good, [np.nan, 0])


@pytest.mark.calls
def test_notes_say_how_many_states() -> None:
    robot = mc.load("planar2")
    dynamics = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x y")])
    q = np.array([[0.3, 1.0], [0.3, 0.0], [0.3, 2.0], [1.0, 0.0]])
    out = dynamics.batch(q, np.zeros((4, 2)), np.zeros((4, 2)), np.ones((4, 2)))
    assert out.rank.tolist() == [2, 1, 2, 1]
    assert len(out.notes) == 1
    assert out.notes[0].startswith("rank 1 of 2")
    assert out.notes[0].endswith("(2 of 4 states, first 1)")
    assert dynamics(q[1], [0, 0], [0, 0], [1, 1]).notes == [out.notes[0].removesuffix(" (2 of 4 states, first 1)")]


@needs_compiler
def test_memory_stays_bounded_whatever_must_be_converted() -> None:
    """A million states of a type that must be converted: little beside the answer itself."""
    fd = mc.forward_dynamics(mc.load("planar2"))
    q = np.zeros((1_000_000, 2), np.float32)
    fd.batch(q[:100], q[:100], q[:100])
    tracemalloc.start()
    a = fd.batch(q, q[0], q[0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < a.nbytes + 4 * 2**20


@needs_compiler
def test_threads_share_the_work_and_let_python_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    computation = mc.inverse_dynamics(mc.load("lwr4"))
    inputs = states(computation, 30_000)
    alone = computation.batch(*inputs, threads=1)
    in_lanes, meet = batch.in_lanes, threading.Barrier(2)

    def watched(*args: Any) -> Callable[[int, int], None]:
        run = in_lanes(*args)

        def met(start: int, stop: int) -> None:
            if start in (0, batch.LONGEST):  # the first two stretches begin only together
                meet.wait(10)
            run(start, stop)

        return met

    monkeypatch.setattr(batch, "WORK", 10**9)
    monkeypatch.setattr(batch, "in_lanes", watched)
    assert np.array_equal(computation.batch(*inputs, threads=2), alone)
    assert not meet.broken


@needs_compiler
def test_batches_from_many_threads_at_once() -> None:
    computation = mc.forward_dynamics(mc.load("lwr4"))
    inputs = states(computation, 5000)
    expected, wrong = computation.batch(*inputs), list[int]()

    def again(k: int) -> None:
        for _ in range(5):
            if not np.array_equal(computation.batch(*inputs), expected):
                wrong.append(k)

    workers = [threading.Thread(target=again, args=(k,)) for k in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@needs_compiler
def test_a_compiler_without_vectors_leaves_states_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    computation = mc.inverse_dynamics(mc.load("planar2"))
    inputs = states(computation, 5)
    expected = computation.batch(*inputs)
    unknown = compiler.Compiler(("tool",), "cc", "some compiler")

    def fail(*args: Any) -> Any:
        raise Error("tool could not compile batches: vectors?\nmore")

    monkeypatch.setattr(library, "lanes", fail)
    monkeypatch.setattr(compiler, "find_compiler", lambda: unknown)
    solver = computation.solver
    with pytest.warns(RuntimeWarning, match="batches go state by state"):
        assert library.open_lanes(solver, computation._library, batch.stretch) is None
    other = mc.inverse_dynamics(mc.load("planar2"))
    other.__dict__ |= {"_opened_lanes": (None,), "_opened": computation._library}
    assert np.allclose(other.batch(*inputs), expected, rtol=1e-14, atol=1e-14)


def test_where_nothing_moves_there_are_empty_answers() -> None:
    stone = mc.Robot(mc.KinematicChain("stone", (), mc.Segment("base", mc.Link.rigid("base", 1.0, inertia=(1, 1, 1)))))
    for axis, none in ((0, np.zeros((5, 0))), (-1, np.zeros((0, 5)))):
        assert mc.forward_dynamics(stone).batch(none, none, none, axis=axis).shape == none.shape
        assert mc.mass_matrix(stone).batch(none, axis=axis).shape == ((5, 0, 0) if axis == 0 else (0, 0, 5))
    computation = mc.inverse_dynamics(mc.load("planar2"))
    assert computation.batch(np.zeros((0, 2)), [0, 0], [0, 0]).shape == (0, 2)
    assert computation.batch(np.zeros((2, 0)), [0, 0], [0, 0], axis=-1).shape == (2, 0)
