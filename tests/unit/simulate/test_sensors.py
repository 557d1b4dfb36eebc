"""Sensors against MuJoCo's on the same model and state; encoders by their definition; noise, delay, what is refused."""

import pickle
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation as Turn

import all_joints
import motionc as mc
from motionc.model.shapes import Capsule, Sphere
from motionc.simulate import Encoder, ForceTorque, Imu, JointTorque, Range
from motionc.solvers.contact import Contact, HeightField, Plane, Solid
from trials import trials

DT = 1e-3

# a base in flight, a hinge, a tool that is welded on, a finger that slides on it; what MuJoCo senses on three sites
PROBE = """
<mujoco model="probe">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="base" pos="0 0 1">
      <freejoint name="free"/>
      <inertial pos="0.01 0.02 -0.03" mass="4" fullinertia="0.05 0.06 0.07 0.001 0.002 0.003"/>
      <site name="chest" pos="0.1 0.05 0.02" euler="20 30 -40"/>
      <body name="arm" pos="0.1 0 0.05" euler="10 -20 5">
        <joint name="elbow" type="hinge" axis="0 1 0.3"/>
        <inertial pos="0.1 0 0" mass="1.5" diaginertia="0.01 0.02 0.015"/>
        <body name="tool" pos="0.3 0 0" euler="0 60 10">
          <inertial pos="0.02 0.03 0.05" mass="0.7" diaginertia="0.003 0.002 0.004"/>
          <site name="flange" pos="0.01 -0.02 0.03" euler="5 15 25"/>
          <geom name="ball" type="sphere" size="0.05" pos="0 0 0.1"/>
          <body name="finger" pos="0 0.05 0.1">
            <joint name="slide" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0.02" mass="0.2" diaginertia="0.0003 0.0002 0.0004"/>
            <site name="fingertip" pos="0 0 0.05" euler="90 0 10"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <sensor>
    <gyro site="flange"/><accelerometer site="flange"/>
    <gyro site="chest"/><accelerometer site="chest"/>
    <torque site="flange"/><force site="flange"/>
    <torque site="fingertip"/><force site="fingertip"/>
  </sensor>
</mujoco>
"""
BALL = Contact("tool", shape=Sphere(0.05), point=(0, 0, 0.1))

EYE = """
<mujoco model="looker">
  <worldbody>
    <body name="eye" pos="0 0 1.2">
      <freejoint name="free"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
      <site name="beam"/>
    </body>
    <geom name="floor" type="plane" size="50 50 1" zaxis="0.1 0.2 1" pos="0 0 -0.3"/>
    <geom name="ball" type="sphere" size="0.4" pos="0.5 0.2 0.3"/>
    <geom name="pill" type="capsule" size="0.2 0.35" pos="-0.6 0.1 0.4" euler="70 20 0"/>
  </worldbody>
  <sensor><rangefinder site="beam"/></sensor>
</mujoco>
"""


class Sensed:
    """A model of MuJoCo's, and the same as a robot of ours, in a state."""

    def __init__(self, text: str, folder: Path) -> None:
        file = folder / "model.xml"
        file.write_text(text)
        self.robot, self.model = mc.load(file), mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.theirs = mc.orders.mujoco(self.robot, self.model)

    def sense(self, q: Any, v: Any, a: Any, push: Any = None) -> Any:
        """What its sensors read; `push` acts on the base and on the finger, at their centres of mass."""
        data, order = self.data, self.theirs
        data.qpos[:], data.qvel[:], data.qacc[:] = order.q(q), order.v(v, q), order.a(a, v, q)
        if push is not None:
            data.xfrc_applied[[1, 4]] = np.concatenate([push[:, 3:], push[:, :3]], axis=1)
        mujoco.mj_inverse(self.model, data)
        return data.sensordata.copy()

    def wrenches(self, push: Any) -> Any:
        """The same at the origins of these bodies."""
        arms = (self.data.xipos - self.data.xpos)[[1, 4]]
        return np.concatenate([push[:, :3] + np.cross(arms, push[:, 3:]), push[:, 3:]], axis=1)

    def carried(self, q: Any) -> Any:
        """What joints carry, and what a base in flight would have to be pushed with: inverse dynamics less pushes."""
        pushed = np.zeros(self.model.nv)
        for body in (1, 4):
            push, place = self.data.xfrc_applied[body], self.data.xipos[body]
            mujoco.mj_applyFT(self.model, self.data, push[:3], push[3:], place, body, pushed)
        return self.theirs.matrix(q).T @ (self.data.qfrc_inverse - pushed)

    def contact(self) -> tuple[Any, Any]:
        """Force on the ball, and where, in the world."""
        if not self.data.ncon:
            return np.zeros((1, 3)), np.zeros((1, 3))
        force, touch = np.zeros(6), self.data.contact[0]
        mujoco.mj_contactForce(self.model, self.data, 0, force)
        side = 1 if self.model.geom("ball").id == touch.geom2 else -1
        return side * (touch.frame.reshape(3, 3).T @ force[:3])[None], touch.pos[None].copy()


