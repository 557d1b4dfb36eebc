"""The rules a model must obey, a function each: links (Lk), segments (Sg), joints (Jt), chains (Kc), dynamics (Dy)."""

from motionc.model.rules.check import check_chain, check_joint, check_link, check_segment
from motionc.model.rules.couplings import leaders
from motionc.model.rules.dynamics import idle_joints

__all__ = ["check_chain", "check_joint", "check_link", "check_segment", "idle_joints", "leaders"]
