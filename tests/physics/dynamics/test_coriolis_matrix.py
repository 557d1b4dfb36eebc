"""The Coriolis matrix: Ṁ - 2C is skew and C v = h - g on trees of every joint type; entry by entry Pinocchio's on arms.

Pinocchio's C of spherical and floating joints has the same product with v, but Ṁ - 2C of it is not skew there; that of
universal joints leaves out that the second axis turns.
"""

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import Kind, Moving
from dense import Real
from mutants import tree
from oracle import error
from trials import trials


@pytest.mark.parametrize("seed", range(trials(18)))
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(seed: int) -> None:
    """Floating, spherical, planar, universal and helical joints, followers, rotors."""
    x = Moving(seed)
    C, M, step = mc.coriolis_matrix(x.robot).run(x.q, x.v), mc.mass_matrix(x.robot), 1e-4
    at = {k: M.run(x.robot.integrate(x.q, x.v, k * step)) for k in (-2, -1, 1, 2)}
    skew = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step) - 2 * C
    assert error(skew, -skew.T) < 1e-9
    assert np.abs(skew).max() > 1e-3
    g = x.G.T @ x.world.gravity_forces(x.Q)
    assert error(C @ x.v, x.h - g) < 1e-10


@pytest.mark.parametrize("seed", range(trials(6)))
def test_it_is_that_of_christoffel_symbols_as_pinocchio_has_it(seed: int) -> None:
    x = Moving(seed, [Kind.REVOLUTE, Kind.PRISMATIC, Kind.CONTINUOUS, Kind.HELICAL, Kind.REVOLUTE])
    if "root_joint" in x.robot.v_index:
        pytest.skip("it floats")
    theirs = pin.computeCoriolisMatrix(x.world.model, x.world.data, x.world._q(x.Q), x.world._v(x.V))
    theirs = x.G.T @ theirs[np.ix_(x.world.order, x.world.order)] @ x.G
    assert error(mc.coriolis_matrix(x.robot).run(x.q, x.v), theirs) < 1e-10


def test_compiled_it_is_the_same() -> None:
    x = Real("ur5_robot", seed=3)
    coriolis = mc.coriolis_matrix(x.robot)
    theirs = pin.computeCoriolisMatrix(x.world.model, x.world.data, x.world._q(x.Q), x.world._v(x.V))
    assert error(coriolis(x.q, x.v), theirs[np.ix_(x.world.order, x.world.order)]) < 1e-12


def test_directions_that_change_with_q_are_refused_by_name() -> None:
    with pytest.raises(mc.Error, match=r"joint shoulder change with q.*bias_forces"):
        mc.coriolis_matrix(tree(False, curved=True))


@pytest.mark.parametrize("seed", range(trials(6)))
def test_inertial_parameters_are_what_the_regressor_takes(seed: int) -> None:
    x = Moving(seed)
    tau = mc.regressor(x.robot).run(x.q, x.v, x.a) @ x.robot.inertial_parameters()
    rotors = x.G.T @ (x.world.model.armature[x.world.order] * (x.G @ x.a))
    assert error(tau + rotors, x.M @ x.a + x.h) < 1e-10


def test_pinocchio_has_the_same_parameters_in_its_own_order() -> None:
    x = Real("ur5_robot")
    ours = x.robot.inertial_parameters().reshape(-1, 10)[:, [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]]
    names = [link.name for link in x.robot.weighing_links]
    for inertia, joint in zip(x.world.model.inertias.tolist()[1:], x.world.model.names.tolist()[1:], strict=True):
        link = x.robot.joints[joint].child.name
        assert error(ours[names.index(link)], inertia.toDynamicParameters()) < 1e-12
