"""A machine is a table: what is refused, which row is taken, and that all readings agree."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from cuda_on_cpu import CXX
from machine_tables import CLEANING, CONTOUR, MACHINES, READINGS, in_c, interpreted, random_events
from motionc.control import ANY, Machine, Machines, Now, Row, resettable
from rows import row
from tiers import needs_compiler
from trials import some, trials

FEW = {"C": 3, "lanes": 1, "CUDA text": 1}
"""Tables that a short run reads so; benchmarks/acceptance/machines.py takes all of them, for long."""

DOOR = {
    "states": ("SHUT", "OPEN"),
    "rows": (Row("SHUT", "push", "OPEN"), Row("OPEN", "push", "SHUT")),
    "events": "push",
}


@row("itasc", 31)
@needs_compiler
@pytest.mark.parametrize(("reading", "table"), [(how, table) for how in READINGS for table in some(MACHINES, FEW[how])])
def test_all_readings_take_the_same_transitions_and_none_without_its_event(reading: str, table: str) -> None:
    if reading == "CUDA text" and CXX is None:
        pytest.skip("no C++ compiler on this machine")
    machine = MACHINES[table]
    events = random_events(machine, trials(400), 12)
    found = READINGS[reading](machine, events)
    np.testing.assert_array_equal(found, interpreted(machine, events))
    before = np.vstack([np.zeros((1, 12)), found[:-1, :, 0]])
    transitions = 0
    for tick, lane in np.argwhere(found[..., 1] >= 0):
        came, went = (machine.states[int(mode)] for mode in (before[tick, lane], found[tick, lane, 0]))
        seen = {name for name, on in zip(machine.events, events[tick, lane], strict=True) if on}
        assert any(came in machine.sources(one) and one.to == went and seen >= {*one.events} for one in machine.rows)
        transitions += 1
    still = found[..., 1] < 0
    np.testing.assert_array_equal(found[..., 0][still], before[still])
    assert transitions > 100


@row("itasc", 31)
@pytest.mark.parametrize(
    "states",
    [{"SHUT": lambda: print("bang"), "OPEN": None}, ["SHUT", lambda: None], ["SHUT", ("OPEN", {"gain": 1})]],
)
def test_a_state_that_acts_is_refused(states: object) -> None:
    with pytest.raises(mc.Error, match=r"states=.*a state is a name and does nothing.*resets="):
        Machine(**DOOR | {"states": states})
    with pytest.raises(mc.Error, match=r"resets: OPEN=.*a state is a name and does nothing"):
        Machine(**DOOR, resets={"OPEN": lambda: None})


def test_every_row_of_the_tables_is_taken_by_its_event() -> None:
    """Cleaning as the specification lists it, the six transitions of a contour, one after the other."""
    for machine in (CLEANING, CONTOUR):
        for one in machine.rows:
            for state in machine.sources(one):
                now = machine.next(state, one.events)
                for _ in range(round(one.held / machine.dt)):
                    assert now.state == state
                    now = machine.next(now, one.events)
                assert now.state == now.entered == one.to, f"{one} from {state}"
            assert machine.next(one.to, []).state == one.to
    assert CLEANING.next("STOP", ["timeout"]) == Now("STOP", (0, 0, 0))  # not entered anew


def test_the_first_row_that_holds_wins_and_there_is_one_transition_a_tick() -> None:
    chain = Machine(("A", "B", "C"), (Row("A", "go", "B"), Row("B", "go", "C"), Row(ANY, "back", "A")), ("go", "back"))
    assert chain.next("A", ["go", "back"]).state == "B"
    assert chain.next("B", ["back", "go"]).state == "C"
    assert chain.next("B", {"back": 1, "go": 0}).state == "A"
    first = Machine(chain.states, chain.rows[::-1], ("go", "back"))
    assert first.next("B", ["go", "back"]).state == "A"


def test_a_held_row_waits_for_its_event_without_a_break_and_begins_anew_with_each_state() -> None:
    rows = (
        Row("A", "far", "B", held=0.02),
        Row("A", "again", "A"),
        Row("B", "back", "A"),
        Row(ANY, "hot", "OFF", held=0.02),
    )
    machine = Machine(("A", "B", "OFF"), rows, ("far", "again", "back", "hot"), final="OFF", dt=0.01)

    def modes(*ticks: str) -> str:
        now, said = machine.start(), []
        for events in ticks:
            now = machine.next(now, events.split())
            said.append(now.state)
        return " ".join(said)

    assert modes("far", "far", "far") == "A A B"
    assert modes("far", "far", "", "far", "far") == "A A A A A"
    assert modes("far", "far again", "far", "far") == "A A A A"  # entered anew
    assert modes("far hot", "far hot", "far", "hot", "hot back", "hot") == "A A B B A OFF"  # any state will do
    assert (
        machine.next(Now("A", (2, 0)), ["far"]).held == (0, 0) or machine.next(Now("A", (2, 0)), ["far"]).state == "B"
    )


def test_entering_a_state_resets_ports_and_a_block_begins_anew_in_that_tick() -> None:
    count = mc.block(
        "counted",
        lambda s, k: {"s": s + 0.5, "k": k + 1.0},
        [mc.State("s", (), "m", "", 2.0), mc.State("k", (), "1", "")],
    )
    block, machine = resettable(count, "s"), CONTOUR.computation()
    assert [port.name for port in block.inputs] == ["s", "k", "reset_s"]
    assert CONTOUR.reset_ports == ("s", "unknowns", "covariance")
    state, carried, told = machine.start(), block.start(), []
    for seen in (["establish"], ["contact"], [], ["lost"], ["lost"], ["lost"], []):
        out = machine(*(float(name in seen) for name in CONTOUR.events), state=state)
        state, carried = out.state, block(reset_s=out.reset_s, state=carried).state
        told.append((CONTOUR.states[int(out.mode)], carried.s))
    assert told[:3] == [("APPROACH", 2.5), ("TRACK", 3.0), ("TRACK", 3.5)]
    assert told[3:] == [("TRACK", 4.0), ("TRACK", 4.5), ("APPROACH", 2.5), ("APPROACH", 3.0)]
    assert carried.k == 7.0
    for states, sentence in [("t", "carries no 't'"), (["s", "s"], "s is there twice")]:
        with pytest.raises(mc.Error, match=sentence):
            resettable(count, states)
    with pytest.raises(mc.Error, match="carries no state"):
        resettable(mc.energy(mc.load("planar2")), "q")


def test_what_differs_from_state_to_state_is_selected_by_the_mode() -> None:
    speeds = {"AWAY": 0.0, "APPROACH": 0.1, "TRACK": 0.3, "CLEAR": [0.2, 0.4]}
    mode = mc.Port("mode", (), "1", "")
    chosen = mc.block(
        "chosen", lambda mode: {"v": CONTOUR.selected(mode, speeds)}, [mode], [mc.Port("v", (2,), "m/s", "")]
    )
    for k, state in enumerate(CONTOUR.states):
        np.testing.assert_array_equal(chosen.run(float(k)), np.broadcast_to(speeds[state], 2))
        assert CONTOUR.selected(state, speeds) == CONTOUR.selected(float(k), speeds) == speeds[state]
    for mode, values, sentence in [
        ("AWAY", {"AWAY": 1.0}, "state APPROACH is not said"),
        ("TRAK", speeds, "did you mean TRACK"),
        ("AWAY", speeds | {"TRAK": 1.0}, "did you mean TRACK"),
        (4, speeds, "give one of 0 AWAY"),
        (None, speeds, "give one of 0 AWAY"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            CONTOUR.selected(mode, values)


def test_machines_see_each_other_a_tick_later_whatever_their_order() -> None:
    posture = Machine(
        ("OFF", "ON"),
        (
            Row("OFF", "contour.TRACK", "ON"),
            Row("ON", "contour.CLEAR", "OFF"),
            Row("ON", "deactivate", "OFF", held=0.004),
        ),
        ("contour.TRACK", "contour.CLEAR", "deactivate"),
        resets={"ON": "q_start"},
        dt=0.004,
    )
    rng = np.random.default_rng(1)
    there, back = Machines({"contour": CONTOUR, "posture": posture}), Machines({"posture": posture, "contour": CONTOUR})
    assert there.events == ("establish", "contact", "lost", "stop", "cleared", "deactivate")
    compiled = there.computation()
    now, other, state, was, changes = there.start(), back.start(), compiled.start(), None, 0
    for _ in range(trials(1200)):
        seen = {name: float(rng.random() < 0.3) for name in there.events}
        now, other, was = there.next(now, seen), back.next(other, seen), now
        assert now == other
        if now["posture"].entered == "ON":
            changes += 1
            assert was["contour"].entered == "TRACK"
        out = compiled(**seen, state=state)
        state = out.state
        for name, machine in there.machines.items():
            assert machine.states[int(state[f"{name}_mode"])] == now[name].state
            assert tuple(state[f"{name}_held"]) == now[name].held
            assert state[f"{name}_entered"] == (machine.states.index(now[name].entered) if now[name].entered else -1)
        assert bool(out.reset_q_start) == (now["posture"].entered == "ON")
    assert changes > 5
    for machines, sentence in [
        ({"posture": posture}, "no machine is 'contour'"),
        ({"contour": replace(CLEANING, dt=0.004), "posture": posture}, "contour has no state 'TRACK'"),
        ({"contour": CONTOUR, "other": CLEANING}, "their ticks differ"),
        ({"contour": CONTOUR, "other": CONTOUR}, "two of them reset s"),
        ({}, "give machines by name"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            Machines(machines)


def test_a_machine_is_data() -> None:
    again = pickle.loads(pickle.dumps(CLEANING))
    assert again == CLEANING
    assert hash(again) == hash(CLEANING)
    assert sum(CONTOUR.computation().operations.values()) == 28
    header = CONTOUR.computation().sources("c")["machine.h"]
    assert "0 AWAY, 1 APPROACH, 2 TRACK, 3 CLEAR" in header
    assert "TRACK -lost for 0.008 s-> APPROACH" in header


ABC = {"states": ("A", "B", "C"), "events": ("x", "y")}
AB, BC, CA = Row("A", "x", "B"), Row("B", "x", "C"), Row("C", "y", "A")


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        ({"rows": (AB, BC, CA, Row("A", "z", "C"))}, "A -z-> C: nobody gives event 'z'; name its source in events="),
        ({"rows": (AB, BC, CA, Row("D", "y", "C"))}, "D -y-> C: there is no state 'D'"),
        ({"rows": (AB, BC, CA, Row("A", "y", ANY))}, "there is no state"),
        ({"rows": (AB, BC, CA), "events": ("x", "y", "z")}, "'z' moves nothing; write the row"),
        ({"rows": (AB, Row("B", "y", "A"), Row("C", "x", "A"))}, "state C is never reached from A"),
        (
            {"rows": (AB, BC, Row("B", "y", "A"))},
            r"state C is never left; write a row that does, or say final=\('C',\)",
        ),
        ({"rows": (AB, BC, Row("C", "y", "C"))}, "state C is never left"),
        ({"rows": (AB, BC, CA), "final": "C"}, "C is left by C -y-> A"),
        ({"rows": (AB, BC, CA), "final": "D"}, "there is no state 'D'"),
        ({"rows": (AB, BC, CA, AB)}, "A -x-> B stands there twice"),
        ({"rows": (AB, BC, CA, Row("A", "x", "C"))}, "A -x-> C never comes to pass: A -x-> B stands before it"),
        ({"rows": (AB, BC, CA, Row("A", ("y", "x"), "C"))}, "A -y & x-> C never comes to pass"),
        ({"rows": (AB, BC, CA, Row("A", "x", "C", held=1.0)), "dt": 0.1}, "never comes to pass"),
        ({"rows": (AB, BC, CA, Row(ANY, "x", "C"))}, "any -x-> C never comes to pass"),
        ({"rows": (Row(ANY, "x", "B"), Row("B", "y", "C"), CA, AB)}, "A -x-> B never comes to pass: any -x-> B"),
        ({"rows": (AB, BC, CA, Row("A", "y", "C", held=1.0))}, "held for 1 s, but how long is a tick"),
        ({"rows": (AB, BC, CA, Row("A", "y", "C", held=1.0)), "dt": 1e-9}, "more than a million ticks"),
        ({"rows": (AB, BC, CA), "resets": {"D": "s"}}, "resets: there is no state 'D'"),
        ({"rows": (Row("A", "x", "B"), Row("B", "y", "C")), "final": "C", "resets": {"A": "s"}}, "no row enters A"),
        ({"rows": (AB, BC, CA), "resets": {"B": ("s", "s")}}, "s is there twice"),
        ({"rows": (AB, BC, CA), "states": ("A", "B", "C", "A")}, "A is there twice"),
        ({"rows": (AB, BC, CA), "states": ("A", "B", "C", ANY)}, "word for any state"),
        ({"rows": (AB, BC, CA), "states": "A"}, "states="),
    ],
)
def test_a_table_that_breaks_a_rule_is_refused_by_a_sentence(spoilt: dict, sentence: str) -> None:
    Machine(**ABC | {"rows": (AB, BC, CA)})
    with pytest.raises(mc.Error, match=sentence):
        Machine(**ABC | spoilt)


@needs_compiler
def test_a_row_behind_one_that_is_held_longer_or_wants_more_is_kept() -> None:
    held, both = Row("A", "x", "C", held=0.2), Row("A", ("x", "y"), "C")
    machine = Machine(**ABC, rows=(held, both, AB, BC, CA), dt=0.1)
    assert machine.next("A", ["x"]).state == "B"
    assert machine.next("A", ["x", "y"]).state == "C"
    events = random_events(machine, 50, 2)
    np.testing.assert_array_equal(in_c(machine, events), interpreted(machine, events))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: CONTOUR.next("TRAK", []), "no state 'TRAK'; did you mean TRACK"),
        (lambda: CONTOUR.next("TRACK", ["lots"]), "no event 'lots'; did you mean lost"),
        (lambda: CONTOUR.next("TRACK", 3), "name those of establish"),
        (lambda: CONTOUR.next(3, []), "give a state, or what next returned"),
        (lambda: CONTOUR.next(Now("TRACK"), []), "has waited for 0 rows, not 1"),
        (lambda: CONTOUR.computation(precision="half"), "precision='half'"),
        (lambda: Row("A", (), "B"), "event is empty"),
        (lambda: Row("A", "x", "B", held=-1.0), "seconds ≥ 0"),
        (lambda: Machines({"contour": CONTOUR}).next({}, []), "give where each is"),
        (lambda: Machines({"contour": CONTOUR}).next({"contour": CONTOUR.start()}, ["lots"]), "did you mean lost"),
    ],
)
def test_what_a_machine_is_asked_wrongly_is_told(ask, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        ask()
