"""Derivatives of computations: every question on joints of every type, against finite differences on the manifold,
Pinocchio's and CasADi's derivatives, and each other.
"""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import KINDS, Kind, Moving, build, random_tree
from motionc.program.derive.derived import Derived
from motionc.program.derive.push import refusals
from oracle import error
from trials import some

MOVING = [kind for kind in KINDS if kind is not Kind.FIXED]
STEP = 1e-6

Ask = Callable[[mc.Robot, str, str], mc.Computation]
CATALOGUE: dict[str, Ask] = {
    "poses": lambda robot, tool, other: mc.forward_kinematics(robot, [tool, other]),
    "jacobian": lambda robot, tool, other: mc.jacobian(robot, tool, point=(0.3, -0.1, 0.2), as_seen_by=other),
    "jacobian rate": lambda robot, tool, _: mc.jacobian_rate(robot, tool),
    "motion": lambda robot, tool, _: mc.frame_motion(robot, [tool]),
    "inverse dynamics": lambda robot, tool, _: mc.inverse_dynamics(
        robot, external_forces=[mc.Force(tool, as_seen_by=tool)]
    ),
    "forward dynamics": lambda robot, tool, _: mc.forward_dynamics(
        robot, external_forces=[mc.Force(tool, as_seen_by=tool)]
    ),
    "hybrid dynamics": lambda robot, *_: mc.hybrid_dynamics(robot, robot.joint_names[:1]),
    "bias forces": lambda robot, *_: mc.bias_forces(robot),
    "gravity forces": lambda robot, *_: mc.gravity_forces(robot),
    "mass matrix": lambda robot, *_: mc.mass_matrix(robot),
    "mass matrix inverse": lambda robot, *_: mc.mass_matrix_inverse(robot),
    "mass matrix factor": lambda robot, *_: mc.mass_matrix_factor(robot),
    "mass matrix solve": lambda robot, *_: mc.mass_matrix_solve(robot),
    "coriolis": lambda robot, *_: mc.coriolis_matrix(robot),
    "centre of mass": lambda robot, *_: mc.center_of_mass(robot, outputs=["com", "J", "inertia", "mass"]),
    "momentum": lambda robot, *_: mc.centroidal_momentum(robot, outputs=["hG", "AG", "bias"]),
    "energy": lambda robot, *_: mc.energy(robot),
    "operational space": lambda robot, tool, _: mc.operational_space(robot, tool),
    "inverse velocity": lambda robot, tool, _: mc.inverse_velocity(robot, tool),
    "damped velocity": lambda robot, tool, _: mc.inverse_velocity(robot, tool, method="damped", damping_factor=0.1),
    "constrained": lambda robot, tool, _: mc.constrained_dynamics(robot, [mc.Constraint(tool, "x")]),
    "damped": lambda robot, tool, _: mc.constrained_dynamics(robot, [mc.Constraint(tool, "xyz")], regularisation=0.1),
    "levels": lambda robot, tool, other: mc.constrained_dynamics(
        robot, [mc.Constraint(tool, "x"), mc.Constraint(other, "z", level=2)]
    ),
    "held center": lambda robot, tool, _: mc.constrained_dynamics(robot, [mc.CenterOfMass("x")]),
    "clipped": lambda robot, tool, _: _limited(robot, tool, on_limit="clip"),
    "within limits": lambda robot, tool, _: _limited(robot, tool, on_limit="optimal"),
    "impact": lambda robot, tool, _: mc.impact(robot, [mc.Constraint(tool, "z", source="contact")]),
}


def _limited(robot: mc.Robot, tool: str, **how: str) -> mc.Computation:
    return mc.constrained_dynamics(
        robot, [mc.Constraint(tool, "x")], limits=dict.fromkeys(robot.joint_names, 0.5), **how
    )


def moving(seed: int, *, fixed: bool = False) -> Moving:
    """Three joints of different types; now and then followers, rotors and a floating base."""
    if fixed:
        return Moving(3 * seed + 1, [Kind.REVOLUTE, Kind.UNIVERSAL, Kind.PRISMATIC])
    return Moving(seed, [MOVING[(seed + k) % len(MOVING)] for k in (0, 3, 5)])


