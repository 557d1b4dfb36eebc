"""The rules a model must obey, a function each: links (Lk), segments (Sg), joints (Jt), chains (Kc), dynamics (Dy)."""

from motionc.model.rules.check import check_chain, check_joint, check_link, check_segment
from motionc.model.rules.couplings import followers

__all__ = ["check_chain", "check_joint", "check_link", "check_segment", "followers"]
