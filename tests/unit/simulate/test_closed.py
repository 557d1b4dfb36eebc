"""Closed loops: who is wired to whom, what is given, drawn and logged; plants that differ; functions in Python."""

import pickle

import numpy as np
import pytest

import motionc as mc
from motionc import simulate as sim


@pytest.fixture(scope="module")
def robot():
    return mc.load("planar2")


def _loop(plant, **more):
    return sim.closed(plant, mc.control.pd(plant.robot, 10.0, 1.0), **more)


def test_a_closed_loop_is_the_integral_that_scipy_finds() -> None:
    pin, scipy = pytest.importorskip("pinocchio"), pytest.importorskip("scipy.integrate")
    robot, target = mc.load("youbot_arm"), np.full(5, 0.5)
    plant = sim.Plant(robot, dt=1e-4, method="rk4")
    loop = sim.closed(plant, mc.control.pd(robot, 10.0, 0.1), log={"q": 1000, "v": 1000})
    run = loop(plant.start(np.full(5, 0.1), np.linspace(-1, 1, 5)), target=target, seconds=0.3)
    model = pin.buildModelFromXML(mc.to_urdf(robot))
    model.armature = np.array(
        [joint.transmission.rotor_inertia for joint in robot.joints if joint.name in robot.v_index]
    )
    data = model.createData()

    def rate(_, x):
        q, v = x[:5], x[5:]
        return np.concatenate([v, pin.aba(model, data, q, v, 10.0 * (target - q) - 0.1 * v)])

    begin = [*np.full(5, 0.1), *np.linspace(-1, 1, 5)]
    found = scipy.solve_ivp(rate, (0, 0.31), begin, t_eval=run.time, rtol=1e-9, atol=1e-11, method="DOP853")
    # forces are held for steps of 1e-4 s
    assert np.abs(found.y[:5].T - run.q).max() < 5e-3 * np.abs(run.q - 0.1).max()


def test_a_function_in_python_controls_as_a_computation_does(robot) -> None:
    plant = sim.Plant(robot)
    target = np.array([0.3, 0.1])
    by_function = sim.closed(plant, lambda q, v: 10.0 * (target - q) - v)
    ours, theirs = _loop(plant)(plant.start(), target=target, seconds=0.3), by_function(plant.start(), seconds=0.3)
    assert np.abs(ours.q - theirs.q).max() < 1e-12
    with pytest.raises(mc.Error, match="a function in Python"):
        by_function.emit("c", "nowhere")


def test_a_controller_sees_what_sensors_measure_and_draws_are_those_of_its_lane(robot) -> None:
    plant = sim.Plant(robot, sensors=[sim.Encoder(noise=1e-2)])
    loop = _loop(plant, log=["q", "q_measured"])
    one, other = (loop(plant.start(), target=[0, 0], seconds=0.2, seed=s) for s in (1, 2))
    assert np.abs(one.q - other.q).max() > 1e-6
    before = np.concatenate([[np.zeros(2)], one.q[:-1]])
    assert 0.8e-2 < (one.q_measured - before).std() < 1.2e-2
    many = loop.batch(plant.start(), target=[0, 0], seconds=0.2, seed=1, lanes=3)
    assert np.abs(many.q[0] - one.q).max() < 1e-12 < np.abs(many.q[1] - one.q).max()


def test_a_slower_controller_holds_its_command(robot) -> None:
    plant = sim.Plant(robot)
    run = _loop(plant, rate=5, log=["motor_force"])(plant.start([0.5, 0.5]), target=[0, 0], seconds=0.1)
    forces = run.motor_force.reshape(20, 5, 2)
    assert np.abs(forces - forces[:, :1]).max() == 0
    assert np.abs(np.diff(forces[:, 0], axis=0)).min() > 0


def test_plants_differ_from_lane_to_lane_as_robots_with_other_masses_do(robot) -> None:
    plant = sim.Plant(robot, vary={"*.mass": 0.2, "upper_arm.com": (1, 1)}, gravity=(0, -9.81, 0))
    loop = _loop(plant, log={"q": 100})
    many = loop.batch(plant.start(), target=[0.3, 0.1], seconds=0.5, plants=5, seed=3)
    alone = loop(plant.start(), target=[0.3, 0.1], seconds=0.5, plant=4, seed=3)
    assert np.abs(many.q[4] - alone.q).max() < 1e-12
    assert np.unique(many.q[:, -1, 0]).size == 5
    drawn = plant.plants(3, range(500))
    for name, nominal in (("upper_arm.mass", 0.3), ("forearm.mass", 0.3)):
        share = drawn[name] / nominal
        assert share.min() >= 0.8
        assert share.max() <= 1.2
        assert share.std() > 0.09
    # the same robot with that mass in its file, by MuJoCo
    pytest.importorskip("mujoco")
    theirs = sim.closed(sim.MujocoPlant(plant), mc.control.pd(robot, 10.0, 1.0), log={"q": 100})
    run = theirs(plant.start(), target=[0.3, 0.1], seconds=0.5, plant=4, seed=3)
    assert np.abs(run.q - alone.q).max() < 1e-9


