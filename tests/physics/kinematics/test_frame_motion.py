"""Twists, accelerations and Jacobians' rates of frames: against Pinocchio and against derivatives of poses.

Real robots are in test_shared_robots.py.
"""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from oracle import Array, error
from trials import trials

POINT = (0.3, -0.1, 0.2)


# ---------------------------------------------------------------- against Pinocchio


@pytest.mark.parametrize("seed", range(trials(40)))
def test_motion_of_all_joints_agrees_at_any_point_in_any_axes(seed: int) -> None:
    x = Moving(seed)
    tool, other = (str(name) for name in x.rng.choice(x.links, 2))
    for axes in ("world", tool, other):
        where = {"point": POINT, "as_seen_by": axes}
        J = x.world.jacobian(tool, point=POINT, axes=axes) @ x.G
        out = mc.frame_motion(x.robot, [other, tool], **where).run(x.q, x.v, x.a)
        assert error(out.twist[1], J @ x.v) < 1e-10
        assert error(out.classical[1], J @ x.a + x.world.bias(tool, POINT, axes)) < 1e-10
        assert error(out.spatial[1], J @ x.a + x.world.bias(tool, POINT, axes, "spatial")) < 1e-10
        rate = mc.jacobian_rate(x.robot, tool, **where).run(x.q, x.v)
        assert error(rate.bias, x.world.bias(tool, POINT, axes)) < 1e-10
        assert error(rate.J_dot @ x.v, rate.bias) < 1e-10


def test_compiled_it_is_the_same() -> None:
    robot = mc.load("hyq_leg")
    q, (v, a) = robot.random(3), np.random.default_rng(0).normal(size=(2, 3))
    where = {"wrt": "LF_hip", "point": POINT, "as_seen_by": "LF_leg"}
    motion, rate = mc.frame_motion(robot, robot.link_names, **where), mc.jacobian_rate(robot, "LF_lowerleg", **where)
    for computation, inputs in ((motion, (q, v, a)), (rate, (q, v))):
        for ours, stepwise in zip(computation(*inputs).values(), computation.run(*inputs).values(), strict=True):
            assert error(ours, stepwise) < 1e-12


# ---------------------------------------------------------------- against definitions


def derivative(at: dict[int, Array], step: float) -> Array:
    return (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_moving_observer_sees_are_derivatives_of_what_it_sees(seed: int) -> None:
    """Poses of the tool in the observer's frame along a motion with constant v, differentiated once and twice."""
    x, step = Moving(seed), 1e-3
    tool, observer = (str(name) for name in x.rng.choice(x.links, 2))
    poses = mc.forward_kinematics(x.robot, [observer, tool])
    steps = {k: x.robot.integrate(x.q, x.v, k * step) for k in range(-4, 5)}
    seen = {k: np.linalg.inv(p[0]) @ p[1] for k, p in ((k, poses.run(q)) for k, q in steps.items())}
    rates = {k: derivative({d: seen[k + d] for d in (-2, -1, 1, 2)}, step) for k in range(-2, 3)}
    spins = {k: rates[k][:3, :3] @ seen[k][:3, :3].T for k in rates}
    at = np.array([*POINT, 1])
    twists = {k: np.array([w[2, 1], w[0, 2], w[1, 0], *(rates[k] @ at)[:3]]) for k, w in spins.items()}

    where = {"wrt": observer, "point": POINT, "as_seen_by": observer}
    out = mc.frame_motion(x.robot, tool, **where).run(x.q, x.v, 0 * x.v)
    assert error(out.twist[0], twists[0]) < 1e-7
    assert error(out.classical[0], derivative(twists, step)) < 1e-5
    assert error(out.spatial[0][3:], out.classical[0][3:] - np.cross(out.twist[0][:3], out.twist[0][3:])) < 1e-12

    # and the Jacobian's entries, in axes that rest with the observer
    J = mc.jacobian(x.robot, tool, **where)
    rate = mc.jacobian_rate(x.robot, tool, **where).run(x.q, x.v)
    assert error(rate.J_dot, derivative({k: J.run(steps[k]) for k in (-2, -1, 1, 2)}, step)) < 1e-8
    assert error(rate.bias, out.classical[0]) < 1e-10


def test_a_frame_sees_itself_at_rest_and_its_own_axes_may_be_asked_for() -> None:
    x = Moving(4)
    tool, other = x.links[:2]
    out = mc.frame_motion(x.robot, [tool], wrt=tool).run(x.q, x.v, x.a)
    assert max(np.abs(value).max() for value in out.values()) < 1e-12
    own = mc.frame_motion(x.robot, [tool, other], as_seen_by="").run(x.q, x.v, x.a)
    for k, link in enumerate([tool, other]):
        alone = mc.frame_motion(x.robot, link, as_seen_by=link).run(x.q, x.v, x.a)
        assert error(own.classical[k], alone.classical[0]) < 1e-12


def test_only_what_is_asked_for_is_asked_and_computed() -> None:
    robot = mc.load("lwr4")
    twist = mc.frame_motion(robot, "link_7", outputs=["twist"])
    assert [port.name for port in twist.inputs] == ["q", "v"]
    everything, rate = mc.frame_motion(robot, "link_7"), mc.jacobian_rate(robot, "link_7")
    bias = mc.jacobian_rate(robot, "link_7", outputs=["bias"])
    assert sum(twist.operations.values()) < sum(everything.operations.values()) / 1.5
    assert sum(bias.operations.values()) < sum(rate.operations.values()) / 2
    with pytest.raises(mc.Error, match=r"frame_motion, wrt: there is no frame 'link7'; did you mean link_7"):
        mc.frame_motion(robot, "link_7", wrt="link7")
    with pytest.raises(mc.Error, match="frame_motion has no such output"):
        mc.frame_motion(robot, "link_7", outputs=["pose"])
    with pytest.raises(mc.Error, match="three finite coordinates"):
        mc.jacobian_rate(robot, "link_7", point=(0, 1))
