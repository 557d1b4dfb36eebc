"""Programs wired into one: what one gives another reads, and what does not fit is refused before any number."""

import pickle

import numpy as np
import pytest

import motionc as mc
from motionc.program.relation import Relation

ARM = mc.load("planar2")
Q, V = mc.inverse_dynamics(ARM).inputs[:2]


def port(name, like=None, **other):
    base = {"shape": (2,), "unit": "rad, m", "meaning": name, **({} if like is None else _said(like)), **other}
    return mc.Port(name, **base)


def _said(like):
    return {word: getattr(like, word) for word in ("shape", "unit", "meaning", "space", "relation")}


def through(name, given, found, function=lambda x: x):
    return mc.block(name, lambda x: {found.name: function(x)}, [given], [found])


def test_inverse_then_forward_dynamics_is_nothing_at_all():
    whole = mc.wired([mc.inverse_dynamics(ARM), mc.forward_dynamics(ARM)])
    assert [one.name for one in whole.inputs] == ["q", "v", "a"]
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, v, a = ARM.random(rng), rng.normal(size=2), rng.normal(size=2)
        for answer in (whole(q, v, a), whole.run(q, v, a)):
            np.testing.assert_allclose(answer, a, rtol=0, atol=1e-12)


def test_what_parts_share_is_computed_once_and_nothing_is_added():
    inverse, forward = mc.inverse_dynamics(ARM), mc.forward_dynamics(ARM)
    whole = mc.wired([inverse, forward], outputs=["tau", "forward_dynamics.a"])
    apart = sum(inverse.operations.values()) + sum(forward.operations.values())
    assert sum(whole.operations.values()) < apart
    assert whole.inputs[0].space is forward.inputs[0].space
    again = pickle.loads(pickle.dumps(whole))
    assert again.identity() == whole.identity() is not None
    other = mc.wired([inverse, forward], outputs=["tau"])
    assert other.identity() != whole.identity()


def test_state_of_parts_is_state_of_the_whole_under_names_of_its_own():
    def smooth(x, y):
        return {"y": y + 0.5 * (x - y), "out": y}

    ports = [port("x", unit="m"), mc.State("y", (2,), "m", "smoothed", 1.0)]
    one = mc.block("smooth", smooth, ports, [port("out", unit="m")])
    two = mc.wired([one, one], feeds={"smooth_2.x": "smooth_1.out"})
    assert [state.name for state in two.states] == ["smooth_1_y", "smooth_2_y"]
    out = two([3.0, 5.0], state=two.start())
    np.testing.assert_array_equal(out.state.smooth_1_y, [2.0, 3.0])
    np.testing.assert_array_equal(out.state.smooth_2_y, [1.0, 1.0])


def test_the_derivative_of_wires_is_the_chain_rule():
    square, root = (
        through("square", port("x", unit="1", shape=()), port("y", unit="1", shape=()), lambda x: x * x),
        through("cube", port("y", unit="1", shape=()), port("z", unit="1", shape=()), lambda y: y * y * y),
    )
    whole = mc.wired([square, root])
    assert whole.derivative("z", "x")(1.5) == pytest.approx(6 * 1.5**5)


TWIST = {"shape": (6,), "unit": "rad/s, m/s"}


def seen(name, **words):
    return port(name, **TWIST, relation=Relation("twist", **words))


PLACE = {"of": "tip", "wrt": "world", "point": "tip", "as_seen_by": "world"}
LABELS = mc.forward_dynamics(ARM).inputs[2].space