def test_gyros_accelerometers_and_force_torque_sensors_read_what_mujocos_do(tmp_path: Path) -> None:
    world, rng = Sensed(PROBE, tmp_path), np.random.default_rng(0)
    robot = world.robot
    imus = [Imu(frame).computation(robot, DT) for frame in ("flange", "chest")]
    scene: Any = {"contacts": [BALL], "forces": [mc.Force("base"), mc.Force("finger")]}
    flange = ForceTorque("flange").computation(robot, DT, **scene)
    fingertip = ForceTorque("fingertip").computation(robot, DT, **scene)
    torques = JointTorque().computation(robot, DT, **scene)
    tool, touched = mc.forward_kinematics(robot, ["tool"]), 0
    for trial in range(trials(16)):
        q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        if trial % 2:  # half a millimetre in the floor
            pose = tool(q)[0]
            q[2] += 0.0495 - (pose[2, :3] @ (0, 0, 0.1) + pose[2, 3])
        push = rng.normal(size=(2, 6))
        read = world.sense(q, v, a, push)
        force, point = world.contact()
        touched += bool(np.any(force))
        for imu, theirs in zip(imus, (read[:6], read[6:12]), strict=True):
            out = imu(q, v, a)
            np.testing.assert_allclose([*out.imu_gyro, *out.imu_accelerometer], theirs, atol=1e-12)
        given = {"q": q, "v": v, "a": a, "f_ext": world.wrenches(push), "contact_force": force, "contact_point": point}
        for sensor, theirs in ((flange, read[12:18]), (fingertip, read[18:24]), (torques, world.carried(q))):
            ours = sensor(**{port.name: given[port.name] for port in sensor.inputs})
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-11)
    assert touched >= trials(16) // 2
    # what is not beyond a sensor is not asked for
    assert {port.name for port in fingertip.inputs} == {"q", "v", "a", "f_ext"}


def test_what_touches_another_link_pushes_that_one_away(tmp_path: Path) -> None:
    """Of a contact between finger and base, sensors between them feel one side; of one with the tool, none."""
    robot, rng = Sensed(PROBE, tmp_path).robot, np.random.default_rng(1)
    q, v, a, force, point = (
        robot.random(rng),
        np.zeros(8),
        np.zeros(8),
        rng.normal(size=(1, 3)),
        rng.normal(size=(1, 3)),
    )
    given = {"q": q, "v": v, "a": a, "contact_force": force, "contact_point": point}

    def read(*contacts: Contact) -> Any:
        sensor = ForceTorque("flange").computation(robot, DT, contacts=contacts)
        return sensor.run(*(given[port.name] for port in sensor.inputs))

    free = read()
    on_finger = read(Contact("finger", Solid(Sphere(0.1), "base")))
    on_base = read(Contact("base", Solid(Sphere(0.1), "finger")))
    np.testing.assert_allclose(on_finger - free, free - on_base, atol=1e-12)
    assert np.abs(on_finger - free).max() > 0.1
    np.testing.assert_allclose(read(Contact("finger", Solid(Sphere(0.1), "tool"))), free, atol=1e-12)


