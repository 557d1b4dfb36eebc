"""Which types of joints are there? One file each, in the order in which they are listed; how to add one is in
joint_type.py. A new file is found by itself.
"""

# isort: off
from importlib import import_module
from pkgutil import iter_modules

from motionc.model.joints.joint_type import JointType, Part, Step, Written, is_registered, register, unit
from motionc.model.joints.revolute import CONTINUOUS, REVOLUTE
from motionc.model.joints.prismatic import PRISMATIC
from motionc.model.joints.fixed import FIXED
from motionc.model.joints.floating import FLOATING
from motionc.model.joints.helical import HELICAL
from motionc.model.joints.universal import UNIVERSAL
from motionc.model.joints.cylindrical import CYLINDRICAL
from motionc.model.joints.planar import PLANAR
from motionc.model.joints.spherical import SPHERICAL
# isort: on

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")

__all__ = [
    "CONTINUOUS",
    "CYLINDRICAL",
    "FIXED",
    "FLOATING",
    "HELICAL",
    "PLANAR",
    "PRISMATIC",
    "REVOLUTE",
    "SPHERICAL",
    "UNIVERSAL",
    "JointType",
    "Part",
    "Step",
    "Written",
    "is_registered",
    "register",
    "unit",
]
