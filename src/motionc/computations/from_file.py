"""From an emitted file back to the computation it was written from: what its provenance block says, asked anew.

The block is data. Nothing in it is executed, no record is made of it but options of ours, and no file is opened because
of it but a robot of the name it gives: one that comes along, or a file beside it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from motionc import checked
from motionc.computations import CATALOGUE
from motionc.computations.inverse_kinematics import InverseKinematics
from motionc.computations.loading import READ, load
from motionc.computations.loop import loop
from motionc.computations.making import asked_of
from motionc.errors import Error
from motionc.model.digest import robot_digest
from motionc.model.robot import Robot
from motionc.model.shapes import Capsule, Sphere
from motionc.plain import record
from motionc.robots import shipped_robot
from motionc.runtime.computation import Computation
from motionc.runtime.loop_texts import ASKS
from motionc.runtime.loops import LoopComputation
from motionc.runtime.provenance import block, emitted_text
from motionc.solvers.centroidal import CenterOfMass, Momentum
from motionc.solvers.constraint import Constraint, Force, JointConstraint
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid
from motionc.solvers.inverse_kinematics import InverseKinematicsStep
from motionc.solvers.target import Target
from motionc.sweeps.options import Derivative, Options, Together

TOUCHING = (Capsule, Compliant, Contact, HeightField, Plane, Solid, Sphere)
RECORDS = (Constraint, CenterOfMass, Force, JointConstraint, Momentum, Target, *TOUCHING)
COURSE = ("feedback", "held", "streamed", "drawn", "clock", "rates", "log", "until", "start", "period")
Made = Computation | LoopComputation | InverseKinematics
ROBOT = "give it: mc.from_file(path, robot=…), a Robot, a name or a file"


def from_file(path: str | Path, *, robot: Robot | str | Path | None = None) -> Made:
    """The computation, or the loop of such, that an emitted file was written from, by the provenance block at its top.

    Args:
        path: a file that `emit`, `motionc generate` or a bundle wrote, in any language.
        robot: the robot it is about, or its name or file; unless said, the one that comes along under the block's
            name, or the file of that name beside `path` or in the working folder. Another robot is refused.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import motionc as mc
    >>> with TemporaryDirectory() as folder:
    ...     header, source = mc.energy(mc.load("planar2"), gravity=(0, 0, -1.62)).emit("c", folder)
    ...     print(mc.from_file(source))
    Computation(energy of planar2, gravity=(0.0, 0.0, -1.62): q, v → kinetic, potential)
    """
    file = checked.path("from_file: path", path)
    text = emitted_text(file)
    if text is None:
        raise Error(f"{file} cannot be read as text; give a file that emit wrote")
    about = block(file, text)
    if about is None:
        raise Error(f"{file} says nothing of what it is; give a file that this motionc, or a later one, emitted")
    try:
        if about.get("asks") == ASKS:
            return _looped(file, about, robot)
        options, known = options_of(about), _mapping(about, "robot")
    except Error as error:
        raise Error(f"{file}: its provenance block makes no sense to this version of motionc: {error}") from None
    return _asked(_robot(file, known, robot), options)


# ---------------------------------------------------------------- what is asked


def options_of(about: Mapping[str, Any]) -> Options:
    """The options that a block has, in full."""
    if about.get("arguments") is None:
        raise Error(f"{about.get('computation')} was composed of functions of your own; make it again by mc.solve")
    asked: list[type[Options]] = [*CATALOGUE.values(), InverseKinematicsStep, Derivative, Together]
    kinds: dict[str, type] = {kind.__name__: kind for kind in (*asked, *RECORDS)}
    kind = kinds.get(str(about.get("asks")))
    if kind is None or not issubclass(kind, Options):
        raise Error(f"there is no computation {checked.shown(about.get('asks'))}")
    return record(kind, {**_mapping(about, "defaults"), **_mapping(about, "arguments")}, kinds)


def _asked(robot: Robot, options: Options) -> Any:
    """The computation; a derivative by way of what it is a derivative of, as its maker would."""
    if not isinstance(options, Derivative):
        return asked_of(robot, options)
    inner: Any = options.source
    if not isinstance(inner, Options):
        raise Error(f"a derivative is one of a computation, not of {checked.shown(inner)}")
    wanted = options.kind, options.of, options.wrt, options.coordinates
    return _asked(robot, inner).derived(*wanted, sparse=options.sparse)


def _looped(file: Path, about: Mapping[str, Any], given: Robot | str | Path | None) -> LoopComputation:
    """The loop of computations that a block has, wired and run as it says."""
    if about.get("arguments") is None:
        raise Error(
            f"{about.get('computation')} has parts that are known by their code alone; make it again by mc.loop"
        )
    told, known = _mapping(about, "arguments"), _mapping(about, "robot")
    parts = {name: _mapping(_mapping(told, "parts"), name) for name in _mapping(told, "parts")}
    if any(part.get("robot") != known.get("digest") for part in parts.values()):
        raise Error(f"{about.get('computation')} is about several robots; make it again by mc.loop")
    options = {name: options_of(part) for name, part in parts.items()}
    whole = _robot(file, known, given)
    course: dict[str, Any] = {key: value for key, value in _mapping(told, "course").items() if key in COURSE}
    made = {name: _asked(whole, asked) for name, asked in options.items()}
    return loop(made, feeds=_mapping(told, "feeds"), name=told.get("name"), **course)  # pyright: ignore[reportArgumentType]


def _mapping(about: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return checked.instance(key, about.get(key), Mapping, "it should be a record")


# ---------------------------------------------------------------- of whom


def _robot(file: Path, known: Mapping[str, Any], given: Robot | str | Path | None) -> Robot:
    """The robot that a block is about; refused where it is another one."""
    if given is not None:
        checked.instance("from_file: robot", given, (Robot, str, Path), "give a Robot, or its name or file")
    robot = given if isinstance(given, Robot) else _loaded(file, known, given)
    if robot_digest(robot) != known.get("digest"):
        name = checked.shown(known.get("name")).strip("'")
        other = f"{robot.name} as it is here is another robot: its digest is not the same"
        raise Error(f"{file} is about {name}, and {other}; {ROBOT}")
    return robot


def _loaded(file: Path, known: Mapping[str, Any], given: str | Path | None) -> Robot:
    source = given if given is not None else _found(file, str(known.get("source") or ""))
    if source is None:
        raise Error(f"{file} is about {checked.shown(known.get('name'))}, which is not found here; {ROBOT}")
    held: Any = known.get("held")
    return load(source, floating=known.get("floating"), fixed=held, mimic=known.get("mimic"))  # pyright: ignore[reportArgumentType]


def _found(file: Path, name: str) -> str | Path | None:
    """A robot that comes along, or a file of this very name beside the emitted one or where we are."""
    if shipped_robot(name) is not None:
        return name
    if Path(name).name != name or not name.endswith(READ) or name.endswith(".xacro"):
        return None
    return next((place / name for place in (file.parent, Path()) if (place / name).is_file()), None)
