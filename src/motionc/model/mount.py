"""One robot on another: an arm with a gripper, with whatever of both is held, follows, or floats."""

from collections.abc import Iterable
from typing import TypeVar

from motionc import checked
from motionc.errors import Error
from motionc.model.chain import KinematicChain, placed
from motionc.model.compose import Names, in_the_world, mounted, without_mimics
from motionc.model.robot import ROOT_JOINT, Robot

Model = TypeVar("Model", Robot, KinematicChain)


def attach(
    model: Model,
    other: Robot | KinematicChain,
    at: str,
    *,
    prefix: str = "",
    xyz: Iterable[float] = (0, 0, 0),
    rpy: Iterable[float] = (0, 0, 0),
    name: str = "",
    floating: bool = False,
) -> Model:
    """A robot or chain with another one on one of its frames: fixed to it, or moving freely with respect to it.

    The other's root link is fixed there, whether it floated before or not, unless floating=True; its joints keep their
    mimics, limits, pitches, axes and transmissions, its links their masses, shapes and frames. What is held stays held,
    a robot that floats floats, and mimic joints that were loaded independent stay so. Joints of the other come after
    those of the first that hang on the same link.

    Args:
        model: what it is attached to; the answer is a Robot for a Robot, a KinematicChain for a KinematicChain.
        other: what is attached, a Robot or a KinematicChain.
        at: a frame of the first: a link, an attachment, or joint:NAME.
        prefix: what all names of the other start with afterwards; without one, names that both have are refused.
        xyz: where the other's root is wrt that frame (m).
        rpy: how it is turned there: roll, pitch, yaw (rad).
        name: of the result; NAME_OTHER unless said.
        floating: whether the other moves freely with respect to that frame, by a floating joint `root_joint` after its
            prefix; xyz and rpy are where it is at q = 0. At "world" two robots are side by side, each on its own,
            whether the first floats or not.

    >>> import motionc as mc
    >>> both = mc.attach(mc.load("planar2"), mc.load("planar2"), "tip", prefix="second_")
    >>> both.joint_names
    ('shoulder', 'elbow', 'second_shoulder', 'second_elbow')
    >>> mc.attach(mc.load("planar2"), mc.load("quadruped"), "world", floating=True).joint_names[:3]
    ('shoulder', 'elbow', 'root_joint')
    """
    for argument, given in (("model", model), ("other", other)):
        checked.instance(f"attach: {argument}", given, (Robot, KinematicChain), "give a Robot or a KinematicChain")
    checked.name("attach: at", at, "give the name of a frame")
    checked.name("attach: prefix", prefix, "give letters that names start with", empty=True)
    checked.name("attach: name", name, empty=True)
    checked.flag("attach: floating", floating)
    own, theirs, names = _chain(model), _chain(other), Names(prefix)
    floats = isinstance(model, Robot) and model.floating
    if at == "world" and floats:
        if not floating:
            raise Error(
                f"attach {theirs.name} at world: {own.name} floats, and nothing of it is there; name a frame of it, or "
                "say floating=True for two that move on their own"
            )
        own, floats = in_the_world(own, ROOT_JOINT), False
    pose, freely = placed(xyz, rpy), names.of(ROOT_JOINT) if floating else ""
    chain = mounted(own, theirs, at, pose, names, name or f"{own.name}_{theirs.name}", freely=freely)
    if isinstance(model, KinematicChain):
        return chain
    held = dict(model.held)
    if isinstance(other, Robot):
        held |= {names.of(joint): value for joint, value in other.held.items()}
    return Robot(chain, floating=floats, fixed=held)


def _chain(model: Robot | KinematicChain) -> KinematicChain:
    """The chain of a robot; mimic joints that move on their own follow nobody."""
    if isinstance(model, KinematicChain):
        return model
    free = [joint.name for joint in model.joints if joint.mimic is not None and joint.name in model.v_index]
    return without_mimics(model.chain, free) if free else model.chain