@pytest.mark.parametrize(("place", "name"), some(sorted(enumerate(CATALOGUE), key=lambda one: one[0] % 2), 14))
def test_products_agree_with_differences_and_with_each_other(place: int, name: str) -> None:
    """J ξ is what small steps along ξ change, and wᵀ (J ξ) = (Jᵀ w)ᵀ ξ; trees take turns, so that all joints do."""
    x = moving(place, fixed=name in ("clipped", "within limits"))
    robot, rng = x.robot, np.random.default_rng(place)
    asked = CATALOGUE[name](robot, str(x.links[-1]), str(x.links[0]))
    of = [port.name for port in asked.outputs if port.name not in refusals(asked.program)]
    wrt = [port.name for port in asked.inputs]
    state = [x.q if port.name == "q" else rng.normal(size=port.shape) for port in asked.inputs]
    change = [rng.normal(size=robot.nv if port.name == "q" else port.shape) for port in asked.inputs]

    def after(step: float) -> dict[str, np.ndarray]:
        moved = [
            robot.integrate(value, along, step) if port.name == "q" else value + step * along
            for port, value, along in zip(asked.inputs, state, change, strict=True)
        ]
        found = asked.run(*moved)
        return {key: np.asarray(found[key]) for key in of} if len(asked.outputs) > 1 else {of[0]: np.asarray(found)}

    there, back = after(STEP), after(-STEP)
    forward, gradient = asked.jvp(of, wrt), asked.vjp(of, wrt)
    found = _several(forward.run(*state, *change))
    for key, ours in zip(of, found, strict=True):
        assert error(np.asarray(ours), (there[key] - back[key]) / (2 * STEP)) < 1e-6, key
    weights = [rng.normal(size=np.shape(value)) for value in found]
    returned = _several(gradient.run(*state, *weights))
    ahead = sum(np.sum(value * weight) for value, weight in zip(found, weights, strict=True))
    behind = sum(np.sum(value * along) for value, along in zip(returned, change, strict=True))
    assert ahead == pytest.approx(behind, rel=1e-9, abs=1e-9)
    assert gradient.operations.total() < 5 * asked.operations.total()


def _several(found: object) -> tuple:
    return tuple(found) if isinstance(found, tuple) else (found,)


# ---------------------------------------------------------------- witnesses


def by_instructions(computation: mc.Computation, of: str, *wrt: str) -> mc.Computation:
    """Its derivative, whether or not there are sweeps for it."""
    return mc.Computation(Derived(computation.solver, "derivative", (of,), wrt))


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_dynamics_change_as_pinocchio_says(seed: int) -> None:
    """Of all joints but universal ones, whose directions Pinocchio's derivatives take for constant."""
    kinds = [kind for kind in MOVING if kind is not Kind.UNIVERSAL]
    x = Moving(seed, [kinds[(2 * seed + k) % len(kinds)] for k in range(3)], mimic=False)
    model, data, order = x.world.model, x.world.data, x.world.order
    model.gravity.linear = np.array([0, 0, -9.81])
    v, a, tau = (np.zeros(x.robot.nv) for _ in range(3))
    v[order], a[order], tau[order] = x.v, x.a, x.tau
    q = x.world._q(x.q)
    pin.computeABADerivatives(model, data, q, v, tau)
    pin.computeRNEADerivatives(model, data, q, v, a)
    forward = by_instructions(mc.forward_dynamics(x.robot), "a", "q", "v", "tau").run(x.q, x.v, x.tau)
    inverse = by_instructions(mc.inverse_dynamics(x.robot), "tau", "q", "v").run(x.q, x.v, x.a)
    minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    theirs = data.ddq_dq, data.ddq_dv, minv, data.dtau_dq, data.dtau_dv
    for ours, expected in zip((*forward, *inverse), theirs, strict=True):
        assert error(ours, expected[np.ix_(order, order)]) < 1e-9


@pytest.mark.parametrize(("make", "name"), [(mc.inverse_dynamics, "panda"), (mc.forward_dynamics, "planar4")])
def test_entries_are_those_of_casadi(make: Callable[[mc.Robot], mc.Computation], name: str) -> None:
    """Its jacobian of the same expressions."""
    robot = mc.load(name)
    computation, rng = make(robot), np.random.default_rng(0)
    symbols = {port.name: ca.SX.sym(port.name, port.size) for port in computation.inputs}
    answer = mc.to_casadi(computation)(*symbols.values())
    state = [robot.random(rng), *rng.normal(size=(2, robot.nv))]
    for port in computation.inputs:
        theirs = ca.Function("J", [*symbols.values()], [ca.jacobian(answer, symbols[port.name])])(*state).full()
        ours = by_instructions(computation, computation.outputs[0].name, port.name).run(*state)
        assert error(ours, theirs) < 1e-11


