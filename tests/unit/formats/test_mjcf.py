"""The MJCF reader: what is mapped, the fate of every element, each refusal."""

import math
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionc as mc
from motionc.formats import Document, Outcome, read_mjcf
from oracle import error

mujoco = pytest.importorskip("mujoco")
from mujoco_witness import MujocoWitness  # noqa: E402

# ---------------------------------------------------------------- what is mapped

ROBOT = """<mujoco model="all">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0 0 -1" viscosity="1"><flag contact="disable"/></option>
  <default>
    <joint damping="0.5" armature="0.02"/>
    <default class="light"><geom density="300" material="red"/><joint frictionloss="0.3"/></default>
  </default>
  <asset>
    <material name="red" rgba="1 0 0 1"/>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1" scale="0.2 0.2 0.2"/>
    <mesh name="unread" file="/etc/passwd.stl"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 1"/>
    <site name="home" pos="1 0 0"/>
    <body name="turret" pos="0.1 0.2 0.3" euler="20 30 40">
      <inertial pos="0.1 0 0" mass="2" fullinertia="0.2 0.3 0.4 0.01 0.02 0.03"/>
      <joint name="yaw" axis="0 1 3" pos="0.1 0.2 0" ref="15" range="-90 100"/>
      <joint name="lift" type="slide" axis="1 1 0" ref="0.2" pos="0.3 0 0" class="light"/>
      <joint name="roll" axis="1 0 0.5" pos="0 0.1 0.1"/>
      <geom type="mesh" mesh="unread"/>
      <site name="turret" pos="0 0 1" euler="0 90 0"/>
      <frame pos="0.5 0 0" euler="0 0 30">
        <body name="elbow" childclass="light">
          <joint name="bend" stiffness="3"/>
          <geom type="mesh" mesh="wedge"/>
          <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0.1"/>
          <body name="ball" pos="0.4 0 0.1" gravcomp="1"><joint type="ball" pos="0 0.1 0" range="0 50"/>
            <geom size="0.1"/>
          </body>
        </body>
      </frame>
    </body>
    <replicate count="2" offset="0 1 0">
      <body name="pin" quat="1 2 3 4">
        <joint name="pin" ref="10"/><geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/>
      </body>
    </replicate>
    <body name="target" mocap="true"><geom size="0.1"/></body>
    <body name="kite" pos="1 1 1"><freejoint name="fly"/><geom size="0.1 0.2 0.3" type="ellipsoid"/></body>
  </worldbody>
  <equality>
    <joint joint1="pin0" joint2="yaw" polycoef="0.3 -2 0 0 0"/>
    <joint joint1="pin1" joint2="yaw" polycoef="0 1 1 0 0"/>
    <weld body1="kite" body2="elbow"/>
  </equality>
  <tendon><fixed name="cord"><joint joint="bend" coef="1"/></fixed></tendon>
  <actuator>
    <motor joint="yaw" gear="-10" ctrlrange="-2 2"/>
    <general joint="roll" forcerange="-4 6" gear="2" gainprm="3"/>
    <motor joint="roll" gear="3" ctrlrange="-1 1"/>
    <position joint="bend" kp="10"/>
    <motor tendon="cord"/>
  </actuator>
  <sensor><jointpos joint="yaw"/></sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return read_mjcf(ROBOT, "all.xml")


def test_a_model_of_everything_moves_as_in_mujoco(document: Document) -> None:
    text = ROBOT.replace('<mesh name="unread" file="/etc/passwd.stl"/>', "").replace('mesh="unread"', 'mesh="wedge"')
    robot, model = mc.Robot(document.chain), mujoco.MjModel.from_xml_string(text)
    witness, rng = MujocoWitness(model, robot), np.random.default_rng(0)
    assert robot.followers == {"pin0": ("yaw", -2.0, pytest.approx(0.3 + math.radians(10 + 2 * 15)))}
    links = [model.body(number).name for number in range(model.nbody)]
    for _ in range(5):
        q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.nv))
        bodies, sites = witness.poses(q)
        ours = mc.forward_kinematics(robot, [*links, "home", "site:turret"]).run(q)
        assert error(ours, np.concatenate([bodies, sites])) < 1e-12
        tau = witness.inverse_dynamics(q, v, a)
        assert error(mc.inverse_dynamics(robot, gravity=(0, 0, -1)).run(q, v, a), tau) < 1e-10
        assert error(mc.forward_dynamics(robot, gravity=(0, 0, -1)).run(q, v, tau), a) < 1e-10

    # a follower is where MuJoCo's own constraint is met
    witness.model.opt.disableflags = 0
    witness.poses(q)
    mujoco.mj_forward(model, witness.data)
    assert abs(witness.data.efc_pos[witness.data.efc_id == 0][0]) < 1e-12


def test_several_joints_of_a_body_have_massless_links_between(document: Document) -> None:
    joints = {joint.name: joint for joint in document.chain.joints}
    path = [(joints[name].parent.name, joints[name].child.name) for name in ("yaw", "lift", "roll")]
    assert path == [("world", "turret/yaw"), ("turret/yaw", "turret/lift"), ("turret/lift", "turret")]
    assert joints["lift"].child.link.mass is None
    assert joints["roll"].child.link.mass == 2


def test_joints_carry_limits_armature_damping_friction_and_effort(document: Document) -> None:
    joints = {joint.name: joint for joint in document.chain.joints}
    yaw, lift, roll, bend = (joints[name] for name in ("yaw", "lift", "roll", "bend"))
    assert (yaw.type, roll.type, lift.type) == (mc.JointType.REVOLUTE, mc.JointType.CONTINUOUS, mc.JointType.PRISMATIC)
    assert (yaw.limits.lower, yaw.limits.upper) == pytest.approx((-math.pi / 2, math.radians(100)))
    assert yaw.transmission == mc.Transmission(0.02, 0.5, 0.0)
    assert lift.transmission == mc.Transmission(0.02, 0.5, 0.3)
    assert [joint.limits.effort for joint in (yaw, lift, roll, bend)] == [20, math.inf, 2 * 6 + 3 * 1, math.inf]
    assert joints["target/fixed"].type is mc.JointType.FIXED
    assert joints["fly"].type is mc.JointType.FLOATING


def test_armature_of_a_geared_actuator_is_reflected() -> None:
    if not hasattr(mujoco.MjsActuator, "armature"):
        pytest.skip("this MuJoCo's actuators have none")
    body = "<body><joint name='j' armature='0.1'/><geom size='1'/></body>"
    actuator = "<motor joint='j' gear='10' armature='0.02' damping='0.03'/>"
    (joint,) = read_mjcf(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuator}</actuator></mujoco>").chain.joints
    assert (joint.transmission.rotor_inertia, joint.transmission.damping) == (pytest.approx(2.1), pytest.approx(3.0))


# ---------------------------------------------------------------- fates and findings


def test_every_element_has_a_fate_in_document_order(document: Document) -> None:
    tags = [element.tag for element in ElementTree.fromstring(ROBOT).iter()]
    assert [fate.element.split("/")[-1].split("[")[0] for fate in document.fates] == tags
    assert all(fate.place.line and fate.place.file == "all.xml" for fate in document.fates)
    assert all(fate.reason for fate in document.fates if fate.outcome is not Outcome.USED)


@pytest.mark.parametrize(
    ("element", "outcome", "reason"),
    [
        ("mujoco/worldbody/light", "unused", "a light"),
        ("mujoco/worldbody/geom", "unused", "a shape of the world"),
        ("mujoco/worldbody/body[turret]/geom", "used", ""),
        ("mujoco/worldbody/body[turret]/frame/body[elbow]/geom", "used", ""),
        ("mujoco/worldbody/body[turret]/joint[yaw]", "used", ""),
        ("mujoco/asset/mesh[wedge]", "used", ""),
        ("mujoco/asset/mesh[unread]", "used", ""),
        ("mujoco/asset/material[red]", "used", ""),
        ("mujoco/equality/weld", "unused", "tree"),
        ("mujoco/tendon/fixed[cord]/joint", "unused", "tree"),
        ("mujoco/actuator/motor", "used", ""),
        ("mujoco/actuator/position", "unused", "no bound"),
        ("mujoco/sensor/jointpos", "unused", "sensors"),
        ("mujoco/option/flag", "unused", "simulation"),
    ],
)
def test_fates(document: Document, element: str, outcome: str, reason: str) -> None:
    fate = next(fate for fate in document.fates if fate.element == element)
    assert (fate.outcome, reason in fate.reason) == (outcome, True)


@pytest.mark.parametrize(
    ("rule", "at", "words"),
    [
        ("Mj8", "<option", "gravity '0 0 -1' is not in the model"),
        ("Mj4", "<option", "viscosity"),
        ("Mj6", '<site name="turret"', "'site:turret'"),
        ("Mj4", '<joint name="bend"', "spring of stiffness 3"),
        ("Mj4", '<body name="ball"', "gravity compensated"),
        ("Mj7", '<body name="ball"', "an angle about any axis"),
        ("Mj5", "mocap=", "mocap body target is held"),
        ("Mj8", "<freejoint", "fly starts at [1.0, 1.0, 1.0]"),
        ("Mj2", "0 1 1 0 0", "order two"),
        ("Mj2", "<weld", "<weld> is not part of the tree"),
        ("Mj3", "<fixed", "<fixed> is not part of the tree"),
        ("Mj7", "forcerange", "[-4.0, 6.0] is not symmetric; 6 is kept"),
    ],
)
def test_what_has_no_place_is_said(document: Document, rule: str, at: str, words: str) -> None:
    assert document.findings.ok
    line = ROBOT[: ROBOT.index(at)].count("\n") + 1
    (found,) = [x for x in document.findings.of_rule(rule) if x.place.line == line and words in x.message]
    assert found.remedy


@pytest.mark.parametrize(
    ("equality", "words"),
    [
        ('<joint joint1="a" joint2="b" active="false"/>', "is not active"),
        ('<joint joint1="a" polycoef="0.5 1 0 0 0"/>', "holds joint a"),
        ('<joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/>', "one too many for joint b"),
        ('<joint joint1="a" joint2="b"/><joint joint1="a" joint2="c"/>', "one too many for joint a"),
    ],
)
def test_couplings_that_are_no_mimic_are_said(equality: str, words: str) -> None:
    bodies = "".join(f"<body><joint name='{name}'/><geom size='1'/></body>" for name in "abc")
    read = read_mjcf(f"<mujoco><worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>")
    assert any(words in finding.message for finding in read.findings.of_rule("Mj2"))
    assert mc.Robot(read.chain).nv >= 2


def test_names_are_given_to_what_has_none_and_kept_apart() -> None:
    body = '<body><joint/><joint axis="1 0 0" name="body_1/joint_0"/><geom size="1"/><site/>{}</body>'
    inner = body.format("").replace("body_1/joint_0", "x")
    chain = read_mjcf(f"<mujoco><worldbody>{body.format(inner)}</worldbody></mujoco>").chain
    assert [joint.name for joint in chain.joints] == ["joint_0", "body_1/joint_0", "joint_2", "x"]
    assert [segment.name for segment in chain.segments] == [
        *("world", "body_1/joint_0", "body_1", "body_2/joint_2", "body_2"),
    ]


# ---------------------------------------------------------------- refusals

PENDULUM = "<mujoco>\n<worldbody>\n<body>\n{}\n</body>\n</worldbody>\n</mujoco>"


def refusal(text: str | Path, **options) -> mc.ReadError:
    with pytest.raises(mc.ReadError) as caught:
        read_mjcf(text, "m.xml" if isinstance(text, str) else "", **options)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize(
    ("inside", "line", "words"),
    [
        ("<joint/>", 3, "mass and inertia of moving bodies"),
        ("<joint axis='0 0 0'/><geom size='1'/>", 4, "axis"),
        ("<joint range='nan 1'/><geom size='1'/>", 4, "'nan 1' is not a number"),
        ("<joint axis='one'/><geom size='1'/>", 4, "'axis'"),
        ("<joint colour='red'/><geom size='1'/>", 4, "colour"),
        ("<joint/><geom size='1'/>\n<body name='b'><geom size='-1'/></body>", 5, "size"),
        ("<joint name='j'/><joint name='j'/>\n<geom size='1'/>", 4, "repeated name 'j'"),
        ("<geom type='mesh' mesh='none'/>", 4, "mesh"),
        ("<attach model='m' body='b' prefix='p'/>", 4, "attached are not read"),
        ("<geom type='sdf'><plugin instance='i'/></geom>", 4, "plugin"),
        ("<replicate count='many'/>", 4, "'many' is no number of copies"),
        ("<joint/><geom size='1'/><site pos='inf 0 0'/>", 4, "not finite"),
    ],
)
def test_refusals_say_where_and_why(inside: str, line: int, words: str) -> None:
    error = refusal(PENDULUM.format(inside))
    assert (error.file, error.line) == ("m.xml", line)
    assert words in error.message


def test_what_mjcf_does_not_define_is_ignored_and_said() -> None:
    read = read_mjcf(PENDULUM.format("<geom size='1'/><wheel/>").replace("</mujoco>", "<engine/></mujoco>"))
    assert [(finding.rule, finding.place.line) for finding in read.findings.of_rule("Mj1")] == [("Mj1", 4), ("Mj1", 7)]
    assert sum(fate.outcome is Outcome.UNKNOWN for fate in read.fates) == 2


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<replicate count='99999999'><site/></replicate>", "5000 copies"),
        ("<replicate count='75'><replicate count='75'><site/></replicate></replicate>", "5000 copies"),
        ("<site/>" * 50_001, "more than 50000 parts"),
        ("<body><freejoint/></body>" * 7_200, "more than 50000 parts"),
        ("<frame>" * 300 + "</frame>" * 300, "deep"),
    ],
)
def test_what_would_take_for_ever_is_refused(inside: str, words: str) -> None:
    assert words in refusal(PENDULUM.format(inside)).message


def test_what_asks_for_memory_never_reaches_mujoco() -> None:
    sections = """<size memory="9E" nuserdata="2000000000"/><custom><numeric name="n" size="2000000000"/></custom>
      <asset><texture name="t" type="2d" builtin="flat" width="2000000" height="2000000"/>
      <hfield name="h" nrow="2000000" ncol="2000000" size="1 1 1 1"/></asset>
      <actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator></mujoco>"""
    text = PENDULUM.format("<joint name='j'/><geom size='1'/>").replace("</mujoco>", sections)
    assert len(read_mjcf(text).chain.joints) == 1


def test_what_mujoco_warns_of_is_a_note_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read = read_mjcf(PENDULUM.format("<joint/><joint/><geom size='1'/>"))
    assert any("singular" in finding.message for finding in read.findings.of_rule("Mj9"))
    assert not list(tmp_path.iterdir())


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + PENDULUM.format("<geom size='1' name='&b;'/>")
    assert "DOCTYPE" in refusal(bomb).message


@settings(max_examples=60)
@given(st.text(st.sampled_from("<>/= '\"abj1.e-\n&;"), max_size=60), st.integers(0, 400))
def test_damaged_files_are_read_or_refused_by_place(noise: str, at: int) -> None:
    text = ROBOT[:at] + noise + ROBOT[at + len(noise) :]
    refused = None
    try:
        read_mjcf(text, "damaged.xml")
    except mc.ReadError as error:
        refused = error
    assert refused is None or (refused.file == "damaged.xml" and refused.line)


def test_without_mujoco_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(mc.Error, match=r"pip install 'motionc\[mujoco\]'"):
        read_mjcf(ROBOT)


# ---------------------------------------------------------------- files

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """robot/model.xml includes robot/parts/arm.xml and needs robot/meshes/tetra.obj; secret.* lies outside."""
    robot = tmp_path / "robot"
    for name in ("parts", "meshes"):
        (robot / name).mkdir(parents=True)
    (tmp_path / "secret.xml").write_text("<mujocoinclude><site name='secret'/></mujocoinclude>")
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    (robot / "meshes" / "tetra.obj").write_text(TETRAHEDRON)
    (robot / "parts" / "arm.xml").write_text(
        "<mujocoinclude>\n<body name='arm'><joint name='j'/><geom type='mesh' mesh='tetra'/></body>\n</mujocoinclude>"
    )
    (robot / "model.xml").write_text(model("parts/arm.xml", "meshes", "tetra.obj"))
    return robot


def model(include: str, meshdir: str, mesh: str) -> str:
    return f"""<mujoco><compiler meshdir="{meshdir}"/><asset><mesh file="{mesh}"/></asset>