def test_ranges_are_mujocos(tmp_path: Path) -> None:
    world, rng, most = Sensed(EYE, tmp_path), np.random.default_rng(0), 20.0
    mujoco.mj_kinematics(world.model, world.data)
    floor, pill = (world.data.geom(name).xmat.reshape(3, 3) for name in ("floor", "pill"))
    robot = world.robot.with_frame("pill", "world", (-0.6, 0.1, 0.4), Turn.from_matrix(pill).as_euler("xyz"))
    surfaces = [
        Plane(floor[:, 2], (0, 0, -0.3)),
        Solid(Sphere(0.4), point=(0.5, 0.2, 0.3)),
        Solid(Capsule(0.2, 0.7), "pill"),
    ]
    eye, states = Range("beam", surfaces, most=most).computation(robot, DT), trials(800)
    q = robot.random(rng, size=states)
    q[:, :3] = rng.uniform(-2, 2, (states, 3))
    # as many look at something as away from everything, or at its rim
    ours, theirs = eye.batch(q, threads=1), np.empty(states)
    for k in range(states):
        theirs[k] = world.sense(q[k], np.zeros(6), np.zeros(6))[0]
    place, axis = q[:, :3], pill[:, 2]
    along = (place - (-0.6, 0.1, 0.4)) @ axis
    inside = np.linalg.norm(place - (0.5, 0.2, 0.3), axis=1) < 0.4
    inside |= np.linalg.norm(place - (-0.6, 0.1, 0.4) - np.outer(np.clip(along, -0.35, 0.35), axis), axis=1) < 0.2
    below = (place - (0, 0, -0.3)) @ floor[:, 2] < 0
    free = ~inside & ~below
    seen = np.where((theirs < 0) | (theirs > most), most, theirs)
    np.testing.assert_allclose(ours[free], seen[free], atol=1e-9)
    assert 0.2 < np.mean(seen[free] < most) < 0.95
    np.testing.assert_array_equal(ours[inside], 0.0)


def test_ground_by_its_heights_is_seen_where_the_ray_meets_it(tmp_path: Path) -> None:
    robot, rng = Sensed(EYE, tmp_path).robot, np.random.default_rng(3)
    slope = np.array([[0.1 * 0.5 * i - 0.2 * 0.5 * j for j in range(9)] for i in range(9)])
    field, most = HeightField(slope, 0.5, (-2, -2, 0)), 4.0
    # on a slope it is the distance to a plane, on bumps what a root finder says of the bilinear ground
    eye = Range("beam", [field], most=most).computation(robot, DT)
    plane = Range("beam", [Plane((-0.1, 0.2, 1), (-2, -2, 0))], most=most).computation(robot, DT)
    bumps = 0.3 * rng.random((9, 9))
    for _ in range(trials(60)):
        down = Turn.from_euler("xyz", [np.pi + rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 0])
        q = np.array([*rng.uniform(-1, 1, 2), 1.0, *np.roll(down.as_quat(), 1)])
        assert plane(q) < most
        np.testing.assert_allclose(eye(q, slope), plane(q), atol=1e-9)
        along = down.as_matrix()[:, 2]
        walk = np.linspace(0, most, 200)
        over = [_over(bumps, q[:3] + t * along) for t in walk]
        first = next(k for k, value in enumerate(over) if value <= 0)
        root = brentq(lambda t: _over(bumps, q[:3] + t * along), walk[first - 1], walk[first], xtol=1e-13)  # noqa: B023
        np.testing.assert_allclose(eye(q, bumps), root, atol=1e-6)
    up = np.array([0, 0, 1.0, 1.0, 0, 0, 0])
    assert eye(up, slope) == most


def _over(heights: Any, place: Any) -> float:
    """How far a place is above bilinear ground, 0.5 m from point to point, the first at (-2, -2)."""
    x, y = (np.array(place[:2]) + 2) / 0.5
    i, j = int(np.clip(np.floor(x), 0, 7)), int(np.clip(np.floor(y), 0, 7))
    s, t = x - i, y - j
    (a, c), (b, d) = heights[i, j : j + 2], heights[i + 1, j : j + 2]
    return float(place[2] - ((1 - s) * ((1 - t) * a + t * c) + s * ((1 - t) * b + t * d)))


# ---------------------------------------------------------------- encoders


def test_an_encoder_reads_whole_steps_of_what_is_there_off_by_noise_and_offset() -> None:
    robot, rng = mc.load("planar3"), np.random.default_rng(0)
    noise, step, offset = np.array([1e-3, 0.0, 2e-3]), np.array([0.01, 0.02, 0.0]), np.array([0.1, -0.2, 0.3])
    reads = Encoder(noise=noise, resolution=step, offset=offset).computation(robot, DT)
    drawn, q, v = rng.normal(size=(50, 2)), robot.random(rng, size=50), rng.normal(size=(50, 3))
    out = reads.batch(q, v, drawn, threads=1)
    there = q + offset + noise * np.insert(drawn, 1, 0.0, axis=1)
    rounded = np.where(step > 0, step * np.floor(there / np.where(step > 0, step, 1)), there)
    np.testing.assert_allclose(out.q_measured, rounded, atol=1e-14)
    np.testing.assert_array_equal(out.v_measured, v)


