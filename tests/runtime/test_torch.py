"""Computations as functions of PyTorch, where it is installed; and what is said where it is not."""

import sys

import numpy as np
import pytest

import motionc as mc

STATES = np.random.default_rng(0).normal(size=(3, 4, 3))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = mc.forward_dynamics(mc.load("planar2"))
    for name, module in (("torch", "torch_function"), ("jax", "jax_function")):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"motionc.runtime.{module}", raising=False)
        monkeypatch.delattr(mc.runtime, module, raising=False)
        with pytest.raises(mc.Error, match=rf"pip install 'motionc\[{name}\]'"):
            getattr(mc, f"to_{name}")(forward)


def test_values_gradients_and_batches() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch (motionc[torch]) is absent")
    forward = mc.forward_dynamics(mc.load("planar3"))
    f = mc.to_torch(forward)
    states = [torch.tensor(x, requires_grad=True) for x in STATES]
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
