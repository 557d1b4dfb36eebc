"""Which small solves may a program call? One file a kernel, or a family that shares its loops; all are registered.

A file has the definition as plain loops, the derivative, and what the kernel means; its text in C, MATLAB and Maxima
is in targets/kernels/. A new file is found by itself.
"""

from importlib import import_module
from pkgutil import iter_modules

from motionc.program.kernels.kernel import KERNELS, Call, Kernel, register

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")

__all__ = ["KERNELS", "Call", "Kernel", "register"]
