"""Entries of tables: what they read, what they cost, how they change, and where they go when a program is split."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.geometry.control_words import entry
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.symbols import Symbols
from motionc.program import Instruction, Program
from motionc.program.build import Writer
from motionc.program.compose import joined, only, split
from motionc.program.derive.differentiate import jacobian, pullback, pushforward
from motionc.program.evaluate import evaluate
from motionc.program.passes import optimise
from motionc.program.port import Port
from motionc.program.program import Table
from motionc.targets import python
from tables import AT, INDICES, PATH, looking_up, meant

RNG = np.random.default_rng(7)
WAY = RNG.normal(size=PATH.shape)
PROGRAM = optimise(looking_up())


@pytest.mark.parametrize("index", [*INDICES, np.nan, np.inf, -np.inf])
def test_an_index_is_rounded_down_and_kept_within(index: float) -> None:
    at = np.array([index, 0.75])
    expected = meant(WAY, at)
    assert np.array_equal(evaluate(PROGRAM, {"path": WAY, "at": at})["seen"], expected)
    for careful in (False, True):
        scope = python.scope(careful=careful)
        exec(python.emit(PROGRAM), scope)
        assert np.array_equal(scope["program"]([*WAY.ravel().tolist(), *at.tolist()]), expected)
    # numbers alone, and the same table as choices
    assert np.array_equal(entry(WAY, index), expected[:6].reshape(2, 3))
    assert np.array_equal(entry(list(WAY), np.array([[index]])), expected[:6].reshape(2, 3))
    writer = Writer()
    (place,) = writer.inputs(0, 1)
    steps, results = writer.needed([entry(WAY.reshape(4, 6), place)])
    assert "entry" not in {step.op for step in steps}
    ports = (Port("at", (1,), "1", ""),), (Port("seen", (6,), "m", ""),)
    choosing = Program("choosing", "", *ports, steps, results)
    assert np.array_equal(evaluate(choosing, {"at": at[:1]})["seen"], expected[:6])


def test_ninety_waypoints_of_twelve_numbers_take_twelve_operations() -> None:
    writer = Writer()
    path = np.array(writer.inputs(0, 1080), object).reshape(90, 12)
    (at,) = writer.inputs(1, 1)
    steps, results = writer.needed([entry(path, at)])
    ports = (Port("path", (90, 12), "m", ""), Port("at", (), "1", "")), (Port("seen", (12,), "m", ""),)
    program = optimise(Program("waypoints", "", *ports, steps, results))
    assert dict(program.operations) == {"entry": 12}
    assert {step.data for step in program.instructions[1:]} == {Table(0, k, 12, 90) for k in range(12)}


def test_matrices_of_symbols_are_tables_too_and_unknown_ones_are_unknown() -> None:
    writer = Writer()
    path, (at,) = writer.inputs(0, 24), writer.inputs(1, 1)
    columns = [Symbols([[x] for x in path[6 * k : 6 * k + 6]]) for k in range(4)]
    found = entry(columns, Symbols([[at]]))
    assert (type(found), found.shape) == (Symbols, (6, 1))
    assert [writer.steps[x.number].data for x in found.flat] == [Table(0, k, 6, 4) for k in range(6)]
    assert entry(Symbols([[x] for x in path[:4]]), at).shape == (1, 1)
    assert entry(columns, UNKNOWN) is UNKNOWN
    assert entry(UNKNOWN, at) is UNKNOWN
    assert entry([UNKNOWN, UNKNOWN], at) is UNKNOWN
    for wrong in ([], [np.zeros(2), np.zeros(3)]):
        with pytest.raises(Error, match="a table has entries of one shape"):
            entry(wrong, at)
    with pytest.raises(Error, match="a table without entries"):
        writer.entry([], at)


def test_an_index_that_is_known_reads_one_input() -> None:
    writer = Writer()
    path = writer.inputs(0, 5)
    assert writer.steps[writer.entry(path, 2.5).number] == Instruction("input", (), (0, 2))
    # one that passes find out about
    steps = (Instruction("const", (), 9.0), Instruction("entry", (0,), Table(0, 4, -2, 2)))
    port, out = Port("x", (5,), "1", ""), Port("y", (1,), "1", "")
    assert optimise(Program("known", "", (port,), (out,), steps, ((1,),))).instructions == (
        Instruction("input", (), (0, 2)),
    )


# ---------------------------------------------------------------- derivatives


@pytest.mark.parametrize("index", [-2.0, 0.4, 1.6, 2.2, 5.0])
def test_an_entry_changes_as_that_entry_does_and_not_with_its_index(index: float) -> None:
    at = np.array([index, 0.75])
    given = {"path": WAY, "at": at}
    units = np.eye(24).reshape(24, *PATH.shape)
    expected = np.array([meant(unit, at) for unit in units]).T
    pushed = pushforward(PROGRAM, ["seen"], ["path", "at"])
    assert sum(step.op == "entry" for step in pushed.instructions) == 10
    along = RNG.normal(size=PATH.shape)
    changes = {"dpath": along, "dat": np.ones(2)}
    assert np.allclose(evaluate(pushed, given | changes)["dseen"], expected @ along.ravel())
    weights = RNG.normal(size=10)
    pulled = evaluate(pullback(PROGRAM, ["seen"], ["path", "at"]), given | {"seen_bar": weights})
    assert np.allclose(pulled["path_bar"].ravel(), weights @ expected)
    assert np.array_equal(pulled["at_bar"], np.zeros(2))
    table = jacobian(PROGRAM, ["seen"], ["path", "at"])
    found = evaluate(table.program, given)
    assert np.array_equal(found["dseen_dpath"].reshape(10, 24), expected)
    assert not table.nonzero[1].any()


def test_curvature_through_a_table_is_that_of_what_was_looked_up() -> None:
    """y = sin(table[i])² x: second derivatives with respect to the table."""
    writer = Writer()
    path, (at,) = writer.inputs(0, 3), writer.inputs(1, 1)
    y = writer.entry(path, at).sin() ** 2 * path[0]
    ports = (Port("path", (3,), "1", ""), Port("at", (1,), "1", "")), (Port("y", (1,), "1", ""),)
    program = optimise(Program("curved", "", *ports, *writer.needed([[y]])))
    twice = jacobian(jacobian(program, ["y"], ["path"]).program, ["dy_dpath"], ["path"]).program
    x, h = np.array([0.3, 0.8, -0.4]), 1e-6

    def slope(x: np.ndarray) -> np.ndarray:
        values = [[np.sin((x + d)[1]) ** 2 * (x + d)[0] for d in (h * unit, -h * unit)] for unit in np.eye(3)]
        return np.array([(up - down) / (2 * h) for up, down in values])

    found = evaluate(twice, {"path": x, "at": np.array([1.2])})["ddy_dpath_dpath"].reshape(3, 3)
    expected = np.array([(slope(x + 1e-3 * unit) - slope(x - 1e-3 * unit)) / 2e-3 for unit in np.eye(3)])
    assert np.allclose(found, expected, atol=1e-5)


# ---------------------------------------------------------------- programs put together and taken apart


@pytest.mark.parametrize("early", [names for k in range(3) for names in combinations(("path", "at"), k)])
def test_stages_hand_over_a_table_or_what_was_looked_up_in_it(early: tuple[str, ...]) -> None:
    given = {"path": WAY, "at": np.array([1.3, 0.8])}
    first, second = split(PROGRAM, early)
    state = evaluate(first, {name: given[name] for name in early})["state"]
    late = {name: value for name, value in given.items() if name not in early}
    assert np.array_equal(evaluate(second, {"state": state} | late)["seen"], meant(*given.values()))


def test_tables_keep_their_port_beside_others() -> None:
    writer = Writer()
    (x,) = writer.inputs(0, 1)
    ports = (Port("x", (1,), "1", ""),), (Port("y", (1,), "1", ""),)
    other = Program("other", "", *ports, *writer.needed([[x * 2.0]]))
    both = joined("both", [other, PROGRAM])
    given = {"path": WAY, "at": np.array([2.1, 0.2]), "x": np.array([3.0])}
    found = evaluate(both, given)
    assert np.array_equal(found["seen"], meant(WAY, given["at"]))
    again = only(both, {1}, "again")
    assert [port.name for port in again.inputs] == ["path", "at"]
    assert np.array_equal(evaluate(again, given)["seen"], found["seen"])
    assert again.inputs[1] == AT


# ---------------------------------------------------------------- wires and loops

WAYS = mc.Port("path", (5, 2), "m", "waypoints")


def patrol() -> mc.Computation:
    """Three quarters of a waypoint a turn."""

    def walk(path: np.ndarray, at: Any) -> dict[str, Any]:
        return {"seen": entry(path, at), "at": at + 0.75}

    return mc.block("patrol", walk, [WAYS, mc.State("at", (), "1", "where")], [mc.Port("seen", (2,), "m", "there")])


def test_a_wired_table_is_chosen_from_and_one_from_outside_is_looked_up() -> None:
    way = RNG.normal(size=WAYS.shape)
    other = mc.Port("way", WAYS.shape, "m", "half as far")
    double = mc.block("double", lambda way: {"path": 2.0 * way}, [other], [WAYS])
    given = mc.wired([double, patrol()])
    assert "entry" not in given.operations
    aside = mc.block("aside", lambda x: {"y": -x}, [mc.Port("x", (), "m", "")], [mc.Port("y", (), "m", "")])
    beside = mc.wired([aside, patrol()])
    assert (beside.operations["entry"], [port.name for port in beside.inputs]) == (2, ["x", "path", "at"])
    for index in (0.3, 2.0, 9.0):
        expected = way[min(int(index), 4)]
        assert np.array_equal(given.run(way, index).seen, 2 * expected)
        assert np.array_equal(evaluate(given.program, {"way": way, "at": np.array([index])})["seen"], 2 * expected)
        assert np.array_equal(beside.run(1.0, way, index).seen, expected)
        values = {"path": way, "at": np.array([index]), "x": np.ones(1)}
        assert np.array_equal(evaluate(beside.program, values)["seen"], expected)


def test_lanes_of_a_loop_look_up_each_its_own_way() -> None:
    loop = mc.loop(patrol(), held=["path"], log=["seen"])
    ways = RNG.normal(size=(5, *WAYS.shape))
    seen = loop.batch(path=ways, steps=8).seen
    assert np.array_equal(seen, ways[:, [0, 0, 1, 2, 3, 3, 4, 4]])
    assert np.array_equal(loop(path=ways[1], steps=8).seen, seen[1])
