"""What nobody can mean, given for every argument of everything public that makes something; and what came of it."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import mujoco
import numpy as np
import pinocchio

import motionc as mc
from motionc.computations import CATALOGUE
from trials import LONG


class Loud:
    """Something that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def looped() -> list[Any]:
    """A list that holds itself."""
    own: list[Any] = []
    own.append(own)
    return own


VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "empty word": lambda: "",
    "word": lambda: "nope",
    "digits": lambda: "3",
    "zero byte": lambda: "a\0b",
    "endless word": lambda: "x" * 5000,
    "bytes": lambda: b"x",
    "minus three": lambda: -3,
    "half": lambda: 2.5,
    "zero": lambda: 0,
    "True": lambda: True,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "huge": lambda: 10**400,
    "complex": lambda: 1j,
    "nothing in a list": list,
    "nothing by name": dict,
    "None in a list": lambda: [None],
    "ragged": lambda: [[1], [2, 3]],
    "holds itself": looped,
    "short array": lambda: np.zeros(1),
    "deep array": lambda: np.zeros((2, 2, 2)),
    "array of objects": lambda: np.array([object(), object()]),
    "array of nan": lambda: np.full(3, np.nan),
    "masked": lambda: np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
    "object": object,
    "function": lambda: lambda x: x,
    "class": lambda: int,
    "generator": lambda: (x for x in "ab"),
    "set": lambda: {1, 2},
    "loud": Loud,
}
"""Made anew for every try."""
LONGEST = 3000
"""Letters of a sentence."""

QUOTED = {
    "word": ["nope"],
    "digits": ["3"],
    "zero byte": [r"a\x00b"],
    "endless word": ["xxx"],
    "generator": ["'a'", "'b'"],
}
"""What a sentence says of a word that nobody knows."""


@dataclass(frozen=True)
class Maker:
    """Something public that is called: what makes sense as all its arguments, of which one at a time is spoilt."""

    name: str
    call: Callable[..., Any]
    good: dict[str, Any] = field(default_factory=dict)
    then: Callable[[Any], Any] = lambda made: made

    @property
    def arguments(self) -> list[str]:
        """All there are but those of any number, by its signature."""
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [each.name for each in inspect.signature(self.call).parameters.values() if each.kind in kinds]


@dataclass(frozen=True)
class Try:
    """One call with nonsense in one argument, and how it ended: an exception, or None where it was taken."""

    maker: str
    argument: str
    value: str
    error: BaseException | None
    usual: bool = False
    """Whether it is what the argument is anyway, or the other of yes and no."""

    @property
    def place(self) -> str:
        return f"{self.maker}({self.argument})"

    @property
    def sentence(self) -> str:
        """What was said, without a remedy on a line of its own, which errors of files have."""
        return getattr(self.error, "message", None) or str(self.error)

    @property
    def refused(self) -> bool:
        """Whether it ended in one sentence of ours that names the argument."""
        if isinstance(self.error, mc.ModelError):  # a rule's finding, which names the place
            return True
        return (
            isinstance(self.error, mc.Error)
            and "\n" not in self.sentence
            and len(self.sentence) < LONGEST
            and self.named
        )

    @property
    def named(self) -> bool:
        """Whether the sentence has the argument's name in it, be it as a word: a frame of `frames`."""
        said, name = str(self.error).lower(), self.argument.lower()
        words = [name, name.replace("_", " "), name.replace("_", " ").removesuffix("s")]
        return any(word in said for word in words) or any(word in said for word in QUOTED.get(self.value, ()))


@cache
def planar() -> mc.Robot:
    return mc.load("planar2")


