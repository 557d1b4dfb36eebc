"""Gaps, normals and contact points of round shapes, planes and height fields, against coal, SciPy and analysis."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import coal
import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from motionc.geometry import WORLD, WORLD_FRAME, Body, Frame, Pose, SemanticError
from motionc.geometry.closest import Meeting, Rounded
from motionc.geometry.compliance import compliant_force
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.heights import Heights
from motionc.geometry.lie import rotation_exp
from motionc.geometry.symbols import Symbols
from motionc.program import Program
from motionc.program.derive.differentiate import pushforward
from motionc.program.evaluate import evaluate
from motionc.program.port import Port
from symbols import Page
from trials import trials

Array = np.ndarray


def place(name: str, position: Array, turn: Array | None = None) -> Pose:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation_exp(np.zeros(3) if turn is None else turn), position
    return Pose.from_matrix(Frame(name, Body(name)), WORLD_FRAME, matrix)


def coal_at(pose: Pose) -> coal.Transform3s:
    return coal.Transform3s(pose.matrix[:3, :3], pose.matrix[:3, 3])


def coal_shape(radius: float, length: float) -> coal.ShapeBase:
    return coal.Capsule(radius, length) if length else coal.Sphere(radius)


@pytest.mark.parametrize("first", [0.0, 0.4])
@pytest.mark.parametrize("second", [0.0, 0.7])
def test_round_shapes_are_as_far_apart_as_coal_says(first: float, second: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(trials(1000)):
        a, b = (place(name, rng.normal(size=3) / 2, rng.normal(size=3) * 2) for name in "ab")
        near, far = rng.uniform(0.05, 0.3, 2)
        found = Rounded.at(a, near, first).on_round(Rounded.at(b, far, second))
        result = coal.DistanceResult()
        shapes = coal_shape(near, first), coal_at(a), coal_shape(far, second), coal_at(b)
        gap = coal.distance(*shapes, coal.DistanceRequest(), result)
        assert found.gap[0, 0] == pytest.approx(gap, abs=1e-12)
        if gap > 1e-3:  # coal's own points, one on each surface
            own, other = result.getNearestPoint1(), result.getNearestPoint2()
            assert np.abs(found.point[:, 0] - own).max() < 1e-7
            assert np.abs(found.normal[:, 0] - (own - other) / gap).max() < 1e-6


@pytest.mark.parametrize("length", [0.0, 0.4])
def test_the_lowest_end_on_a_plane_is_as_far_as_coal_says(length: float) -> None:
    rng = np.random.default_rng(4)
    for _ in range(trials(400)):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        body, point, radius = place("a", rng.normal(size=3), rng.normal(size=3) * 2), rng.normal(size=3), 0.1
        ends = Rounded.at(body, radius, length).on_plane(WORLD, normal, point)
        half_space = coal.Halfspace(normal, float(normal @ point))
        args = coal_shape(radius, length), coal_at(body), half_space, coal.Transform3s()
        gap = coal.distance(*args, coal.DistanceRequest(), coal.DistanceResult())
        assert len(ends) == 1 + bool(length)
        assert min(end.gap[0, 0] for end in ends) == pytest.approx(gap, abs=1e-12)
        for end in ends:
            assert float(normal @ (end.point[:, 0] - point)) == pytest.approx(end.gap[0, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("apart", "gap"), [((0.0, 0.0, 0.0), -0.3), ((0.0, 0.0, 0.5), -0.3), ((0.0, 0.0, 2.0), 0.7), ((0.4, 0.0, 0.2), 0.1)]
)
def test_parallel_and_coinciding_capsules_meet_at_the_middle_of_their_overlap(apart: tuple, gap: float) -> None:
    first, second = Rounded.at(place("a", np.array(apart)), 0.1, 1.0), Rounded.at(place("b", np.zeros(3)), 0.2, 1.0)
    found = first.on_round(second)
    assert found.gap[0, 0] == pytest.approx(gap, abs=1e-12)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0)
    if apart[0]:
        assert found.point[:, 0] == pytest.approx([0.3, 0.0, 0.1])


def test_spheres_at_one_place_have_some_normal() -> None:
    found = Rounded.at(place("a", np.ones(3)), 0.1).on_round(Rounded.at(place("b", np.ones(3)), 0.2))
    assert found.normal[:, 0].tolist() == [0, 0, 1]
    assert found.gap[0, 0] == pytest.approx(-0.3)


def ground(heights: Array, spacing: tuple[float, float], origin: tuple[float, float, float]) -> Heights:
    return Heights(WORLD, WORLD_FRAME, heights.shape, spacing, origin, heights.reshape(-1, 1))


def test_heights_and_normals_are_those_of_bilinear_ground_which_goes_on_flat() -> None:
    rng = np.random.default_rng(5)
    heights = rng.normal(size=(5, 7)) / 3
    field = ground(heights, (0.3, 0.2), (1.0, -0.5, 0.25))
    xs, ys = 1.0 + 0.3 * np.arange(5), -0.5 + 0.2 * np.arange(7)
    scipy = RegularGridInterpolator((xs, ys), heights + 0.25)

    def height(x: float, y: float) -> float:
        return scipy((np.clip(x, xs[0], xs[-1]), np.clip(y, ys[0], ys[-1]))).item()

    for _ in range(trials(300)):
        x, y, z = rng.uniform(0.5, 2.8), rng.uniform(-1, 1.2), rng.uniform(-1, 1)
        (found,) = Rounded.at(place("a", np.array([x, y, z]))).on_heights(field)
        step = 1e-7
        slopes = (
            (height(x + step, y) - height(x - step, y)) / (2 * step),
            (height(x, y + step) - height(x, y - step)) / (2 * step),
        )
        normal = np.array([-slopes[0], -slopes[1], 1.0])
        normal /= np.linalg.norm(normal)
        assert found.gap[0, 0] == pytest.approx((z - height(x, y)) * normal[2], abs=1e-8)
        assert np.abs(found.normal[:, 0] - normal).max() < 1e-6


def test_spheres_on_sloping_heights_are_exact_and_on_a_bowl_nearly_so() -> None:
    rng, spacing, radius = np.random.default_rng(6), 0.05, 0.08
    x, y = np.meshgrid(*(spacing * np.arange(-20, 21),) * 2, indexing="ij")
    slope, bowl = 0.3 * x - 0.5 * y, 2.0 - np.sqrt(4.0 - x**2 - y**2)
    normal = np.array([-0.3, 0.5, 1.0]) / np.linalg.norm([-0.3, 0.5, 1.0])
    origin = (-1.0, -1.0, 0.1)
    for _ in range(trials(200)):
        p = np.array([*rng.uniform(-0.5, 0.5, 2), rng.uniform(-0.3, 0.6)])
        body = Rounded.at(place("a", p), radius)
        (plain,) = body.on_heights(ground(slope, (spacing, spacing), origin))
        assert plain.gap[0, 0] == pytest.approx(normal @ (p - [0, 0, 0.1]) - radius, abs=1e-12)
        assert np.abs(plain.normal[:, 0] - normal).max() < 1e-12
        # at rest in a round bowl: its centre is bowl's radius less its own from the bowl's centre
        place_in_bowl = np.array([*p[:2], 2.1 - np.sqrt((2.0 - radius) ** 2 - p[:2] @ p[:2])])
        (round_,) = Rounded.at(place("a", place_in_bowl), radius).on_heights(ground(bowl, (spacing, spacing), origin))
        inward = (np.array([0, 0, 2.1]) - place_in_bowl) / (2.0 - radius)
        assert abs(round_.gap[0, 0]) < 5e-4  # a quarter of a cell's bend
        assert np.abs(round_.normal[:, 0] - inward).max() < 0.03  # half a cell's slope


def test_what_is_seen_by_other_axes_is_refused() -> None:
    axes = Frame("table", Body("table"))
    own, other = Rounded.at(place("a", np.zeros(3)), 0.1), Rounded(Body("b"), axes)
    with pytest.raises(SemanticError, match="remedy: take both as seen by"):
        own.on_round(other)
    with pytest.raises(SemanticError, match="as_seen_by differ"):
        own.on_heights(Heights(Body("table"), axes, (2, 2), (1.0, 1.0), (0.0, 0.0, 0.0)))


def test_nothing_known_gives_nothing_known() -> None:
    pose = Pose.between(Frame("a", Body("a")), WORLD_FRAME, None, None)
    capsule, field = Rounded.at(pose, 0.1, 0.3), Heights(WORLD, WORLD_FRAME, (2, 2), (1.0, 1.0), (0.0, 0.0, 0.0))
    for found in (
        capsule.on_round(capsule),
        *capsule.on_heights(field),
        *capsule.on_plane(WORLD, (0, 0, 1), (0, 0, 0)),
    ):
        assert found.gap is UNKNOWN
        assert found.normal is UNKNOWN or found.normal.shape == (3, 1)


def written(page: Page, **outputs: Any) -> Program:
    """What was written on a page, as a program."""
    parts = {name: Symbols.of(part) for name, part in outputs.items()}
    instructions, results = page.writer.needed([part.flat for part in parts.values()])
    ports = tuple(Port(name, part.shape, "", "") for name, part in parts.items())
    return Program("page", "", tuple(page.ports), ports, instructions, results)


def programs() -> Iterator[tuple[str, Program, dict[str, Array]]]:
    """Each kind of pair in symbols, at random places and where nothing has a direction."""
    rng = np.random.default_rng(7)
    for kind in ("points", "point and segment", "segments", "ground"):
        page = Page()
        middles, halves, heights = page.symbols(3, 2), page.symbols(3, 2), page.symbols(12, 1)
        first, second = (
            Rounded(Body(name), WORLD_FRAME, middles[:, [k]], 0.1, halves[:, [k]] if segment else None, 1.0)
            for k, (name, segment) in enumerate((("a", kind == "segments"), ("b", kind != "points")))
        )
        ground = Heights(WORLD, WORLD_FRAME, (3, 4), (0.5, 0.5), (-0.5, -0.5, 0.0), heights)
        found = first.on_round(second) if kind != "ground" else first.on_heights(ground)[0]
        program = written(page, gap=found.gap, n=found.normal, p=found.point)
        along = rng.normal(size=(3, 1))
        along /= 2 * np.linalg.norm(along)
        for middles, halves in (
            (rng.normal(size=(3, 2)), np.hstack([along, along[[1, 2, 0]]])),
            (np.zeros((3, 2)), np.hstack([along, along])),
            (np.ones((3, 2)), np.hstack([along, -along])),
            (np.hstack([along, np.zeros((3, 1))]), np.hstack([along, along])),
        ):
            yield kind, program, {"x0": middles, "x1": halves, "x2": rng.normal(size=(12, 1))}


def test_symbols_mean_the_same_and_no_derivative_is_infinite_anywhere() -> None:
    for kind, program, values in programs():
        found = evaluate(program, values)
        assert all(np.isfinite(part).all() for part in found.values())
        assert np.linalg.norm(found["n"]) == pytest.approx(1.0)
        if kind == "segments":
            ends = (place("a", values["x0"][:, 0]), place("b", values["x0"][:, 1]))
            own, other = (replace(Rounded.at(end, 0.1, 1.0), half=values["x1"][:, [k]]) for k, end in enumerate(ends))
            numbers = own.on_round(other)
            for name, value in (("gap", numbers.gap), ("n", numbers.normal), ("p", numbers.point)):
                assert np.abs(found[name] - value).max() < 1e-12
        slopes = pushforward(program, ["gap", "n", "p"], ["x0", "x1", "x2"])
        changes = {port.name: np.ones(port.shape) for port in slopes.inputs if port.name not in values}
        assert all(np.isfinite(part).all() for part in evaluate(slopes, {**values, **changes}).values())


LAW = {"stiffness": 1000.0, "damping": 0.5, "friction": 0.8, "slip_speed": 0.01}


def meeting(gap: float) -> Meeting:
    return Meeting(
        Body("a"), WORLD, WORLD_FRAME, np.full((1, 1), gap), np.array([[0.0], [0.6], [0.8]]), np.zeros((3, 1))
    )


def test_compliant_forces_push_only_and_friction_opposes_sliding() -> None:
    along, across = np.array([[0.0], [0.6], [0.8]]), np.array([[1.0], [0.0], [0.0]])
    for exponent in (1.0, 1.5):
        force = compliant_force(meeting(-0.01), -0.4 * along + 0.3 * across, exponent=exponent, **LAW)
        pressure = 1000 * 0.01**exponent * (1 + 0.5 * 0.4)
        assert (along.T @ force).item() == pytest.approx(pressure)
        assert (across.T @ force).item() == pytest.approx(-0.8 * pressure * 0.3 / np.hypot(0.3, 0.01))
        assert not compliant_force(
            meeting(-0.01), 2.5 * along, exponent=exponent, **LAW
        ).any()  # leaves faster than 1/c
        assert not compliant_force(meeting(1e-9), -along, exponent=exponent, **LAW).any()


def test_forces_change_by_finite_amounts_wherever_bodies_are() -> None:
    page = Page()
    gap, velocity = page.symbols(1, 1), page.symbols(3, 1)
    near = replace(meeting(0.0), gap=gap)
    program = written(page, force=compliant_force(near, velocity, exponent=1.5, **LAW))
    slopes = pushforward(program, ["force"], ["x0", "x1"])
    changes = {port.name: np.ones(port.shape) for port in slopes.inputs if port.name not in ("x0", "x1")}
    for depth in (-0.1, 0.0, 0.1):
        values = {"x0": np.full((1, 1), -depth), "x1": np.zeros((3, 1)), **changes}
        assert all(np.isfinite(part).all() for part in evaluate(slopes, values).values())
