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


def test_judges_say_what_a_ghost_did_whose_way_is_known() -> None:
    """It falls upwards, spins, and passes through a plane that pushes by next to nothing: all is in closed form."""
    ghost = sim.free_body("ghost", sim.Sphere(0.1), mass=2.0)
    soft = [
        sim.Contact("ghost", point=(x, 0.0, z), name=f"{x}", law=sim.Compliant(1e-9), friction=0.0)
        for x, z in ((0.3, -0.1), (-0.4, 0.5))
    ]
    plant = sim.Plant(ghost, contacts=soft, gravity=(0, 0, 4.0), actuators=sim.Torque())
    start = plant.start(v=[0, 0, -2.0, 0.5, 0, -1.0])
    loop = sim.closed(plant, log=["q", "v", "motor_force", "contact_force"])
    run = loop(start, tau=np.zeros(6), seconds=0.4)
    times = run.time
    way = -1.0 * times + 2.0 * times**2 + 4.0 * times * plant.dt / 2  # the sum of velocities after each step
    said = sim.judges.judged(run)
    assert np.isclose(said["deepest"], 0.1 - way.min(), atol=1e-9)
    assert np.isclose(said["depth_at_rest"], 0.1 - way[-1], atol=1e-9)
    assert said["deepest"] > said["depth_at_rest"] + 0.01
    assert np.isclose(sim.judges.speed_at_end(run), 2.0)
    # how far the outer point came in the last tenth of a second, and how fast
    angle, first = 2.0 * 0.1, np.searchsorted(times, 0.3 - 1e-9)
    moves = np.hypot(*np.diff(run.q[[first, -1], :2], axis=0)[0])
    creep, chord = sim.judges.creep(run, 0.1), 2 * 0.4 * np.sin(angle / 2)
    assert (chord - moves) / 0.1 < creep < (chord + moves + abs(way[-1] - way[first])) / 0.1
    places = sim.judges.contact_points(run)[-1]
    assert np.allclose(np.linalg.norm(places[0] - places[1]), np.hypot(0.7, 0.6))
    # -4 m/s² downwards: what it won is kinetic
    assert np.isclose(said["energy_change"], 0.0, atol=2e-2)


def test_only_the_end_of_a_run_says_what_is_carried_and_only_sizes_what_motors_make() -> None:
    ball = sim.free_body("ball", sim.Sphere(0.1), mass=0.5)
    plant = sim.Plant(ball, contacts=[sim.Contact("ball", shape=sim.Sphere(0.1))])
    loop = sim.closed(plant, log=["q", "v", "contact_force"])
    run = loop(plant.start(v=[0, 0, 0, 0, 0, -3.0], height=0.0), tau=np.zeros(6), seconds=0.6)
    assert np.isclose(sim.judges.weight_carried(run, 0.1), 1.0)
    assert sim.judges.weight_carried(run, 0.6) > 1.4  # the blow has stopped 3 m/s
    arm = sim.Plant(mc.load("planar2"))
    pulled = sim.closed(arm, log=["v", "motor_force"])(arm.start(), tau=[-3.0, 0.0], steps=10)
    assert sim.judges.largest_force(pulled).tolist() == [3.0, 0.0]
