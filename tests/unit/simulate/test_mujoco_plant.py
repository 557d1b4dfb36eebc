"""MuJoCo behind the ports of our plants: the same runs where both solve the same equations, near ones where things
touch, and sentences about what it has not.
"""

import pickle
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, build, random_tree
from motionc import simulate as sim

pytest.importorskip("mujoco")

STONE = mc.Robot(
    mc.KinematicChain("stone", (), mc.Segment("stone", mc.Link.rigid("stone", 2.0, (0, 0, 0), (0.02, 0.03, 0.04)))),
    floating=True,
)

CART = """<robot name="cart"><link name="world"/>
<link name="cart"><inertial><mass value="5"/>
<inertia ixx=".1" iyy=".1" izz=".2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="base" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/>
<dynamics damping="1" friction="2"/></joint></robot>"""


def dressed(name: str, transmission: mc.Transmission) -> mc.Robot:
    chain = mc.load(name).chain
    joints = (replace(joint, transmission=transmission) if joint.type.moves else joint for joint in chain.joints)
    return mc.Robot(replace(chain, joints=tuple(joints)))


def runs(plant: sim.Plant, start, log=("q", "v"), controller=None, **given) -> list[sim.Run]:
    return [sim.closed(one, controller, log=list(log))(start, **given) for one in (plant, sim.MujocoPlant(plant))]


# ---------------------------------------------------------------- where nothing touches


def test_without_contact_a_closed_loop_is_the_same_run() -> None:
    """Rotors, smooth friction, a push, a payload, masses that differ, noise: all that happens in both."""
    robot = dressed("ur5", mc.Transmission(0.3, 0.7, 2.0)).with_frame("grip", "tool0", rpy=(0.3, -0.4, 0.5))
    plant = sim.Plant(
        robot,
        friction="smooth",
        sensors=[sim.Encoder(noise=1e-2)],
        pushes=[sim.Push("tool0", (3, -4, 5), moment=(1, 2, -1), start=0.05, seconds=0.1)],
        payloads=[sim.Payload("grip", 2.0, com=(0.1, 0, 0.05), inertia=(0.01, 0, 0, 0.02, 1e-3, 0.015), picked=0.1)],
        vary={"*.mass": 0.2, "*.friction": 0.3, "*.rotor_inertia": 0.2},
    )
    begin, target = plant.start(np.linspace(-0.4, 0.5, 6), np.linspace(1, -1, 6)), np.linspace(-0.3, 0.4, 6)
    ours, theirs = (
        sim.closed(one, mc.control.pd(robot, 80.0, 5.0), log={"q": 1, "v": 1, "q_measured": 1, "motor_force": 1}).batch(
            begin, target=target, seconds=0.25, plants=2, seed=4
        )
        for one in (plant, sim.MujocoPlant(plant))
    )
    for name in ("q", "v", "q_measured", "motor_force"):
        assert np.abs(ours[name] - theirs[name]).max() < 1e-9, name
    assert np.abs(ours.q[0] - ours.q[1]).max() > 1e-3
    alone = sim.closed(sim.MujocoPlant(plant), mc.control.pd(robot, 80.0, 5.0), log=["q"])
    one = alone(begin, target=target, seconds=0.25, plant=1, seed=4)
    assert np.array_equal(one.q, theirs.q[1])


@pytest.mark.parametrize(
    ("seed", "kinds", "off"),
    [
        (3, [Kind.SPHERICAL, Kind.PLANAR, Kind.UNIVERSAL, Kind.CYLINDRICAL, Kind.REVOLUTE], 1e-12),
        (8, [Kind.REVOLUTE, Kind.HELICAL, Kind.SPHERICAL, Kind.PRISMATIC, Kind.REVOLUTE], 1e-7),
    ],
)
def test_a_step_is_the_same_on_every_joint_and_near_where_joints_follow(
    seed: int, kinds: Sequence[Kind], off: float
) -> None:
    robot = build(random_tree(seed, kinds, rotors=False), True)
    plant, rng = sim.Plant(robot), np.random.default_rng(seed)
    theirs = sim.MujocoPlant(plant)
    for _ in range(3):
        q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        one, other = (by.stepper.run(q, v, tau) for by in (plant, theirs))
        assert np.abs(one.q_next - other.q_next).max() < off
        assert np.abs(one.v_next - other.v_next).max() < off


def test_servos_in_the_step_act_at_its_end_in_both() -> None:
    plant = sim.Plant(mc.load("planar2"), dt=0.01, actuators=sim.Position(200.0, 30.0), friction="smooth")
    ours, theirs = runs(plant, plant.start([0.2, 0.3], [3.0, -2.0]), q_target=[0.5, -0.3], seconds=0.5)
    assert np.abs(ours.v - theirs.v).max() < 1e-11


# ---------------------------------------------------------------- what holds joints


