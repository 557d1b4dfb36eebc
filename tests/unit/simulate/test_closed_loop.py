"""Closed loops: who is wired to whom, what is given, drawn and logged; plants that differ; functions in Python."""

import pickle
from dataclasses import replace

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
    bound = sim.closed(plant, lambda q, v, stiffness=10.0: stiffness * (target - q) - v)  # what is bound is its own
    assert np.array_equal(bound(plant.start(), seconds=0.3).q, theirs.q)
    for answer in ("nothing", [None, None], [1.0, [2.0]]):
        with pytest.raises(mc.Error, match=r"controller: tau must be numbers of shape \(2,\)"):
            sim.closed(plant, lambda q, answer=answer: answer)(plant.start(), steps=1)
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


def test_clock_and_noise_go_on_where_a_run_is_told_the_turn(robot) -> None:
    push = sim.Push("tip", (3.0, 0, 0), start=0.04, seconds=0.02)
    plant = sim.Plant(robot, sensors=[sim.Encoder(noise=1e-2)], pushes=[push])
    loop = _loop(plant, log={"q": 10})
    whole = loop(plant.start(), target=[1, 0], seconds=0.1, seed=3)
    half = loop(plant.start(), target=[1, 0], seconds=0.05, seed=3)
    rest, anew = (loop(half.state, target=[1, 0], seconds=0.05, seed=3, turn=t) for t in (half.turns, 0))
    assert np.array_equal(np.concatenate([half.q, rest.q]), whole.q)
    assert np.abs(anew.q - rest.q).max() > 1e-5


def test_a_run_alone_is_of_the_plant_in_the_file_unless_it_is_told_which(robot) -> None:
    plant = sim.Plant(robot, vary={"*.mass": (1.3, 1.3)})
    loop = _loop(plant, log={"q": 50})
    file, drawn = (loop(plant.start(), target=[1, 1], seconds=0.1, plant=k).q for k in (None, 0))
    exact = sim.Plant(robot)
    assert np.allclose(file, _loop(exact, log={"q": 50})(exact.start(), target=[1, 1], seconds=0.1).q, rtol=1e-12)
    assert np.abs(drawn - file).max() > 1e-3


def test_what_has_no_motors_needs_no_command() -> None:
    ball = sim.free_body("ball", sim.Sphere(0.1), mass=0.5)
    plant = sim.Plant(ball)
    run = sim.closed(plant)(plant.start(), seconds=0.1)
    assert abs(run.state.v[5] + 9.81 * 0.1) < 1e-12


def test_starts_of_many_lanes_are_lifted_each_by_itself() -> None:
    plant = sim.Plant(sim.free_body("ball", sim.Sphere(0.1), mass=0.5), contacts=[sim.Contact("ball")])
    places = np.tile(plant.robot.neutral(), (4, 1))
    places[:, 2] = [0.0, 0.3, -1.0, 2.0]
    lifted = plant.start(places, height=0.05)["q"]
    assert np.allclose(lifted[:, 2], 0.05)
    assert np.array_equal(np.delete(lifted, 2, axis=1), np.delete(places, 2, axis=1))


def test_stops_and_dry_friction_can_be_logged() -> None:
    chain = mc.load("planar2").chain
    rough = mc.Transmission(friction=0.5)
    joints = tuple(replace(joint, transmission=rough) for joint in chain.joints)
    held = mc.Robot(replace(chain, joints=joints))
    plant = sim.Plant(held, friction="stiction")
    run = sim.closed(plant, log=["joint_friction_force"])(plant.start(), tau=[0.3, -0.2], steps=50)
    assert np.allclose(run.joint_friction_force[-1], [-0.3, 0.2], atol=1e-9)  # what is below it, it holds
    arm = sim.Plant(mc.load("ur5"), limits=True, gravity=(0, 0, 0))
    most = arm.robot.limits.upper
    run = sim.closed(arm, log=["joint_stop_force"])(arm.start(most), tau=np.ones(6), steps=60)
    assert np.allclose(run.joint_stop_force[-1], -1.0, atol=1e-6)