<worldbody><include file="{include}"/></worldbody></mujoco>"""


def test_includes_and_meshes_of_the_folder_are_read_and_located(folder: Path) -> None:
    robot = mc.load(folder / "model.xml")
    assert robot.joint_names == ("j",)
    assert robot.links[1].mass == pytest.approx(1000 / 6)
    assert robot.joints[0].place.file == str((folder / "parts" / "arm.xml").resolve())
    assert robot.joints[0].place.line == 2
    assert mujoco.MjModel.from_xml_path(str(folder / "model.xml")).body_mass[1] == robot.links[1].mass


@pytest.mark.parametrize(
    ("include", "meshdir", "mesh"),
    [
        ("../secret.xml", "meshes", "tetra.obj"),
        ("{root}/secret.xml", "meshes", "tetra.obj"),
        ("parts/../../secret.xml", "meshes", "tetra.obj"),
        ("linked.xml", "meshes", "tetra.obj"),
        ("parts/arm.xml", "..", "secret.obj"),
        ("parts/arm.xml", "{root}", "secret.obj"),
        ("parts/arm.xml", "meshes", "../../secret.obj"),
        ("parts/arm.xml", "linked", "secret.obj"),
    ],
)
def test_files_outside_are_not_read_unless_allowed(folder: Path, include: str, meshdir: str, mesh: str) -> None:
    root = folder.parent
    (folder / "linked.xml").symlink_to(root / "secret.xml")
    (folder / "linked").symlink_to(root)
    text = model(include, meshdir, mesh).format(root=root).replace("<mesh ", '<mesh name="tetra" ')
    (folder / "model.xml").write_text(text)
    error = refusal(folder / "model.xml")
    assert "outside the model's folder" in error.message
    assert error.line in (1, 2)
    assert read_mjcf(folder / "model.xml", roots=[root]).findings is not None


@pytest.mark.parametrize(
    ("include", "words"),
    [
        ("parts/none.xml", "there is no file"),
        ("model.xml", "included already"),
        ("parts", "there is no file"),
        ("pipe.xml", "there is no file"),
        ("", "names no file"),
        ("a\tb" * 2000, "no"),
    ],
)
def test_files_that_are_none_are_refused_at_once(folder: Path, include: str, words: str) -> None:
    os.mkfifo(folder / "pipe.xml")
    (folder / "model.xml").write_text(model(include, "meshes", "tetra.obj"))
    error = refusal(folder / "model.xml")
    assert words in error.message
    assert error.line == 2


def test_includes_in_circles_are_refused(folder: Path) -> None:
    (folder / "parts" / "arm.xml").write_text("<m><include file='parts/hand.xml'/></m>")
    (folder / "parts" / "hand.xml").write_text("<m><include file='parts/arm.xml'/></m>")
    error = refusal(folder / "model.xml")
    assert "included already" in error.message
    assert error.file.endswith("hand.xml")


def test_a_text_has_no_folder() -> None:
    assert "outside" in refusal(model("parts/arm.xml", "meshes", "tetra.obj")).message


def test_the_root_element_says_which_format_an_xml_file_has(tmp_path: Path) -> None:
    urdf, mjcf = tmp_path / "u.xml", tmp_path / "m.xml"
    urdf.write_text("<robot name='r'><link name='only'/></robot>")
    mjcf.write_text(PENDULUM.format("<geom size='1'/>"))
    assert mc.load(urdf).link_names == ("only",)
    assert mc.load(mjcf).link_names == ("world", "body_1")
    assert mc.check(mjcf).ok
