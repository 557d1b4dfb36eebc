"""Pads: what is felt at the bottom of a flat tool, by hand; surfaces under it; who is told of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc import simulate as sim
from motionc.simulate.judged_contacts import judged_contact
from motionc.tasks import Force, Move, Speed

PAD = sim.Pad("link_7", size=0.1, stiffness=4000.0, damping=0.0, friction=0.3)
Q = np.array([0.3, 0.6, -0.2, -1.5, 0.4, 0.8, 0.1])


@pytest.fixture(scope="module")
def arm() -> mc.Robot:
    return PAD.worn_by(mc.load("lwr4"))


@pytest.fixture(scope="module")
def bottom(arm: mc.Robot) -> np.ndarray:
    """Where the pad is: the flange's frame, and Z leads out of it."""
    where = mc.forward_kinematics(arm, ["pad", "link_7"]).run(Q)
    np.testing.assert_array_equal(where[0], where[1])
    return where[0]


def felt(arm: mc.Robot, surface: sim.Plane, v: Any) -> np.ndarray:
    """What its sensor reads of a surface, in the instant after a step found the contacts."""
    plant = sim.Plant(arm, 1e-6, contacts=PAD.contacts(surface), sensors=[PAD.sensor()])
    ports = {"q": Q, "v": np.asarray(v, float), "tau": np.zeros(7)}
    touched = plant.stepper.run(*(ports[port.name] for port in plant.stepper.inputs))
    given = {"q": Q, "v": np.zeros(7), "a": np.zeros(7), **{n: touched[n] for n in ("contact_force", "contact_point")}}
    sensor = plant.measuring["pad"]
    return np.asarray(sensor.run(*(given[port.name] for port in sensor.inputs)))


def below(bottom: np.ndarray, depth: float, turned: float = 0.0) -> sim.Plane:
    """A plane that the pad's middle is so deep in, turned about the pad's X."""
    way = np.array([0.0, np.sin(turned), -np.cos(turned)])
    return sim.Plane(tuple(bottom[:3, :3] @ way), tuple(bottom[:3, 3] - depth * bottom[:3, 2]))


def test_a_pad_that_lies_flat_presses_along_z_with_no_moment(arm: mc.Robot, bottom: np.ndarray) -> None:
    """k d = 4000 N/m · 1 mm."""
    read = felt(arm, below(bottom, 1e-3), np.zeros(7))
    np.testing.assert_allclose(read, [0, 0, 0, 0, 0, 4.0], atol=1e-6)


def test_a_pad_that_is_tilted_presses_with_a_moment_against_what_would_lay_it_flat(
    arm: mc.Robot, bottom: np.ndarray
) -> None:
    """The surface is turned by θ about X: n = -k a² θ, a half of its side."""
    read = felt(arm, below(bottom, 1e-3, 0.005), np.zeros(7))
    np.testing.assert_allclose(read[:3], [-4000 * 0.05**2 * 0.005, 0, 0], atol=2e-4)
    np.testing.assert_allclose(read[5], 4.0, rtol=1e-4)


def test_friction_has_no_arm_at_the_bottom(arm: mc.Robot, bottom: np.ndarray) -> None:
    """Sliding, it presses along its way with μ f, and moments are those of rest (but for the swivel about Z)."""
    J = mc.jacobian(arm, "pad").run(Q)
    sliding = np.linalg.pinv(J) @ np.concatenate([np.zeros(3), 0.3 * bottom[:3, 0]])
    read = felt(arm, below(bottom, 1e-3), sliding)
    np.testing.assert_allclose(read, [0, 0, 0, 0.3 * 4.0, 0, 4.0], atol=1e-3)


