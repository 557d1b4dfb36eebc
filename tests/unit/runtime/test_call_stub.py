"""The builtin call in the long run: a million calls leave counts of references and memory as they were, threads do not
meet, and what is refused is let go."""

import itertools
import json
import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.runtime.build import compiler, python_abi
from rows import row
from trials import some

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
pytestmark = pytest.mark.skipif(
    compiler.find_compiler() is None or not python_abi.supported(), reason="there is no glue on this machine"
)

START = """
import gc, json, os, sys, threading
import numpy as np
import motionc as mc

def pages():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

def held(*objects):
    return [sys.getrefcount(value) for value in objects]

def state(*others):
    gc.collect()
    watched = (np.ndarray, type(one).__call__, type(many).__call__, type(many(*four)), *four, *others)
    return {"references": held(*watched), "blocks": sys.getallocatedblocks(), "pages": pages()}

os.environ["MOTIONC_TIER"] = "glued"
robot = mc.load("planar2")
one, many = mc.forward_dynamics(robot), mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")])
three = tuple(np.random.default_rng(0).normal(size=(3, 2)))
four, rows = (*three, np.ones(1)), tuple(np.random.default_rng(1).normal(size=(3, 9, 2)))
for _ in range(3):
    one(*three), many(*four)
assert type(one).__call__ is one._library.call, "this is not the builtin call"
"""


def run(script: str) -> Any:
    """What a script says, as JSON, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", START + script], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def unchanged(before: Any, after: Any, blocks: int = 150, pages: int = 200) -> None:
    """No reference kept, no block, and hardly a page: in a million calls, a leak of one byte each would be 244."""
    assert after["references"] == before["references"]
    assert after["blocks"] - before["blocks"] < blocks
    assert after["pages"] - before["pages"] < pages


@on_linux
@pytest.mark.parametrize("call", some(["many(*four)", "robot.integrate(three[0], three[1], 0.5)", "one(*three)"], 2))
def test_a_million_calls_leave_memory_as_it_was(call: str) -> None:
    script = f"""
def calls(count):
    for _ in range(count):
        {call}

calls(10_000)
before = state(np.dtype(float))
calls(1_000_000)
print(json.dumps([before, state(np.dtype(float))]))
"""
    unchanged(*run(script))


def held(robot: mc.Robot) -> mc.Computation:
    return mc.constrained_dynamics(robot, [mc.Constraint("link_7", "xyz")])


@row("itasc", 8)
@pytest.mark.parametrize("make", [mc.forward_dynamics, held], ids=["one output", "several"])
def test_a_call_makes_its_outputs_and_nothing_else(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python counts memory, NumPy's arrays included: what one call returns is all that is ever held."""
    monkeypatch.setenv("MOTIONC_TIER", "glued")
    computation = make(mc.load("lwr4"))
    inputs = [np.ones(port.shape) for port in computation.inputs]

    def calls(count: int) -> tuple[int, int]:
        """Bytes more than before, at the end and at most."""
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in itertools.repeat(None, count):
            computation(*inputs)
        now, peak = tracemalloc.get_traced_memory()
        return now - before, peak - before

    tracemalloc.start()
    try:
        calls(100)
        left, most = calls(1000)
        before = tracemalloc.get_traced_memory()[0]
        kept = computation(*inputs)
        returned = tracemalloc.get_traced_memory()[0] - before
        del kept
    finally:
        tracemalloc.stop()
    # counting takes a few integers
    integers = 100
    assert left < integers
    assert most < returned + integers
    assert returned < sum(8 * port.size + 150 for port in computation.outputs) + integers