@pytest.mark.parametrize(
    ("given", "wanted", "sentence"),
    [
        (seen("x", **PLACE), seen("x", **PLACE | {"as_seen_by": "tip"}), "as seen by world.*turn it: as_seen_by='tip'"),
        (seen("x", **PLACE), seen("x", **PLACE | {"point": "elbow"}), "point tip, where point elbow.*take it at elbow"),
        (seen("x", **PLACE), seen("x", **PLACE | {"wrt": "base"}), "wrt world, where wrt base"),
        (seen("x", **PLACE), seen("x", **PLACE | {"of": "base"}), "of tip, where of base"),
        (port("x", V), port("x", Q), "rad/s, m/s, where rad, m is wanted.*change over a time"),
        (port("x", Q), port("x", V), "rad, m, where rad/s, m/s is wanted.*difference over a time"),
        (port("x", unit="N"), port("x", unit="m"), "N, where m is wanted.*scale it once"),
        (port("x", unit="m", shape=(3,)), port("x", unit="m"), r"shape \(3,\), where \(2,\)"),
        (port("x", space=LABELS), port("x", space=type(LABELS)(2, LABELS.names[::-1])), "in another order: entry 0"),
        (port("x", space=LABELS), port("x", space=type(LABELS)(2, ("a", "b"))), "which are not wanted"),
        (port("x", Q), port("x", mc.inverse_dynamics(mc.load("planar3")).inputs[0]), r"shape \(2,\), where \(3,\)"),
        (port("x", mc.inverse_dynamics(mc.load("iiwa")).inputs[0]),
         port("x", mc.inverse_dynamics(mc.load("lwr4")).inputs[0]), "lwr4.*same robot"),
    ],
)  # fmt: skip
def test_a_wire_between_ports_that_mean_different_things_is_refused_with_the_repair(given, wanted, sentence):
    source = through("giver", port("in", unit=given.unit, shape=given.shape), given)
    sink = through("reader", wanted, port("out", unit="1", shape=wanted.shape))
    with pytest.raises(mc.Error, match=f"giver.x cannot be fed to reader.x.*{sentence}"):
        mc.wired([source, sink])
    # the same is refused of what comes from outside for both
    if "robot" not in sentence:
        first = through("first", given, port("one", unit="1", shape=given.shape))
        with pytest.raises(mc.Error, match="input x is one for first and reader"):
            mc.wired([first, sink])


def test_ports_of_solvers_say_of_what_where_and_in_whose_axes_they_are():
    """What one computation gives another takes only at the same place and in the same axes."""
    plain, turned = (mc.frame_motion(ARM, "tip", outputs=["twist"], as_seen_by=axes) for axes in ("world", "tip"))
    own = mc.solve(ARM, mc.schedules.TWISTS, outputs={"twist": mc.Output("twist", of="tip")})
    wanted = own.outputs[0].relation
    assert wanted == plain.outputs[0].relation
    taken = mc.Port("twist", (1, 6), "rad/s, m/s", "what moves", relation=wanted)
    law = mc.block("law", lambda twist: {"f": -twist}, [taken], [port("f", shape=(1, 6), unit="1")])
    assert mc.wired([plain, law]).outputs[0].name == "f"
    with pytest.raises(mc.Error, match="as seen by tip, where as seen by world is wanted"):
        mc.wired([turned, law])


@pytest.mark.parametrize(
    ("force", "reason"),
    [
        (mc.Force("tip"), None),
        (mc.Force("tip", as_seen_by="tip"), "as seen by world, where as seen by tip is wanted"),
        (mc.Force("forearm"), "of tip, where of forearm is wanted"),
    ],
)
def test_contact_wrenches_act_on_the_frames_and_in_the_axes_they_are_of(force, reason):
    feet = mc.constrained_dynamics(ARM, [mc.Constraint("tip", "xy", source="contact")], outputs=["wrenches"])
    pushed = mc.forward_dynamics(ARM, external_forces=[force])
    feeds = {"f_ext": "wrenches", "forward_dynamics.tau": "law.torque"}
    law = mc.block("law", lambda x: {"torque": x}, [port("x", pushed.inputs[2])], [port("torque", pushed.inputs[2])])
    if reason is None:
        assert mc.wired([feet, law, pushed], feeds=feeds).outputs[0].name == "a"
        return
    with pytest.raises(mc.Error, match=reason):
        mc.wired([feet, law, pushed], feeds=feeds)


def test_parts_in_the_wrong_order_and_algebraic_loops_are_named():
    a = through("a", port("x"), port("y"))
    b = through("b", port("y"), port("z"))
    with pytest.raises(mc.Error, match=r"a reads b\.z and stands before b; put b before a"):
        mc.wired([a, through("b", port("w"), port("z"))], feeds={"a.x": "b.z"})
    with pytest.raises(mc.Error, match=r"an algebraic loop, a → b → a.*a cycle later"):
        mc.wired([a, b], feeds={"x": "z"})
    with pytest.raises(mc.Error, match="an algebraic loop, a → a"):
        mc.wired([a], feeds={"x": "y"})