TIP = "tip"
NEEDED: dict[str, dict[str, Any]] = {
    "jacobian": {"frame": TIP},
    "jacobian_rate": {"frame": TIP},
    "frame_motion": {"frames": TIP},
    "transform": {"wrt": "world", "frame": TIP},
    "path_jacobian": {"wrt": "world", "frame": TIP},
    "inverse_velocity": {"frames": TIP, "method": "damped"},
    "hybrid_dynamics": {"prescribed": ["elbow"]},
    "constrained_dynamics": {"constraints": TIP},
    "operational_space": {"frames": TIP},
    "impact": {"constraints": TIP},
    "step": {"dt": 0.1},
    "inverse_kinematics": {"frames": TIP},
    "solve": {"schedule": mc.schedules.INVERSE_DYNAMICS, "outputs": {"tau": "joint_force"}},
}


END = mc.Attachment("j", mc.Role.JOINT)


def segment(name: str, link: mc.Link | None = None) -> mc.Segment:
    return mc.Segment(name, link or mc.Link.rigid(name, 1.0, (0, 0, 0), np.eye(3)), (END,))


def hinge(arm: mc.Segment, **how: Any) -> mc.Robot:
    """A robot of one joint: what a model is made of is judged when a robot is made of it."""
    joint = mc.Joint("hinge", mc.JointType.REVOLUTE, (arm, "j"), (segment("base"), "j"), **how)
    return mc.Robot(mc.KinematicChain("a", (joint,)))


def of_joint(joint: mc.Joint) -> mc.Robot:
    return mc.Robot(mc.KinematicChain("a", (joint,)))


def of_frame(frame: mc.Attachment) -> mc.Robot:
    arm = mc.Link.rigid("arm", 1.0, (0, 0, 0), np.eye(3))
    return hinge(segment("arm", replace(arm, frames=(*arm.frames, frame))))


def following(mimic: mc.Mimic) -> mc.Robot:
    arm, hand, more = segment("arm"), segment("hand"), mc.Attachment("k", mc.Role.JOINT)
    arm = replace(arm, frames=(*arm.frames, more))
    first = mc.Joint("first", mc.JointType.REVOLUTE, (arm, "j"), (segment("base"), "j"))
    second = mc.Joint("second", mc.JointType.REVOLUTE, (hand, "j"), (arm, "k"), mimic=mimic)
    return mc.Robot(mc.KinematicChain("a", (first, second)))


def values(folder: Path) -> Iterator[Maker]:
    """What a model, a task and a schedule are made of."""
    arm, base = segment("arm"), segment("base")
    joint = mc.Joint("hinge", mc.JointType.REVOLUTE, (arm, "j"), (base, "j"))
    place = mc.check(_broken(folder)).items[0].place
    yield Maker("Constraint", mc.Constraint, {"frame": TIP})
    yield Maker("JointConstraint", mc.JointConstraint, {"joints": "elbow"})
    yield Maker("CenterOfMass", mc.CenterOfMass)
    yield Maker("Momentum", mc.Momentum)
    yield Maker("Target", mc.Target, {"frame": TIP})
    yield Maker("Force", mc.Force, {"frame": TIP})
    yield Maker("Attachment", mc.Attachment, {"name": "a", "role": mc.Role.FEATURE}, of_frame)
    link = {"name": "a", "frames": arm.link.frames, "mass": 1.0, "inertia": np.eye(3)}
    yield Maker("Link", mc.Link, link, lambda link: hinge(segment("arm", link)))
    rigid = {"name": "a", "mass": 1.0, "inertia": np.eye(3)}
    yield Maker("Link.rigid", mc.Link.rigid, rigid, lambda link: hinge(segment("arm", link)))
    yield Maker("Segment", mc.Segment, {"name": "a", "link": arm.link, "frames": (END,)}, hinge)
    ends = {"target": (arm, "j"), "reference": (base, "j")}
    yield Maker("Joint", mc.Joint, {"name": "a", "type": "revolute", **ends}, of_joint)
    yield Maker("KinematicChain", mc.KinematicChain, {"name": "a", "joints": (joint,)}, mc.Robot)
    yield Maker("Robot", mc.Robot, {"chain": mc.KinematicChain("a", (joint,))})
    yield Maker("Limits", mc.Limits, {}, lambda limits: hinge(arm, limits=limits))
    yield Maker("Mimic", mc.Mimic, {"leader": "first"}, following)
    yield Maker("Transmission", mc.Transmission, {}, lambda transmission: hinge(arm, transmission=transmission))
    yield Maker("JointType", mc.JointType, {"name": "revolute"})
    finding = {"rule": "a", "severity": "note", "place": place, "message": "m", "remedy": "r"}
    yield Maker("Finding", mc.Finding, finding)
    yield Maker("Findings", mc.Findings)
    yield Maker("Output", mc.Output, {"quantity": "twist"})
    port = {"name": "a", "shape": (2,), "unit": "m", "meaning": "m"}
    yield Maker("Port", mc.Port, port)
    yield Maker("State", mc.State, port)
    yield Maker("Schedule", mc.Schedule, {"name": "a", "sweeps": mc.schedules.INVERSE_DYNAMICS.sweeps})
    yield Maker("inertial", mc.inertial, {"mass": 1.0})
    yield Maker("placed", mc.placed)
    yield Maker("operation", mc.operation, {"direction": mc.OUTWARD, "gives": "a"})
    yield Maker("sweep", lambda operation: mc.sweep(operation), {"operation": mc.schedules.INVERSE_DYNAMICS["twists"]})


