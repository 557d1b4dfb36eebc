"""Computations as functions of PyTorch, where it is installed, and what is said where it is not; what frameworks need.

JAX has its own file, in tests_robots, whose environment has JAX.
"""

import inspect
import sys

import numpy as np
import pytest

import motionc as mc
from cuda_on_cpu import CXX
from fake_cupy import Fake
from motionc.runtime.frameworks.products import Products

STATES = np.random.default_rng(0).normal(size=(3, 4, 3))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = mc.forward_dynamics(mc.load("planar2"))
    for name in ("torch", "jax"):
        monkeypatch.setitem(sys.modules, name, None)
        for module in (f"{name}_function", f"{name}_loop"):
            monkeypatch.delitem(sys.modules, f"motionc.runtime.frameworks.{module}", raising=False)
            monkeypatch.delattr(mc.runtime.frameworks, module, raising=False)
        with pytest.raises(mc.Error, match=rf"pip install 'motionc\[{name}\]'"):
            getattr(mc, f"to_{name}")(forward)
    x = mc.Port("x", (), "1", "a number")
    walk = mc.loop(
        mc.block("walk", lambda x: {"after": x}, [x], [mc.Port("after", (), "1", "then")]), feedback={"x": "after"}
    )
    with pytest.raises(mc.Error, match=r"pip install 'motionc\[jax\]'"):
        walk.to_jax(steps=1)


def test_values_gradients_and_batches() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch (motionc[torch]) is absent")
    forward = mc.forward_dynamics(mc.load("planar3"))
    f = mc.to_torch(forward)
    assert str(inspect.signature(f)) == "(q, v, tau)"
    assert "tau (3,), N m, N: force each motor makes" in (f.__doc__ or "")
    states = [torch.tensor(x, requires_grad=True) for x in STATES]
    assert torch.equal(f(*states), f(states[0], tau=states[2], v=states[1]))
    with pytest.raises(mc.Error, match="takes no input 'w'"):
        f(*states[:2], w=states[2])
    assert np.array_equal(f(*states).detach(), forward.batch(*STATES))
    one = [torch.tensor(x[0], requires_grad=True) for x in STATES]
    assert torch.autograd.gradcheck(f, one, check_forward_ad=True)
    assert torch.autograd.gradcheck(f, states)
    assert torch.autograd.gradgradcheck(f, one)
    expected = forward.derivative("a", "q").batch(*STATES)
    for mode in (torch.func.jacrev, torch.func.jacfwd):
        entries = torch.func.vmap(mode(f))(*(state.detach() for state in states))
        assert np.allclose(entries, expected, rtol=1e-12, atol=1e-12)


def test_reports_have_no_gradient_and_the_rest_does() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch (motionc[torch]) is absent")
    robot = mc.load("planar3")
    f = mc.to_torch(mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], "x")]))
    q = torch.tensor(STATES[0, 0], requires_grad=True)
    found = f(q, *STATES[1:, 0], np.ones(1))
    assert not found.conditioning.requires_grad
    found.a.sum().backward()
    assert q.grad.shape == q.shape


def test_a_loop_is_its_runs_their_noise_and_their_gradients() -> None:
    jax = pytest.importorskip("jax", reason="JAX (motionc[jax]) is absent")
    jax.config.update("jax_enable_x64", True)
    robot = mc.load("planar2")
    plant = mc.simulate.Plant(robot, sensors=[mc.simulate.Encoder(noise=1e-2)])
    loop = mc.simulate.closed(plant, mc.control.pd(robot, 10.0, 1.0), log={"motor_force": 5})
    roll, lanes = loop.to_jax(steps=20, seed=3), np.array([2, 0, 7])
    starts, still, target = STATES[0, :3, :2], np.zeros((3, 2)), np.array([0.5, 0.2])
    found = roll(q=starts, v=still, target=target)
    many = loop.batch({"q": starts, "v": still}, target=target, steps=20, seed=3)
    assert np.array_equal(found.motor_force, many.motor_force)
    apart = roll(q=starts, v=still, target=target, lane=lanes)
    for k, lane in enumerate(lanes):
        alone = loop({"q": starts[k], "v": still[k]}, target=target, steps=20, seed=3, lane=int(lane))
        assert np.allclose(apart.motor_force[k], alone.motor_force, rtol=0, atol=1e-12)
    mapped = jax.vmap(lambda q, lane: roll(q=q, v=still[0], target=target, lane=lane).motor_force)(starts, lanes)
    assert np.allclose(mapped, apart.motor_force, rtol=0, atol=1e-12)

    # by central differences of runs
    def end(target):
        return roll(q=starts[0], v=still[0], target=target, lane=7).q.sum()

    h = 1e-6 * np.eye(2)
    slope = [(end(target + step) - end(target - step)) / 2e-6 for step in h]
    assert np.allclose(jax.jit(jax.grad(end))(target), slope, rtol=1e-6)

    # of a configuration with a quaternion all entries: what falls from higher is as much higher then
    ball = mc.simulate.free_body("ball", mc.simulate.Sphere(0.1), mass=0.5)
    fall, still = mc.simulate.closed(mc.simulate.Plant(ball), log={"v": 5}).to_jax(steps=5), np.zeros(6)
    slope = jax.grad(lambda q: fall(q=q, v=still, tau=still).q[2])(ball.neutral())
    assert np.allclose(slope, np.eye(7)[2], atol=1e-9)


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_products_are_made_once_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CuPy of our own, which computes on the processor."""
    fake = Fake()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    gradient = Products(mc.gravity_forces(mc.load("planar3"), gravity=(1, 2, 3))).vjp
    arrays = [fake.asarray(x) for x in STATES[:2]]
    (found,) = gradient.on_device(0, arrays)
    assert np.allclose(found, gradient.value.batch(*STATES[:2]), rtol=1e-12)
    monkeypatch.setattr(mc.Computation, "on", None)  # not asked again
    assert np.array_equal(gradient.on_device(0, arrays)[0], found)
