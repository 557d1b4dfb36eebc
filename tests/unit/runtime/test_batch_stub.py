"""The builtin batch: the same bits as the slower way, in place wherever arrays are just right, and nothing is kept."""

import ctypes
import gc
import inspect
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from batches import compiled
from motionc.runtime.arrays.batch import LONGEST, stretch
from motionc.runtime.build import batch_stub, compiler, python_abi
from mutants import tree

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(
    compiler.find_compiler() is None or not python_abi.supported(), reason="there is no glue on this machine"
)
MAKE: dict[str, Callable[[Any], mc.Computation]] = {
    # several outputs, one of them counted
    "constrained_dynamics": lambda p: mc.constrained_dynamics(tree(False), [mc.Constraint("tool", "xyz")], precision=p),
    # several numbers, no array
    "energy": lambda p: mc.energy(tree(True), precision=p),
    # one number among the inputs
    "integrate": lambda p: mc.integrate(tree(True), precision=p),
    # matrices
    "mass_matrix": lambda p: mc.mass_matrix(tree(True), precision=p),
    "forward_dynamics": lambda p: mc.forward_dynamics(
        tree(True), external_forces=[mc.Force("hand", as_seen_by="hand")], precision=p
    ),
    # so much that a block of states is no longer copied
    "much": lambda p: mc.block(
        "much",
        lambda x: {"y": np.outer(x, x), "z": 2 * x},
        [mc.Port("x", (WIDE,), "1", "in")],
        [mc.Port("y", (WIDE, WIDE), "1", "products"), mc.Port("z", (WIDE,), "1", "twice")],
        precision=p,
    ),
}
WIDE = 95


def made(name: str, precision: Any = "double") -> tuple[mc.Computation, Callable[..., Any]]:
    """A computation, and its builtin batch, which refuses what it would leave to the slower way."""
    computation = MAKE[name](precision)
    lanes = computation._lanes
    assert lanes is not None
    assert lanes.call is not None

    def refuse(*_: Any, **__: Any) -> None:
        raise LookupError("left to the slower way")

    records = (computation._record_along(0), computation._record_along(-1))
    return computation, batch_stub.builtin(lanes.stub, lanes.told, refuse, records)


def states(computation: mc.Computation, count: int, axis: int = 0, precision: str = "double") -> list[Array]:
    rng, kind = np.random.default_rng(count), np.float64 if precision == "double" else np.float32
    values = [rng.uniform(-1, 1, (count, *port.shape)).astype(kind) for port in computation.inputs]
    return [np.ascontiguousarray(np.moveaxis(value, 0, axis)) for value in values]


def slowly(computation: mc.Computation, *inputs: Any, **said: Any) -> Any:
    return computation._many(*inputs, **said)


def same(found: Any, expected: Any) -> bool:
    several = [
        (found,) if isinstance(found, np.ndarray) else found,
        (expected,) if isinstance(expected, np.ndarray) else expected,
    ]
    return type(found) is type(expected) and all(
        a.dtype == b.dtype and a.flags.c_contiguous and np.array_equal(a, b) for a, b in zip(*several, strict=True)
    )


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", MAKE)
def test_any_number_of_states_in_place_gives_the_bits_of_the_slower_way(name: str, precision: str) -> None:
    computation, call = made(name, precision)
    for count in (*range(1, 36), 64, 65, 200):
        for axis in (0, -1):
            given = states(computation, count, axis, precision)
            expected = slowly(computation, *given, axis=axis)
            found = call(*given, axis=axis)
            assert same(found, expected), (count, axis)
            assert same(call(*given, axis=axis, threads=2, out=None), expected)
            # into arrays that are given: themselves
            into = slowly(computation, *(value * 0 for value in given), axis=axis)
            assert call(*given, axis=axis, out=into) is into
            assert same(into, expected)
            if isinstance(into, tuple):
                arrays = tuple(np.empty_like(each) for each in into)
                found = call(*given, axis=axis, out=arrays)
                assert same(found, expected)
                assert all(one is other for one, other in zip(found, arrays, strict=True))


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", ["mass_matrix", "much"])
def test_nothing_is_written_around_what_is_asked_for(name: str, precision: str) -> None:
    computation, _ = made(name, precision)
    kind, around = np.float64 if precision == "double" else np.float32, 64
    for count in (*range(1, 18), 70):
        for axis in (0, -1):
            given = states(computation, count, axis, precision)
            shapes = [(count, *port.shape) if axis == 0 else (*port.shape, count) for port in computation.outputs]
            rooms = [np.full(int(np.prod(shape)) + 2 * around, 77, kind) for shape in shapes]
            into = tuple(room[around:-around].reshape(shape) for room, shape in zip(rooms, shapes, strict=True))
            computation.batch(*given, axis=axis, threads=1, out=into if len(into) > 1 else into[0])
            expected = slowly(computation, *given, axis=axis)
            several = [expected] if len(into) == 1 else list(expected.values())
            for room, value, wanted in zip(rooms, into, several, strict=True):
                assert np.array_equal(value, wanted), (count, axis)
                assert np.all(room[:around] == 77)
                assert np.all(room[-around:] == 77)