@pytest.mark.parametrize(("kind", "delay"), [("true", 2), ("difference", 0), ("filtered", 1)])
def test_velocities_come_from_readings_that_have_arrived(kind: Any, delay: int) -> None:
    robot, T, step = mc.load("planar2"), 4e-3, 1e-3
    reads = Encoder(velocity=kind, resolution=step, time_constant=T, delay=delay).computation(robot, DT)
    time = DT * np.arange(30)[:, None]
    q, v = np.sin([[20.0, 30.0]] * time), [[20.0, 30.0]] * np.cos([[20.0, 30.0]] * time)
    state, places, rates = reads.start(), list[Any](), list[Any]()
    for now, rate in zip(q, v, strict=True):
        out = reads(now, rate, state=state)
        state = out.state
        places.append(out.q_measured)
        rates.append(out.v_measured)
    seen = step * np.floor(q / step)
    arrived = seen[np.maximum(np.arange(30) - delay, 0)]
    np.testing.assert_allclose(places, arrived, atol=1e-15)
    change = np.diff(arrived, axis=0, prepend=arrived[:1]) / DT
    expected = {"true": v[np.maximum(np.arange(30) - delay, 0)], "difference": change}.get(kind)
    if expected is None:
        expected, smooth = np.zeros_like(change), np.zeros(2)
        for k, one in enumerate(change):
            smooth = one + (smooth - one) * np.exp(-DT / T)
            expected[k] = smooth
    np.testing.assert_allclose(rates, expected, atol=1e-11)


def test_joints_of_every_type_are_read_and_a_base_in_flight_is_passed_on() -> None:
    robot = all_joints.build(all_joints.random_tree(4, all_joints.SEVERAL[1:]), floating=True)
    driven = [name for name in robot.joint_names if name != "root_joint"]
    reads, rng = Encoder(noise=1e-2, velocity="difference").computation(robot, DT), np.random.default_rng(0)
    q, v = robot.random(rng), rng.normal(size=robot.nv)
    first, second = rng.normal(size=(2, robot.nv - 6))
    out = reads(q, v, first, state=reads.start())
    away = robot.difference(q, out.q_measured)
    np.testing.assert_allclose(away, [0.0] * 6 + list(1e-2 * first), atol=1e-13)
    later = reads(q, v, second, state=out.state)
    change = robot.difference(out.q_measured, later.q_measured) / DT
    assert len(driven) == len(all_joints.SEVERAL[1:])
    np.testing.assert_allclose(later.v_measured, [*v[:6], *change[6:]], atol=1e-9)


# ---------------------------------------------------------------- noise, delay, data


def test_noise_bias_and_delay_of_readings() -> None:
    robot = mc.load("planar2")
    plain = Imu("tip").computation(robot, DT)
    imu = Imu("tip", gyro_noise=1e-3, accelerometer_bias=(0.1, 0.2, 0.3), delay=1, name="head").computation(robot, DT)
    assert [port.name for port in imu.inputs][3:] == ["head_noise", "head_before", "head_begun"]
    still, moving, noise = ([0.1, 0.2], [0.0, 0.0], [0.0, 0.0]), ([0.4, 0.2], [1.0, 0.5], [2.0, 0.0]), [1.0, -2.0, 3.0]
    first = imu(*still, noise, state=imu.start())
    second = imu(*moving, [0.0] * 3, state=first.state)
    third = imu(*moving, [0.0] * 3, state=second.state)
    for out, true, drawn in ((first, still, noise), (second, still, noise), (third, moving, np.zeros(3))):
        expected, off = plain(*true), np.array((0.1, 0.2, 0.3))
        np.testing.assert_allclose(out.head_gyro, expected.imu_gyro + 1e-3 / np.sqrt(DT) * np.array(drawn), atol=1e-14)
        np.testing.assert_allclose(out.head_accelerometer, expected.imu_accelerometer + off, atol=1e-14)


