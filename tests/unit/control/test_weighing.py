"""Loads from biases: the gate, the wrench against Pinocchio's weight of a loaded arm, least squares over poses."""

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.control import Converged, Load, LoadWrench
from oracle import oracle
from rows import row
from trials import trials

G = np.array([0.0, 0.0, -9.81])
MOST = np.array([20.0, 20.0, 20.0, 40.0, 40.0, 40.0])
ROWS = "xyz rx ry rz"
ORDER = [3, 4, 5, 0, 1, 2]
"""These rows among rx ry rz x y z."""
POSES = np.array(
    [
        [0.3, 0.7, 0.1, 1.2, 0.2, 0.9, 0.1],
        [0.3, 0.7, 0.1, 1.2, 1.4, 0.9, 0.1],
        [-0.4, 0.5, 0.6, 1.5, -1.2, -1.1, 0.7],
        [0.9, 0.9, -0.3, 1.0, 0.5, 1.6, -0.9],
    ]
)


class Kept:
    """A part that remembers its state."""

    def __init__(self, part) -> None:
        self.tick = part.computation()
        self.state = {port.name: self.tick.start()[port.name] for port in self.tick.states}

    def __call__(self, **given):
        out = self.tick.run(*({**given, **self.state}[port.name] for port in self.tick.inputs))
        self.state = {name: out[name] for name in self.state}
        return out


# ---------------------------------------------------------------- the gate


def opened(biases, gains) -> list[float]:
    gate = Kept(Converged(2, tolerance=0.01, gain=0.05, window=0.005, dt=0.001))
    return [gate(bias=b, gain=g).signals_converged for b, g in zip(biases, gains, strict=True)]


def test_the_gate_opens_after_a_window_of_constant_biases_without_gain() -> None:
    still, none = np.full((12, 2), [0.3, -0.1]), np.zeros((12, 2))
    assert opened(still, none) == [0.0] * 5 + [1.0] * 7
    for entry in range(2):
        moving, rough = still.copy(), none.copy()
        moving[8:, entry] += 0.0101
        rough[8, entry] = 0.051
        assert opened(moving, none)[5:] == [1, 1, 1, 0, 0, 0, 0]
        assert opened(still, rough)[5:] == [1, 1, 1, 0, 0, 0, 0]


def test_a_bias_that_creeps_is_not_constant_and_one_that_chatters_is() -> None:
    """0.003 a tick are within the tolerance from tick to tick, and leave it within the window."""
    creeping, none = np.outer(0.003 * np.arange(60), [1.0, 0.0]), np.zeros((60, 2))
    assert not any(opened(creeping, none))
    chattering = 0.004 * np.array([[1.0, -1.0], [-1.0, 1.0]] * 30)
    assert opened(chattering, none)[-1] == 1.0


def test_what_comes_with_it_is_the_mean_of_the_window() -> None:
    gate, rng = Kept(Converged(1, tolerance=0.1, gain=0.05, window=0.1, dt=0.001)), np.random.default_rng(0)
    biases = 0.4 + rng.uniform(-0.04, 0.04, 101)
    means = [gate(bias=[b], gain=[0.0]).settled_bias[0] for b in biases]
    assert means[-1] == pytest.approx(biases[1:].mean(), abs=1e-12)
    for _ in range(2000):
        means.append(gate(bias=[0.4 + rng.uniform(-0.04, 0.04)], gain=[0.0]).settled_bias[0])
    assert np.abs(np.array(means[-1000:]) - 0.4).max() < 0.006


# ---------------------------------------------------------------- the wrench, and the load


