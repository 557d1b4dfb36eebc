"""What a file says and dynamics leave out is said: damping and friction (Dy2), laws of actuators (Mj4)."""

import mujoco
import numpy as np
import pytest

import motionc as mc
from motionc.formats import Document, Outcome, read_mjcf, read_urdf
from motionc.model import Severity


def mjcf(joint: str, actuator: str = "") -> Document:
    body = f"<body name='rod'><joint name='hinge' {joint}/><geom size='0.1' mass='2'/></body>"
    return read_mjcf(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuator}</actuator></mujoco>")


def urdf(dynamics: str) -> Document:
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    return read_urdf(
        f"<robot name='r'><link name='base'/><link name='rod'>{inertial}</link><joint name='hinge' type='continuous'>"
        f"<parent link='base'/><child link='rod'/><dynamics {dynamics}/></joint></robot>"
    )


@pytest.mark.parametrize("said", ["damping='5'", "friction='0.2'"])
def test_a_file_with_damping_or_friction_hears_when_it_acts(said: str) -> None:
    for document, element in (
        (urdf(said), "robot/joint[hinge]/dynamics"),
        (mjcf(said.replace("friction", "frictionloss")), "mujoco/worldbody/body[rod]/joint[hinge]"),
    ):
        (finding,) = document.findings
        assert (finding.rule, finding.severity) == ("Dy2", Severity.NOTE)
        assert "joint hinge has damping or friction, which dynamics leave out unless" in finding.message
        assert "friction=True" in finding.message + finding.remedy
        (fate,) = (fate for fate in document.fates if fate.element == element)
        assert fate.outcome is Outcome.USED
        assert "friction=True" in fate.reason
    assert mc.Robot(document.chain).findings.of_rule("Dy2")


def test_a_rotor_is_used_and_needs_no_word() -> None:
    assert len(urdf("rotor_inertia='0.1'").findings) == 0
    assert len(mjcf("armature='0.1'").findings) == 0


def test_many_joints_are_one_finding() -> None:
    arm = mc.from_dh([{"a": 0.1, "mass": 1.0, "ixx": 1, "iyy": 1, "izz": 1, "damping": 0.2}] * 6)
    (finding,) = arm.findings.of_rule("Dy2")
    assert "joints joint_1, joint_2, joint_3 and 3 more have damping" in finding.message


@pytest.mark.parametrize("servo", ["<position joint='hinge' kp='10'/>", "<velocity joint='hinge' kv='3'/>"])
def test_servos_of_a_file_are_said_to_be_left_out(servo: str) -> None:
    (finding,) = mjcf("", servo).findings
    assert finding.rule == "Mj4"
    assert "push by laws of their own, which are not in the model" in finding.message
    assert len(mjcf("", "<motor joint='hinge' gear='10'/>").findings) == 0


FLAGGED = """<mujoco><compiler autolimits="true"/><option>{}</option><worldbody>
<body><joint name="lift" type="slide" damping="3" frictionloss="0.7"/><geom size="0.1" mass="2"/>
<body pos="0 0.3 0"><joint name="turn" axis="1 0 0" damping="0.4" frictionloss="0.2"/>
<geom size="0.1" pos="0 0.2 0" mass="1"/></body></body></worldbody>
<actuator><motor joint="turn" gear="2" {}/></actuator></mujoco>"""


@pytest.mark.parametrize("flags", ["", "damper", "frictionloss", "constraint", "damper frictionloss"])
def test_what_a_flag_disables_is_no_force_here_as_in_mujoco(flags: str) -> None:
    said = "<flag" + "".join(f" {flag}='disable'" for flag in flags.split()) + "/>"
    own = "damping='0.1'" if hasattr(mujoco.MjModel, "actuator_damping") else ""
    model = mujoco.MjModel.from_xml_string(text := FLAGGED.format(said, own))
    robot, data = mc.Robot(read_mjcf(text).chain), mujoco.MjData(model)
    data.qpos[:], data.qvel[:], tau = [0.1, 0.4], [5.0, -7.0], np.array([20.0, 1.0])
    data.qfrc_applied[:] = tau
    mujoco.mj_forward(model, data)
    found = mc.forward_dynamics(robot, friction=True).run(data.qpos, data.qvel, tau)
    assert np.abs(found - data.qacc).max() < 1e-3  # MuJoCo's friction is soft, ours smooth
    if model.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT):
        assert np.abs(found - data.qacc_smooth).max() < 1e-10


def test_flags_of_other_versions_and_those_that_let_couplings_go_are_heeded() -> None:
    couple = "<equality><joint joint1='turn' joint2='lift'/></equality></mujoco>"
    for flags, damped, follows in (
        ("<flag passive='disable'/>", False, True),
        ("<flag damper='disable'/></option><option><flag damper='enable'/>", True, True),
        ("<flag equality='disable'/>", True, False),
    ):
        document = read_mjcf(FLAGGED.format(flags, "").replace("</mujoco>", couple))
        (turn,) = (joint for joint in document.chain.joints if joint.name == "turn")
        assert (turn.transmission.damping > 0, turn.mimic is not None) == (damped, follows)
        assert follows == (not document.findings.of_rule("Mj2"))