@pytest.mark.parametrize("count", [3, 8, 17, 33])
@pytest.mark.parametrize("name", MAKE)
def test_a_batch_is_one_call_a_state(name: str, count: int) -> None:
    computation, call = made(name)
    given = states(computation, count)
    found = call(*given)
    several = (found,) if isinstance(found, np.ndarray) else tuple(found)
    for k in range(count):
        one = computation(*(value[k] if value.ndim > 1 else float(value[k]) for value in given))
        for got, wanted in zip(several, (one,) if isinstance(found, np.ndarray) else one, strict=True):
            assert np.max(np.abs(got[k] - wanted)) <= 1e-10 * max(1.0, np.max(np.abs(wanted)))


@pytest.mark.parametrize("precision", ["double", "single"])
def test_new_arrays_begin_with_a_line_of_memory(precision: str) -> None:
    """So that whole lines of them can be written past caches."""
    computation, call = made("energy", precision)
    kept = list[Any]()
    for count in (1, 3, 8, 17, 33, 65, 129):
        given = states(computation, count, precision=precision)
        kept += [call(*given), slowly(computation, *given)]
    assert all(array.ctypes.data % 64 == 0 for found in kept for array in found)


def test_a_state_alone_is_computed_as_a_call_does() -> None:
    """Beyond what lanes know of angles, too."""
    computation, call = made("forward_dynamics")
    given = states(computation, 1)
    given[0] += 1e6
    assert np.array_equal(call(*given)[0], computation(*(value[0] for value in given)))


def test_where_nothing_can_be_counted_there_is_none() -> None:
    computation, call = made("constrained_dynamics")
    given = states(computation, 9)
    given[0][3] = np.nan
    assert call(*given).rank.tolist() == [3, 3, 3, 0, 3, 3, 3, 3, 3]


def test_how_a_state_is_computed_does_not_depend_on_where_it_stands() -> None:
    computation, call = made("forward_dynamics")
    given = states(computation, 40)
    expected = call(*given)
    for count in range(17, 40):
        assert np.array_equal(call(*(value[:count] for value in given)), expected[:count])
        assert np.array_equal(call(*(value[-count:] for value in given)), expected[-count:])
    # nor on how many threads there are: a last stretch that is short goes with the one before it
    many = stretch(len(computation.program.instructions)) + 1
    long = [np.resize(value, (many, *value.shape[1:])) for value in given]
    whole = computation.batch(*long, threads=2)
    assert np.array_equal(whole, np.resize(expected, whole.shape))


