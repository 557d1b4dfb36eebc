"""What sensors feel of all that acts on a plant, and what acts on it by the clock: bodies whose motion Newton knows."""

from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, build, random_tree
from motionc import simulate as sim
from motionc.program.noise import draw_uniform

DT, MOON = 1 / 1024, (0.0, 0.0, -1.625)
BALL = sim.free_body("ball", sim.Sphere(0.1), mass=0.5)
ARM = mc.load("planar2")
STILL = np.zeros(2)


# ---------------------------------------------------------------- computed once


def test_all_places_of_contacts_are_felt_where_they_are() -> None:
    """A capsule lies on two points, another contact is the third: what carries the base is all they leave."""
    rod = sim.Contact("ball", shape=sim.Capsule(0.1, 0.4))
    other = sim.Contact("ball", sim.Plane((1, 0, 0)), name="wall")
    torque = sim.JointTorque().computation(BALL, DT, contacts=[rod, other], gravity=MOON)
    rng = np.random.default_rng(0)
    place, forces, points = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    q = np.array([*place, 1, 0, 0, 0])
    known = {"q": q, "v": np.zeros(6), "a": np.zeros(6), "contact_force": forces, "contact_point": points}
    read = torque.run(*(known[port.name] for port in torque.inputs))
    moment, force = -np.cross(points - place, forces).sum(0), 0.5 * 1.625 * np.eye(3)[2] - forces.sum(0)
    assert read == pytest.approx(np.array([*moment, *force]), abs=1e-12)


def test_a_force_before_a_sensor_is_not_felt_and_noise_and_weight_are_in_their_places() -> None:
    at = sim.ForceTorque("forearm", force_noise=0.5, torque_noise=0.25)
    felt = at.computation(ARM, DT, forces=[mc.Force("upper_arm"), mc.Force("tip")], gravity=MOON)
    pushes, still = np.zeros((2, 6)), (STILL, STILL, STILL)
    pushes[0, 3:], pushes[1, 3:] = (7.0, 8.0, 9.0), (0.0, 0.0, 2.0)
    known = dict(zip("qva", still, strict=True), f_ext=pushes, force_torque_noise=np.ones(6))
    read = felt.run(*(known[port.name] for port in felt.inputs))
    mass = ARM.links["forearm"].mass
    assert mass is not None
    assert read[3:] == pytest.approx([0.5, 0.5, 1.625 * mass - 2.0 + 0.5], abs=1e-12)
    known["force_torque_noise"] = np.zeros(6)
    assert read[:3] - felt.run(*(known[port.name] for port in felt.inputs))[:3] == pytest.approx(np.full(3, 0.25))


def test_torques_in_joints_are_those_behind_the_rotor_with_their_noise_and_bias() -> None:
    """Of Pinocchio's inverse dynamics, which knows of no rotor."""
    pin = pytest.importorskip("pinocchio")
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(1)
    q, v, a, drawn = rng.normal(size=(4, 5))
    model = pin.buildModelFromXML(mc.to_urdf(robot))
    assert any(joint.transmission.rotor_inertia for joint in robot.joints)
    torque = sim.JointTorque(noise=0.5, bias=2.0).computation(robot, DT)
    known = {"q": q, "v": v, "a": a, "joint_torque_noise": drawn}
    read = torque.run(*(known[port.name] for port in torque.inputs))
    assert read == pytest.approx(pin.rnea(model, model.createData(), q, v, a) + 0.5 * drawn + 2.0, abs=1e-9)


