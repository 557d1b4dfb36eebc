"""Links whose moments of inertia no body has: the model loads with a finding, kinematics work, dynamics refuse."""

from collections.abc import Callable

import numpy as np
import pytest

import motionc as mc
from motionc.formats import read_urdf
from rows import row


def arm(moments: str, hand: str = "revolute") -> mc.Robot:
    """Two links; the second has these principal moments."""
    inertia = "<inertial><mass value='1'/><inertia ixx='{}' iyy='{}' izz='{}' ixy='0' ixz='0' iyz='0'/></inertial>"
    text = f"""<robot name='arm'><link name='base'/>
      <link name='upper'>{inertia.format(1, 1, 1)}</link> <link name='hand'>{inertia.format(*moments.split())}</link>
      <joint name='lift' type='continuous'><parent link='base'/><child link='upper'/></joint>
      <joint name='turn' type='{hand}'><parent link='upper'/><child link='hand'/><origin xyz='0.3 0 0'/>
        <limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>"""
    return mc.Robot(read_urdf(text).chain)


DYNAMICS: dict[str, Callable[[mc.Robot], object]] = {
    "inverse dynamics": mc.inverse_dynamics,
    "forward dynamics": mc.forward_dynamics,
    "hybrid dynamics": lambda robot: mc.hybrid_dynamics(robot, ["lift"]),
    "constrained dynamics": lambda robot: mc.constrained_dynamics(robot, mc.Constraint("hand", "z")),
    "bias forces": mc.bias_forces,
    "mass matrix": mc.mass_matrix,
    "Coriolis matrix": mc.coriolis_matrix,
    "inverse of the mass matrix": mc.mass_matrix_inverse,
    "energy": mc.energy,
    "centroidal momentum": mc.centroidal_momentum,
    "operational space": lambda robot: mc.operational_space(robot, "hand"),
    "impact": lambda robot: mc.impact(robot, mc.Constraint("hand", "z")),
    "mine": lambda robot: mc.solve(robot, mc.schedules.INVERSE_DYNAMICS, outputs={"tau": "joint_force"}, name="mine"),
}


@row("robcogen", 5)
@row("multibody-methodology", 4)
@pytest.mark.parametrize("what", DYNAMICS)
def test_dynamics_refuse_negative_moments_by_link_and_joint(what: str) -> None:
    with pytest.raises(mc.Error, match=f"^{what} of arm: joint turn moves link hand, .* -0.02, 1, 1 kg m² .*Lk4"):
        DYNAMICS[what](arm("1 -0.02 1"))


def test_a_link_welded_to_another_is_refused_by_the_joint_that_moves_both() -> None:
    with pytest.raises(mc.Error, match="joint lift moves link hand"):
        mc.inverse_dynamics(arm("1 -0.02 1", "fixed"))


def test_kinematics_and_what_no_moment_enters_work() -> None:
    robot = arm("1 -0.02 1")
    assert "none may be negative" in robot.findings.of_rule("Lk4")[0].message
    assert np.allclose(mc.forward_kinematics(robot, ["hand"]).run([0.0, 0.0])[0, :3, 3], [0.3, 0, 0], rtol=1e-12)
    assert mc.jacobian(robot, "hand").run([0.0, 0.0]).shape == (6, 2)
    assert mc.gravity_forces(robot).run([0.0, 0.0]).shape == (2,)
    assert mc.center_of_mass(robot).run([0.0, 0.0]).shape == (3,)


@pytest.mark.parametrize("moments", ["1 1 2.5", "1 -1e-13 1", "-1e-13 1e-16 1e-16"])
def test_a_broken_triangle_and_rounding_are_computed_with(moments: str) -> None:
    robot = arm(moments)
    assert np.all(np.isfinite(mc.inverse_dynamics(robot).run(*np.zeros((3, 2)))))
    assert bool(robot.findings.of_rule("Lk4")) == (moments == "1 1 2.5")


def test_a_link_of_the_fixed_base_may_be_as_it_is() -> None:
    text = """<robot name='mast'><link name='base'><inertial><mass value='1'/>
        <inertia ixx='-1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
      <link name='vane'><inertial><mass value='1'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
      <joint name='turn' type='continuous'><parent link='base'/><child link='vane'/></joint></robot>"""
    chain = read_urdf(text).chain
    assert mc.forward_dynamics(mc.Robot(chain)).run([0.0], [0.0], [2.0])[0] == pytest.approx(2.0)
    with pytest.raises(mc.Error, match="joint root_joint moves link base"):
        mc.forward_dynamics(mc.Robot(chain, floating=True))
