"""What people get wrong in a URDF file, here a UR5's: each mistake is told once, where it stands, with a way out."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

import motionc as mc
from motionc.formats import ReadError, read_urdf
from motionc.model import Severity
from motionc.robots import robot_file

FILE = robot_file("ur5")
assert FILE is not None
UR5 = FILE.read_text(encoding="utf-8")
ELBOW = UR5[UR5.index('<joint name="elbow_joint"') : UR5.index('<link name="forearm_link">')]
FOREARM = UR5[UR5.index('<link name="forearm_link">') : UR5.index('<joint name="wrist_1_joint"')]
LIMITS = 'lower="-3.141592653589793" upper="3.141592653589793"'
BRACE = '<joint name="brace" type="fixed"><parent link="base_link"/>'
WRIST = 'effort="28"/>\n'


def elbow(old: str, new: str) -> Callable[[], str]:
    """The file with something else in the elbow."""
    assert old in ELBOW
    return lambda: UR5.replace(ELBOW, ELBOW.replace(old, new))


def forearm(old: str, new: str) -> Callable[[], str]:
    """The file with something else in the forearm, everywhere it stands there; `old` is a pattern."""
    changed, count = re.subn(old, new, FOREARM, flags=re.DOTALL)
    assert count
    return lambda: UR5.replace(FOREARM, changed)


def everywhere(old: str, new: str | Callable[[re.Match[str]], str], count: int = 0) -> Callable[[], str]:
    assert re.search(old, UR5)
    return lambda: re.sub(old, new, UR5, count=count)


def in_millimetres(match: re.Match[str]) -> str:
    return f'{match[1]}="{" ".join(f"{1000 * float(word):g}" for word in match[2].split())}"'


def circle() -> str:
    """The three wrists follow one another."""
    text = UR5
    for leader in ("wrist_2_joint", "wrist_3_joint", "wrist_1_joint"):
        text = text.replace(WRIST, f'effort="28" />\n<mimic joint="{leader}"/>\n', 1)
    return text


class Mistake(NamedTuple):
    """What was done, which rule finds it, what stands at the caret, and what the message and the remedy say."""

    text: Callable[[], str]
    rule: str
    at: str
    says: str
    remedy: str
    times: int = 1


MISTAKES = {
    # figures nobody looks at twice
    "no inertial": Mistake(
        forearm("<inertial>.*</inertial>", ""), "Mg1", '<link name="forearm', "has no mass", "add its mass"
    ),
    "limits in degrees": Mistake(
        everywhere(r'lower="-6[^"]*" upper="6[^"]*"', 'lower="-360" upper="360"'),
        *("Mg2", 'lower="-360"', "57.3 turns: these look like degrees", "give lower = -6.28319 and upper = 6.28319"),
        times=5,
    ),
    "angles in degrees": Mistake(
        everywhere('rpy="1.57[^"]*"', 'rpy="90 0 0"', 1), "Ur10", 'rpy="90', "looks like degrees", "give 1.5708 0 0"
    ),
    "an arm in millimetres": Mistake(
        elbow("-0.425", "-425"), "Mg3", 'xyz="-425', "joint elbow_joint sits 425 m away", "divide it by 1000 to 0.425"
    ),
    "all in millimetres": Mistake(
        everywhere(r'(?<!axis )(xyz|radius|length)="([^"]*)"', in_millimetres),
        *("Mg7", "<link", "the robot weighs 18.4 kg and has joints up to 425 m apart", "if lengths are in millimetres"),
    ),
    "moments in kg mm²": Mistake(
        forearm("<inertia .*?/>", '<inertia ixx="132700" ixy="0" ixz="0" iyy="132700" iyz="0" izz="132700"/>'),
        *("Mg5", "<inertia ", "1.327e+05 kg m² on 2.33 kg", "in kg mm², divide them by 1e6"),
    ),
    "a centre of mass in millimetres": Mistake(
        forearm("-0.24225 0 0.0265", "-196 0 0"), "Mg4", 'xyz="-196', "196 m away", "divide it by 1000 to 0.196"
    ),
    "effort and velocity left at 0": Mistake(
        elbow('velocity="3.141592653589793" effort="150"', 'velocity="0" effort="0"'),
        *("Mg6", 'velocity="0"', "may not move: velocity = 0, effort = 0", "give the limits it has"),
    ),
    "limits left out": Mistake(
        elbow(LIMITS, ""), "Mg6", "<limit", "may not move: lower = upper = 0", "give the limits"
    ),
    "masses in another unit": Mistake(
        everywhere(r'(value)="([^"]*)"', lambda match: f'value="{float(match[2]) / 1e6:g}"'),
        *("Mg5", "<inertia ", "as if its mass sat", "or correct the mass"),
        times=7,
    ),
    # how links hang together
    "parent and child swapped": Mistake(
        elbow(
            'parent link="upper_arm_link"/>\n    <child link="forearm_link"',
            'child link="upper_arm_link"/>\n    <parent link="forearm_link"',
        ),
        *("Kc3", 'link="upper_arm_link"', "is the child (target) of 2 joints", "exchange parent and child of elbow"),
    ),
    "a parent that is not there": Mistake(
        elbow('"upper_arm_link"', '"uper_arm_link"'), "Read", 'link="uper', "there is no link", "did you mean upper_arm"
    ),
    "a child that is not there": Mistake(
        elbow('"forearm_link"', '"ForearmLink"'), "Read", 'link="Fore', "there is no link 'ForearmLink'", "add the link"
    ),
    "a joint from a link to itself": Mistake(
        elbow('"forearm_link"', '"upper_arm_link"'), "Jt2", "<joint", "both ends of joint elbow_joint", "one segment"
    ),
    "a joint without a child": Mistake(
        elbow('<child link="forearm_link"/>', ""), "Read", "<joint", "the joint has no <child>", 'add <child link="…"/>'
    ),
    "a joint forgotten": Mistake(
        lambda: UR5.replace(ELBOW, ""), "Kc4", 'link="forearm_link"', "does not reach, nor 3 more", "add a joint"
    ),
    "two joints to one link": Mistake(
        everywhere("</robot>", f'{BRACE}<child link="forearm_link"/></joint></robot>'),
        *("Kc3", 'link="forearm_link"', "child (target) of 2 joints, elbow_joint and brace", "keep the one"),
    ),
    "another joint's child": Mistake(
        elbow('"forearm_link"', '"shoulder_link"'),
        *("Kc3", 'link="shoulder_link"', "child (target) of 2 joints, shoulder_pan_joint and", "leads to forearm_link"),
    ),
    "the same joint twice": Mistake(
        elbow("</joint>", f"</joint>{ELBOW.replace('elbow', 'elbow2')}"),
        *("Kc7", '<joint name="elbow2', "joints elbow_joint and elbow2_joint both connect", "keep one"),
    ),
    "a link on no joint": Mistake(
        everywhere("</robot>", '<link name="spare"/></robot>'), "Ur7", "<link", "hangs on no joint", "connect it"
    ),
    "two links of one name": Mistake(
        everywhere('<link name="tool0"/>', '<link name="wrist_3_link"/>'),
        *("Read", 'name="wrist_3_link"', "a link named 'wrist_3_link' stands in line", "rename one"),
    ),
    "two joints of one name": Mistake(
        everywhere('"wrist_2_joint"', '"wrist_1_joint"'), "Read", 'name="wrist_1', "a joint named", "rename one"
    ),
    # joints
    "limits crossed": Mistake(
        elbow(LIMITS, 'lower="3.1" upper="-3.1"'), "Jt4", 'lower="3.1"', "lower = 3.1 is above upper", "exchange lower"
    ),
    "a comment not closed": Mistake(elbow("<limit", "<!--"), "Read", "<!--", "cut off", "close what was left open"),
    "no limit": Mistake(
        lambda: UR5.replace(ELBOW, re.sub("<limit[^>]*>", "", ELBOW)),
        *("Ur3", "<joint", "the revolute joint has no <limit>", "add a <limit>"),
    ),
    "no velocity": Mistake(
        elbow('velocity="3.141592653589793"', ""), "Ur3", "<limit", "says no velocity", "add velocity"
    ),
    "an axis of zeros": Mistake(elbow("0 0 1", "0 0 0"), "Jt3", 'xyz="0 0 0"', "has axis (0.0, 0.0, 0.0)", "(0, 0, 1)"),
    "an axis not of length 1": Mistake(elbow("0 0 1", "0 1 1"), "Ur8", 'xyz="0 1 1"', "length 1.41421", "of length 1"),
    "a type URDF has not": Mistake(
        elbow("revolute", "Revolute"), "Read", 'type="Rev', "no joint type 'Revolute'", "use one of: revolute"
    ),
    "limits of a continuous joint": Mistake(
        elbow("revolute", "continuous"), "Ur8", 'lower="-3', "no position limits", "make the joint revolute"
    ),
    "a circle of mimics": Mistake(
        circle,
        *(
            "Kc6",
            'joint="wrist_2_joint"',
            "wrist_1_joint → wrist_2_joint → wrist_3_joint → wrist_1_joint",
            "let one lead",
        ),
    ),
    "a leader that is not there": Mistake(
        elbow("</joint>", '<mimic joint="sholder_lift_joint"/></joint>'),
        *("Kc6", 'joint="sholder', "which is no joint here", "did you mean shoulder_lift_joint"),
    ),
    # inertia
    "a negative mass": Mistake(forearm('"2.33"', '"-2.33"'), "Lk4", 'value="-2.33"', "mass -2.33", "finite mass ≥ 0"),
    "no mass": Mistake(forearm("<mass[^>]*>", ""), "Ur4", "<inertial>", "has no <mass>", "add the <mass>"),
    "no moments": Mistake(forearm("<inertia [^>]*>", ""), "Ur4", "<inertial>", "has no <inertia>", "add the <inertia>"),
    "one moment missing": Mistake(forearm('iyy="[^"]*"', ""), "Read", "<inertia ", "has no iyy", 'add iyy="…"'),
    "moments no body has": Mistake(
        forearm('iyy="0.0559177"', 'iyy="0.559177"'), "Lk4", "<inertia ", "no rigid body", "check the products"
    ),
    # writing
    "cut off in a tag": Mistake(
        lambda: UR5[: UR5.index('upper="3.14159')], "Read", "<limit", "it is cut off", "restore the missing end"
    ),
    "cut off between elements": Mistake(
        lambda: UR5[: UR5.index("<joint")],
        "Read",
        "",
        "it is cut off: the text ends too early, inside <robot>",
        "restore",
    ),
    "an element not closed": Mistake(
        elbow("</joint>", ""), "Read", "robot>", "mismatched tag, inside <joint>", "close"
    ),
    "a decimal comma": Mistake(elbow("-0.425", "-0,425"), "Read", 'xyz="-0,4', "is not a number", "decimal point"),
    "commas between numbers": Mistake(elbow("0 0 1", "0, 0, 1"), "Read", 'xyz="0, 0', "'0,' is not a number", "number"),
    "two numbers for three": Mistake(elbow("0 0 1", "0 1"), "Read", 'xyz="0 1"', "holds 2 numbers, not 3", "spaces"),
    "an attribute misspelt": Mistake(
        elbow('xyz="0 0 1"', 'xyz="0 0 1" rpu="0"'), "Ur2", 'rpu="0"', "rpu", "known here"
    ),
    "an element misspelt": Mistake(elbow("<origin", "<orign"), "Ur1", "<orign", "no <orign> in <joint>", "origin"),
    "values as text": Mistake(
        elbow('<axis xyz="0 0 1"/>', "<axis>0 0 1</axis>"), "Read", "<axis>", "no xyz", "add xyz"
    ),
    "an & in a name": Mistake(elbow('"forearm_link"', '"a & b"'), "Read", " b", "not well-formed", "write & as &amp;"),
    "a macro left in": Mistake(
        everywhere("</robot>", '<xacro:arm prefix="l"/></robot>'), "Read", "<xacro", "is a macro", "expand it"
    ),
    "a shape of nothing": Mistake(
        forearm("(<collision>.*?)<geometry>.*?</geometry>", r"\1<geometry/>"),
        *("Ur9", "<geometry/>", "holds 0 shapes", "say box"),
        times=3,
    ),
}


def findings_of(text: str) -> mc.Findings:
    try:
        return read_urdf(text, "ur5.urdf").findings
    except ReadError as error:
        return mc.Findings((mc.Finding("Read", Severity.ERROR, error.place, error.message, error.remedy, error.quote),))


def test_the_file_itself_has_no_findings():
    assert len(MISTAKES) >= 28
    assert not findings_of(UR5)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_typical_mistake_is_told_once_where_it_stands_with_a_way_out(name: str):
    mistake = MISTAKES[name]
    text = mistake.text()
    findings = findings_of(text)
    (group,) = findings.groups
    first = group[0]
    assert first.rule == mistake.rule
    assert mistake.says in first.message
    assert mistake.remedy in first.remedy
    assert len(group) == mistake.times
    line = text.split("\n")[first.place.line - 1]
    assert line[first.place.column - 1 :].startswith(mistake.at)
    assert (first.quote.text[first.quote.caret :] if first.quote else "").startswith(mistake.at)


@pytest.mark.parametrize("name", ["lwr4", "ur5"])
def test_centres_of_mass_in_millimetres_are_seen_where_all_of_them_are(name: str) -> None:
    def thousandfold(inertial: re.Match[str]) -> str:
        return re.sub(
            '(?<=xyz=")[^"]*', lambda xyz: " ".join(repr(1e3 * float(word)) for word in xyz[0].split()), inertial[0]
        )

    file = robot_file(name)
    assert file is not None
    text = file.read_text(encoding="utf-8")
    text, count = re.subn("<inertial>.*?</inertial>", thousandfold, text, flags=re.DOTALL)
    found = mc.check(text)
    assert count > 5
    assert {finding.rule for finding in found.warnings} == {"Mg4"}
    assert len(found.warnings) > 4


@pytest.mark.parametrize(
    ("mass", "message", "remedy"),
    [
        ('value="10 kg"', "'kg' is no number", "numbers alone"),
        ('val="4"', "<mass> has no value", "did you mean value by 'val'"),
        ('value="1 2"', "holds 2 numbers, not 1", "separate numbers by spaces"),
    ],
)
def test_a_mass_in_other_words_is_told_apart(mass: str, message: str, remedy: str) -> None:
    moments = " ".join(f"{name}='{int(name[1] == name[2])}'" for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    inertial = f"<inertial><mass {mass}/><inertia {moments}/></inertial>"
    (found,) = mc.check(f"<robot name='r'><link name='b'>{inertial}</link></robot>").errors
    assert message in found.message
    assert remedy in found.remedy
