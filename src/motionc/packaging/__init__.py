"""What do users take away? Bundles, wheels, C++ packages, texts for Maxima."""

from motionc.packaging.bundling import bundle
from motionc.packaging.robot_package import emit_robot

__all__ = ["bundle", "emit_robot"]
