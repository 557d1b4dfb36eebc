"""What a file says and dynamics leave out is said: damping and friction (Dy2), laws of actuators (Mj4)."""

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