def test_stops_stiction_and_brakes_hold_where_ours_do() -> None:
    robot = dressed("planar2", mc.Transmission(0.05, 0.1, 1.0))
    joints = (replace(joint, limits=mc.Limits(lower=-0.5, upper=0.5)) for joint in robot.chain.joints)
    robot = mc.Robot(replace(robot.chain, joints=tuple(joints)))
    brake = sim.Brake(robot.joint_names[1], 50.0, closed=(0.3, 0.6))
    plant = sim.Plant(robot, friction="stiction", limits=True, brakes=[brake])
    ours, theirs = runs(plant, plant.start([0.1, 0.2], [2.0, 1.0]), tau=[3.0, 0.5], seconds=1.0)
    # ours stop hard; theirs give by what they move in a step, and come back
    assert ours.q.max() < 0.5 + 1e-5
    assert 0.5 < theirs.q.max() < 0.5 + 5e-3
    held = slice(350, 590)
    for run in (ours, theirs):
        assert np.ptp(run.q[held, 1]) < 1e-6
    assert np.abs(ours.q[-1] - theirs.q[-1]).max() < 5e-3
    assert np.abs(ours.q - theirs.q).max() < 0.03


# ---------------------------------------------------------------- contact


def corners(surface: sim.Plane) -> list[sim.Contact]:
    places = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    return [sim.Contact("stone", surface, point=(*at, -0.05), friction=0.5, name=f"{at}") for at in places]


def test_a_block_slides_as_far_and_rests_in_the_same_place() -> None:
    plant = sim.Plant(STONE, contacts=corners(sim.Plane()))
    begin = plant.start(v=[0, 0, 0, 1.0, 0.5, 0], height=0.0)
    ours, theirs = runs(plant, begin, log=("q", "v", "contact_force", "gap"), tau=np.zeros(6), seconds=0.5)
    assert np.abs(ours.q[-1] - theirs.q[-1])[:3].max() < 5e-4
    assert np.abs(ours.q[-1] - theirs.q[-1])[3:].max() < 5e-3  # it turns a little there: four corners share friction
    assert np.linalg.norm(ours.q[-1, :2]) == pytest.approx(1.25 / (2 * 0.5 * 9.81), abs=2e-3)
    for run in (ours, theirs):
        assert run.contact_force[-1].sum(0) == pytest.approx([0, 0, 2 * 9.81], abs=1e-3)
    assert theirs.gap[-1].min() > -1e-6


def test_shapes_touch_at_the_same_points_along_the_same_normals() -> None:
    grid = np.arange(6) * 0.1
    ground = sim.HeightField(np.add.outer(0.1 * grid, 0.05 * grid), 0.1, origin=(-0.25, -0.25, -0.3))
    ball, rod = sim.Sphere(0.1), sim.Capsule(0.05, 0.3)
    contacts = [
        sim.Contact("stone", sim.Plane((0.1, 0.2, 1)), shape=rod),
        sim.Contact("stone", sim.Solid(ball, point=(0.02, 0.01, -0.2)), shape=ball),
        sim.Contact("stone", sim.Solid(rod, point=(0.2, 0, -0.1)), shape=ball),
        sim.Contact("stone", sim.Solid(rod, point=(0.05, 0.3, -0.1)), shape=rod),
        sim.Contact("stone", ground, shape=ball),
        sim.Contact("stone", ground, point=(0, 0, -0.115)),
    ]
    plant = sim.Plant(STONE, contacts=contacts)
    theirs = sim.MujocoPlant(plant)
    place = np.array([0.02, 0.01, -0.155, *np.array([1, 0.1, 0.2, 0.05]) / np.sqrt(1.0525)])
    given = {"q": place, "v": np.zeros(6), "tau": np.zeros(6), **plant.nominal, "impulses": np.zeros(21)}
    one, other = (by.stepper.run(*(given[port.name] for port in by.stepper.inputs)) for by in (plant, theirs))
    off = np.array([1e-9] * 5 + [1e-6] + [2e-5])  # heights are float32 there, points small spheres
    assert (np.abs(one.gap - other.gap) < off).all()
    assert np.abs(one.contact_normal - other.contact_normal)[:6].max() < 1e-6
    for k, contact in enumerate(one.gap):
        assert np.linalg.norm(one.contact_point[k] - other.contact_point[k]) < abs(contact) + 2e-3


