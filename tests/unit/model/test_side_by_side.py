"""Two robots in one move as each does alone, fixed or floating; a body of a shape weighs what that says."""

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.formats.urdf import read_urdf
from motionc.model.free_body import free_body
from motionc.model.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from oracle import error

BALL, BOX = free_body("ball", Sphere(0.1), mass=0.5), free_body("box", Box((0.1, 0.2, 0.3)), density=200.0)
ARM = mc.load("planar2")


@pytest.mark.parametrize(
    ("first", "second", "floating"),
    [(ARM, ARM, False), (ARM, BALL, True), (BOX, BALL, True)],
    ids=["fixed-fixed", "fixed-floating", "floating-floating"],
)
def test_two_side_by_side_accelerate_as_each_alone(first: mc.Robot, second: mc.Robot, floating: bool) -> None:
    both = mc.attach(first, second, "world", prefix="b_", floating=floating)
    assert both.joint_names == (*first.joint_names, *(f"b_{name}" for name in second.joint_names))
    assert (both.nq, both.nv) == (first.nq + second.nq, first.nv + second.nv)
    rng, parts = np.random.default_rng(8), (first, second)
    each = [(robot.random(rng), *rng.normal(size=(2, robot.nv))) for robot in parts]
    together = mc.forward_dynamics(both)(*(np.concatenate(columns) for columns in zip(*each, strict=True)))
    apart = [mc.forward_dynamics(robot)(*state) for robot, state in zip(parts, each, strict=True)]
    assert error(together, np.concatenate(apart)) < 1e-12


def test_a_ball_free_in_the_frame_of_a_moving_arm_accelerates_as_pinocchio_says() -> None:
    both = mc.attach(ARM, BALL, "tip", prefix="b_", xyz=(0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1), floating=True)
    model = pin.buildModelFromXML(mc.to_urdf(both))
    order, rng = mc.orders.pinocchio(both, model), np.random.default_rng(9)
    q, (v, tau) = both.random(rng), rng.normal(size=(2, 8))
    theirs = pin.aba(model, model.createData(), order.q(q), order.v(v, q), order.tau(tau, q))
    assert error(order.a(mc.forward_dynamics(both)(q, v, tau), v, q), theirs) < 1e-10


def test_names_are_told_apart_and_robots_may_be_many() -> None:
    three = BALL
    for prefix in ("b_", "c_"):
        three = mc.attach(three, BALL, "world", prefix=prefix, floating=True)
    assert three.joint_names == ("root_joint", "b_root_joint", "c_root_joint")
    assert three.link_names == ("world", "ball", "b_ball", "c_ball")
    with pytest.raises(mc.Error, match=r"both have ball, root_joint; tell them apart with prefix="):
        mc.attach(BALL, BALL, "world", floating=True)
    with pytest.raises(mc.Error, match="both have b_ball, b_root_joint"):
        mc.attach(three, BALL, "world", prefix="b_", floating=True)
    with pytest.raises(mc.Error, match="name a frame of it, or say floating=True for two that move on their own"):
        mc.attach(BALL, BALL, "world", prefix="b_")
    with pytest.raises(mc.Error, match="attach: floating='yes'; say True or False"):
        mc.attach(BALL, BALL, "world", prefix="b_", floating="yes")


def test_what_was_held_or_follows_stays_so() -> None:
    held = mc.load("planar2", fixed={"elbow": 0.3})
    both = mc.attach(mc.attach(BALL, held, "world", prefix="b_", floating=True), held, "b_tip", prefix="c_")
    assert both.held == {"b_elbow": 0.3, "c_elbow": 0.3}
    assert both.joint_names == ("root_joint", "b_root_joint", "b_shoulder", "c_shoulder")


def test_two_robots_are_written_and_read_again() -> None:
    both = mc.attach(BOX, ARM, "world", prefix="b_", floating=True)
    again = mc.Robot(read_urdf(mc.to_urdf(both)).chain)
    assert again.joint_names == both.joint_names
    q = both.random(4)
    assert error(mc.mass_matrix(again)(q), mc.mass_matrix(both)(q)) < 1e-12


@pytest.mark.parametrize(
    ("shape", "theirs"),
    [
        (Sphere(0.1), pin.Inertia.FromSphere(2.0, 0.1)),
        (Box((0.1, 0.2, 0.3)), pin.Inertia.FromBox(2.0, 0.1, 0.2, 0.3)),
        (Cylinder(0.1, 0.5), pin.Inertia.FromCylinder(2.0, 0.1, 0.5)),
        (Capsule(0.1, 0.5), pin.Inertia.FromCapsule(2.0, 0.1, 0.5)),
    ],
    ids=["sphere", "box", "cylinder", "capsule"],
)
def test_a_free_body_weighs_what_its_shape_says(shape, theirs: pin.Inertia) -> None:
    body = free_body("thing", shape, mass=2.0)
    assert [one.geometry for one in body.chain.root.link.shapes] == [shape, shape]
    link = body.links["thing"]
    assert link.mass == pytest.approx(2.0, rel=1e-15)
    assert error(link.inertia, theirs.inertia) < 1e-12


def test_no_body_of_nonsense() -> None:
    for says, args, options in (
        ("free_body ball: shape: radius=-1; give Sphere", (Sphere(-1),), {"mass": 1}),
        (r"shape: size=\(1, 2\); give Sphere", (Box((1, 2)),), {"mass": 1}),
        ("shape=Mesh", (Mesh("a.stl"),), {"mass": 1}),
        ("say either mass= ", (Sphere(1),), {}),
        ("say either mass= ", (Sphere(1),), {"mass": 1, "density": 1}),
        ("mass=0; give a finite number > 0", (Sphere(1),), {"mass": 0}),
        ("density=nan; give a finite number > 0", (Sphere(1),), {"density": np.nan}),
    ):
        with pytest.raises(mc.Error, match=says):
            free_body("ball", *args, **options)
