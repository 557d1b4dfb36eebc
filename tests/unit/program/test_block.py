"""Programs written in plain Python on values, and state carried from call to call."""

import pickle

import numpy as np
import pytest
from scipy import signal

import motionc as mc

X = mc.Port("x", (), "m", "measured")


def low_pass(x, y):
    return {"y": y + 0.1 * (x - y)}


SMOOTH = mc.block("low_pass", low_pass, [X, mc.State("y", (), "m", "smoothed", 0.5)])


def test_a_filter_with_state_is_the_filter_that_scipy_has():
    measured = np.random.default_rng(0).normal(size=40)
    state, smoothed = SMOOTH.start().y, []
    for x in measured:
        state = SMOOTH(x, state)
        smoothed.append(state)
    # y[k] = 0.9 y[k-1] + 0.1 x[k], begun at 0.5
    expected, _ = signal.lfilter([0.1], [1.0, -0.9], measured, zi=[0.9 * 0.5])
    np.testing.assert_allclose(smoothed, expected, rtol=0, atol=1e-15)


def test_state_goes_in_and_comes_out_by_name_in_one_record():
    def count(x, ticks, total):
        return {"ticks": ticks + 1.0, "total": total + x, "mean": total / ticks}

    states = [mc.State("ticks", (), "1", "so far", 1.0), mc.State("total", (2,), "m", "sum", [3.0, 4.0])]
    mean = mc.block("mean", count, [mc.Port("x", (2,), "m", "…"), *states], [mc.Port("mean", (2,), "m", "…")])
    out = mean([1.0, 2.0], state=mean.start())
    assert [port.name for port in mean.states] == ["ticks", "total"]
    assert (out.state.ticks, *out.state.total, *out.mean) == (2.0, 4.0, 6.0, 3.0, 4.0)
    many = mean.batch(np.ones((3, 2)), state=mean.start(3))
    np.testing.assert_array_equal(many.state.total, [[4.0, 5.0]] * 3)
    again = pickle.loads(pickle.dumps(mean))
    assert again([1.0, 2.0], state=out.state).ticks == 3.0


def test_a_block_rounds_down_as_an_encoder_does():
    ports = [mc.Port(name, (4,), "rad", "…") for name in ("q", "read")]
    encoder = mc.block("encoder", lambda q: {"read": np.floor(q / 0.25) * 0.25}, ports[:1], ports[1:])
    angles = np.array([-1.3, -0.25, 0.1, 2.6])
    np.testing.assert_array_equal(encoder(angles), [-1.5, -0.25, 0.0, 2.5])
    np.testing.assert_array_equal(encoder.batch(np.tile(angles, (9, 1))), [[-1.5, -0.25, 0.0, 2.5]] * 9)
    assert not encoder.derivative("read", "q")(angles).any()


def test_a_block_is_emitted_differentiated_and_told_apart_from_others(tmp_path):
    (header, source) = SMOOTH.emit("c", tmp_path)
    assert (header.name, source.name) == ("low_pass.h", "low_pass.c")
    assert SMOOTH.derivative("y", "x")(0.3, 0.2) == pytest.approx(0.1)
    with pytest.raises(mc.Error, match="composed of functions of your own"):
        mc.from_file(source)
    other = mc.block("low_pass", lambda x, y: {"y": y + 0.2 * (x - y)}, SMOOTH.inputs)
    with pytest.raises(mc.Error, match="answers another question"):
        other.emit("c", tmp_path)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda x, y: {"y": x if x > 0 else y}, "a decision by a symbol.*select"),
        (lambda x, y: {}, "nothing for state y"),
        (lambda x, y: {"y": y, "z": x}, "'z', which is no output"),
        (lambda x, y: {"y": np.array([x, y])}, r"y has shape \(\), what was returned for it \(2,\)"),
        (lambda x, y: x, "return a dictionary"),
        ("x", "give a function"),
    ],
)
def test_what_a_function_does_wrong_is_told(function, sentence):
    with pytest.raises(mc.Error, match=sentence):
        mc.block("wrong", function, SMOOTH.inputs)


def test_what_is_no_state_is_refused():
    for state, sentence in [
        ({"z": 1.0}, "'z', which is not carried"),
        (1.0, "give a record of y"),
        ({"y": 1.0}, "y is given twice"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            SMOOTH(x=1.0, state=state, **({"y": 0.0} if "twice" in sentence else {}))
    with pytest.raises(mc.Error, match="carries no state"):
        mc.energy(mc.load("planar2")).start()
    with pytest.raises(mc.Error, match=r"start.*\(2, 2\)"):
        mc.State("y", (2, 2), "1", "", [1.0, 2.0, 3.0])
    with pytest.raises(mc.Error, match="start=array"):
        mc.State("y", (2, 3), "1", "", np.ones((3, 2)))
    with pytest.raises(mc.Error, match=r"function: it takes its inputs \(x, y\) in order: too many"):
        mc.block("short", lambda x: {"y": x}, SMOOTH.inputs)
    with pytest.raises(mc.Error, match="nothing comes out of it"):
        mc.block("mute", lambda x: {}, [X])
    with pytest.raises(mc.Error, match="two inputs are called x"):
        mc.block("twice", low_pass, [X, X])


def test_a_block_may_be_called_as_anything_that_is_built_around_it():
    more = mc.block("count", lambda x: {"y": x + 1.0}, [X], [mc.Port("y", (), "m", "one more")])
    assert more(1.0) == 2.0


def test_blocks_are_known_by_what_is_written_in_them() -> None:
    """So that loops of them need not be traced again: equal functions are equal, other numbers, ports and names not."""

    def scaled(factor: float, unit: str = "m", name: str = "scale") -> str | None:
        ports = [mc.Port("x", (), unit, "in")], [mc.Port("y", (), unit, "out")]
        return mc.block(name, lambda x: {"y": factor * x}, *ports).identity()

    known = scaled(2.0)
    assert known == scaled(2.0) is not None
    assert len({known, scaled(2.0 + 1e-15), scaled(2.0, "mm"), scaled(2.0, name="other")}) == 4
