"""Where it was measured: processor, system, compiler, and our versions."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from motionc.runtime.build import compiler


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
    """What computes."""
    return {"Python": platform.python_version(), "motionc": version("motionc"), "numpy": version("numpy")}


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