def views(value: Array) -> dict[str, Array]:
    """The same numbers, standing otherwise, one stride from state to state and one from element to element."""
    wide = np.zeros((2 * len(value), *value.shape[1:]))
    wide[::2] = value
    beside = np.zeros((*value.shape, 3))
    beside[..., 1] = value
    return {
        "every other state": wide[::2],
        "backwards": np.ascontiguousarray(value[::-1])[::-1],
        "turned": np.ascontiguousarray(np.moveaxis(value, 0, -1)).transpose(value.ndim - 1, *range(value.ndim - 1)),
        "spaced": beside[..., 1],
        "of one state": np.broadcast_to(value[0], value.shape),
        "for all": value[0] if value.ndim > 1 else np.array(value[0]),
    }


@pytest.mark.parametrize("count", [2, 5, 8, 19])
@pytest.mark.parametrize("name", MAKE)
def test_views_of_regular_strides_are_read_in_place(name: str, count: int) -> None:
    computation, call = made(name)
    given = states(computation, count)
    for way in views(given[0]):
        turned = [given[0], *(views(value)[way] for value in given[1:])]
        if len(given) == 1 and way != "for all":
            turned = [views(given[0])[way]]
        assert same(call(*turned), slowly(computation, *turned)), way


def test_one_number_is_taken_as_python_and_numpy_have_it() -> None:
    for precision, kind in (("double", np.float64), ("single", np.float32)):
        computation, call = made("integrate", precision)
        q, v, _ = states(computation, 9, precision=precision)
        expected = slowly(computation, q, v, 0.25)
        for number in (0.25, np.float64(0.25), np.array(0.25, kind), np.full(9, 0.25, kind)):
            assert np.array_equal(call(q, v, number), expected)


def unaligned(value: Array) -> Array:
    return np.frombuffer(b"x" + value.tobytes(), np.uint8)[1:].view(np.float64).reshape(value.shape)


