"""Where it was measured: processor, system, compiler, and versions of everybody."""

import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from motionc.runtime.build import compiler

PACKAGES = {
    "motionc": "motionc",
    "numpy": "numpy",
    "casadi": "casadi",
    "pin": "pinocchio",
    "mujoco": "mujoco",
    "drake": "pydrake",
    "cffi": "cffi",
    "pin-pink": "pink",
}
"""Distribution → module."""


def machine() -> dict[str, str]:
    """What decides the numbers besides the programs."""
    tool = compiler.find_compiler()
    return {
        "processor": processor(),
        "vectors": _vectors(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": tool.version if tool else "none",
        "flags": " ".join(flag for flag in compiler.flags(tool, 1) if not flag.startswith("-W")) if tool else "none",
    }


def versions() -> dict[str, str]:
    """Who took part; those that are not installed are named too."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    try:
        found["PyKDL"] = str(import_module("PyKDL").__version__)
    except ImportError:
        found["PyKDL"] = "not installed"
    return found


def processor() -> str:
    """Its name, as the system gives it."""
    return _told("model name") or platform.processor() or "unknown"


def _vectors() -> str:
    known = _told("flags").split()
    return next((name for name in ("avx512f", "avx2", "avx") if name in known), "as the compiler finds")


def _told(key: str) -> str:
    """An entry of /proc/cpuinfo, where there is one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")