def test_a_range_finder_is_off_by_its_bias_and_sees_solids_on_frames_that_turn() -> None:
    stone = sim.Solid(sim.Sphere(0.1), "tip", point=(0.3, 0.0, 0.0))
    robot = ARM.with_frame("eye", "base", xyz=(0.0, 0.0, 1.0), rpy=(np.pi, 0, 0))
    pose = mc.forward_kinematics(robot, "tip")
    middle = (pose.run([0.5, 0.0])[0] @ [0.3, 0.0, 0.0, 1.0])[:3]
    robot = robot.with_frame("above", "base", xyz=(*middle[:2], 1.0), rpy=(np.pi, 0, 0))
    eye = sim.Range("above", [stone], bias=0.25, most=3.0).computation(robot, DT)
    assert eye.run([0.5, 0.0]) == pytest.approx(1.0 - middle[2] - 0.1 + 0.25)
    # within a sphere, and below the ground
    inside = robot.with_frame("inside", "base", xyz=(*middle[:2], middle[2] - 0.05), rpy=(np.pi, 0, 0))
    ground = sim.HeightField(np.full((2, 2), 5.0), 4.0, (-2.0, -2.0, 0.0))
    assert sim.Range("inside", [stone]).computation(inside, DT).run([0.5, 0.0]) == 0.0
    assert sim.Range("above", [ground], stretches=4).computation(robot, DT).run([0.5, 0.0], ground.heights) == 0.0


# ---------------------------------------------------------------- in a plant


def test_what_falls_feels_nothing_and_what_rests_feels_what_carries_it() -> None:
    """On the moon, pushed sideways: a rod that falls on its two ends, and stays."""
    rod = sim.free_body("rod", sim.Capsule(0.1, 0.4), mass=2.0)
    plant = sim.Plant(
        rod,
        DT,
        contacts=[sim.Contact("rod", shape=sim.Capsule(0.1, 0.4))],
        sensors=[sim.Imu("rod"), sim.JointTorque()],
        pushes=[sim.Push("rod", (0.0, 0.5, 0.0), start=0.25)],
        gravity=MOON,
    )
    lying = np.array([0, 0, 0.11, np.sqrt(0.5), np.sqrt(0.5), 0, 0])
    run = sim.closed(plant, log=["imu_accelerometer", "joint_torque_force", "v"])(
        plant.start(lying), tau=np.zeros(6), seconds=0.75
    )
    falls = run.imu_accelerometer[1:100]
    assert np.abs(falls).max() < 1e-9
    assert run.imu_accelerometer[-1] == pytest.approx([0, 1.625, 0], abs=1e-6)
    assert np.abs(run.joint_torque_force[[50, -1]]).max() < 1e-6
    assert np.abs(run.v[-1]).max() < 1e-6


def test_a_push_begins_and_ends_with_its_step_and_moves_what_is_held_too() -> None:
    """Newton and Euler: f t = (m + m_held) v, n t = (I + I_held) ω, of so many steps exactly."""
    held = sim.Payload("ball", 1.5, inertia=(2e-3, 0, 0, 3e-3, 0, 4e-3))
    push = sim.Push("ball", (0, 0, 2.0), moment=(0, 0, 0.01), start=16 * DT, seconds=64 * DT)
    plant = sim.Plant(BALL, DT, pushes=[push], payloads=[held], gravity=(0, 0, 0))
    v = sim.closed(plant, log=["v"])(plant.start(), tau=np.zeros(6), steps=128).v
    assert v[-1] == pytest.approx(64 * DT * np.array([0, 0, 0.01 / (2e-3 + 4e-3), 0, 0, 2.0 / (0.5 + 1.5)]), abs=1e-12)
    assert np.flatnonzero(np.diff(v[:, 5]))[[0, -1]].tolist() == [15, 78]


def test_what_hangs_weighs_as_much_as_gravity_was_drawn() -> None:
    plant = sim.Plant(ARM, sensors=[sim.ForceTorque("forearm"), sim.Imu("tip")], vary={"gravity": 0.5})
    loop = sim.closed(plant, log=["force_torque_wrench", "imu_accelerometer"])
    run = loop.batch(plant.start(), tau=STILL, steps=1, plants=3, seed=2)
    down = plant.plants(2, range(3))["gravity"][:, 2]
    assert np.ptp(down) > 1.0
    assert run.force_torque_wrench[:, 0, 5] == pytest.approx(-down * ARM.links["forearm"].mass)
    assert run.imu_accelerometer[:, 0, 2] == pytest.approx(-down)


