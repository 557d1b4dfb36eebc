"""Between two frames anywhere: transforms and Jacobians by way of the joints between them alone."""

import numpy as np
import pytest

import motionc as mc
from all_joints import KINDS, Kind, Moving
from motionc.solvers.steps.path import path_columns
from oracle import error
from rows import row
from trials import trials

HYL = (0.1, 0.2, 0.3, 0.4)


@row("robcogen", 16)
def test_the_printed_transform_of_hyl() -> None:
    x = mc.transform(mc.load("hyl"), "base", "foot").run(HYL).homogeneous
    printed = [
        (-0.6442176872, -0.7648421873, 0, -0.3160239091),
        (-0.1519506855, 0.1279862968, 0.9800665778, -0.132465894),
        (-0.7495962651, 0.6313762241, -0.1986693308, -0.553474771),
        (0, 0, 0, 1),
    ]
    assert np.abs(x - printed).max() < 1e-9


@row("robcogen", 21)
def test_the_printed_jacobians() -> None:
    printed = np.transpose(
        [
            (0, 0, 0, 0, 0, 1),
            (-1, 0, 0, 0, -0.653474771, 0.132465894),
            (0, 0.980066578, -0.198669331, -0.586765693, 0.062784259, 0.309724471),
            (0, 0.980066578, -0.198669331, -0.252397922, 0.042235478, 0.208354154),
        ]
    )
    assert np.abs(mc.path_jacobian(mc.load("hyl"), "base", "foot").run(HYL) - printed).max() < 1e-9
    printed = np.array([[0.0900071963, -0.3894183423], [1.7986435559, 0.921060994]])
    assert np.abs(mc.path_jacobian(unit_bars(), "base", "tip").run([-0.5, 0.9])[3:5] - printed).max() < 1e-9


def unit_bars() -> mc.Robot:
    """Two bars of a metre along x, joints about z."""
    end = mc.Attachment("end", mc.Role.JOINT, mc.placed((1, 0, 0)))
    here, tip = mc.Attachment("here", mc.Role.JOINT), mc.Attachment("tip", mc.Role.FEATURE, mc.placed((1, 0, 0)))
    base = mc.Segment("base", mc.Link.rigid("base"), (here,))
    upper = mc.Segment("upper", mc.Link.rigid("upper", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), (here, end))
    lower = mc.Segment("lower", mc.Link.rigid("lower", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), (here, tip))
    first = mc.Joint("q1", mc.JointType.REVOLUTE, (upper, "here"), (base, "here"))
    second = mc.Joint("q2", mc.JointType.REVOLUTE, (lower, "here"), (upper, "end"))
    return mc.Robot(mc.KinematicChain("planar", (first, second)))


def small(seed: int) -> Moving:
    """A tree of three joints, one of them that moves."""
    rng = np.random.default_rng(seed)
    moving = [kind for kind in KINDS if kind is not Kind.FIXED]
    return Moving(seed, [moving[seed % len(moving)], *map(Kind, rng.choice(KINDS, 2))])


@row("robcogen", 14, 21)
@pytest.mark.parametrize("seed", range(trials(100)))
def test_jacobians_are_the_differences_of_transforms(seed: int) -> None:
    x = small(seed)
    base, target = map(str, x.rng.choice(x.links, 2))
    transform, jacobian = mc.transform(x.robot, base, target), mc.path_jacobian(x.robot, base, target)
    X, J = transform.run(x.q), jacobian.run(x.q)
    H, R, p = X.homogeneous, X.homogeneous[:3, :3], X.homogeneous[:3, 3]

    # where Pinocchio has both frames
    world = [x.world.pose(name) for name in (base, target)]
    assert error(H, np.linalg.inv(world[0]) @ world[1]) < 1e-12
    # forces are dual to motions
    assert error(X.force, np.linalg.inv(X.motion).T) < 1e-10
    assert error(X.motion, np.block([[R, np.zeros((3, 3))], [np.cross(p, R.T).T, R]])) < 1e-12

    # motion is the difference of transforms, and joints that are not between the frames move nothing
    pose, step = mc.transform(x.robot, base, target, outputs=["homogeneous"]), 1e-6
    ends = [pose.run(x.robot.integrate(x.q, x.v, end)) for end in (step, -step)]
    rate = (ends[0] - ends[1]) / (2 * step)
    spin = rate[:3, :3] @ R.T
    kept = list(path_columns(x.robot, base, target))
    assert error(J @ x.v[kept], [spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]]) < 1e-7
    whole = mc.jacobian(x.robot, target, wrt=base, as_seen_by=base).run(x.q)
    assert error(J, whole[:, kept]) < 1e-11
    assert np.abs(np.delete(whole, kept, axis=1)).max(initial=0) < 1e-11

    # the other way round every joint counts backwards: the same motion at the base's origin, in the target's axes
    back = mc.path_jacobian(x.robot, target, base).run(x.q)
    at_base = J[3:] - np.cross(J[:3], p, axisa=0, axisc=0)
    assert error(back, -np.vstack([R.T @ J[:3], R.T @ at_base])) < 1e-11


def test_what_lies_between_the_way_and_the_root_does_not_matter() -> None:
    robot = mc.load("hyq", floating=True)
    way = mc.transform(robot, "LF_leg", "LF_foot").program
    assert [step.data for step in way.instructions if step.op == "input"] == [(0, 9)]
    across = mc.path_jacobian(robot, "LF_foot", "RF_foot")
    assert across.outputs[0].shape == (6, 6)
    whole = mc.jacobian(robot, "RF_foot", wrt="LF_foot", as_seen_by="LF_foot")
    assert sum(across.operations.values()) < sum(whole.operations.values())
    q = robot.random(np.random.default_rng(0))
    assert error(across.run(q), whole.run(q)[:, 6:12]) < 1e-12


def test_frames_nobody_has_are_refused() -> None:
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match="transform, wrt: there is no frame 'bas'"):
        mc.transform(robot, "bas", "tip")
    with pytest.raises(mc.Error, match="path_jacobian, frame: there is no frame 'top'"):
        mc.path_jacobian(robot, "base", "top")
