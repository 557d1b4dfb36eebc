"""What strangers may call links, joints and robots, and a robot whose parts are called so."""

import numpy as np

from motionc.model import Attachment, Joint, JointType, KinematicChain, Link, Robot, Role, Segment

NAMES = [
    *('a;system("x")//', "link_0.0", "LFoot/FSR", "a b", " a ", "3d", "-rf", "../../etc/x", "%s%n", "{0}", "x" * 300),
    *("größe", "关节", "🦾", "ﷺ", "e\u0301", "\u202eevil\u2066", "\u200b.", "\x85\u2028\x9b2J", "a\tb\nc"),
    *("for", "restrict", "class", "NAN", "q", "tau", "w", "t1", "APART", "ldlt_solve_6", "inverse_dynamics"),
    *("*/ int evil; /*", "*\\ int evil; \\*", "**//**//", "a\\\nb", "a\\", "??/", "???/\n", "//", '"', "'\"&<>", "]]>"),
    *("#include <x>", '"); abort(); ("', "joint:x", "x:inertia", "a/b", "a.b", "a_b"),
]
"""What a file may call things; the last three are one name once they are escaped."""

UNWRITABLE = ["\x00", "a\x00*/b", "\x1b[2J", "\udc80", "\ufffe"]
"""What only Python can call things: XML has no such characters."""


def built(robot: str, names: list[str]) -> Robot:
    """A chain of hinges with these links and joints, written in Python."""
    last, joints = Segment("base", Link.rigid("base"), (Attachment("out", Role.JOINT),)), list[Joint]()
    for name in names:
        link = Link.rigid(name, 2.0, (0.1, 0.2, 0.3), (1, 1, 1), features={f"{name} tool": np.eye(4)})
        ends = (Attachment(f"{name}<", Role.JOINT), Attachment(f"{name}>", Role.JOINT))
        segment = Segment(name, link, ends)
        near = last.frames[-1].name
        joints.append(Joint(name, JointType.REVOLUTE, (segment, f"{name}<"), (last, near)))
        last = segment
    return Robot(KinematicChain(robot, tuple(joints)))