def test_what_springs_in_the_step_are_said_to_make_is_what_moved_the_arm() -> None:
    """By Pinocchio's inverse dynamics of how it went: they act at the end of the step."""
    pin = pytest.importorskip("pinocchio")
    plant = sim.Plant(ARM, 5e-3, actuators=sim.Position(20.0, 3.0), gravity=(0, -9.81, 0))
    start = plant.start([0.2, 0.3], [2.0, -1.0])
    run = sim.closed(plant, log=["q", "v", "motor_force"])(start, q_target=[0.5, -0.3], steps=20)
    model = pin.buildModelFromXML(mc.to_urdf(ARM))
    model.gravity.linear = np.array([0, -9.81, 0])
    q, v = (np.vstack([start[name], run[name]]) for name in "qv")
    circles = np.stack([np.cos(q), np.sin(q)], axis=-1).reshape(-1, 4)  # as Pinocchio has joints without stops
    for k, made in enumerate(run.motor_force):
        asked = pin.rnea(model, model.createData(), circles[k], v[k], (v[k + 1] - v[k]) / plant.dt)
        assert made == pytest.approx(asked, abs=1e-9)


# ---------------------------------------------------------------- plants that differ


def test_rods_slide_by_the_friction_they_have() -> None:
    rod = sim.free_body("rod", sim.Capsule(0.1, 0.4), mass=2.0)
    touches = sim.Contact("rod", shape=sim.Capsule(0.1, 0.4), friction=0.4)
    plant = sim.Plant(rod, DT, contacts=[touches], vary={"contact.friction": 0.5}, sweeps=20)
    lying = np.array([0, 0, 0.1, np.sqrt(0.5), 0, np.sqrt(0.5), 0])  # its z along x
    loop = sim.closed(plant, log={"v": 64})
    run = loop.batch(plant.start(lying, [0, 0, 0, 0, 0, 2.0]), tau=np.zeros(6), steps=64, plants=4, seed=7)
    mu = plant.plants(7, range(4))["mu"][:, 0]
    assert np.ptp(mu) > 0.05
    assert run.v[:, -1, 5] == pytest.approx(2.0 - mu * 9.81 * 64 * DT, rel=1e-2)
    # which lane it is says which plant and which noise
    later = loop.batch(plant.start(lying, [0, 0, 0, 0, 0, 2.0]), tau=np.zeros(6), steps=64, plants=2, lane=2, seed=7)
    assert np.array_equal(later.v, run.v[2:])


def test_plants_are_drawn_by_their_seed_apart_from_noise_and_keep_their_centres() -> None:
    plant = sim.Plant(ARM, vary={"forearm.inertial": 0.5})
    one, other = (plant.plants(seed, range(50))["forearm.inertial"] for seed in (1, 2))
    ten = plant.nominal["forearm.inertial"]
    share = one[:, 0] / ten[0]
    assert np.abs(one - other).max() > 1e-3
    assert np.array_equal(one[:, 1:4], np.tile(ten[1:4], (50, 1)))
    assert np.abs(ten[1:4]).max() > 0
    assert one[:, 4:] == pytest.approx(share[:, None] * ten[4:])
    noise = draw_uniform(1, np.arange(50, dtype=np.uint64), 0, 0, 2)[:, 0]
    assert abs(np.corrcoef(share, noise)[0, 1]) < 0.5


def test_a_plant_by_its_number_has_the_noise_of_its_lane() -> None:
    plant = sim.Plant(ARM, sensors=[sim.Encoder(noise=1e-2)], vary={"*.mass": 0.2})
    loop = sim.closed(plant, mc.control.pd(ARM, 10.0, 1.0), log=["q_measured"])
    many = loop.batch(plant.start(), target=STILL, steps=5, plants=3, seed=3)
    alone = loop(plant.start(), target=STILL, steps=5, plant=2, seed=3)
    assert np.abs(many.q_measured[2] - alone.q_measured).max() < 1e-12


