"""Judges: what they say of runs whose answer is known."""

import numpy as np

import motionc as mc
from motionc import simulate as sim


def test_energy_of_what_swings_freely_stays_and_nothing_is_slow_to_say_so() -> None:
    plant = sim.Plant(mc.load("planar2"), method="rk4", gravity=(0, -9.81, 0))
    run = sim.closed(plant)(plant.start([0.5, 0.3]), tau=[0, 0], seconds=1.0)
    energy = sim.judges.energy(run)
    assert np.ptp(energy) < 1e-6
    assert sim.judges.speed_at_end(run) > 0.1
    assert abs(sim.judges.judged(run)["energy_change"]) < 1e-6


def test_what_rests_neither_sinks_nor_creeps_and_is_carried() -> None:
    ball = mc.load("ur5", fixed=["wrist_1_joint", "wrist_2_joint", "wrist_3_joint"], floating=True)
    feet = [sim.Contact("base_link", shape=sim.Sphere(0.1), point=(x, y, 0)) for x in (-1, 1) for y in (-1, 1)]
    plant = sim.Plant(ball, contacts=feet, actuators=sim.Position(1e3, 100.0))
    start = plant.start(height=0.01)
    assert np.isclose(plant.gaps(start["q"][None]).min(), 0.01)
    run = sim.closed(plant)(start, q_target=start["q"], seconds=2.0)
    said = sim.judges.judged(run)
    assert said["deepest"] < 1e-3
    assert said["depth_at_rest"] < 1e-5
    many = sim.closed(plant).batch(start, q_target=start["q"], seconds=2.0, lanes=2)
    assert np.allclose(sim.judges.deepest(many), said["deepest"], atol=1e-9)
    assert abs(said["weight_carried"] - 1) < 1e-3
    assert said["creep"] < 1e-5
