"""Pushes, payloads and brakes by the clock: impulses are what momentum gains, weights what springs give way to."""

import math

import numpy as np
import pytest

import motionc as mc
from motionc import simulate as sim


def _free():
    return mc.load("ur5", fixed=["wrist_1_joint", "wrist_2_joint", "wrist_3_joint"], floating=True)


def test_a_push_changes_momentum_by_its_impulse() -> None:
    robot = _free()
    pushes = [
        sim.Push("base_link", (3.0, -2.0, 1.0), moment=(0.1, 0.2, -0.3), start=0.05, seconds=0.1),
        sim.Push("base_link", (0.0, 5.0, 0.0), start=0.1),
        sim.Push("tool0", (0.0, 0.0, 7.0), start=0.02, seconds=0.03),
    ]
    plant = sim.Plant(robot, dt=1e-4, pushes=pushes, gravity=(0, 0, 0))
    run = sim.closed(plant, log={"q": 100, "v": 100})(plant.start(), tau=np.zeros(robot.nv), seconds=0.2)
    momentum = mc.centroidal_momentum(robot)(run.q[-1], run.v[-1])
    wanted = np.array([3.0, -2.0, 1.0]) * 0.1 + np.array([0, 5.0, 0]) * 0.1 + np.array([0, 0, 7.0]) * 0.03
    assert np.abs(momentum[3:] - wanted).max() < 5e-3 * np.abs(wanted).max()


def test_a_payload_bends_springs_by_its_weight_while_it_is_held() -> None:
    pin = pytest.importorskip("pinocchio")
    robot, k = mc.load("lwr4"), 5000.0
    hung = sim.Payload("link_7", 2.0, com=(0.0, 0.1, 0.0), inertia=(1e-3, 0, 0, 1e-3, 0, 1e-3), picked=0.5, dropped=1.5)
    plant = sim.Plant(robot, actuators=sim.Position(k, 200.0), payloads=[hung])
    bent = np.full(7, 0.4)
    run = sim.closed(plant, log={"q": 500})(plant.start(bent), q_target=bent, seconds=2.5)
    model = pin.buildModelFromXML(mc.to_urdf(robot))
    frame = model.frames[model.getFrameId("link_7")]
    loaded = model.copy()
    place = frame.placement.act(pin.SE3(np.eye(3), np.array([0.0, 0.1, 0.0])))
    loaded.appendBodyToJoint(frame.parentJoint, pin.Inertia(2.0, np.zeros(3), np.diag([1e-3] * 3)), place)
    for model_now, q in ((model, run.q[0]), (loaded, run.q[2]), (model, run.q[-1])):
        weight = pin.computeGeneralizedGravity(model_now, model_now.createData(), q)
        assert np.abs(weight + k * (q - bent)).max() < 1e-2 * np.abs(weight).max()
    assert np.abs(run.q[2] - run.q[0]).max() > 1e-3


def test_a_brake_holds_up_to_its_force_and_slips_beyond() -> None:
    robot = mc.load("planar2")
    brakes = [sim.Brake("shoulder", 2.0, [(0.0, 0.5), (0.7, 0.8)])]
    plant = sim.Plant(robot, brakes=brakes)
    loop = sim.closed(plant, log=["q", "v"])
    below, above = (loop(plant.start(), tau=[t, 0.0], seconds=0.9) for t in (1.9, 2.1))
    times = below.time
    # the elbow is free, but nothing moves it before the shoulder does
    assert np.abs(below.v[times < 0.5]).max() < 1e-9
    assert below.v[np.searchsorted(times, 0.6)][0] > 0.1
    assert above.v[np.searchsorted(times, 0.4)][0] > 1e-3
    slipped = (below.v[:, 0] < 0).any() or below.v[np.searchsorted(times, 0.79)][0] < below.v[
        np.searchsorted(times, 0.69)
    ][0]
    assert slipped


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sim.Push("tip", (1, 2)), "three finite numbers"),
        (lambda: sim.Push("tip", (math.nan, 0, 0)), "three finite numbers"),
        (lambda: sim.Push("tip", (1, 0, 0), start=-1.0), "seconds ≥ 0"),
        (lambda: sim.Payload("tip", -1.0), "kilograms"),
        (lambda: sim.Payload("tip", 1.0, picked=2.0, dropped=1.0), "dropped later"),
        (lambda: sim.Payload("tip", 1.0, inertia=(1, 2)), "six finite numbers"),
        (lambda: sim.Brake("shoulder", 0.0), "> 0"),
        (lambda: sim.Brake("shoulder", 1.0, (2.0, 1.0)), "(from, to)"),
        (lambda: sim.Plant(mc.load("planar2"), pushes=[sim.Push("nose", (1, 0, 0))]), "nose"),
        (lambda: sim.Plant(mc.load("planar2"), payloads=[sim.Payload("nose", 1.0)]), "nose"),
        (lambda: sim.Plant(mc.load("planar2"), brakes=[sim.Brake("knee", 1.0)]), "knee"),
    ],
)
def test_what_cannot_happen_gets_a_sentence(make, says) -> None:
    with pytest.raises(mc.Error, match=says.replace("(", r"\(").replace(")", r"\)")):
        make()
