"""Whose versions were measured: ours, and those of the peers."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from motionc.benchmark import versions as own

PACKAGES = ("casadi", "pin", "mujoco", "drake", "cffi", "pin-pink")


def versions() -> dict[str, str]:
    """Who took part; those that are not installed are named too."""
    known = own()
    for package in PACKAGES:
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = "not installed"
    try:
        known["PyKDL"] = str(import_module("PyKDL").__version__)
    except ImportError:
        known["PyKDL"] = "not installed"
    return known
