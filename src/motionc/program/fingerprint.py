"""What a program depends on, as one short text: robot, question, solver, and the code that turns them into a program.

Equal fingerprints give equal programs, so what was built once need not even be traced again.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from motionc.model.robot import Robot
from motionc.program.derived import Derived
from motionc.program.program import Program
from motionc.sweeps.parameters import origin
from motionc.sweeps.solver import Solver


def fingerprint(solver: Solver | Derived) -> str:
    """The sha256 of everything a solver's program depends on."""
    digest = hashlib.sha256()
    if isinstance(solver, Derived):
        asked = solver.kind, solver.of, solver.wrt, solver.coordinates, solver.sparse
        _feed(digest, (fingerprint(solver.source), *asked))
        return digest.hexdigest()
    mechanism = solver.robot.mechanism
    asked = solver.name, solver.schedule, solver.representation, solver.inputs, solver.outputs
    apart = (solver.open, *_apart(solver.robot)) if solver.open else ()
    for part in (own_sources(), *asked, mechanism, solver.question(mechanism), apart):
        _feed(digest, part)
    return digest.hexdigest()


def _apart(robot: Robot) -> tuple[Any, ...]:
    """Links and joints as they were written down: what is one body comes apart where something of it is open."""
    joints = [(joint.name, joint.parent.name, joint.child.name, origin(joint)) for joint in robot.joints]
    return robot.links, joints


def traced_fingerprint(program: Program) -> str:
    """The sha256 of a program, for operations from elsewhere: those may depend on anything."""
    digest = hashlib.sha256()
    for part in (own_sources(), repr(program)):
        _feed(digest, part)
    return digest.hexdigest()


@cache
def own_sources() -> bytes:
    """The digest of this package's own code."""
    digest = hashlib.sha256()
    folder = Path(str(files("motionc")))
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".h")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def _feed(digest: Any, value: Any) -> None:
    """Add a value, its type and its shape, so that different values never look alike."""
    digest.update(type(value).__name__.encode() + b"(")
    if isinstance(value, np.ndarray):
        digest.update(repr((value.shape, value.dtype.str)).encode() + np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            digest.update(field.name.encode() + b"=")
            _feed(digest, getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _feed(digest, key)
            _feed(digest, item)
    elif isinstance(value, tuple | list | frozenset | set):
        for item in sorted(value, key=repr) if isinstance(value, frozenset | set) else value:
            _feed(digest, item)
    elif isinstance(value, FunctionType):
        _feed(
            digest, (value.__code__, value.__defaults__, tuple(cell.cell_contents for cell in value.__closure__ or ()))
        )
    elif isinstance(value, CodeType):
        digest.update(value.co_code)
        _feed(digest, (value.co_names, value.co_consts))
    elif value is None or isinstance(value, str | bytes | int | float | Enum | slice):
        digest.update(value if isinstance(value, bytes) else repr(value).encode())
    else:
        raise TypeError(f"{type(value).__name__} has no fingerprint")
    digest.update(b")")