def _broken(folder: Path) -> Path:
    path = folder / "broken.urdf"
    path.write_text("<robot")
    return path


def over_time() -> Iterator[Maker]:
    """Machines, monitors and trajectories."""
    control, door = mc.control, (mc.control.Row("SHUT", "push", "OPEN"), mc.control.Row("OPEN", "push", "SHUT"))
    machine = control.Machine(("SHUT", "OPEN"), door, ("push",))
    count = mc.block("counter", lambda n: {"n": n + 1.0}, [mc.State("n", (), "1", "ticks")])
    yield Maker("Row", control.Row, {"from_": "SHUT", "event": "push", "to": "OPEN"})
    yield Maker("Machine", control.Machine, {"states": ("SHUT", "OPEN"), "rows": door, "events": ("push",)})
    yield Maker(
        "Machine.next", lambda state, events: machine.next(state, events), {"state": "SHUT", "events": ("push",)}
    )
    yield Maker("Machine.selected", machine.selected, {"mode": "SHUT", "values": {"SHUT": 0.0, "OPEN": 1.0}})
    yield Maker("Machine.computation", machine.computation)
    yield Maker("Machines", control.Machines, {"machines": {"door": machine}})
    yield Maker("resettable", control.resettable, {"computation": count, "states": "n"})
    good = {"event": "contact", "signal": "force", "side": "above", "enter": 3.0, "leave": 1.0, "dt": 0.1}
    yield Maker("Threshold", control.Threshold, good)
    limits = {"lower": [-1.0], "upper": [1.0], "acceleration": [2.0]}
    yield Maker("Braking", control.Braking, {"event": "limit", **limits, "dt": 0.01})
    yield Maker("Elapsed", control.Elapsed, {"event": "timeout", "after": 1.0, "dt": 0.1})
    yield Maker("Ramp", control.Ramp, {"rate": 1.0, "dt": 0.1})
    yield Maker("Trapezoid", control.Trapezoid, {"velocity": 1.0, "acceleration": 1.0, "dt": 0.1})
    yield Maker("DoubleS", control.DoubleS, {"velocity": 1.0, "acceleration": 1.0, "jerk": 2.0, "dt": 0.1})
    gains = {"robot": mc.load("planar2"), "stiffness": 10.0, "damping": 1.0}
    yield Maker("pd", control.pd, gains)
    yield Maker("computed_torque", control.computed_torque, gains)
    yield Maker("impedance", control.impedance, {**gains, "frame": "tip"})
    yield Maker("stability_note", control.stability_note, {**gains, "dt": 1e-3})
    yield Maker("beta", control.beta, {**gains, "frame": "tip"})
    follows = {**gains, "frame": "tip", "rows": "x y", "rest": control.Rest("fall", springs=None)}
    yield Maker("resolved_acceleration", control.resolved_acceleration, follows)
    yield from _around_tasks(gains["robot"])


