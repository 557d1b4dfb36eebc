"""Centre of mass, momentum and energy: against Pinocchio, sums over links, finite differences and conservation laws."""

from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, Moving, build, random_tree
from oracle import Array, error
from rows import row
from trials import trials

STATES = 10
CENTER = ["com", "J", "mass", "inertia"]
MOMENTUM = ["hG", "AG", "bias"]


# ---------------------------------------------------------------- against Pinocchio


@pytest.mark.parametrize("seed", range(trials(30)))
def test_center_momentum_and_energy_of_all_joints_agree(seed: int) -> None:
    x = Moving(seed)
    out = mc.center_of_mass(x.robot, outputs=["com", "J"]).run(x.q)
    com, J = x.world.center_of_mass(x.Q)
    assert error(out.com, com) < 1e-10
    assert error(out.J, J @ x.G) < 1e-10
    hG, AG, rate = x.world.momentum(x.Q, x.V)
    out = mc.centroidal_momentum(x.robot, outputs=MOMENTUM).run(x.q, x.v)
    assert error(out.hG, hG) < 1e-10
    assert error(out.AG, AG @ x.G) < 1e-10
    assert error(out.bias, rate) < 1e-10
    bias = mc.center_of_mass(x.robot, outputs=["bias"]).run(x.q, x.v)
    assert error(bias, rate[3:] / mc.center_of_mass(x.robot, outputs=["mass"]).run(x.q)) < 1e-10
    out = mc.energy(x.robot).run(x.q, x.v)
    # Pinocchio's own kinetic energy leaves out the rotors of revolute joints about oblique axes, its M does not
    assert error([out.kinetic, out.potential], [x.v @ x.M @ x.v / 2, x.world.energy(x.Q, x.V)[1]]) < 1e-10


def test_compiled_they_are_the_same() -> None:
    robot = mc.load("hyq_leg")
    q, v = robot.random(3), np.ones(3)
    for computation, inputs in (
        (mc.center_of_mass(robot, outputs=CENTER), (q,)),
        (mc.centroidal_momentum(robot, outputs=MOMENTUM), (q, v)),
        (mc.energy(robot), (q, v)),
    ):
        for ours, stepwise in zip(computation(*inputs).values(), computation.run(*inputs).values(), strict=True):
            assert error(ours, stepwise) < 1e-12


# ---------------------------------------------------------------- against definitions


@row("multibody-methodology", 34)
@pytest.mark.parametrize("seed", range(10))
def test_mass_center_and_inertia_are_the_sums_over_all_links(seed: int) -> None:
    robot = build(random_tree(seed), mimic="independent")
    q = robot.random(seed)
    poses = mc.forward_kinematics(robot).run(q)
    moving = [k for k, link in enumerate(robot.links) if mc.jacobian(robot, link.name).run(q).any()]
    links = [(robot.links[k], poses[k]) for k in moving]
    places = np.array([(pose @ [*link.com, 1])[:3] for link, pose in links])
    masses = np.array([link.mass for link, _ in links])
    out = mc.center_of_mass(robot, outputs=CENTER).run(q)
    assert np.isclose(out.mass, masses.sum(), rtol=1e-14)
    center = masses @ places / masses.sum()
    assert error(out.com, center) < 1e-12
    inertia = np.zeros((3, 3))
    for (link, pose), r, m in zip(links, places - center, masses, strict=True):
        inertia += pose[:3, :3] @ link.inertia @ pose[:3, :3].T + m * (r @ r * np.eye(3) - np.outer(r, r))
    assert error(out.inertia, inertia) < 1e-12


def rate(along: mc.Robot, q: Array, v: Array, value) -> Array:
    """The derivative of value(q) while the robot moves with constant v: five points, of fourth order."""
    step = 1e-3
    at = {k: value(along.integrate(q, v, k * step)) for k in (-2, -1, 1, 2)}
    return (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step)


@pytest.mark.parametrize("seed", range(10))
def test_jacobian_bias_and_power_are_derivatives(seed: int) -> None:
    """ċ = J v; ḣ_G = bias while v is constant; the energy then changes by vᵀ h, what motors do."""
    x = Moving(seed)
    center = mc.center_of_mass(x.robot, outputs=["com", "J"])
    momentum, energy = mc.centroidal_momentum(x.robot, outputs=["hG", "bias"]), mc.energy(x.robot)
    assert error(center.run(x.q).J @ x.v, rate(x.robot, x.q, x.v, lambda q: center.run(q).com)) < 1e-8
    moved = rate(x.robot, x.q, x.v, lambda q: momentum.run(q, x.v).hG)
    assert error(momentum.run(x.q, x.v).bias, moved) < 1e-8
    power = rate(x.robot, x.q, x.v, lambda q: np.array([sum(energy.run(q, x.v).values())]))
    assert error([x.v @ mc.bias_forces(x.robot).run(x.q, x.v)], power) < 1e-8


@row("robcogen", 33)
@pytest.mark.parametrize("name", ["hyq", "biped"])
def test_what_flies_falls_freely_and_keeps_its_momentum(name: str) -> None:
    """Whatever motors do within, ḣ_G = A_G a + bias is gravity's alone; at rest, without them, all falls as one."""
    robot, rng = mc.load(name), np.random.default_rng(4)
    forward, momentum = mc.forward_dynamics(robot), mc.centroidal_momentum(robot, outputs=MOMENTUM)
    poses, base = mc.forward_kinematics(robot, [robot.link_names[0]]), robot.v_index["root_joint"]
    mass = mc.center_of_mass(robot, outputs=["mass"]).run(robot.neutral())
    for _ in range(STATES):
        q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.nv))
        tau[base] = 0
        out = momentum.run(q, v)
        assert error(out.AG @ forward.run(q, v, tau) + out.bias, np.array([0, 0, 0, 0, 0, -9.81 * mass])) < 1e-10
        a = forward.run(q, 0 * v, 0 * v)
        expected = np.zeros(robot.nv)
        expected[base][3:] = poses.run(q)[0, :3, :3].T @ [0, 0, -9.81]
        assert error(a, expected) < 1e-10
        assert error(mc.inverse_dynamics(robot).run(q, 0 * v, expected), 0 * v) < 1e-10


# ---------------------------------------------------------------- what is refused


def test_a_wrong_question_gets_a_sentence() -> None:
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match="center_of_mass has no such output; did you mean com"):
        mc.center_of_mass(robot, outputs=["comm"])
    with pytest.raises(mc.Error, match="ask for at least one of hG, AG, bias"):
        mc.centroidal_momentum(robot, outputs=[])
    pieces = random_tree(2, [Kind.REVOLUTE], rotors=False)
    light = build([pieces[0], replace(pieces[1], mass=None, com=None, inertia=None)])
    for make in (mc.center_of_mass, mc.centroidal_momentum):
        with pytest.raises(mc.Error, match="no link that moves has mass"):
            make(light)
    assert mc.energy(light).run([0.3], [2.0]).kinetic == 0