def biases_under(mass: float, center: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What six controllers come to that hold an arm still with a load: by Pinocchio's weight of the loaded arm.

    Motors make g + Jᵀ Λ b, which holds the load where that is its weight. The coupling, biases, and the tool's pose.
    """
    them = oracle("lwr4")
    loaded = them.model.copy()
    frame = loaded.frames[loaded.getFrameId("link_7")]
    loaded.appendBodyToJoint(frame.parentJoint, pin.Inertia(mass, center, 0.01 * np.eye(3)), frame.placement)
    more = pin.computeGeneralizedGravity(loaded, loaded.createData(), q) - them.gravity_forces(q)
    them.place(q)
    J = them.jacobian("link_7")[ORDER]
    coupling = J @ np.linalg.solve(them.mass_matrix(q), J.T)
    force, missed, *_ = np.linalg.lstsq(J.T, more, rcond=None)
    assert missed < 1e-20
    return coupling, coupling @ force / MOST, them.pose("link_7")


@row("lazy-control", 33)
def test_a_known_load_is_found_to_rounding_over_several_poses() -> None:
    rng = np.random.default_rng(1)
    for _ in range(trials(4)):
        mass, center, reference = rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), rng.normal(0, 0.05, 6)
        wrench, load = LoadWrench(ROWS, MOST).computation(), Kept(Load())
        for q in POSES[:2]:
            coupling, bias, pose = biases_under(mass, center, q)
            # what the solver knows already pulls, too: biases have come back by so much
            known = load(load_wrench=np.zeros(6), gravity=G, pose=pose, signals_converged=0.0).f_known
            turn = pose[:3, :3]
            pulled = np.concatenate([turn @ known[:3], turn @ known[3:]])
            back = coupling @ pulled[ORDER] / MOST
            residual = wrench.run(coupling, reference + bias + back, reference)
            load(load_wrench=residual, gravity=G, pose=pose, signals_converged=1.0)
        assert load.state["weighed_mass"] == pytest.approx(mass, rel=1e-9)
        assert load.state["weighed_first"] / mass == pytest.approx(center, abs=1e-7)


@row("lazy-control", 33)
def test_what_is_known_of_a_load_brings_biases_back_wherever_the_tool_is() -> None:
    """The wrench that is fed forward in a new pose is what the load exerts there: nothing is left for controllers."""
    mass, center = 1.3, np.array([0.02, -0.05, 0.08])
    wrench, load = LoadWrench(ROWS, MOST).computation(), Kept(Load())
    for k, q in enumerate(POSES):
        coupling, bias, pose = biases_under(mass, center, q)
        known = load(load_wrench=np.zeros(6), gravity=G, pose=pose, signals_converged=0.0).f_known
        turn = pose[:3, :3]
        pulled = np.concatenate([turn @ known[:3], turn @ known[3:]])
        left = bias + coupling @ pulled[ORDER] / MOST
        assert (np.abs(left).max() < 1e-7) == (k >= 2)
        if k < 2:
            residual = wrench.run(coupling, left, np.zeros(6))
            load(load_wrench=residual, gravity=G, pose=pose, signals_converged=1.0)


@row("lazy-control", 33)
def test_nothing_is_counted_before_signals_have_converged_and_one_wrench_each_time_they_do() -> None:
    load, rng = Kept(Load()), np.random.default_rng(0)
    for _ in range(5):
        out = load(load_wrench=rng.normal(size=6), gravity=G, pose=np.eye(4), signals_converged=0.0)
        assert np.all(out.f_known == 0.0)
        assert load.state["weighed_mass"] == load.state["weighed_poses"] == 0.0
    for told in (1.0, 1.0, 1.0, 0.0, 1.0):
        load(load_wrench=[0, 0, 0, 0, 0, -9.81], gravity=G, pose=np.eye(4), signals_converged=told)
    assert load.state["weighed_poses"] == 2.0
    # the second time what was known already is counted with what is missing besides: 1 kg, then 2
    assert load.state["weighed_mass"] == pytest.approx(1.5)


def test_one_orientation_tells_the_centre_across_gravity() -> None:
    load, center = Kept(Load()), np.array([0.03, -0.02, 0.07])
    load(load_wrench=[*np.cross(center, 2 * G), *(2 * G)], gravity=G, pose=np.eye(4), signals_converged=1.0)
    assert load.state["weighed_first"] / 2 == pytest.approx([0.03, -0.02, 0.0], abs=1e-6)


def test_what_is_no_wrench_is_refused() -> None:
    for make, said in (
        (lambda: LoadWrench("xyz", [1.0] * 3), "all six directions"),
        (lambda: LoadWrench(ROWS, [1.0] * 5), "one number > 0 a row"),
        (lambda: Converged(0, tolerance=0.1, gain=0.1, window=1.0, dt=0.1), "rows"),
        (lambda: Converged(6, tolerance=0.0, gain=0.1, window=1.0, dt=0.1), "number > 0"),
    ):
        with pytest.raises(mc.Error, match=said):
            make()


def test_operations() -> None:
    """Beside a cycle of some 4,000 with six rows."""
    parts = Converged(6, tolerance=0.01, gain=0.05, window=1.0, dt=1e-3), LoadWrench(ROWS, MOST), Load()
    assert [sum(part.computation().operations.values()) for part in parts] == [90, 170, 154]