def _around_tasks(robot: mc.Robot) -> Iterator[Maker]:
    """What surrounds a task: rest, stops, safety, controllers of single signals, loads."""
    control, q = mc.control, mc.Port("q", (1,), "rad", "where it is")
    yield Maker("LimitSprings", control.LimitSprings)
    yield Maker("Rest", control.Rest)
    yield Maker("Rest.law", control.Rest("fall", springs=None).law, {"robot": robot})
    yield Maker("Stop", control.Stop)
    yield Maker("Bounds", control.Bounds, {"event": "fast", "signal": "v", "most": [2.0], "dt": 0.1})
    yield Maker("Coupling", control.Coupling, {"event": "heavy", "most": [100.0]})
    yield Maker("Sound", control.Sound, {"event": "lost", "places": [q], "rates": []})
    yield Maker("Late", control.Late, {"event": "late", "most": 0.002})
    yield Maker("guards", control.guards, {"robot": robot, "dt": 1e-3, "brakes": 5.0})
    yield Maker("to_stop", control.to_stop, {"monitors": [control.Late("late", 0.002)]})
    yield Maker("Pid", control.Pid, {"proportional": 1.0, "integral": 1.0, "derivative": 0.0, "dt": 0.1})
    yield Maker("Baumgarte", control.Baumgarte, {"alpha": 2.0, "beta": 2.0, "rows": 1, "dt": 0.1})
    gate = {"rows": 6, "tolerance": 0.1, "gain": 0.1, "window": 1.0, "dt": 0.1}
    yield Maker("Converged", control.Converged, gate)
    yield Maker("LoadWrench", control.LoadWrench, {"rows": "xyz rx ry rz", "maximum": [1.0] * 6})
    yield Maker("Load", control.Load)


def sensed_and_driven() -> Iterator[Maker]:
    """Actuators and sensors."""
    simulate, robot = mc.simulate, planar()
    yield Maker("Torque", simulate.Torque, {}, partial(_motors, robot))
    yield Maker("Velocity", simulate.Velocity, {"gain": 1.0}, partial(_motors, robot))
    yield Maker("Position", simulate.Position, {"stiffness": 1.0}, partial(_motors, robot))
    curve = {"stall": 1.0, "no_load_speed": 2.0}
    yield Maker(
        "TorqueSpeed", simulate.TorqueSpeed, curve, lambda one: _motors(robot, simulate.Torque(speed_torque=one))
    )
    yield Maker("actuators_of", simulate.actuators_of, {"robot": robot, "dt": 0.1, "actuators": simulate.Torque()})
    for kind, good in {
        "Encoder": {},
        "Imu": {"frame": TIP},
        "ForceTorque": {"frame": TIP},
        "JointTorque": {},
        "Range": {"frame": TIP},
        "AbsoluteEncoder": {"joints": "elbow", "resolution": 0.1},
        "RelativeEncoder": {"joints": "elbow", "resolution": 0.1},
    }.items():
        yield Maker(kind, getattr(simulate, kind), good, partial(_sensed, robot))
    sensor = simulate.ForceTorque(TIP)
    yield Maker("Sensor.computation", sensor.computation, {"robot": robot, "dt": 0.1})


def _motors(robot: mc.Robot, actuator: Any) -> mc.Computation:
    return mc.simulate.actuators_of(robot, 0.1, actuator)


def _sensed(robot: mc.Robot, sensor: Any) -> mc.Computation:
    return sensor.computation(robot, 0.1)