def test_surfaces_are_where_a_task_frame_says() -> None:
    T = mc.placed((0.5, 0.2, 0.1), (0, 0, np.pi / 2))
    level, dome = sim.surface_at("plane", T), sim.surface_at("dome", T, radius=2.0)
    assert isinstance(level, sim.Plane)
    np.testing.assert_allclose([level.normal, level.point], [(0, 0, 1), (0.5, 0.2, 0.1)], atol=1e-15)
    # turned about X of the frame, y of the world: what lies along -y of the frame, +x of the world, is lower
    for ground, lower in (("slope_x", (0.5 + 1.0, 0.2, 0.1)), ("slope_y", (0.5, 0.2 - 1.0, 0.1))):
        slope = sim.surface_at(ground, T, angle=0.1)
        assert isinstance(slope, sim.Plane)
        height = np.dot(np.subtract(lower, slope.point), slope.normal)
        assert height == pytest.approx(np.sin(0.1))
    # the crest is a tenth of the radius before the origin, as high as it
    assert isinstance(dome, sim.Solid)
    np.testing.assert_allclose(dome.point, (0.5, 0.2 - 0.2, 0.1 - 2.0), atol=1e-12)
    # and so is the trough of a bowl: all of its heights are on a ball above it
    bowl = sim.surface_at("bowl", T, radius=2.0)
    assert isinstance(bowl, sim.HeightField)
    corner, steps = np.array(bowl.origin), np.array(np.shape(bowl.heights)) - 1
    i, j = np.meshgrid(*(np.arange(count + 1) for count in steps), indexing="ij")
    places = corner + np.stack([i * bowl.spacing[0], j * bowl.spacing[1], bowl.heights], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(places - (0.5, 0.0, 0.1 + 2.0), axis=-1), 2.0, rtol=1e-12)
    assert np.all(corner[:2] < (0.5, 0.2))
    assert np.all(corner[:2] + steps * bowl.spacing > (0.5, 0.2))


@pytest.mark.parametrize(("what", "value"), [("size", 0.0), ("stiffness", -1.0), ("friction", float("nan"))])
def test_pads_that_are_none_are_refused(what: str, value: float) -> None:
    with pytest.raises(mc.Error, match=f"Pad: {what}"):
        sim.Pad("link_7", **{what: value})


def test_a_controller_is_told_the_wrench_that_a_sensor_measures(arm: mc.Robot) -> None:
    wrench, tau = mc.Port("wrench", (6,), "N m, N", "felt"), mc.forward_dynamics(arm).inputs[2]
    law = mc.block("law", lambda wrench: {"tau": [wrench[5]] * 7}, [wrench], [tau])
    plant = sim.Plant(arm, contacts=PAD.contacts(sim.Plane()), sensors=[PAD.sensor()])
    loop = sim.closed(plant, law)
    assert ("law", "wrench") in loop.runs.source.wires.feeds
    assert loop.runs.source.wires.feeds["law", "wrench"] == ("pad", "pad_wrench")


def test_contact_is_judged_by_what_the_plant_knows(arm: mc.Robot, bottom: np.ndarray) -> None:
    """Five rows of 4, 5, 5.4, 5.6 and no newtons in all, the normal 0.2 rad off Z, friction beside it; some cruise."""
    pressed = np.array([4.0, 5.0, 5.4, 5.6, 0.0])
    normal = bottom[:3, :3] @ (0.0, np.sin(0.2), -np.cos(0.2))
    forces = np.einsum("k,i->ki", pressed / 4, 0.6 * bottom[:3, 0] - bottom[:3, 2])
    rows = {
        "q": np.tile(Q, (5, 1)),
        "contact_force": np.repeat(forces[:, np.newaxis], 4, axis=1),
        "contact_normal": np.tile(normal, (5, 4, 1)),
    }

    class Logged(SimpleNamespace):
        def __getitem__(self, name: str) -> np.ndarray:
            return rows[name]

    plant = SimpleNamespace(robot=arm, contacts=PAD.contacts(sim.Plane()))
    times = dict.fromkeys(rows, np.arange(5.0))
    run: Any = Logged(plant=plant, many=False, times=times, record=SimpleNamespace(names=tuple(rows)))
    task = Move("pad", "T", force_frame="pad", x=Speed(0.1, 0.01), z=Force(5.0, 0.5))
    found = judged_contact(run, task, np.array([[False, True, True, True, False]]))
    assert found.force_in_band == pytest.approx([2 / 3])
    assert found.tilt == pytest.approx([0.2])
    assert found.losses == [0]
    assert judged_contact(run, task, np.array([[False, True, True, True, True]])).losses == [1]
    never = judged_contact(run, task, np.zeros((1, 5), bool))
    assert np.isnan([never.force_in_band, never.tilt, never.losses]).all()