def test_ground_and_friction_of_a_call_are_theirs_too() -> None:
    """Heights and μ that a run is given: a ball that slides on ground 2 cm higher than its file has it."""
    ground = sim.HeightField(np.zeros((6, 5)), 0.1, origin=(-0.25, -0.2, 0.0))
    touches = sim.Contact("stone", ground, shape=sim.Sphere(0.1), friction=0.9)
    plant = sim.Plant(STONE, contacts=[touches], vary={"contact.friction": 0.5})
    place = np.array([0.02, 0.01, 0.1199, 1, 0, 0, 0])
    given = {"q": place, "v": [0, 0, 0, 1.0, 0, 0], "tau": np.zeros(6), "impulses": np.zeros(3)}
    given |= {"heights": np.full((6, 5), 0.02), "mu": [0.3]}
    for one in (plant, sim.MujocoPlant(plant)):
        out = one.stepper.run(*(given[port.name] for port in one.stepper.inputs))
        assert out.gap[0] == pytest.approx(-1e-4, abs=1e-6)
        assert out.contact_force[0, 0] == pytest.approx(-0.3 * out.contact_force[0, 2], rel=1e-3)
        assert out.contact_force[0, 2] > 1.0


def test_open_loop_runs_of_all_lanes_at_once_are_those_turn_by_turn() -> None:
    plant = sim.MujocoPlant(sim.Plant(STONE, contacts=corners(sim.Plane())))
    begin = plant.start(v=[0.3, 0, 0, 1.0, 0.5, 0], height=0.02)
    lanes = {"q": np.tile(begin["q"], (3, 1)), "v": np.outer([1.0, 0.5, 0.2], begin["v"])}
    tau = np.zeros((3, 150, 6))
    q, v = plant.roll_out(**lanes, tau=tau)
    slowly = sim.closed(plant, log=["q", "v"], streamed=["tau"]).batch(lanes, tau=tau, steps=150)
    assert np.abs(q - slowly.q).max() < 1e-9
    assert np.abs(v - slowly.v).max() < 1e-7
    with pytest.raises(mc.Error, match='friction="smooth", which changes from step to step'):
        plant.alike(friction="smooth").roll_out(**lanes, tau=tau)
    with pytest.raises(mc.Error, match="whose axes turn with it"):
        plant.roll_out(**lanes, tau=tau + 1.0)


# ---------------------------------------------------------------- what it is, and is not


def test_a_call_is_what_its_arguments_say() -> None:
    plant = sim.MujocoPlant(sim.Plant(STONE, contacts=corners(sim.Plane())))
    given = [np.array([0, 0, 0.0499, 1, 0, 0, 0]), np.full(6, 0.1), np.zeros(6), np.zeros(12)]
    first = plant.stepper(*given)
    plant.stepper(*[given[0] + [0, 0, -1e-3, 0, 0, 0, 0], -given[1], given[2], given[3]])
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, plant.stepper(*given), strict=True))
    lost = plant.stepper(given[0] * np.nan, *given[1:])
    assert np.isnan(lost.q_next).all()
    again = pickle.loads(pickle.dumps(plant))
    assert np.array_equal(again.stepper(*given).q_next, first.q_next)
    assert plant.model.npair == 4


def test_a_loop_with_it_stays_in_python(tmp_path) -> None:
    plant = sim.MujocoPlant(sim.Plant(mc.load("planar2"), vary={"*.mass": 0.1}))
    loop = sim.closed(plant)
    with pytest.raises(mc.Error, match="computed by MuJoCo, not by a program"):
        loop.emit("c", tmp_path)
    q, v = plant.step([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
    assert q.shape == v.shape == (2,)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"method": "rk4"}, 'MuJoCo steps as "semi_implicit" does'),
        ({"precision": "single"}, "computes in double precision"),
        ({"contacts": [sim.Contact("stone", restitution=0.5)]}, "has restitution=0.5, and MuJoCo has none"),
        ({"contacts": [sim.Contact("stone", law=sim.Compliant(1e4))]}, "is compliant"),
    ],
)
def test_what_mujoco_has_not_is_refused(more, said: str) -> None:
    plant = sim.Plant(STONE, **more)
    with pytest.raises(mc.Error, match=said):
        sim.MujocoPlant(plant)


def test_joints_that_are_put_elsewhere_are_refused() -> None:
    plant = sim.Plant(mc.load("planar2"), vary={"*.origin": 0.1})
    with pytest.raises(mc.Error, match="joints stay where they are"):
        sim.MujocoPlant(plant)


def test_friction_along_axes_that_turn_is_refused() -> None:
    robot = mc.load(CART)
    sim.MujocoPlant(sim.Plant(robot))
    with pytest.raises(mc.Error, match="planar joint base has Coulomb friction along axes that turn"):
        sim.MujocoPlant(sim.Plant(robot, friction="smooth"))
    uneven = sim.Position(5.0, {"base": [1.0, 2.0, 3.0]})
    with pytest.raises(mc.Error, match="damp it alike along both"):
        sim.MujocoPlant(sim.Plant(robot, actuators=uneven))


def test_without_the_package_its_line_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(mc.Error, match=r"MujocoPlant needs the package mujoco; .*pip install 'motionc\[mujoco\]'"):
        sim.MujocoPlant(sim.Plant(mc.load("planar2")))
