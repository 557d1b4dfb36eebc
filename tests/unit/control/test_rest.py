"""Rest policies: what floats, falls, is drawn to a posture; springs before limits."""

import numpy as np
import pytest

import motionc as mc
from motionc.control import LimitSprings, Rest

# q0 of specs/lazy-control.md §3.1: joint 1 on its limit of 2.96706 rad
Q0 = np.array([2.967, 1.023, -0.131, 1.612, 0.221, 0.177, 0.015])
V = np.array([0.3, -0.2, 0.1, 0.0, 0.4, -0.1, 0.2])
EFFORT = np.array([176, 176, 100, 100, 100, 30, 30])


@pytest.fixture(scope="module")
def lwr4() -> mc.Robot:
    return mc.load("lwr4")


def test_what_floats_is_carried_damped_and_kept_from_limits(lwr4) -> None:
    """By hand: 3 % of efforts per rad/s; 5 % of 176 N m over 0.1 rad before the limit, where q0 is."""
    spring = np.zeros(7)
    spring[0] = -0.05 * 176 / 0.1 * (2.967 - (2.96706 - 0.1))
    g = mc.gravity_forces(lwr4).run(Q0)
    assert Rest().computation(lwr4).run(Q0, V) == pytest.approx(g - 0.03 * EFFORT * V + spring, abs=1e-12)
    assert Rest().law(lwr4).run(Q0, V, g) == pytest.approx(g - 0.03 * EFFORT * V + spring, abs=1e-12)
    assert Rest(springs=None).law(lwr4).run(Q0, V, g) == pytest.approx(g - 0.03 * EFFORT * V, abs=1e-12)


def test_what_falls_is_left_to_gravity(lwr4) -> None:
    inside = np.zeros(7)
    assert np.all(Rest("fall").computation(lwr4).run(inside, V) == 0.0)
    assert Rest("fall", damping=2.0).law(lwr4).run(inside, V) == pytest.approx(-2.0 * V, abs=1e-15)
    assert [port.name for port in Rest("fall").law(lwr4).inputs] == ["q", "v"]


def test_a_posture_draws_the_joints_it_names(lwr4) -> None:
    rest = Rest({"joint_3": -1.0}, stiffness=50.0, damping=0.0, springs=None).law(lwr4)
    assert rest.run(Q0, V, np.zeros(7)) == pytest.approx(50.0 * np.array([0, 0, 0, -1.0 - 1.612, 0, 0, 0]), abs=1e-12)
    weakly = Rest({"joint_3": -1.0}, damping=0.0, springs=None).law(lwr4)
    assert weakly.run(Q0, V, np.zeros(7))[3] == pytest.approx(0.3 * 100 * (-1.0 - 1.612), abs=1e-12)


def test_of_a_floating_robot_positions_are_read_where_q_has_them() -> None:
    """Seven numbers of q are its pose, and six of v its twist: a joint is one place further on in q."""
    dog = mc.load("hyq")
    name, places = dog.joint_names[-1], dog.q_index
    q, none = dog.random(np.random.default_rng(3)), np.zeros(dog.nv)
    posture = {name: float(q[places[name].start]) - 0.2}
    rest = Rest(posture, stiffness=50.0, damping=0.0, springs=None).law(dog).run(q, none, none)
    expected = np.zeros(dog.nv)
    expected[dog.v_index[name].start] = -10.0
    assert rest == pytest.approx(expected, abs=1e-9)


def test_springs_push_inwards_at_both_ends_and_nowhere_between(lwr4) -> None:
    push = Rest("fall", springs=LimitSprings(0.2, stiffness=10.0)).law(lwr4)
    lower, upper = lwr4.limits.lower, lwr4.limits.upper
    for q, made in ((upper + 0.1, -3.0), (upper - 0.2, 0.0), (0.5 * upper, 0.0), (lower + 0.2, 0.0), (lower, 2.0)):
        assert push.run(q, 0 * q) == pytest.approx(np.full(7, made), abs=1e-12)


def test_rows_that_are_asked_for_do_not_notice_what_rests(lwr4) -> None:
    """Λ takes what motors make beside it: the tool accelerates as asked under every policy."""
    task = mc.constrained_dynamics(lwr4, [mc.Constraint("link_7", "xyz")], outputs=["a"])
    motion = mc.frame_motion(lwr4, "link_7", outputs=["classical"])
    b = np.array([0.3, -0.2, 0.1])
    joints = [
        task.run(Q0, V, rest.computation(lwr4).run(Q0, V), b) for rest in (Rest(), Rest("fall"), Rest({"joint_2": 1}))
    ]
    for a in joints:
        assert motion.run(Q0, V, a)[0, 3:] == pytest.approx(b, abs=1e-9)
    assert np.abs(joints[0] - joints[1]).max() > 1.0


def test_joints_without_a_motor_get_no_force() -> None:
    robot = mc.load("lwr4", floating=True)
    tau = Rest(damping=1.0).computation(robot).run(robot.neutral(), np.ones(13))
    assert np.all(tau[:6] == 0.0)
    assert np.all(tau[6:] != 0.0)


def test_what_cannot_rest_so_is_refused(lwr4) -> None:
    for make, said in (
        (lambda: Rest("hover"), "float"),
        (lambda: Rest({"joint_9": 0.0}).law(lwr4), "no such movable joint"),
        (lambda: Rest(springs=LimitSprings(4.0)).law(lwr4), "two margins of 4"),
        (lambda: LimitSprings(0.0), "number > 0"),
        (lambda: Rest().law(mc.load("planar2")), "does not say the effort of"),
    ):
        with pytest.raises(mc.Error, match=said):
            make()


def test_what_nobody_said_is_no_stronger_than_joints_bear() -> None:
    """A wrist of 1e-4 kg m² and 28 N m: 3 % of its effort per rad/s would throw it about in one cycle."""
    ur5, held = mc.load("ur5"), 2 / 630
    rest = Rest({"wrist_3_joint": 0.5}).borne_by(ur5, held)
    assert mc.control.stability_note(ur5, rest.stiffness, rest.damping, held) is None
    assert mc.control.stability_note(ur5, rest.springs.stiffness, rest.damping, held) is None
    assert "wrist_3_joint" in mc.control.stability_note(ur5, 0.0, 0.03 * ur5.limits.effort, held)
    assert rest.damping[1] == pytest.approx(0.03 * ur5.limits.effort[1], abs=1e-15)  # a heavy joint bears its share
    assert np.all(np.array(rest.damping[4:]) < 0.03 * ur5.limits.effort[4:])


def test_what_somebody_said_or_joints_bear_stays_as_it_is(lwr4) -> None:
    g = mc.gravity_forces(lwr4).run(Q0)
    for rest in (Rest(), Rest({"joint_3": -1.0}), Rest("fall"), Rest(springs=None)):
        given = (Q0, V, g)[: 2 + rest.holds_weight]
        assert np.all(rest.borne_by(lwr4, 2 / 630).law(lwr4).run(*given) == rest.law(lwr4).run(*given))
    strong = Rest(damping=500.0, stiffness=1e6, springs=LimitSprings(stiffness=1e6))
    assert strong.borne_by(lwr4, 0.1) == strong
    with pytest.raises(mc.Error, match="held"):
        Rest().borne_by(lwr4, 0.0)
