"""Solves with the mass matrix: which rows meet is read off the matrix, followers or not; kernels where many do."""

import numpy as np
import pytest

import motionc as mc
from motionc.program.sizes import SOLVED_OUT
from motionc.solvers.steps.tree_solve import meet_few, ways

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>'
    '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
)


def arms(joints: int, *, follows: bool) -> mc.Robot:
    """Two arms on the world; the last joint of each moves freely, or follows the first."""
    text = '<link name="base"/>'
    for arm in "lr":
        before = "base"
        for k in range(joints):
            link = f"{arm}{k}"
            leader = f'<mimic joint="joint_{arm}0"/>' if follows and k == joints - 1 else ""
            text += (
                f'<link name="{link}">{INERTIAL}</link><joint name="joint_{link}" type="continuous">'
                f'<parent link="{before}"/><child link="{link}"/><axis xyz="0 1 0"/>'
                f'<origin xyz="0.1 0 0.3" rpy="{k} 0.3 0.2"/>{leader}</joint>'
            )
            before = link
    return mc.load(f'<robot name="arms">{text}</robot>')


def test_the_way_of_a_row_is_what_meets_it_and_what_that_meets() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        full = np.tril(rng.random((7, 7)) < 0.25, -1)
        system = np.eye(7) + full + full.T
        previous = ways(system)
        lower = np.array(full, float)
        for k in reversed(range(7)):
            # what is eliminated fills what it meets
            met = np.flatnonzero(lower[k])
            for j in met:
                lower[j, met[met < j]] = 1
        for k in range(7):
            way, before = set[int](), previous[k]
            while before >= 0:
                way.add(before)
                before = previous[before]
            assert set(np.flatnonzero(lower[k])) <= way
            assert previous[k] == max(np.flatnonzero(lower[k]), default=-1)


@pytest.mark.parametrize("follows", [False, True])
def test_arms_that_stand_apart_do_not_meet_whether_fingers_follow_or_not(follows: bool) -> None:
    robot = arms(5, follows=follows)
    assert robot.nv == 10 - 2 * follows
    previous = ways(mc.mass_matrix(robot)(robot.random(np.random.default_rng(1))))
    assert [k for k, before in enumerate(previous) if before < 0] == [0, robot.nv // 2]
    assert meet_few(previous)


@pytest.mark.parametrize("follows", [False, True])
def test_derivatives_of_arms_with_many_joints_solve_by_a_kernel(follows: bool) -> None:
    few, many = (
        mc.forward_dynamics(arms(joints, follows=follows)).derivative("a", ["q", "tau"])
        for joints in (SOLVED_OUT, SOLVED_OUT + 3)
    )
    kernels = [{step.data.kernel for _, step in each.program.calls()} for each in (few, many)]
    assert kernels == [set(), {"tree_factor", "tree_solve"}]
    robot = many.solver.robot
    q, v, tau = robot.random(np.random.default_rng(2)), *np.random.default_rng(3).normal(size=(2, robot.nv))
    found = many(q, v, tau)
    assert np.allclose(found.da_dtau, np.linalg.inv(mc.mass_matrix(robot)(q)), rtol=0, atol=1e-10)
    step, motion = 1e-6, mc.forward_dynamics(robot)
    for k, direction in enumerate(np.eye(robot.nv)):
        ahead, behind = (motion(robot.integrate(q, sign * direction, step), v, tau) for sign in (1, -1))
        assert np.allclose(found.da_dq[:, k], (ahead - behind) / (2 * step), rtol=1e-5, atol=1e-5)
