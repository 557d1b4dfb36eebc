"""How does a kernel read in each language? A file beside each of program/kernels/, and its MATLAB and Maxima as data.

A new file is found by itself.
"""

from importlib import import_module
from pkgutil import iter_modules

from motionc.targets.kernels.text import TEXTS, KernelText, library, register, text_of

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")

__all__ = ["TEXTS", "KernelText", "library", "register", "text_of"]