def test_words_nobody_knows_are_refused():
    a, b = through("a", port("x"), port("y")), through("b", port("y"), port("z"))
    for feeds, sentence in [
        ({"nothing": "y"}, "no part has input 'nothing'"),
        ({"b.y": "nothing"}, "no part has output 'nothing'"),
        ({"b.y": 3}, "name an output"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            mc.wired([a, b], feeds=feeds)
    with pytest.raises(mc.Error, match="a_1 and a_2 both give y to b; say which"):
        mc.wired([a, a, b])
    twice = through("a", port("y"), port("y"))
    assert mc.wired([a, twice, b], feeds={"b.y": "a_1.y"}).inputs[0].name == "x"  # what the sentence says
    with pytest.raises(mc.Error, match="nothing comes out of it"):
        mc.wired([a], outputs=[])
    with pytest.raises(mc.Error, match=r"several parts give y; say a_1\.y or a_2\.y"):
        mc.wired([a, a], outputs=["y"])
    with pytest.raises(mc.Error, match="no computation"):
        mc.wired([a, "b"])
    with pytest.raises(mc.Error, match="parts is empty"):
        mc.wired([])
    units = [mc.block(u or "any", lambda x: {"y": x}, [port("x", unit=u)], [port("y")]) for u in ("", "m", "s")]
    with pytest.raises(mc.Error, match="input x is one for m and s, and not the same"):
        mc.wired(units)
    single = mc.block("b", lambda y: {"z": y}, [port("y")], [port("z")], precision="single")
    with pytest.raises(mc.Error, match="a is in double precision, b in single"):
        mc.loop([a, single], held=["x"], log=["z"])
    with pytest.raises(mc.Error, match="precision"):
        mc.wired([a, mc.block("b", lambda y: {"z": y}, [port("y")], [port("z")], precision="single")])


def change_since(**how):
    now, before = port("x", shape=(), unit="m"), port("before", shape=(), unit="m")
    change = mc.block("change", lambda x, b: {"moved": x - b}, [now, before], [port("moved", shape=(), unit="m")])
    keep = mc.block("keep", lambda x: {"kept": x}, [now], [port("kept", shape=(), unit="m")])
    return mc.wired([change, keep], **{"feedback": {"before": "kept"}, **how})


def test_what_is_fed_back_is_state_of_the_whole_and_read_a_call_later():
    whole = change_since(start={"before": 1.0})
    assert [one.name for one in whole.inputs] == ["x", "before"]
    assert [one.name for one in whole.outputs] == ["moved", "before"]
    for call in (whole, whole.run, pickle.loads(pickle.dumps(whole)).run):
        found, state = [], whole.start().before
        for x in (4.0, 4.5, 3.0):
            out = call(x, state)
            state = out.before
            found.append(out.moved)
        assert found == [3.0, 0.5, -1.5]
    assert whole.identity() == change_since(start={"before": 1.0}).identity()


def test_each_that_is_fed_back_is_fed_to_its_own():
    two = mc.block("two", lambda a, b: {"c": 10.0 * a, "d": b + 1.0}, [port("a"), port("b")], [port("c"), port("d")])
    whole = mc.wired([two], feedback={"a": "c", "b": "d"}, start={"a": 1.0, "b": 5.0})
    state = whole.start()
    for call in (whole, whole.run):
        out = call(state.a, state.b)
        assert (out.a.tolist(), out.b.tolist()) == ([10.0, 10.0], [6.0, 6.0])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"feedback": {"after": "kept"}}, "feedback: nothing reads 'after' from outside"),
        ({"feedback": {"before": "keep"}}, "feedback: no part has output 'keep'"),
        ({"start": {"x": 1.0}}, "start: 'x' is not fed back"),
        ({"feedback": {"before": 3}}, "wired: feedback"),
    ],
)
def test_feedback_that_nobody_reads_or_gives_is_refused(how, said):
    with pytest.raises(mc.Error, match=said):
        change_since(**how)


def test_feedback_of_another_meaning_is_refused():
    speed = mc.block(
        "speed", lambda x: {"rate": x}, [port("x", shape=(), unit="m")], [port("rate", shape=(), unit="m/s")]
    )
    with pytest.raises(mc.Error, match=r"cannot be fed to the next call\.x"):
        mc.wired([speed], feedback={"x": "rate"})