def test_loops_and_plants_travel(robot) -> None:
    plant = sim.Plant(robot, friction="smooth", vary={"*.mass": 0.1}, pushes=[sim.Push("tip", (1.0, 0, 0))])
    loop = _loop(plant)
    again = pickle.loads(pickle.dumps(loop))
    start = plant.start()
    assert np.array_equal(
        loop(start, target=[1, 1], seconds=0.05).q, again(again.plant.start(), target=[1, 1], seconds=0.05).q
    )
    for run in (loop(start, target=[np.nan, 1], seconds=0.05), loop.batch(start, target=[1, 1], steps=50, plants=2)):
        same = pickle.loads(pickle.dumps(run))
        assert np.array_equal(same.q, run.q, equal_nan=True)
        assert same.notes == run.notes
        assert np.array_equal(same.time, run.time)
        assert np.array_equal(same.state.q, run.state.q, equal_nan=True)
    out = plant.step(**start, tau=[1, 1], time=0.0)
    assert np.array_equal(pickle.loads(pickle.dumps(out)).q_next, out.q_next)


def test_gradients_through_a_closed_loop_are_those_of_differences(robot) -> None:
    plant = sim.Plant(robot, friction="smooth")
    loop = _loop(plant, log={"motor_force": 10})
    start, target = plant.start([0.1, 0.2], [0.3, -0.1]), np.array([0.5, 0.4])
    bars = loop.vjp("q", "target")(**start, target=target, q_bar=np.ones(2), steps=50)
    assert np.array_equal(loop.vjp("q", "target")(start, target=target, q_bar=np.ones(2), steps=50), bars)
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
        (lambda r: sim.Plant(r, vary={"*.friction": 0.1}), "friction does not act; say friction="),
        (lambda r: sim.Plant(r, friction="smooth", vary={"*.damping": 0.1}), "is 0 in planar2"),
        (lambda r: sim.Plant(r, vary={"*.mass": 0.1, "forearm.mass": 0.2}), "forearm.mass is said twice"),
        (lambda r: sim.Plant(r, sensors=[sim.Encoder(), sim.Encoder()]), "two have one name"),
        (lambda r: sim.closed(r), "give a mc.simulate.Plant"),
        (lambda r: sim.closed(sim.Plant(r), mc.inverse_dynamics(r), feeds={"a": "q"}), "no part has output"),
        (lambda r: sim.closed(sim.Plant(r), mc.gravity_forces(r)), "actuators want tau"),
        (lambda r: sim.closed(sim.Plant(r), lambda nose: nose), "nose.*mc.block may read"),
        (lambda r: sim.closed(sim.Plant(r), log=["q"]).vjp("q", "tau")(3, q_bar=0, steps=1), "start=3"),
        (lambda r: sim.Plant(r).start([0, 0, 0]), r"q has shape \(3,\); give 2 numbers"),
        (lambda r: sim.Plant(r).start(v=[np.nan, 0]), "start: v="),
        (lambda r: sim.Plant(r, friction="stiction"), "no joint of planar2 has Coulomb friction"),
        (lambda r: sim.Plant(mc.load("ur5"), friction="stiction", limits=True), "no joint of ur5 has Coulomb friction"),
        (lambda r: sim.Plant(r, limits=True), "no joint of planar2 has limits"),
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
    assert "look for NaN or infinity in what the run is given" in run.notes[0]


def test_gains_that_steps_cannot_follow_are_noted(robot) -> None:
    plant = sim.Plant(robot)
    wild = sim.closed(plant, mc.control.pd(robot, 100.0, 100.0))
    run = wild(plant.start(), target=[0.1, 0.1], seconds=0.3)
    assert not run.finite
    assert any("gains of elbow" in note for note in run.notes)
    tame = sim.closed(sim.Plant(robot, actuators=sim.Position(100.0, 100.0)))
    assert tame(plant.start(), q_target=[0.1, 0.1], seconds=0.3).notes == []
    assert not tame.notes
    for drive in (sim.Position(100.0, 100.0, delay=1), {"elbow": sim.Velocity(100.0)}):
        late = sim.closed(sim.Plant(robot, actuators=drive))
        assert "actuators: gains of elbow" in late.notes[0]
    assert not sim.closed(sim.Plant(robot, actuators=sim.Velocity(1.0))).notes
    # a law that runs every fifth step holds its forces for five
    stiff = mc.control.pd(robot, 100.0, 12.0)
    assert [bool(sim.closed(plant, stiff, rate=rate).notes) for rate in (1, 5)] == [False, True]
