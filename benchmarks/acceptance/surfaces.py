"""Surfaces and shapes that touch: gaps, normals and points in compiled time steps, and what bodies do on them.

Gaps are beside coal's, heights beside SciPy's bilinear ones; balls that roll, meet or swing beside formulas.
Everything is read off compiled steps, in double precision.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import Absent, Array
from motionc.model.free_body import free_body
from motionc.model.shapes import Capsule, Sphere
from motionc.solvers.contact import Contact, HeightField, Plane, Solid

DT, GRAVITY = 1e-3, 9.81
POSES = 10_000
EXACT, POINTS, MOTION, SWING = 1e-12, 1e-6, 1e-9, 5e-3
"""What is wanted: of gaps and normals (m, 1), of coal's own points (m), of motions that are known (relative), and of a
swing in a bowl of small facets (relative)."""

SHAPES = {"sphere": Sphere(0.1), "capsule": Capsule(0.08, 0.3)}


def figures() -> Iterator[str]:
    yield from _beside_coal()
    yield from _heights()
    yield from _rolling()
    yield from _balls()
    yield from _marble()


def _line(name: str, error: float, bar: float, unit: str = "") -> str:
    return f"  {name:<66} {error:8.1e}{unit and ' ' + unit:<5} {verdict(error <= bar)} {bar:g}"


# ---------------------------------------------------------------- shapes


def _beside_coal() -> Iterator[str]:
    """Every pair of shapes, and both on a plane, at random poses."""
    try:
        coal: Any = import_module("coal")
    except ImportError as error:
        raise Absent("coal comes with pinocchio: pip install pin") from error
    rng = np.random.default_rng(0)
    bodies = {name: free_body(name, shape, mass=1.0) for name, shape in SHAPES.items()}
    theirs = {name: _of_coal(coal, shape) for name, shape in SHAPES.items()}
    normal, point = np.array((1.0, 2.0, 3.0)) / np.sqrt(14.0), np.array((0.1, 0.2, -0.3))
    for first, second in (("sphere", "sphere"), ("sphere", "capsule"), ("capsule", "sphere"), ("capsule", "capsule")):
        both = mc.attach(bodies[first], bodies[second], "world", prefix="b_", floating=True)
        contact = Contact(first, Solid(SHAPES[second], f"b_{second}"), shape=SHAPES[first])
        q = np.stack([_near(both, rng) for _ in range(POSES)])
        gaps, normals, points = _read(both, contact, q)
        places = mc.forward_kinematics(both, [first, f"b_{second}"]).batch(q)
        worst, off = 0.0, 0.0
        for k, (own, other) in enumerate(places):
            result = coal.DistanceResult()
            ends = theirs[first], _place(coal, own), theirs[second], _place(coal, other)
            gap = coal.distance(*ends, coal.DistanceRequest(), result)
            worst = max(worst, abs(gap - gaps[k, 0]))
            if gap > 0.01:
                near, far = result.getNearestPoint1(), result.getNearestPoint2()
                off = max(
                    off, np.abs(points[k, 0] - near).max(), gap * np.abs(normals[k, 0] - (near - far) / gap).max()
                )
        yield _line(f"{first} on {second}, gap beside coal's, {POSES} poses", worst, EXACT, "m")
        yield _line(f"{first} on {second}, point and normal beside coal's", off, POINTS, "m")
    for name, body in bodies.items():
        q = np.stack([_near(body, rng) for _ in range(POSES)])
        gaps, _, _ = _read(body, Contact(name, Plane(_three(normal), _three(point)), shape=SHAPES[name]), q)
        half_space, here = coal.Halfspace(normal, float(normal @ point)), coal.Transform3s()
        worst = 0.0
        for k, (own,) in enumerate(mc.forward_kinematics(body, [name]).batch(q)):
            ends = theirs[name], _place(coal, own), half_space, here
            gap = coal.distance(*ends, coal.DistanceRequest(), coal.DistanceResult())
            worst = max(worst, abs(gap - gaps[k].min()))
        yield _line(f"{name} on a plane, the nearer end's gap beside coal's", worst, EXACT, "m")


def _three(numbers: Array) -> tuple[float, float, float]:
    x, y, z = map(float, numbers)
    return x, y, z


def _of_coal(coal: Any, shape: Sphere | Capsule) -> Any:
    return coal.Sphere(shape.radius) if isinstance(shape, Sphere) else coal.Capsule(shape.radius, shape.length)


def _place(coal: Any, pose: Array) -> Any:
    return coal.Transform3s(pose[:3, :3], pose[:3, 3])


def _near(robot: mc.Robot, rng: np.random.Generator) -> Array:
    """A configuration in which bodies are turned anyhow, and less than a metre apart."""
    q = robot.random(rng)
    for where in robot.q_index.values():
        q[where.start : where.start + 3] = rng.uniform(-0.4, 0.4, 3)
    return q


def _read(robot: mc.Robot, contact: Contact, q: Array) -> tuple[Array, Array, Array]:
    """Gaps, normals and points of a compiled step, one after the other."""
    step = mc.step(robot, DT, contacts=[contact], outputs=["gap", "contact_normal", "contact_point"])
    v, heights = np.zeros((len(q), robot.nv)), [np.stack([one] * len(q)) for one in step.defaults.values()]
    impulses = np.zeros((len(q), 3 * contact.places()))
    gaps, normals, points, *_ = step.batch(q, v, v, *heights, impulses)
    return gaps, normals, points


# ---------------------------------------------------------------- ground


def _heights() -> Iterator[str]:
    """A point and a sphere on random ground, and on ground that is a plane."""
    try:
        scipy: Any = import_module("scipy.interpolate")
    except ImportError as error:
        raise Absent("SciPy interpolates what ours is compared with: pip install scipy") from error
    rng = np.random.default_rng(1)
    heights, spacing, origin = rng.normal(size=(17, 23)) / 10, np.array((0.1, 0.07)), np.array((-0.8, -0.8, 0.1))
    rows, columns = (
        start + step * np.arange(n) for start, step, n in zip(origin, spacing, heights.shape, strict=False)
    )
    theirs = scipy.RegularGridInterpolator((rows, columns), heights + origin[2])
    ball = free_body("ball", Sphere(0.1), mass=1.0)
    q = np.stack([_near(ball, rng) for _ in range(POSES)])
    q[:, :2] *= 2.5  # beyond the border too
    gaps, normals, points = _read(ball, Contact("ball", HeightField(heights, spacing, _three(origin))), q)
    within = np.column_stack([np.clip(q[:, 0], rows[0], rows[-1]), np.clip(q[:, 1], columns[0], columns[-1])])
    above = (q[:, 2] - theirs(within)) * normals[:, 0, 2]
    yield _line(
        f"a point over ground beside SciPy, and beyond its border, {POSES} places",
        _worst(gaps[:, 0], above),
        EXACT,
        "m",
    )
    # exactly a plane
    x, y = np.meshgrid(rows, columns, indexing="ij")
    normal = np.array((-0.3, 0.5, 1.0)) / np.sqrt(1.34)
    field = HeightField(0.3 * x - 0.5 * y, spacing, (*origin[:2], 0.0))
    q[:, :2] /= 4.0
    gaps, normals, points = _read(ball, Contact("ball", field, shape=Sphere(0.1)), q)
    yield _line("a sphere on ground that slopes: gap", _worst(gaps[:, 0], q[:, :3] @ normal - 0.1), EXACT, "m")
    yield _line("a sphere on ground that slopes: normal", _worst(normals[:, 0], normal), EXACT)
    yield _line("a sphere on ground that slopes: point", _worst(points[:, 0], q[:, :3] - 0.1 * normal), EXACT, "m")


def _worst(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours - theirs).max())


# ---------------------------------------------------------------- motion


def gone(step: mc.Computation, q: Array, v: Array, count: int) -> Iterator[Any]:
    """Where steps lead, one by one, impulses carried on; motors make nothing."""
    state, still = step.start(), np.zeros(len(v))
    for _ in range(count):
        out = step(q, v, still, **step.defaults, state=state)
        q, v, state = out.q_next, out.v_next, out.state
        yield out


def _rolling() -> Iterator[str]:
    """A ball on a slope: it rolls, 5/7 g sin α; it slides, g (sin α - μ cos α)."""
    slope, ball = 0.3, free_body("ball", Sphere(0.1), mass=0.5)
    normal = np.array((np.sin(slope), 0.0, np.cos(slope)))
    for mu, wanted in ((0.7, 5 / 7 * np.sin(slope)), (0.02, np.sin(slope) - 0.02 * np.cos(slope))):
        contact = Contact("ball", Plane(_three(normal)), shape=Sphere(0.1), friction=mu)
        q = ball.neutral()
        q[:3] = 0.1 * normal
        *_, out = gone(mc.step(ball, DT, contacts=[contact]), q, np.zeros(6), 1000)
        error = abs(np.linalg.norm(out.v_next[3:]) / (GRAVITY * wanted) - 1)
        yield _line(f"a ball that {'rolls' if mu > 0.1 else 'slides'} down a slope, 1 s", float(error), MOTION)


def _balls() -> Iterator[str]:
    """Two balls that collide, in the middle and beside it: Newton's law, and momentum."""
    radii, masses = (0.1, 0.05), (0.5, 0.2)
    first, second = (free_body("ball", Sphere(r), mass=m) for r, m in zip(radii, masses, strict=True))
    both = mc.attach(first, second, "world", prefix="b_", floating=True)
    momentum = mc.centroidal_momentum(both)
    for e, beside in ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.07)):
        friction = 0.5 if beside else 0.0
        contact = Contact(
            "ball", Solid(Sphere(radii[1]), "b_ball"), shape=Sphere(radii[0]), friction=friction, restitution=e
        )
        step = mc.step(both, DT, contacts=[contact], gravity=(0, 0, 0))
        q, v = both.neutral(), np.zeros(12)
        q[7:9], v[3] = (0.3, beside), 1.0
        *_, out = gone(step, q, v, 400)
        before, after = (
            np.concatenate([np.ravel(part) for part in momentum(*state)])
            for state in ((q, v), (out.q_next, out.v_next))
        )
        yield _line(f"two balls, e = {e:g}, {beside:g} m beside the middle: momentum", _worst(before, after), MOTION)
        if not beside:
            yield _line(
                f"two balls, e = {e:g}: how fast they part", float(abs(out.v_next[9] - out.v_next[3] - e)), MOTION
            )