# ---------------------------------------------------------------- coordinates


def test_a_quaternion_of_any_length_has_the_same_derivative() -> None:
    x = Moving(1, [Kind.SPHERICAL, Kind.REVOLUTE], mimic=False)
    slope = mc.energy(x.robot).derivative("potential", "q")
    longer = x.q.copy()
    longer[x.robot.q_index["to_link1"]] *= 1.7
    assert error(slope.run(longer, x.v), slope.run(x.q, x.v)) < 1e-12
    assert error(slope.run(x.q, x.v), mc.gravity_forces(x.robot).run(x.q)) < 1e-12


def test_ambient_derivatives_become_those_per_unit_of_v_by_the_rates_of_q() -> None:
    x = Moving(3, [Kind.FLOATING, Kind.SPHERICAL, Kind.PLANAR], mimic=False)
    pose = mc.forward_kinematics(x.robot, [str(x.links[-1])])
    tangent, ambient = pose.derivative("pose", "q"), pose.derivative("pose", "q", coordinates="ambient")
    assert tangent.outputs[0].shape == (1, 4, 4, x.robot.nv)
    assert ambient.outputs[0].shape == (1, 4, 4, x.robot.nq)
    rates = np.array([x.robot.rates(x.q, unit) for unit in np.eye(x.robot.nv)]).T
    assert error(ambient.run(x.q) @ rates, tangent.run(x.q)) < 1e-12


@pytest.mark.parametrize("seed", range(len(MOVING)))
def test_rates_of_q_are_where_integration_starts(seed: int) -> None:
    robot, rng = build(random_tree(seed, [MOVING[seed]])), np.random.default_rng(seed)
    q, v = robot.random(rng), rng.normal(size=robot.nv)
    along = (robot.integrate(q, v, STEP) - robot.integrate(q, v, -STEP)) / (2 * STEP)
    assert error(robot.rates(q, v), along) < 1e-8


# ---------------------------------------------------------------- calling them


def test_derivatives_are_computations() -> None:
    """Called, in batches and step by step; differentiated again; sparse."""
    robot, rng = mc.load("planar3"), np.random.default_rng(0)
    energy = mc.energy(robot)
    slope = energy.derivative("potential", "q")
    hessian = slope.derivative("dpotential_dq", "q")
    q, v = rng.normal(size=(2, 5, robot.nq))
    assert error(slope.batch(q, v), np.array([slope(*state) for state in zip(q, v, strict=True)])) < 1e-12
    assert error(slope.batch(q, v), mc.gravity_forces(robot).batch(q)) < 1e-12
    assert error(hessian(q[0], v[0]), hessian(q[0], v[0]).T) < 1e-12
    assert error(hessian(q[0], v[0]), hessian.run(q[0], v[0])) < 1e-12
    assert slope.operations.total() < 2 * energy.operations.total()


def test_kernels_in_derivatives_run_as_everywhere() -> None:
    """Compiled, in lanes and step by step, below full rank too: one row is asked for twice."""
    robot, rng = mc.load("planar3"), np.random.default_rng(0)
    tip = robot.link_names[-1]
    asked = mc.constrained_dynamics(robot, [mc.Constraint(tip, "x"), mc.Constraint(tip, "x y", level=2)])
    gradient = asked.vjp(["a", "tau_command"], ["q", "v"])
    states = [rng.normal(size=(5, *port.shape)) for port in gradient.inputs]
    many = gradient.batch(*states)
    for k, state in enumerate(zip(*states, strict=True)):
        expected = gradient.run(*state)
        for ours in (gradient(*state), (many.q_bar[k], many.v_bar[k])):
            for mine, theirs in zip(ours, expected, strict=True):
                assert error(mine, theirs) < 1e-9


def test_what_is_zero_is_not_computed() -> None:
    """The legs of a biped do not weigh on each other: M of a fixed one, from inverse dynamics, has the tree's zeros."""
    robot = mc.load("biped")
    inverse, rng = mc.inverse_dynamics(robot), np.random.default_rng(0)
    few = inverse.derivative("tau", "a", sparse=True)
    state = robot.random(rng), *rng.normal(size=(2, robot.nv))
    values, M = few.run(*state), mc.mass_matrix(robot).run(state[0])
    assert values.size < M.size
    assert error(few.sparsity.dense(values), M) < 1e-12
    assert error(few.sparsity.csc(values).toarray(), M) < 1e-12
    assert few.sparsity.dense(np.array([values, values])).shape == (2, *M.shape)


