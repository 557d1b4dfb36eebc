"""How is an experiment written down? YAML or JSON with units, read by one table; errors have line, column and remedy.

    experiment: pregrasp          robot: lwr4          task: pregrasp_lwr4
    start: 2.967 1.023 -0.131 1.612 0.221 0.177 0.015 rad
    frames: {T: {at: [-0.2 m, -0.308 m, 0.632 m], rows: [[-0.432, 0.730, 0.527], …]}}
    control: {rate: 630 Hz, horizon: 2.5 s, laws: {x: {filter: 0.3, …, maximum: 30 m/s^2}}}
    plant: {substeps: 4, coulomb: 2 2 1 1 1 0.5 0.5 Nm, noise: {position: 1e-5 rad}, vary: {mass: 10 %}}
    interface: {kind: udp}        seconds: 9.5 s                seed: 1

A robot and a task are those that come along, or files beside the document. Printed rotations that are none are taken
to the nearest, which a note says. Waypoints stand for the frames of a path.
"""

from collections.abc import Iterator
from pathlib import Path as FilePath

from motionc import checked
from motionc.formats.located import Node
from motionc.formats.records import Amount, Choice, Key, Number, Record, Several, Whole, Words, located
from motionc.formats.yaml_tree import parse_json, parse_yaml
from motionc.geometry.units import Quantity
from motionc.model.findings import Place
from motionc.robots import shipped_robot
from motionc.simulate.control_numbers import Control
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_records import ANGLES, CONTROL, RIG, ByName, Row, control, pinned, rig
from motionc.simulate.interface_records import INTERFACE
from motionc.simulate.rig import Rig
from motionc.tasks import check as check_task
from motionc.tasks import read as read_task
from motionc.tasks import shipped as shipped_tasks
from motionc.tasks.poses import EXACT, missed
from motionc.tasks.records import POSE, ROWS
from motionc.tasks.waypoints import frames_along

PARSERS = {".yaml": parse_yaml, ".yml": parse_yaml, ".json": parse_json}
WAYPOINTS = Record(
    "a path",
    dict,
    {
        "points": Key(Several(Row((Quantity.LENGTH,), count=3)), needed=True),
        "normal": Key(Several(Number(), 3)),
    },
    make=frames_along,
)
FRAMES = ByName("poses of frames", Choice("a pose, or one a section", (POSE, Several(POSE))))
DOCUMENT = Record(
    "an experiment",
    dict,
    {
        "experiment": Key(Words(), "name", needed=True),
        "about": Key(Words()),
        "robot": Key(Words(), needed=True),
        "task": Key(Words(), needed=True),
        "start": Key(Row(ANGLES)),
        "frames": Key(FRAMES),
        "waypoints": Key(WAYPOINTS),
        "control": Key(Record("a controller", Control, CONTROL, make=control)),
        "plant": Key(Record("a plant", Rig, RIG, make=rig), "rig"),
        "interface": Key(INTERFACE),
        "seconds": Key(Amount(Quantity.TIME, positive=True)),
        "seed": Key(Whole(0)),
    },
)


def parsed(path: str | FilePath) -> Node:
    """The located tree of a file of an experiment."""
    file = checked.path("read_experiment: path", path, "give a file, such as 'pregrasp.yaml'")
    parse = PARSERS.get(file.suffix.lower())
    if parse is None:
        raise checked.refusal("read_experiment: path", path, f"give a file that ends in {', '.join(PARSERS)}")
    return parse(file, what="experiment")


def read_experiment(path: str | FilePath) -> Experiment:
    """The experiment of a .yaml, .yml or .json file."""
    return experiment_of(parsed(path), FilePath(path).parent)


def experiment_of(node: Node, folder: FilePath) -> Experiment:
    """The experiment of a located tree, whose files are in a folder."""
    said = DOCUMENT.read(node)
    said.pop("about", None)
    said["robot"] = robot_beside(node, said["robot"], folder)
    task = _task(node, said["task"], folder)
    said["task"] = read_task(task)
    if "waypoints" in said:
        if "frames" in said:
            raise node.error("both frames and waypoints", "say where the frames of the path are once", "waypoints")
        said["frames"] = {"frames": said.pop("waypoints")}
    notes = [f"{_where(finding.place)}: {finding.message}" for finding in check_task(task)]
    with located(node, {"rig": "plant", "name": "experiment"}):
        return pinned(Experiment)(**said, notes=(*notes, *_projected(node)))


def robot_beside(node: Node, name: str, folder: FilePath) -> str:
    """A robot that comes along, or a file beside the document."""
    if shipped_robot(name) is not None:
        return name
    if not (folder / name).is_file():
        remedy = "name one of `motionc robots`, or a file beside this one"
        raise node.entries["robot"].error(f"there is no robot {name!r}", remedy)
    return str(folder / name)


def _task(node: Node, name: str, folder: FilePath) -> str | FilePath:
    """A task that comes along, or a file beside the document."""
    if name in shipped_tasks():
        return name
    if not (folder / name).is_file():
        remedy = "name one of `motionc tasks`, or a file beside this one"
        raise node.entries["task"].error(f"there is no task {name!r}", remedy)
    return folder / name


def _where(place: Place) -> str:
    """A place in a file by the file's name alone."""
    return f"{FilePath(place.file).name}:{place.line}"


def _projected(node: Node) -> Iterator[str]:
    """A sentence for each printed rotation that is none."""
    frames = node.entries["frames"].entries if "frames" in node.entries else {}
    for name, frame in frames.items():
        for pose in frame.items or [frame]:
            rows = pose.at("rows")
            if rows is not None and missed(ROWS.read(rows)) > EXACT:
                yield (
                    f"{_where(rows.place)}: the rows of {name} are no rotation: RᵀR misses the identity by "
                    f"{missed(ROWS.read(rows)):.2g}; the nearest one is taken"
                )