def _marble() -> Iterator[str]:
    """A marble in a bowl of heights: its period is that of a pendulum 7/5 (R - r) long."""
    radius, bowl, spacing = 0.02, 0.5, 0.01
    x, y = np.meshgrid(*(-0.3 + spacing * np.arange(61),) * 2, indexing="ij")
    ground = HeightField(bowl - np.sqrt(bowl**2 - x**2 - y**2), spacing, (-0.3, -0.3, 0.0))
    marble = free_body("marble", Sphere(radius), mass=0.05)
    step = mc.step(
        marble, DT, contacts=[Contact("marble", ground, shape=Sphere(radius))], outputs=["q_next", "v_next", "gap"]
    )
    q, out = marble.neutral(), 0.1
    q[0], q[2] = out, bowl - np.sqrt((bowl - radius) ** 2 - out**2)
    ways, gaps = list[float](), list[float]()
    for now in gone(step, q, np.zeros(6), 5000):
        ways.append(now.q_next[0])
        gaps.append(float(now.gap[0]))
    zeros = np.flatnonzero(np.diff(np.sign(ways)))
    period = 2 * DT * (zeros[-1] - zeros[0]) / (len(zeros) - 1)
    length, angle = 7 / 5 * (bowl - radius), np.arcsin(out / (bowl - radius))
    wanted = 2 * np.pi * np.sqrt(length / GRAVITY) * (1 + angle**2 / 16)
    yield _line("a marble in a bowl of 61 × 61 heights: period", float(abs(period / wanted - 1)), SWING)
    yield _line("a marble in a bowl: how deep it goes in", max(0.0, -min(gaps)), 1e-4, "m")