def test_what_differs_is_built_apart() -> None:
    forward = mc.forward_dynamics(mc.load("planar2"))
    asked = [
        forward,
        forward.derivative("a", "q"),
        forward.derivative("a", "v"),
        forward.derivative("a", "q", sparse=True),
        forward.derivative("a", "q", coordinates="ambient"),
        forward.jvp("a", "q"),
        forward.vjp("a", "q"),
        forward.vjp("a", ["q", "v"]),
    ]
    assert len({one.identity() for one in asked}) == len(asked)
    assert asked[1].identity() == forward.derivative("a", "q").identity() is not None


def test_names_with_blanks_between_are_several() -> None:
    robot = mc.load("planar2")
    asked = mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], "x")])
    for make in (asked.derivative, asked.jvp, asked.vjp):
        listed = make(["a", "multipliers"], ["q", "v"]).identity()
        assert (
            make("a multipliers", "q  v").identity() == make("a,multipliers", " q, v").identity() == listed is not None
        )
    # but not in the name of a port
    mass = "last link.mass"
    ports = [mc.Port("q", (2,), "rad", "angles"), mc.Port(mass, (), "kg", "mass")]
    block = mc.block("b", lambda q, m: {"y": q[0] * m}, ports, [mc.Port("y", (), "1", "product")])
    assert block.derivative("y", mass)([2.0, 0.0], 1.0) == 2.0
    product = mc.block("b", lambda q: {"a b": q[0] * 3.0}, ports[:1], [mc.Port("a b", (), "1", "product")])
    assert np.array_equal(product.derivative("a b", "q")([2.0, 0.0]), [3.0, 0.0])
    with pytest.raises(mc.Error, match="has no input 'x'"):
        asked.derivative("a", "q x")


def test_what_cannot_be_had_is_said() -> None:
    robot = mc.load("planar3")
    forward = mc.forward_dynamics(robot)
    for ask, words in (
        (lambda: forward.derivative("tau", "q"), "has no output 'tau'; it has a"),
        (lambda: forward.jvp("a", "x"), "has no input 'x'; it has q, v, tau"),
        (lambda: forward.vjp("a", []), "wrt is empty; name at least one"),
        (lambda: forward.jvp("a", "q", coordinates="euler"), "say 'tangent' or 'ambient'"),
        (lambda: forward.derivative("a", ["q", "v"], sparse=True), "one output and one input at a time"),
        (lambda: forward.derivative("a", ["q", "v"]).sparsity, "has 2 outputs: ask for one at a time"),
        (lambda: forward.jvp("a", "q").sparsity, "it has no sparsity"),
        (lambda: forward.jvp("a", "q").steps(*[np.zeros(3)] * 4), "step through forward_dynamics instead"),
    ):
        with pytest.raises(mc.Error, match=words):
            ask()
    contacts = mc.constrained_dynamics(
        robot,
        [mc.Constraint(robot.link_names[-1], "x", source="contact")],
        limits=dict.fromkeys(robot.joint_names, 5.0),
    )
    with pytest.raises(mc.Error, match=r'beside contacts.*on_limit="clip"'):
        contacts.derivative("a", "q").program  # noqa: B018


def test_what_sweeps_differentiate_can_be_differentiated_again() -> None:
    """Kernels along a tree have rules too: the change of M along v, against two masses."""
    robot, rng, step = mc.load("biped"), np.random.default_rng(1), 1e-6
    changes = mc.inverse_dynamics(robot).derivative("tau", "a")
    state = robot.random(rng), *rng.normal(size=(2, robot.nv))
    along = rng.normal(size=robot.nv)
    found = changes.jvp("dtau_da", "q").run(*state, along)
    ahead, behind = (mc.mass_matrix(robot).run(robot.integrate(state[0], along, dt)) for dt in (step, -step))
    assert error(found, (ahead - behind) / (2 * step)) < 1e-6


def test_what_was_not_asked_as_data_is_known_by_its_program_alone() -> None:
    """A derivative made by hand must not be taken for what it is a derivative of."""
    forward = mc.forward_dynamics(mc.load("planar2"))
    assert forward.identity() is not None
    assert by_instructions(forward, "a", "q").identity() is None