def test_a_plant_sweeps_as_often_as_told() -> None:
    block = sim.free_body("block", sim.Box((0.2, 0.2, 0.1)), mass=2.0)
    corners = [sim.Contact("block", point=(x, y, -0.05), name=f"{x} {y}") for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    place, still = block.neutral() + 0.05 * np.eye(7)[2], np.zeros(6)
    steps = (sim.Plant(block, contacts=corners, sweeps=sweeps).stepper for sweeps in (1, 50))
    few, many = (step.run(place, still, still, np.zeros(12)).contact_residual for step in steps)
    assert many < 1e-3 * few


def test_what_flies_feels_nothing_however_fast_it_goes_and_turns() -> None:
    """Galileo's and Einstein's: no speed can be felt, and nothing in free fall."""
    plant = sim.Plant(BALL, DT, sensors=[sim.Imu("ball"), sim.JointTorque()])
    loop = sim.closed(plant, log=["imu_accelerometer", "joint_torque_force"])
    run = loop(plant.start(v=[3.0, 10.0, -2.0, 50.0, 20.0, 0.0]), tau=np.zeros(6), steps=20)
    assert np.abs(run.imu_accelerometer[1:]).max() < 1e-9
    assert np.abs(run.joint_torque_force[1:]).max() < 1e-9
    # and what is driven about on a plane feels how it is driven, not how fast it goes
    force, cart = np.array([0.0, 3.0, 4.0]), build(random_tree(1, [Kind.PLANAR]))
    plant = sim.Plant(cart, 1e-4, sensors=[sim.JointTorque()], gravity=(0, 0, 0))
    loop = sim.closed(plant, log=["joint_torque_force"])
    slow, fast = (loop(plant.start(v=[5.0, v, v]), tau=force, steps=3).joint_torque_force[1:] for v in (0.0, 900.0))
    assert slow == pytest.approx(np.tile(force, (2, 1)), abs=0.1)
    assert fast == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize("law", [None, sim.Compliant(1e4)], ids=["hard", "gives way"])
def test_a_robot_is_lifted_off_a_slope_by_what_is_between(law: sim.Compliant | None) -> None:
    slope = sim.Plane((1.0, 0.0, 1.0), (1.0, 0.0, 0.5))
    plant = sim.Plant(BALL, contacts=[sim.Contact("ball", slope, shape=sim.Sphere(0.1), law=law)])
    place = plant.start(height=0.2)["q"][:3]
    assert (place - slope.point) @ np.array(slope.normal) - 0.1 == pytest.approx(0.2, abs=1e-12)


def test_two_of_a_kind_in_one_place_are_refused_in_a_sentence() -> None:
    with pytest.raises(mc.Error, match="two of them are on elbow; say all times"):
        sim.Plant(ARM, brakes=[sim.Brake("elbow", 1.0, (0, 1)), sim.Brake("elbow", 2.0, (2, 3))])
    with pytest.raises(mc.Error, match="two of them are on tip; give one of them a frame"):
        sim.Plant(ARM, payloads=[sim.Payload("tip", 1.0), sim.Payload("tip", 2.0, picked=1.0)])


def test_an_effort_of_0_is_no_limit_to_saturate_at_or_to_brake_with() -> None:
    joints = tuple(replace(joint, limits=mc.Limits(-1, 1, effort=0.0)) for joint in ARM.chain.joints)
    idle = mc.Robot(replace(ARM.chain, joints=joints))
    for actuators in (sim.Torque(saturation=True), {"elbow": sim.Torque(saturation=True)}):
        with pytest.raises(mc.Error, match="an effort of 0, so that its motor could make nothing"):
            sim.Plant(idle, actuators=actuators)
    with pytest.raises(mc.Error, match="no limit of effort that says what its brake can hold"):
        mc.step(idle, DT, brakes=["elbow"])
