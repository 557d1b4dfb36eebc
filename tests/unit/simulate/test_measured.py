"""Sensors and actuators in closed loops: what is picked up is weighed, plants that differ too; noise is drawn."""

import numpy as np
import pytest

import motionc as mc
from motionc import simulate

ROBOT = mc.load("planar2").with_frame("eye", "tip", rpy=(np.pi, 0, 0))
LOG = ["force_torque_wrench", "elbow_wrench", "range_distance"]
STILL = {"q": [0.3, 0.1], "v": [0.0, 0.0]}


def test_force_torque_sensors_weigh_what_is_picked_up_on_plants_that_differ() -> None:
    ground = simulate.HeightField(np.full((3, 3), -2.0), 1.0, (-1, -1, 0), name="ground")
    plant = simulate.Plant(
        ROBOT,
        sensors=[
            simulate.ForceTorque("tip"),
            simulate.ForceTorque("forearm", name="elbow"),
            simulate.Range("eye", ground),
        ],
        payloads=[simulate.Payload("tip", 2.0, picked=0.01, dropped=0.02)],
        vary={"*.mass": 0.3},
    )
    loop = simulate.closed(plant, mc.control.pd(ROBOT, 30.0, 1.0), log=LOG)
    run = loop.batch(STILL, target=STILL["q"], steps=30, plants=2)
    held = np.zeros(30)
    held[11:21] = 2.0  # it is felt in the turn after it is there
    np.testing.assert_allclose(run.force_torque_wrench[:, :, 5], 9.81 * np.array([held, held]), atol=1e-9)
    others = plant.plants(0, range(2))["forearm.mass"]
    np.testing.assert_allclose(run.elbow_wrench[:, :, 5], 9.81 * (held + np.reshape(others, (2, 1))), atol=1e-9)
    assert np.ptp(others) > 0
    np.testing.assert_allclose(run.range_distance, 2.0, atol=1e-12)


def test_what_encoders_draw_is_normal_and_what_motors_are_told_is_late() -> None:
    plant = simulate.Plant(
        ROBOT,
        actuators=simulate.Torque(delay=3),
        sensors=[simulate.Encoder(noise=1e-3, velocity="difference")],
    )
    log = ["q", "q_measured", "v_measured", "motor_force", "tau"]
    loop = simulate.closed(plant, mc.control.pd(ROBOT, 5.0, 0.01), log=log)
    run = loop(STILL, target=[0.3, 0.1], steps=1000, seed=4)
    off = run.q_measured - run.q
    assert abs(off.mean()) < 1e-4
    np.testing.assert_allclose(off.std(axis=0), 1e-3, rtol=0.1)
    np.testing.assert_allclose(run.v_measured[1:], np.diff(run.q_measured, axis=0) / plant.dt, atol=1e-9)
    np.testing.assert_allclose(run.tau, 5.0 * ([0.3, 0.1] - run.q_measured) - 0.01 * run.v_measured, atol=1e-9)
    np.testing.assert_array_equal(run.motor_force[3:], run.tau[:-3])
    np.testing.assert_array_equal(run.motor_force[:3], 0.0)
    assert np.abs(loop(STILL, target=[0.3, 0.1], steps=10, seed=5).q_measured - run.q_measured[:10]).max() > 1e-4


def test_velocities_have_noise_of_their_own_joint_by_joint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    read = simulate.Encoder(noise={"shoulder": 0.5}, velocity_noise=[2.0, 3.0]).computation(ROBOT, 1e-3)
    seen = read([0.1, 0.2], [1.0, 1.0], [1.0, 10.0, 100.0])
    np.testing.assert_allclose(seen.q_measured, [0.6, 0.2], rtol=1e-15)
    np.testing.assert_allclose(seen.v_measured, [21.0, 301.0], rtol=1e-15)
    late = simulate.Encoder(velocity="difference", velocity_noise={"elbow": 3.0}).computation(ROBOT, 1e-3)
    assert late(q=[0.0, 0.0], v=[0.0, 0.0], encoder_noise=[2.0], **late.start()).v_measured.tolist() == [0.0, 6.0]


def test_noise_of_a_sensor_differs_from_plant_to_plant_by_a_level_that_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    encoder = simulate.Encoder(noise=1e-2, velocity_noise=0.5)
    plant = simulate.Plant(ROBOT, sensors=[encoder], vary={"encoder.noise": (0.2, 2)})
    loop = simulate.closed(plant, mc.control.pd(ROBOT, 10.0, 1.0), log=["q_measured", "v_measured"])
    plain = simulate.closed(plant.alike(vary={}), mc.control.pd(ROBOT, 10.0, 1.0), log=["q_measured", "v_measured"])
    levels = plant.plants(3, range(2))["encoder_noise_level"]
    assert np.ptp(levels) > 0.1
    seen, usual = (
        loop.batch(STILL, target=[0.0, 0.0], plants=2, seed=3, steps=1),
        plain(STILL, target=[0.0, 0.0], seed=3, steps=1),
    )
    off = [run.q_measured - STILL["q"] for run in (seen, usual)]
    np.testing.assert_allclose(off[0][0, 0], levels[0] * off[1][0], rtol=1e-9)
    np.testing.assert_allclose(seen.v_measured[0, 0], levels[0] * usual.v_measured[0], rtol=1e-12)
    # a run alone is of the plant in the file
    np.testing.assert_array_equal(loop(STILL, target=[0.0, 0.0], seed=3, steps=1).q_measured, usual.q_measured)
    with pytest.raises(mc.Error, match="encoder has no noise"):
        simulate.Plant(ROBOT, sensors=[simulate.Encoder()], vary={"encoder.noise": (0, 2)})


def test_what_tumbles_in_flight_feels_that_it_turns_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither weight nor how fast it flies: ω × (ω × r) off its centre of mass."""
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    ball = simulate.free_body("ball", simulate.Sphere(0.1), mass=0.5).with_frame("eye", "ball", xyz=(0, 0.05, 0))
    loop = simulate.closed(simulate.Plant(ball, sensors=[simulate.Imu("eye")]), log=["imu_accelerometer"])
    turning, flying = np.array([10.0, 5.0, -3.0]), np.array([0.0, 100.0, 30.0])
    run = loop({"q": ball.neutral(), "v": [*turning, *flying]}, tau=np.zeros(6), steps=5)
    felt = np.cross(turning, np.cross(turning, (0, 0.05, 0)))
    np.testing.assert_allclose(run.imu_accelerometer[1:], np.tile(felt, (4, 1)), atol=1e-9)