def test_a_loop_goes_on_from_where_another_run_ended(robot) -> None:
    plant = sim.Plant(robot, actuators=sim.Torque(delay=3, time_constant=0.01))
    loop = _loop(plant, log={"q": 50})
    whole = loop(plant.start([0.5, 0.5]), target=[0, 0], seconds=0.2)
    half = loop(plant.start([0.5, 0.5]), target=[0, 0], seconds=0.1)
    rest = loop(half.state, target=[0, 0], seconds=0.1)
    assert np.array_equal(np.concatenate([half.q, rest.q]), whole.q)


def test_loops_and_plants_travel(robot) -> None:
    plant = sim.Plant(robot, friction="smooth", vary={"*.mass": 0.1}, pushes=[sim.Push("tip", (1.0, 0, 0))])
    loop = _loop(plant)
    again = pickle.loads(pickle.dumps(loop))
    start = plant.start()
    assert np.array_equal(
        loop(start, target=[1, 1], seconds=0.05).q, again(again.plant.start(), target=[1, 1], seconds=0.05).q
    )


def test_gradients_through_a_closed_loop_are_those_of_differences(robot) -> None:
    plant = sim.Plant(robot, friction="smooth")
    loop = _loop(plant, log={"motor_force": 10})
    start, target = plant.start([0.1, 0.2], [0.3, -0.1]), np.array([0.5, 0.4])
    bars = loop.vjp("q", "target")(**start, target=target, q_bar=np.ones(2), steps=50)
    for k in range(2):
        h = 1e-6 * np.eye(2)[k]
        up, down = (loop(start, target=target + s * h, steps=50).state.q.sum() for s in (1, -1))
        assert abs((up - down) / 2e-6 - bars[k]) < 1e-7


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda r: sim.Plant(r, dt=0.5), "dt=0.5"),
        (lambda r: sim.Plant(r, dt=-1), "dt=-1"),
        (lambda r: sim.Plant("planar2"), "give a robot"),
        (lambda r: sim.Plant(r, friction=True), "friction"),
        (lambda r: sim.Plant(r, contacts=["tip", 3]), "contacts"),
        (lambda r: sim.Plant(r, vary={"*.mass": 2.0}), "share from 0 to 1"),
        (lambda r: sim.Plant(r, vary={"nose.mass": 0.1}), "nose"),
        (lambda r: sim.Plant(r, vary={"contact.friction": 0.1}), "nothing touches"),
        (lambda r: sim.Plant(r, sensors=[sim.Encoder(), sim.Encoder()]), "two have one name"),
        (lambda r: sim.closed(r), "give a mc.simulate.Plant"),
        (lambda r: sim.closed(sim.Plant(r), mc.inverse_dynamics(r), feeds={"a": "q"}), "no part has output"),
        (lambda r: sim.closed(sim.Plant(r), mc.gravity_forces(r)), "actuators want tau"),
        (lambda r: sim.closed(sim.Plant(r), lambda nose: nose), "nose"),
        (lambda r: sim.closed(sim.Plant(r), rate=0), "rate"),
        (lambda r: sim.closed(sim.Plant(r), streamed=["nose"]), "nose"),
        (lambda r: sim.closed(sim.Plant(r), log=["nose"]), "nose"),
        (lambda r: sim.closed(sim.Plant(r))({"q": [0, 0], "v": [0]}, tau=[0, 0], seconds=0.1), "v has shape"),
        (lambda r: sim.closed(sim.Plant(r))({"q": [0, 0], "v": [0, 0]}, seconds=0.1), "tau"),
        (lambda r: sim.closed(sim.Plant(r))(3, tau=[0, 0], seconds=0.1), "start=3"),
        (lambda r: sim.closed(sim.Plant(r)).batch(sim.Plant(r).start(), tau=[0, 0], seconds=0.1, plants=4), "vary="),
        (lambda r: sim.Plant(r).start(height=1.0), "does not float"),
        (lambda r: sim.Plant(r).gaps([[0, 0]]), "touches nothing"),
        (lambda r: sim.judges.deepest(sim.closed(sim.Plant(r))(sim.Plant(r).start(), tau=[0, 0], steps=10)), "touches"),
    ],
)
def test_what_does_not_go_together_gets_a_sentence(robot, make, says) -> None:
    with pytest.raises(mc.Error, match=says):
        make(robot)


def test_a_nan_command_ends_a_lane_and_says_so(robot) -> None:
    plant = sim.Plant(robot)
    run = sim.closed(plant, log=["q"])(plant.start(), tau=[np.nan, 0.0], seconds=0.1)
    assert not run.finite
    assert run.turns == 1
    assert "no longer finite" in run.notes[0]


def test_gains_that_steps_cannot_follow_are_noted(robot) -> None:
    plant = sim.Plant(robot)
    wild = sim.closed(plant, mc.control.pd(robot, 100.0, 100.0))
    run = wild(plant.start(), target=[0.1, 0.1], seconds=0.3)
    assert not run.finite
    assert any("gains of elbow" in note for note in run.notes)
    tame = sim.closed(sim.Plant(robot, actuators=sim.Position(100.0, 100.0)))
    assert tame(plant.start(), q_target=[0.1, 0.1], seconds=0.3).notes == []
    assert not tame.notes
    # a law that runs every fifth step holds its forces for five
    stiff = mc.control.pd(robot, 100.0, 12.0)
    assert [bool(sim.closed(plant, stiff, rate=rate).notes) for rate in (1, 5)] == [False, True]