def loops() -> Iterator[Maker]:
    """Blocks, wires, loops in time, and runs of them."""
    number = {"shape": (), "unit": "1", "meaning": "a number"}
    x, after, u, push = (mc.Port(name, **number) for name in ("x", "after", "u", "push"))
    ports = [x, mc.Port("u", **number), push, mc.Port("time", (), "s", "now"), mc.State("count", **number)]
    good = {"name": "walk", "inputs": ports, "outputs": [after]}
    walk = {"function": lambda x, u, push, time, count: {"after": x + u * push, "count": count + time}}
    yield Maker("block", mc.block, good | walk)
    block, steer = mc.block(**good | walk), mc.block("steer", lambda x: {"u": -x}, [x], [u])
    yield Maker("wired", mc.wired, {"parts": [steer, block]})
    course = {"feedback": {"x": "after"}, "streamed": ["push"], "clock": "time", "log": ["x"]}
    yield Maker("loop", mc.loop, {"parts": [steer, block], **course})
    held = mc.loop(block, **course | {"streamed": [], "held": ["push"], "drawn": {"u": "normal"}})
    given = {"x": 1.0, "push": 0.5}

    def run(steps: Any, seed: Any, lane: Any, turn: Any, x: Any, push: Any, count: Any) -> Any:
        return held(steps=steps, seed=seed, lane=lane, turn=turn, x=x, push=push, count=count)

    def lanes(seconds: Any, lanes: Any, seed: Any, lane: Any, threads: Any, x: Any, push: Any) -> Any:
        return held.batch(seconds=seconds, lanes=lanes, seed=seed, lane=lane, threads=threads, x=x, push=push)

    once = {"seed": 0, "lane": 0, **given}
    yield Maker("Loop", run, {"steps": 2, "turn": 0, "count": 0.0, **once})
    yield Maker("Loop.batch", lanes, {"seconds": 2e-3, "lanes": 2, "threads": 1, **once})
    yield Maker("Loop.build", held.build)
    yield Maker("Loop.on", held.on, {"device": "cuda"})
    yield Maker("Loop.sources", held.sources, {"target": "c"})
    if find_spec("jax"):
        yield Maker("Loop.to_jax", held.to_jax, {"steps": 2, "seed": 0})
    yield Maker("Loop.vjp", held.vjp, {"of": "x", "wrt": "x"})
    gradient = held.vjp("x", "push")
    yield Maker("LoopGradient", lambda x_bar: gradient(**given, x_bar=x_bar, steps=2), {"x_bar": [1.0, 1.0]})
    yield Maker("Block.start", block.start)


def contacts() -> Iterator[Maker]:
    """What touches what."""
    simulate = mc.simulate
    yield Maker("Contact", simulate.Contact, {"frame": TIP})
    yield Maker("Plane", simulate.Plane)
    yield Maker("Solid", simulate.Solid, {"shape": simulate.Sphere(0.1)})
    yield Maker("HeightField", simulate.HeightField, {"heights": np.zeros((2, 3)), "spacing": 0.1})
    yield Maker("Compliant", simulate.Compliant, {"stiffness": 1e4})
    if find_spec("mujoco"):
        theirs = simulate.MujocoPlant(simulate.Plant(planar()))
        yield Maker("MujocoPlant", simulate.MujocoPlant, {"plant": theirs.plant})
        rolled = {"q": np.zeros((1, 2)), "v": np.zeros((1, 2)), "tau": np.zeros((1, 3, 2))}
        yield Maker("MujocoPlant.roll_out", theirs.roll_out, rolled)
    if find_spec("gymnasium"):
        asked = {"plant": simulate.Plant(planar()), "controller": None, "observe": ["q"], "reward": ["time"]}
        asked |= {"terminate": ["time"], "start": {}, "num_envs": 2, "decimation": 1, "rate": 1, "seconds": 1.0}
        asked |= {"action": "tau", "low": -1.0, "high": 1.0, "held": {}, "threads": 1}
        yield Maker("environment", simulate.environment, asked)
    yield Maker("free_body", simulate.free_body, {"name": "ball", "shape": simulate.Sphere(0.1), "mass": 1.0})