OTHERWISE: dict[str, Callable[[Array, Array, Array], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "a list": lambda q, v, t: ((q, v.tolist(), t), {}),
    "another type": lambda q, v, t: ((q, v.astype(np.float32), t), {}),
    "another order of bytes": lambda q, v, t: ((q, v.astype(">f8"), t), {}),
    "a subclass": lambda q, v, t: ((q, np.ma.asarray(v), t), {}),
    "unaligned": lambda q, v, t: ((q, unaligned(v), t), {}),
    "by name": lambda q, v, t: ((q, v), {"tau": t}),
    "no state at all": lambda q, v, t: ((q[:0], v[:0], t[:0]), {}),
    "too few": lambda q, v, t: ((q, v), {}),
    "one state": lambda q, v, t: ((q[0], v[0], t[0]), {}),
    "another shape": lambda q, v, t: ((q, v[:, :1], t), {}),
    "another number of states": lambda q, v, t: ((q, v[:3], t), {}),
    "an axis in between": lambda q, v, t: ((q, v, t), {"axis": 1}),
    "no axis": lambda q, v, t: ((q, v, t), {"axis": None}),
    "no thread": lambda q, v, t: ((q, v, t), {"threads": 0}),
    "threads that are no number": lambda q, v, t: ((q, v, t), {"threads": True}),
    "fewer threads than can be written": lambda q, v, t: ((q, v, t), {"threads": -(10**30)}),
    "another word": lambda q, v, t: ((q, v, t), {"device": "here"}),
    "an array that is too short": lambda q, v, t: ((q, v, t), {"out": np.empty((4, 2))}),
    "an array of another type": lambda q, v, t: ((q, v, t), {"out": np.empty((5, 2), np.float32)}),
    "an array that is an input": lambda q, v, t: ((q, v, t), {"out": v}),
    "an array in an input": lambda q, v, t: ((q, v, t), {"out": np.broadcast_to(q[:1], q.shape)}),
    "an array that cannot be written": lambda q, v, t: ((q, v, t), {"out": read_only(q)}),
    "a tuple of arrays": lambda q, v, t: ((q, v, t), {"out": (np.empty((5, 2)),)}),
}


def read_only(value: Array) -> Array:
    found = np.empty_like(value)
    found.flags.writeable = False
    return found


@pytest.mark.parametrize("way", OTHERWISE)
def test_what_is_not_just_right_is_left_to_the_slower_way_as_it_is(way: str) -> None:
    computation = mc.forward_dynamics(mc.load("planar2"))
    q, v, tau = states(computation, 5)
    expected = computation.batch(q, v, tau)
    seen: list[tuple[Any, Any]] = []
    lanes = computation._lanes
    assert lanes is not None

    def slow(*inputs: Any, **said: Any) -> str:
        seen.append((inputs, said))
        return "slowly"

    inputs, said = OTHERWISE[way](q, v, tau)
    assert batch_stub.builtin(lanes.stub, lanes.told, slow, (None, None))(*inputs, **said) == "slowly"
    ((got, named),) = seen
    assert all(a is b for a, b in zip(got, inputs, strict=True))
    assert named.keys() == said.keys()
    # and the next batch is as good as ever
    assert np.array_equal(computation.batch(q, v, tau, threads=10**30), expected)


def test_arrays_with_memory_in_common_are_left_to_the_slower_way() -> None:
    computation, call = made("energy")
    q, v = states(computation, 20)
    first = call(q, v)
    twice = type(first)((first[0], first[0], *first[2:]))
    with pytest.raises(LookupError):
        call(q, v, out=twice)
    _, call = made("forward_dynamics")
    q, v, tau, force = states(MAKE["forward_dynamics"]("double"), 20)
    both = np.hstack([v, np.zeros_like(v)])
    columns = both[:, : v.shape[1]], both[:, v.shape[1] :]
    with pytest.raises(LookupError):  # beside each other, row by row
        call(q, columns[0], tau, force, out=columns[1])
    assert np.array_equal(call(q, columns[0], tau, force, out=np.empty_like(v)), call(q, v, tau, force))
    # an array begins where it is lowest, not at its first number
    long = np.tile(v, (2, 1))
    with pytest.raises(LookupError):
        call(q, long[10:30][::-1], tau, force, out=long[:20])
    with pytest.raises(LookupError):
        call(q, long.ravel()[:0:-1][: v.size].reshape(v.shape), tau, force, out=long[10:30])


def test_on_one_thread_python_is_heard_after_so_many_states() -> None:
    """A builtin function cannot be interrupted; the slower way goes on stretch by stretch."""
    computation, call = made("energy")
    lanes = computation._lanes
    assert lanes
    most = 64 * stretch(lanes.size)
    q, v = (np.zeros(port.shape) for port in computation.inputs)
    many = np.broadcast_to(v, (most + 1, *v.shape))
    assert call(q, many[:-1], threads=1).kinetic.shape == (most,)
    with pytest.raises(LookupError):
        call(q, many, threads=1)


def test_records_of_fewer_arrays_are_left_to_the_slower_way() -> None:
    computation, call = made("energy")
    q, v = states(computation, 20)
    first = call(q, v)
    for few in (type(first)(tuple(first)[:1]), tuple(first)[:1], (*first, first[0])):
        with pytest.raises(LookupError):
            call(q, v, out=few)


def test_matrices_whose_rows_are_apart_are_left_to_the_slower_way() -> None:
    """One stride from element to element does not reach them."""
    computation, call = made("mass_matrix")
    (q,) = states(computation, 20)
    expected = call(q)
    size = expected.shape[1]
    for axis in (0, -1):
        room = np.moveaxis(np.full((20, size + 1, size + 2), np.nan), 0, axis)
        into = room[:, :size, :size] if axis == 0 else room[:size, :size]
        given = np.ascontiguousarray(np.moveaxis(q, 0, axis))
        with pytest.raises(LookupError):
            call(given, axis=axis, out=into)


NUMBERS, FLAT = ctypes.POINTER(ctypes.c_long), ctypes.c_void_p
MANY = ctypes.CFUNCTYPE(None, ctypes.c_long, *[ctypes.POINTER(FLAT), NUMBERS, NUMBERS] * 2)
ONE = ctypes.CFUNCTYPE(None, FLAT, FLAT)


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("turned", [False, True])
def test_the_loop_over_states_is_right_for_vectors_of_every_width(width: int, kind: Any, turned: bool) -> None:
    """Also for those that this machine has not: blocks are whole, and every state goes in and out once."""
    size, read = np.dtype(kind).itemsize, np.ctypeslib.as_array
    lanes = width // size
    number = ctypes.c_double if kind is np.float64 else ctypes.c_float

    def at(address: int) -> Any:
        return ctypes.cast(address, ctypes.POINTER(number))

    def many(count: int, x: Any, x_state: Any, x_element: Any, y: Any, y_state: Any, y_element: Any) -> None:
        assert count % lanes == 0
        for k in range(count):
            for i in range(3):
                value = at(x[0])[k * x_state[0] + i * x_element[0]]
                seen.append(value)
                at(y[0])[k * y_state[0] + i * y_element[0]] = 2 * value

    def one(x: int, y: int) -> None:
        read(at(y), (3,))[:] = 2 * read(at(x), (3,))

    port = mc.energy(mc.load("planar3")).inputs[0]
    loop, alone = MANY(many), ONE(one)
    tool = compiler.find_compiler()
    assert tool is not None
    stub = batch_stub.library(tool)
    told = batch_stub.described(loop, alone, [port], [port], np.dtype(kind), lanes=lanes, size=1000, most=10**6)
    seen = list[float]()
    for count in range(1, 3 * lanes + 2):
        seen.clear()
        given = np.arange(3 * count, dtype=kind).reshape(count, 3)
        given = np.asfortranarray(given) if turned else given
        room = np.full((3, count + 1) if turned else (count + 1, 3), -1, kind)
        found = room.T if turned else room
        strides = [(ctypes.c_long * 1)(step // size) for array in (given, found) for step in array.strides]
        places = [(FLAT * 1)(array.ctypes.data) for array in (given, found)]
        batch_stub.states(stub, told)(count, places[0], *strides[:2], places[1], *strides[2:])
        assert np.array_equal(found[:count], 2 * given)
        assert np.all(found[count:] == -1)
        # what is behind the last state is not read
        assert set(seen) <= {*given.ravel().tolist()}


SMALL, LARGE, LARGER = 3, 1 << 13, 1 << 16
"""Numbers of an output: few; so many that a block is not copied; so many that not even two states are."""


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("outputs", [SMALL, LARGE, LARGER])
def test_fewer_states_than_lanes_go_one_by_one_or_as_a_block_where_there_is_room(outputs: int, *, dense: bool) -> None:
    """Up to a few go one by one; more are a block, in arrays of its own where that is little, else where they are."""
    lanes, went = 8, list[tuple[str, int]]()

    def many(count: int, *_: Any) -> None:
        went.append(("many", count))

    def one(*_: Any) -> None:
        went.append(("one", 1))

    ports = [mc.Port("x", (1,), "1", "in"), mc.Port("y", (outputs,), "1", "out")]
    loop, alone = MANY(many), ONE(one)
    tool = compiler.find_compiler()
    assert tool is not None
    stub = batch_stub.library(tool)
    told = batch_stub.described(loop, alone, ports[:1], ports[1:], np.dtype(float), lanes=lanes, size=1000, most=10**6)
    few = int(lanes * batch_stub.FEW)
    assert 1 < few < lanes - 1
    for count in range(1, lanes):
        went.clear()
        x, y = np.zeros((count, 1)), np.zeros((outputs, count))
        strides = [(ctypes.c_long * 1)(step) for step in (1, 1, *((1, count) if dense else (outputs, 1)))]
        places = [(FLAT * 1)(array.ctypes.data) for array in (x, y)]
        batch_stub.states(stub, told)(count, places[0], *strides[:2], places[1], *strides[2:])
        beside, copied = dense and count > 1, outputs == SMALL
        alone = few if copied or beside else lanes // 2
        if count <= alone and not (beside and outputs == LARGER):
            assert went == [("one", 1)] * count
        else:
            assert went == [("many", lanes if copied and not beside else count)]


@pytest.mark.parametrize("outputs", [SMALL, LARGE])
def test_the_last_block_is_whole_with_states_before_it_unless_that_is_much(outputs: int) -> None:
    lanes, went = 8, list[tuple[int, int]]()

    def many(count: int, x: Any, *_: Any) -> None:
        went.append(((x[0] - given.ctypes.data) // 8, count))

    ports = [mc.Port("x", (1,), "1", "in"), mc.Port("y", (outputs,), "1", "out")]
    loop, alone = MANY(many), ONE(lambda *_: None)
    tool = compiler.find_compiler()
    assert tool is not None
    stub = batch_stub.library(tool)
    told = batch_stub.described(loop, alone, ports[:1], ports[1:], np.dtype(float), lanes=lanes, size=1000, most=10**6)
    given, found = np.zeros((19, 1)), np.zeros((19, outputs))
    strides = [(ctypes.c_long * 1)(step) for step in (1, 1, outputs, 1)]
    places = [(FLAT * 1)(array.ctypes.data) for array in (given, found)]
    batch_stub.states(stub, told)(19, places[0], *strides[:2], places[1], *strides[2:])
    assert went == ([(0, 16), (11, 8)] if outputs == SMALL else [(0, 19)])


@pytest.mark.parametrize("count", [2, 3, 5, 7])
@pytest.mark.parametrize("apart", [0, 1])
def test_states_behind_each_other_go_beside_others_that_are_not(count: int, apart: int) -> None:
    computation = mc.inverse_dynamics(mc.load("planar3")).derivative("tau", "q v").build(batch=True)
    inputs = states(computation, count, axis=-1)
    expected = computation.batch(*inputs, axis=-1)
    rooms = [np.full((3, 3, 3 * count if k == apart else count), np.nan) for k in range(2)]
    computation.batch(*inputs, axis=-1, out=tuple(room[:, :, :count] for room in rooms))
    for room, right in zip(rooms, expected, strict=True):
        assert np.array_equal(room[:, :, :count], right)
        assert np.all(np.isnan(room[:, :, count:]))


def test_more_than_one_thread_is_worth_is_left_to_the_slower_way() -> None:
    computation, call = made("forward_dynamics")
    most = stretch(len(computation.program.instructions))
    given = states(computation, most + 1)
    assert len(call(*(value[:-1] for value in given))) == most
    with pytest.raises(LookupError):
        call(*given)


def test_it_is_asked_as_the_method_and_says_the_same() -> None:
    computation = mc.forward_dynamics(mc.load("planar2"))
    method, q = computation.batch, np.zeros((5, 2))
    before = inspect.signature(method)
    for _ in range(2):
        assert np.array_equal(method(q, q, q), computation.batch(q, q, q))
    assert inspect.isbuiltin(computation.batch)
    after = inspect.signature(computation.batch)
    assert [(p.name, p.kind, p.default) for p in after.parameters.values()] == [
        (p.name, p.kind, p.default) for p in before.parameters.values()
    ]
    assert inspect.getdoc(computation.batch) == inspect.getdoc(mc.Computation.batch)
    again = pickle.loads(pickle.dumps(computation.batch))
    assert np.array_equal(again(q, q, q), computation.batch(q, q, q))


def test_finite_numbers_are_checked_where_that_is_wanted() -> None:
    computation = mc.forward_dynamics(mc.load("planar2"))
    q = np.zeros((5, 2))
    assert np.isnan(computation.batch(q, q, q * np.nan)).all()
    computation.check_finite = True
    for _ in range(2):
        assert np.isfinite(computation.batch(q, q, q)).all()
        with pytest.raises(mc.Error, match="tau holds a value that is not finite"):
            computation.batch(q, q, q * np.nan)
    computation.check_finite = False
    assert np.isnan(computation.batch(q, q, q * np.nan)).all()
    assert inspect.isbuiltin(computation.batch)


def test_what_takes_long_lets_other_threads_go_on_and_all_get_their_own() -> None:
    computation, call = made("constrained_dynamics")
    told = call.__self__[3]  # type: ignore[attr-defined]
    told[batch_stub.Head._fields.index("apart")] = 0
    inputs = [[value * (k + 1) for value in states(computation, 30)] for k in range(6)]
    expected = [slowly(computation, *given) for given in inputs]
    wrong = list[int]()

    def again(k: int) -> None:
        for _ in range(200):
            if not same(call(*inputs[k]), expected[k]):
                wrong.append(k)

    workers = [threading.Thread(target=again, args=(k,)) for k in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_other_threads_go_on_where_a_batch_takes_long() -> None:
    computation, _ = made("forward_dynamics")
    lanes = computation._lanes
    assert lanes is not None
    text = "int PyGILState_Check(void); int held; void program_batch(void) { held = PyGILState_Check(); }"
    library = compiled(f"{text}\n", ("-O1",))
    told, fields = lanes.told.copy(), batch_stub.Head._fields
    told[fields.index("many")] = ctypes.cast(library.program_batch, ctypes.c_void_p).value
    records = (computation._record_along(0), computation._record_along(-1))
    call, held = batch_stub.builtin(lanes.stub, told, slowly, records), ctypes.c_int.in_dll(library, "held")
    width = int(told[fields.index("lanes")])
    for count, alone in ((width, 1), (batch_stub.APART // lanes.size // width * width + width, 0)):
        call(*states(computation, count), threads=1)
        assert held.value == alone


@pytest.mark.skipif(sys.platform != "linux", reason="blocks are counted as Linux has them")
@pytest.mark.parametrize("name", ["constrained_dynamics", "integrate"])
def test_batches_keep_nothing(name: str) -> None:
    computation, call = made(name)
    given, into = states(computation, 9), call(*states(computation, 9))
    turned = states(computation, 9, -1)
    items = (into,) if isinstance(into, np.ndarray) else tuple(into)

    def batches(count: int) -> None:
        for _ in range(count):
            call(*given)
            call(*turned, axis=-1, threads=1)
            call(*given, out=into)
            with pytest.raises(LookupError):
                call(*given, device=None)

    batches(100)
    gc.collect()
    before = [sys.getrefcount(value) for value in (np.ndarray, None, into, *given, *items)]
    blocks = sys.getallocatedblocks()
    batches(1000)
    after = [sys.getrefcount(value) for value in (np.ndarray, None, into, *given, *items)]
    assert all(abs(a - b) < 50 for a, b in zip(after, before, strict=True))
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500  # one kept by each would be a thousand


@pytest.mark.parametrize("tool", ["gcc", "clang"])
def test_no_compiler_warns_of_the_text(tool: str, tmp_path: Path) -> None:
    found = shutil.which(tool)
    if found is None:
        pytest.skip(f"{tool} is not on this machine")
    (tmp_path / "stub.c").write_text(batch_stub.text(), encoding="utf-8")
    strict = ["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared"]
    done = subprocess.run(
        [found, *strict, "-o", "stub.so", "stub.c"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr


def test_on_one_thread_any_number_of_states_is_one_call() -> None:
    """What the slower function would share out goes through the builtin one, which cannot know it."""
    computation, call = made(next(iter(MAKE)))
    given = states(computation, 3 * LONGEST + 5)
    found = call(*given, threads=1)
    first = found if isinstance(found, np.ndarray) else found[0]
    few = call(*(array[-9:] for array in given))
    assert first.shape[0] == 3 * LONGEST + 5
    np.testing.assert_allclose(first[-9:], few if isinstance(few, np.ndarray) else few[0], rtol=1e-12, atol=1e-12)
    with pytest.raises(LookupError):
        call(*given)