def test_a_sensor_at_rest_feels_weight_and_none_where_nothing_falls() -> None:
    robot = mc.load("planar2")
    still = robot.neutral(), np.zeros(2), np.zeros(2)
    heavy, weightless = (Imu("tip").computation(robot, DT, gravity=(0, 0, g)) for g in (-9.81, 0.0))
    assert np.linalg.norm(heavy.run(*still).imu_accelerometer) == pytest.approx(9.81)
    np.testing.assert_array_equal(weightless.run(*still).imu_accelerometer, 0.0)


def test_sensors_are_data() -> None:
    sensors = [
        Encoder(noise={"a": 0.1}, resolution=1e-4),
        Imu("tip", gyro_noise=1e-3),
        JointTorque(noise=[0.1, 0.2], bias={"elbow": 1.0}),
        ForceTorque("tip", bias=np.zeros(6)),
        Range("tip", [Plane(), HeightField(np.zeros((2, 2)), 1.0)], most=3.0),
    ]
    for sensor in sensors:
        again = pickle.loads(pickle.dumps(sensor))
        assert again == sensor
        assert hash(again) == hash(sensor)


def test_joints_that_part_bodies_change_no_answer() -> None:
    robot, rng = mc.load("ur5"), np.random.default_rng(0)
    parted = robot.parted_at(["tool0_mount"])
    assert len(parted.mechanism.bodies) == len(robot.mechanism.bodies) + 1
    q, v, a = robot.random(rng), rng.normal(size=6), rng.normal(size=6)
    np.testing.assert_allclose(
        mc.inverse_dynamics(parted).run(q, v, a), mc.inverse_dynamics(robot).run(q, v, a), atol=1e-12
    )
    assert robot.carrier("tool0") == "tool0_mount"
    assert robot.carrier("base_link") is None


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Encoder(resolution=-1.0), "Encoder: resolution=-1.0; give finite numbers from 0"),
        (lambda: Encoder(noise=np.nan), "Encoder: noise=nan"),
        (lambda: Encoder(offset=np.inf), "Encoder: offset=inf"),
        (lambda: Encoder(delay=-1), "Encoder: delay=-1"),
        (lambda: Encoder(velocity="guessed"), "say 'true' or 'difference' or 'filtered'"),  # pyright: ignore
        (lambda: Encoder(time_constant=0.0), "Encoder: time_constant=0.0"),
        (lambda: Encoder(name="left hand"), "letters, digits and underscores"),
        (lambda: Imu(3), "Imu: frame=3"),  # pyright: ignore[reportArgumentType]
        (lambda: Imu("tip", gyro_noise=-1.0), "Imu: gyro_noise=-1.0"),
        (lambda: Imu("tip", gyro_bias=(1.0, 2.0)), "Imu: gyro_bias=\\(1.0, 2.0\\); give 3 finite numbers"),
        (lambda: ForceTorque("tip", bias=[np.nan] * 6), "ForceTorque: bias"),
        (lambda: Range("tip", "floor"), "Range: surfaces='floor'; give surfaces"),  # pyright: ignore
        (lambda: Range("tip", []), "Range: surfaces"),
        (lambda: Range("tip", most=0.0), "Range: most=0.0; give metres > 0"),
        (lambda: Range("tip", stretches=0), "Range: stretches=0"),
    ],
)
def test_what_is_no_sensor_is_refused_in_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        make()


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        (Encoder(noise=[1.0]), "Encoder: noise of shape \\(1,\\)"),
        (Encoder(resolution={"joint_9": 1.0}), "Encoder: resolution of 'joint_9'"),
        (Encoder(joints=["root_joint"]), "Encoder: joints.*'root_joint'"),
        (Imu("tipp"), "Imu imu: frame.*'tipp'.*did you mean tip"),
        (ForceTorque("tipp"), "ForceTorque force_torque: frame.*'tipp'"),
        (ForceTorque("base"), "root of a robot that floats"),
        (Range("tipp"), "Range range: frame.*'tipp'"),
        (Range("tip", [Solid(Sphere(1.0), "toe")]), "Range range: Solid.*'toe'"),
        (
            Range("tip", [HeightField(np.zeros((2, 2)), 1.0), HeightField(np.ones((2, 2)), 1.0)]),
            "two height fields are called 'heights'",
        ),
    ],
)
def test_what_a_robot_has_no_place_for_is_refused_in_a_sentence(sensor: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        sensor.computation(mc.load("planar3", floating=True), DT)