def recordings(folder: Path) -> Iterator[Maker]:
    """What is kept of a run, and declared beside it."""
    simulate = mc.simulate
    signal = simulate.Signal("q", [0.0, 0.1], [[0.0, 0.0], [0.1, 0.2]])
    yield Maker("Signal", simulate.Signal, {"name": "q", "times": [0.0], "values": [[1.0, 2.0]]})
    yield Maker("Mark", simulate.Mark, {"time": 0.5, "name": "pushed"})
    yield Maker("Band", simulate.Band, {"signal": "q"})
    yield Maker("Reference", simulate.Reference, {"signal": "target", "of": "q"})
    yield Maker("Mode", simulate.Mode, {"times": (0.0,), "names": ("GO",)})
    yield Maker("Tube", simulate.Tube, {"frame": TIP, "pose": np.eye(4), "width": 0.1, "length": 1.0})
    yield Maker("Declared", simulate.Declared)
    yield Maker("Recording", simulate.Recording, {"signals": [signal]})
    recording = simulate.Recording(signals=[signal])
    yield Maker("Recording.save", recording.save, {"path": folder / "a.mcap"})
    yield Maker("Recording.to_csv", recording.to_csv, {"path": folder / "a.csv"})
    yield Maker("Recording.open", simulate.Recording.open, {"path": recording.save(folder / "b.mcap")})
    yield Maker("Recording.replay", recording.replay, {"computation": mc.mass_matrix(planar())})

    def recorder(path: Any, robot: Any, signals: Any, dt: Any, views: Any, force: Any) -> Any:
        with simulate.Recorder(path, robot, signals, dt=dt, views=views, force=force):
            pass

    good = {"path": folder / "c.mcap", "robot": planar(), "signals": ["q"], "dt": 0.1, "views": False, "force": True}
    yield Maker("Recorder", recorder, good)


def reports(folder: Path) -> Iterator[Maker]:
    """What is said of a run; one in which nothing was recorded, so that nothing is drawn."""
    view, nothing = mc.view, mc.simulate.Recording()
    yield Maker("Check", view.Check, {"name": "creep", "value": 0.5, "limit": 1.0})
    yield Maker("report", view.report, {"what": nothing, "path": folder / "a.html"})
    kept = mc.simulate.Recording(signals=[mc.simulate.Signal("x", [0.0], [0.0])])
    if find_spec("matplotlib"):
        yield Maker("plots", view.plots, {"what": kept, "folder": folder / "plots"})
    if find_spec("viser"):
        yield from pages(folder)


def pages(folder: Path) -> Iterator[Maker]:
    """What a browser shows."""
    view, robot = mc.view, planar()
    moved = mc.simulate.Recording(signals=[mc.simulate.Signal("q", [0.0, 0.1], [[0.0, 0.0], [0.1, 0.2]])])

    def shown(
        robot: Any, run: Any, host: Any, port: Any, purpose: Any, roots: Any, frames: Any, constraints: Any
    ) -> None:
        looks = {"purpose": purpose, "roots": roots, "frames": frames, "constraints": constraints}
        view.show(robot, run, host=host, port=port, open_browser=False, **looks).close()

    good = {"robot": robot, "run": moved, "host": "127.0.0.1", "port": 0}
    yield Maker("show", shown, {**good, "purpose": "visual", "roots": (), "frames": (), "constraints": ()})
    kept = {"run": moved, "path": folder / "replay.html", "rate": 30.0, "robot": robot}
    yield Maker("replay", view.replay, {**kept, "purpose": "visual", "roots": ()})


