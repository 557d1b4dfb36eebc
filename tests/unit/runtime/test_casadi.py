"""Computations as functions of CasADi: its numbers against ours, its derivatives against ours."""

import sys
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

import motionc as mc
from catalogue import recipes
from motionc.runtime.samples import trials

Array = np.ndarray[Any, np.dtype[np.float64]]
PANDA, LEGS = mc.load("panda"), mc.load("quadruped")
ASKED = recipes(mc.load("hyl"))


def given(ports: tuple[mc.Port, ...], values: Any) -> list[Array]:
    """Inputs as CasADi has them: columns, and rows below each other."""
    pairs = zip(ports, values, strict=True)
    return [np.reshape(value, (-1, port.shape[-1] if len(port.shape) > 1 else 1)) for port, value in pairs]


def answers(function: Any, inputs: list[Array]) -> list[Array]:
    found = function(*inputs)
    return [np.array(each) for each in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("name", [name for name in ASKED if name != "within_limits"])
def test_every_computation_gives_the_same_numbers(name: str) -> None:
    computation = ASKED[name]()
    function = mc.to_casadi(computation)
    assert function.name_in() == [port.name for port in computation.inputs]
    for trial in trials(computation.program, 3):
        found = answers(function, given(computation.inputs, trial.inputs))
        for port, ours, theirs in zip(computation.outputs, trial.outputs, found, strict=True):
            scale = 1 + np.abs(ours).max(initial=0)
            assert np.abs(theirs.ravel() - ours).max(initial=0) < 1e-12 * scale, port.name


def feet(**options: Any) -> mc.Computation:
    rows = [mc.Constraint(f"{leg}_foot", "x y z", source="contact") for leg in ("LF", "RF", "LH", "RH")]
    return mc.constrained_dynamics(LEGS, rows, outputs=["a", "multipliers"], **options)


@pytest.mark.parametrize("options", [{}, {"damping": 1e-6}], ids=["exact", "damped"])
def test_twelve_rows_on_four_feet(options: dict[str, float]) -> None:
    """Rows that no joint order makes dependent: a floating body on four legs."""
    computation, rng = feet(**options), np.random.default_rng(0)
    function = mc.to_casadi(computation)
    for _ in range(5):
        state = LEGS.random(rng), rng.normal(size=LEGS.nv), rng.normal(size=LEGS.nv), rng.normal(size=12)
        ours = computation.run(*state).values()
        for expected, theirs in zip(ours, answers(function, given(computation.inputs, state)), strict=True):
            assert np.abs(theirs[:, 0] - expected).max() < 1e-11 * (1 + np.abs(expected).max())


@pytest.mark.parametrize(
    ("make", "of"),
    [
        (mc.inverse_dynamics, "tau"),
        (mc.forward_dynamics, "a"),
        (lambda robot: mc.constrained_dynamics(robot, [mc.Constraint("panda_hand", "x z ry")]), "a"),
    ],
    ids=["inverse", "forward", "constrained"],
)
def test_casadis_jacobian_is_our_derivative(make: Callable[[mc.Robot], mc.Computation], of: str) -> None:
    computation, rng = make(PANDA), np.random.default_rng(1)
    function = mc.to_casadi(computation)
    symbols = [ca.SX.sym(port.name, port.size) for port in computation.inputs]
    answer = function.call(symbols)[function.name_out().index(of)]
    for _ in range(3):
        state = [PANDA.random(rng), *(rng.normal(size=port.size) for port in computation.inputs[1:])]
        for name, symbol in zip(function.name_in(), symbols, strict=True):
            theirs = np.array(ca.Function("J", symbols, [ca.jacobian(answer, symbol)])(*state))
            ours = computation.derivative(of, name).run(*state)
            assert np.abs(ours - theirs).max() < 1e-9 * (1 + np.abs(theirs).max()), name


def test_an_optimum_is_found_through_it() -> None:
    """What optimal control does with it: the torques that hold a hand still with least effort, by IPOPT."""
    function = mc.to_casadi(mc.gravity_forces(PANDA))
    q = ca.MX.sym("q", 7)
    solver = ca.nlpsol(
        "least", "ipopt", {"x": q, "f": ca.sumsqr(function(q))}, {"print_time": 0, "ipopt.print_level": 0}
    )
    start = PANDA.neutral() + 0.5
    found = np.array(solver(x0=start)["x"])[:, 0]
    effort, before = (np.linalg.norm(mc.gravity_forces(PANDA)(q)) for q in (found, start))
    assert effort < 1e-2 * before


def test_the_best_within_limits_is_refused() -> None:
    with pytest.raises(mc.Error, match=r'calls box_solve, which CasADi cannot have.*on_limit="clip"'):
        mc.to_casadi(ASKED["within_limits"]())
    clipped = mc.constrained_dynamics(
        PANDA, [mc.Constraint("panda_hand", "x")], limits=np.full(7, 5.0), on_limit="clip"
    )
    assert mc.to_casadi(clipped).n_in() == len(clipped.inputs)


def test_what_is_missing_or_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mc.Error, match="to_casadi takes a computation"):
        mc.to_casadi(PANDA)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.delitem(sys.modules, "motionc.runtime.frameworks.casadi_function", raising=False)
    monkeypatch.delattr("motionc.runtime.frameworks.casadi_function", raising=False)
    with pytest.raises(mc.Error, match=r"to_casadi needs CasADi .*pip install 'motionc\[casadi\]'"):
        mc.to_casadi(mc.gravity_forces(PANDA))


def test_every_instruction_has_its_function() -> None:
    from motionc.program.instructions import OPERATIONS
    from motionc.runtime.frameworks.casadi_function import FUNCTIONS

    assert FUNCTIONS.keys() == OPERATIONS.keys()


def test_entries_of_tables_become_choices() -> None:
    from motionc.program.evaluate import evaluate
    from motionc.runtime.frameworks.casadi_function import straight
    from tables import INDICES, PATH, looking_up, meant

    program = straight(looking_up())
    assert "entry" not in program.operations
    path = np.random.default_rng(2).normal(size=PATH.shape)
    for index in INDICES:
        at = np.array([index, 0.75])
        assert np.array_equal(evaluate(program, {"path": path, "at": at})["seen"], meant(path, at))