OTHERWISE = {
    # refused
    "one(three[0])": True,
    "one(three[0], three[1], np.ones((2, 2)))": True,
    "one(three[0], three[1], np.array(['a', 'b']))": True,
    "one(three[0], three[1], None, w=three[2])": True,
    "many(*four, q=three[0])": True,
    "finite(three[0], three[1], np.array([0.0, np.nan]))": True,
    # converted
    "one(three[0][::-1], [0, 0], tau=three[2])": False,
    "many(*map(np.float32, four))": False,
    # made, called, and forgotten
    "made = mc.forward_dynamics(robot); made(*three); made(*three)": False,
    "made = mc.forward_dynamics(robot); made.batch(*rows); made.batch(*rows)": False,
    # batches
    "one.batch(*rows, device=0)": True,
    "one.batch(rows[0], rows[1], rows[2][:3])": True,
    "one.batch(*rows, out=rows[0])": True,
    "one.batch(*rows); one.batch(*rows, out=rows[0] * 0); one.batch(*rows, axis=0, threads=2)": False,
    "many.batch(*rows, np.ones((9, 1))); many.batch(*rows, np.ones(1))": False,
}


@on_linux
def test_refused_and_converted_calls_and_forgotten_computations_let_everything_go() -> None:
    script = f"""
finite = mc.forward_dynamics(robot)
finite.check_finite = True
found = []
for statement, refused in {list(OTHERWISE.items())}:
    code, count = compile(statement, "<call>", "exec"), 100 if "made" in statement else 2_000

    def calls(count):
        for _ in range(count):
            try:
                exec(code)
                assert not refused, statement
            except mc.Error:
                assert refused, statement

    calls(count // 10)
    before = state()
    calls(count)
    found.append([statement, before, state()])
made = None
gc.collect()
alive = sum(isinstance(value, mc.Computation) for value in gc.get_objects())
print(json.dumps([alive, found]))
"""
    alive, found = run(script)
    assert len(found) == len(OTHERWISE)
    for _, before, after in found:
        # a block a call would be 2,000 (a forgotten computation has hundreds, 100 times over): free lists of NumPy
        # and of the interpreter come and go by two hundred, loading and forgetting libraries leaves holes
        unchanged(before, after, blocks=1_000, pages=600)
    assert alive == 3


def test_eight_threads_at_once_get_their_own_numbers() -> None:
    script = """
sys.setswitchinterval(1e-6)
inputs = [(*np.random.default_rng(k).normal(size=(3, 2)), np.full(1, k)) for k in range(8)]
expected = [(one(*given[:3]), many(*given)) for given in inputs]
wrong, together = [], threading.Barrier(8)

def work(k):
    together.wait()
    for _ in range(1_000):
        a, b = one(*inputs[k][:3]), many(*inputs[k])
        if not np.array_equal(a, expected[k][0]) or not all(map(np.array_equal, b, expected[k][1])):
            wrong.append(k)

before = held(*inputs[0])
threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps([wrong, before == held(*inputs[0]), len({row[0].tobytes() for row in expected})]))
"""
    assert run(script) == [[], True, 8]


def test_single_numbers_are_taken_as_python_and_numpy_have_them() -> None:
    """Floats and doubles in place; whatever else is a number is converted, and what is none is named."""
    for precision, kind in (("double", float), ("single", np.float32)):
        step = mc.integrate(mc.load("planar2"), precision=precision)
        q, v = np.array([[0.1, 0.2], [1.0, -2.0]], kind)
        there = step(q, v, 0.5)
        assert np.array_equal(there, q + kind(0.5) * v)
        for half in (np.float64(0.5), np.array(0.5), np.array(0.5, np.float32), np.float32(0.5)):
            assert np.array_equal(step(q, v, half), there)
        assert np.array_equal(step(q, v, 1), q + v)
        with pytest.raises(mc.Error, match="dt must be numbers of shape"):
            step(q, v, "half")


def test_an_answer_that_is_not_finite_is_left_to_somebody_else() -> None:
    step = mc.integrate(mc.load("planar2"))
    call, (q, v) = step.guarded(lambda *given: f"{len(given)} refused"), np.ones((2, 2))
    assert np.array_equal(call(q, v, 0.5), [1.5, 1.5])
    for given in ((q, v, np.inf), (q * np.nan, v, 0.1), (q, v), (q[:1], v, 0.1), ([1e308, 0.0], v, 0.5)):
        assert call(*given) == f"{len(given)} refused"