def actions(folder: Path) -> Iterator[Maker]:
    """What is done with robots, files and computations."""
    robot, energy = planar(), mc.energy(planar())
    ids = mc.inverse_dynamics(robot)
    yield Maker("load", mc.load, {"source": "planar2"})
    yield Maker("check", mc.check, {"source": "planar2"})
    yield Maker("convert", mc.convert, {"source": "planar2", "target": folder / "a.urdf"})
    yield Maker("from_dh", mc.from_dh, {"rows": [{"a": 0.4}]})
    yield Maker("attach", mc.attach, {"model": robot, "other": robot, "at": TIP, "prefix": "b_"})
    yield Maker("Robot.with_frame", robot.with_frame, {"name": "b", "on": TIP})
    yield Maker("Computation", mc.Computation, {"solver": energy.solver})
    yield Maker("build", mc.build, {"computations": [energy]})
    yield Maker("Computation.build", energy.build)
    yield Maker("together", lambda computation: mc.together(ids, computation), {"computation": energy})
    yield Maker("Robot.random", robot.random)
    yield Maker("Robot.configuration", robot.configuration, {"q": [0.1, 0.2]})
    moving = {"q": [0.1, 0.2], "v": [0.3, 0.4]}
    yield Maker("Robot.integrate", robot.integrate, moving)
    yield Maker("Robot.rates", robot.rates, moving)
    between = {"q0": [0.1, 0.2], "q1": [0.3, 0.4]}
    yield Maker("Robot.difference", robot.difference, between)
    yield Maker("Robot.interpolate", robot.interpolate, {**between, "share": 0.5})
    yield Maker("orders.ros", mc.orders.ros, {"robot": robot})
    model = mujoco.MjModel.from_xml_string(mc.to_mjcf(robot))
    yield Maker("orders.mujoco", mc.orders.mujoco, {"robot": robot, "model": model})
    theirs = pinocchio.buildModelFromXML(mc.to_urdf(robot))
    yield Maker("orders.pinocchio", mc.orders.pinocchio, {"robot": robot, "model": theirs})
    yield Maker("emit", energy.emit, {"target": "c", "folder": folder})
    yield Maker("from_file", mc.from_file, {"path": energy.emit("python", folder / "emitted")[0]})
    yield Maker("sources", energy.sources, {"target": "c"})
    for name in ("derivative", "jvp", "vjp"):
        yield Maker(name, getattr(ids, name), {"of": "tau", "wrt": "q"})
    yield Maker("emit_robot", mc.emit_robot, {"robot": robot, "folder": folder, "dynamics": False})
    yield Maker("bundle", mc.bundle, {"computations": energy, "folder": folder, "library": False})
    yield Maker("drawing", mc.view.drawing, {"robot": robot})
    drawn = {"robot": robot, "q": [0.1, 0.2], "path": folder / "robot.png", "size": (16, 16)}
    yield Maker("picture", mc.view.picture, drawn)
    yield Maker("Camera", mc.view.Camera, {"eye": (1, 2, 3), "target": (0, 0, 0)})
    for name in ("to_urdf", "to_mjcf", "to_mjspec", "to_dot"):
        yield Maker(name, getattr(mc, name), {"model": robot})
    for name in ("casadi", "jax", "torch"):
        if find_spec(name):
            yield Maker(f"to_{name}", getattr(mc, f"to_{name}"), {"computation": energy})


def computations() -> Iterator[Maker]:
    for name in CATALOGUE:
        yield Maker(name, getattr(mc, name), {"robot": planar()} | NEEDED.get(name, {}))


def makers(folder: Path) -> list[Maker]:
    simulated = (sensed_and_driven(), loops(), contacts(), recordings(folder), reports(folder))
    made = (computations(), values(folder), over_time(), *simulated, actions(folder))
    return [maker for several in made for maker in several]


def tries(maker: Maker) -> Iterator[Try]:
    """Every argument of a maker with every nonsense: one in four of them, each argument others, but in a long run."""
    parameters = inspect.signature(maker.call).parameters
    for argument in maker.arguments:
        default, every = parameters[argument].default, 1 if LONG else 4
        for label in [*VALUES][crc32(f"{maker.name}({argument})".encode()) % every :: every]:
            value = VALUES[label]
            usual = _usual(default, value())
            try:
                maker.then(maker.call(**maker.good | {argument: value()}))
                error = None
            except Exception as raised:
                error = raised
            yield Try(maker.name, argument, label, error, usual)


def _usual(default: Any, value: Any) -> bool:
    """Whether a value is the default, or the other of yes and no; an empty list is no other than an empty tuple."""
    if isinstance(default, bool) or value is None or default is None:
        return type(value) is type(default)
    if default == () and isinstance(value, list | tuple):
        return not value
    return type(value) in (str, int, float) and isinstance(default, int | float | str) and value == default
