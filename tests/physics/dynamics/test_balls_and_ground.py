"""Balls, rods and marbles on planes, on each other and on ground by its heights do what formulas say."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import motionc as mc
from motionc.model.free_body import free_body
from motionc.model.shapes import Capsule, Sphere
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid

DT, GRAVITY, SLOPE = 1e-3, 9.81, 0.3
NORMAL = np.array((np.sin(SLOPE), 0.0, np.cos(SLOPE)))
BALL = free_body("ball", Sphere(0.1), mass=0.5)


def gone(step: mc.Computation, q: Any, v: Any, count: int, **more: Any) -> Iterator[Any]:
    """Where steps lead, impulses carried on; motors make nothing."""
    carried = {"state": step.start()} if any(port.name == "impulses" for port in step.inputs) else {}
    for _ in range(count):
        out = step(q=q, v=v, tau=np.zeros(len(v)), **step.defaults | more, **carried)
        q, v = out.q_next, out.v_next
        carried = {"state": out.state} if carried else {}
        yield out


def at(robot: mc.Robot, *places: Any) -> Any:
    """A configuration with each free body at its place, not turned."""
    q = robot.neutral()
    for k, place in enumerate(places):
        q[7 * k : 7 * k + 3] = place
    return q


def test_a_ball_rolls_down_a_slope_and_slides_where_that_is_slippery() -> None:
    contact = Contact("ball", Plane(NORMAL), shape=Sphere(0.1))
    step = mc.step(BALL, DT, contacts=[contact], contact_friction=True)
    sine, cosine = np.sin(SLOPE), np.cos(SLOPE)
    for mu, wanted, turning in (
        (0.7, 5 / 7 * sine, 5 / 7 * sine),
        (0.02, sine - 0.02 * cosine, 5 / 2 * 0.02 * cosine),
        (0.0, sine, 0.0),
    ):
        *_, out = gone(step, at(BALL, 0.1 * NORMAL), np.zeros(6), 200, mu=[mu])
        assert np.linalg.norm(out.v_next[3:]) == pytest.approx(GRAVITY * wanted * 0.2, rel=1e-12)
        assert np.linalg.norm(out.v_next[:3]) * 0.1 == pytest.approx(GRAVITY * turning * 0.2, abs=1e-12)
        assert out.q_next[:3] @ NORMAL == pytest.approx(0.1, abs=1e-12)


def test_a_rod_rolls_on_both_of_its_ends() -> None:
    shape = Capsule(0.1, 0.6)
    rod = free_body("rod", shape, mass=2.0)
    step = mc.step(rod, DT, contacts=[Contact("rod", Plane(NORMAL), shape=shape)], outputs=["q_next", "v_next", "gap"])
    q = at(rod, 0.1 * NORMAL)
    q[3:] = np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0  # its z along -y
    *_, out = gone(step, q, np.zeros(6), 200)
    moment = rod.links["rod"].inertia[2, 2]
    wanted = GRAVITY * np.sin(SLOPE) / (1 + moment / (2.0 * 0.1**2))
    assert out.gap.shape == (2,)
    assert np.abs(out.gap).max() < 1e-12
    assert np.linalg.norm(out.v_next[3:]) == pytest.approx(wanted * 0.2, rel=1e-9)


def test_two_balls_part_as_newton_says_and_keep_their_momenta() -> None:
    restitution = 0.6
    both = mc.attach(BALL, free_body("small", Sphere(0.05), mass=0.2), "world", prefix="b_", floating=True)
    contact = Contact("ball", Solid(Sphere(0.05), "b_small"), shape=Sphere(0.1), friction=0.4, restitution=restitution)
    step = mc.step(
        both, DT, contacts=[contact], gravity=(0, 0, 0), outputs=["q_next", "v_next", "gap", "contact_normal"]
    )
    q, v = at(both, (0, 0, 0), (0.2, 0.07, -0.03)), np.zeros(12)
    v[3:6] = 1.0, 0.1, 0.2
    hit = list(gone(step, q, v, 200))
    # nothing moves otherwise than straight on but when they meet, along the line between their centres
    before = next(k for k, out in enumerate(hit) if not np.allclose(out.v_next, v))
    normal, after = hit[before].contact_normal[0], hit[-1]
    turns = mc.forward_kinematics(both, ["ball", "b_small"])(after.q_next)[:, :3, :3]
    velocities = np.einsum("kij,kj->ki", turns, np.stack([after.v_next[3:6], after.v_next[9:]]))
    spins = np.einsum("kij,kj->ki", turns, np.stack([after.v_next[:3], after.v_next[6:9]]))
    assert normal @ (velocities[0] - velocities[1]) == pytest.approx(-restitution * normal @ v[3:6], abs=1e-9)
    masses, moments = np.array((0.5, 0.2)), 0.4 * np.array((0.5, 0.2)) * np.array((0.1, 0.05)) ** 2
    assert masses @ velocities == pytest.approx(0.5 * v[3:6], abs=1e-12)
    places = np.stack([after.q_next[:3], after.q_next[7:10]])
    angular = moments @ spins + np.cross(places, masses[:, None] * velocities).sum(0)
    assert angular == pytest.approx(np.zeros(3), abs=1e-12)
    assert min(out.gap[0] for out in hit) > -1e-9


def test_a_marble_swings_in_a_bowl_of_heights_as_long_as_a_pendulum_that_rolls() -> None:
    radius, bowl, spacing = 0.02, 0.5, 0.02
    x, y = np.meshgrid(*(-0.3 + spacing * np.arange(31),) * 2, indexing="ij")
    ground = HeightField(bowl - np.sqrt(bowl**2 - x**2 - y**2), spacing, (-0.3, -0.3, 0.0), name="bowl")
    marble = free_body("marble", Sphere(radius), mass=0.05)
    contact = Contact("marble", ground, shape=Sphere(radius))
    step = mc.step(marble, DT, contacts=[contact], outputs=["q_next", "v_next", "gap", "contact_normal"])
    start = 0.1
    run = list(gone(step, at(marble, (start, 0, bowl - np.sqrt((bowl - radius) ** 2 - start**2))), np.zeros(6), 2000))
    ways = np.array([out.q_next[0] for out in run])
    zeros = np.flatnonzero(np.diff(np.sign(ways)))
    period = 2 * DT * (zeros[-1] - zeros[0]) / (len(zeros) - 1)
    angle = np.arcsin(start / (bowl - radius))
    assert period == pytest.approx(2 * np.pi * np.sqrt(1.4 * (bowl - radius) / GRAVITY) * (1 + angle**2 / 16), rel=5e-3)
    assert 0.95 * start < np.abs(ways[1200:]).max() <= start
    assert min(out.gap[0] for out in run) > -2e-4  # facets bend away at their borders

    # many at once, each on a slope of its own
    rng, many = np.random.default_rng(2), 64
    q = np.stack([at(marble, (*rng.uniform(-0.25, 0.25, 2), 0.3)) for _ in range(many)])
    normals = np.column_stack([rng.uniform(-0.4, 0.4, (many, 2)), np.ones(many)])
    heights = -normals[:, 0, None, None] * x - normals[:, 1, None, None] * y
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    still = np.zeros((many, 6))
    slopes = step.batch(q, still, still, heights, np.zeros((many, 3)))
    assert slopes.gap[:, 0] == pytest.approx(np.sum(normals * q[:, :3], 1) - radius, abs=1e-12)
    assert np.abs(slopes.contact_normal[:, 0] - normals).max() < 1e-12


def test_a_ball_on_soft_ground_bounces_as_scipy_integrates_it() -> None:
    law = Compliant(6e4, 0.4, exponent=1.5)
    contact = Contact("ball", shape=Sphere(0.1), law=law, friction=0.5)
    step = mc.step(BALL, 1e-5, contacts=[contact], outputs=["q_next", "v_next", "contact_force"])
    v = np.zeros(6)
    v[3:] = 0.3, 0.0, -1.0

    def rates(time: float, state: Any) -> Any:
        _, z, spin, u, w = state
        depth, slip = max(0.0, 0.1 - z), u - 0.1 * spin
        pressure = 6e4 * depth**1.5 * max(0.0, 1 - 0.4 * w)
        pull = -0.5 * pressure * slip / np.hypot(slip, 1e-2)
        return u, w, -0.1 * pull / (0.4 * 0.5 * 0.1**2), pull / 0.5, pressure / 0.5 - GRAVITY

    run = list(gone(step, at(BALL, (0, 0, 0.1)), v, 4000))
    theirs = solve_ivp(rates, (0, 0.04), (0, 0.1, 0, 0.3, -1.0), method="LSODA", rtol=1e-10, atol=1e-12, max_step=1e-4)
    x, z, spin, u, w = theirs.y[:, -1]
    assert run[-1].q_next[[0, 2]] == pytest.approx([x, z], abs=1e-5)
    turn = mc.forward_kinematics(BALL, ["ball"])(run[-1].q_next)[0][:3, :3]
    assert turn @ run[-1].v_next[3:] == pytest.approx([u, 0, w], abs=2e-4)
    assert run[-1].v_next[1] == pytest.approx(spin, abs=2e-3)
    assert run[-1].contact_force[0] == pytest.approx(np.zeros(3))  # it has left
    assert max(out.contact_force[0, 2] for out in run) > 5 * 0.5 * GRAVITY
