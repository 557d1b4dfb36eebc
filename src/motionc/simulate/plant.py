"""Plants: a robot as it really is, as data, and as the step that simulates it.

A turn of a closed loop: sensors measure, a controller decides, something happens, actuators make forces, time passes.

    sensors      q, v (, a, contact_force of the turn before) → q_measured, v_measured, gyro …
    happenings   time → f_ext, brake, payloads
    actuators    q, v, the command → motor_force
    step         q, v, motor_force, f_ext … → q_next, v_next, contact_force …
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from motionc import checked
from motionc.computations import step as time_step
from motionc.computations.wired import source_of, wired
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.source import Open
from motionc.runtime.computation import Computation
from motionc.simulate.accelerations import accelerations
from motionc.simulate.actuators import Actuator, Position, Torque
from motionc.simulate.drives import actuators_of
from motionc.simulate.happenings import Brake, Happenings, Payload, Push
from motionc.simulate.noise_level import LEVEL, with_noise_level
from motionc.simulate.sensors import Sensor
from motionc.simulate.springs import forces_of_springs, told_to_springs
from motionc.simulate.vary import MU, Constant, Factors, drawn_plants, factors_by_name, understood_variations
from motionc.solvers.constraint import Force
from motionc.solvers.contact import Contact
from motionc.solvers.gains import gains_in_order
from motionc.sweeps.problem import STANDARD_GRAVITY

Array = np.ndarray[Any, np.dtype[np.float64]]
Resistance = Literal["none", "smooth", "stiction"]
Method = Literal["semi_implicit", "rk4"]

STEP = "step"
TOUCHED = ("contact_force", "contact_point", "contact_normal", "gap", "contact_residual")
"""What a step says of contacts."""
TORQUE = Torque()
LIFTS = 50
"""How often a robot is lifted to a height, at most: once above level ground, again where it slopes or is uneven."""
LONGEST_STEP = 0.1
"""Seconds of a step beyond which nothing that has contact or a servo is simulated sensibly."""


@dataclass(frozen=True, eq=False)
class Plant:
    """A robot as it really is: contacts, friction, stops, actuators, sensors, and what happens to it, in steps of dt.

    >>> from motionc import load
    >>> plant = Plant(load("planar2"), friction="smooth")
    >>> q, v = plant.step([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
    >>> q.shape
    (2,)

    Args:
        robot: the robot; two robots are one (`mc.attach(a, b, "world", floating=True)`).
        dt: seconds of a step.
        contacts: what of it touches what: Contact("foot", Plane(), friction=0.7); hard unless they have a law.
        friction: "none", "smooth" (damping, and Coulomb friction that is smooth about 0), or "stiction": Coulomb
            friction that holds exactly, solved with the contacts.
        limits: whether joints stop at their limits.
        actuators: what motors make of commands, of all joints, or {joint: actuator}.
        sensors: what a controller sees; the state itself where nothing measures it.
        pushes: forces by the clock.
        brakes: on joints, closed by the clock.
        payloads: what is picked up and dropped by the clock.
        vary: which constants differ from lane to lane: {"*.mass": 0.1} is ±10 %, {"*.friction": (0, 2)} factors;
            "contact.friction" is that of all contacts, "SENSOR.noise" the noise of a sensor.
        gravity: acceleration of free fall in world axes (m/s²).
        method: "semi_implicit", or "rk4" where nothing touches, stops or sticks.
        sweeps: of the contact solver (cone_solve) in each step.
        precision: "double", or "single".
    """

    robot: Robot
    dt: float = 1e-3
    _: KW_ONLY
    contacts: Sequence[Contact] = ()
    friction: Resistance = "none"
    limits: bool = False
    actuators: Actuator | Mapping[str, Actuator] = TORQUE
    sensors: Sequence[Sensor] = ()
    pushes: Sequence[Push] = ()
    brakes: Sequence[Brake] = ()
    payloads: Sequence[Payload] = ()
    vary: Mapping[str, Any] = field(default_factory=dict[str, Any])
    gravity: Sequence[float] = STANDARD_GRAVITY
    method: Method = "semi_implicit"
    sweeps: int = 5
    precision: Precision = "double"

    def __post_init__(self) -> None:
        keep = object.__setattr__
        checked.instance("Plant: robot", self.robot, Robot, 'give a robot, such as mc.load("lwr4")')
        wanted = f"give seconds of a step, from 1e-9 to {LONGEST_STEP:g}, such as 1e-3"
        keep(self, "dt", checked.number("Plant: dt", self.dt, wanted, fits=lambda dt: 1e-9 <= dt <= LONGEST_STEP))
        for name, kind in KINDS.items():
            wanted = f"give a list of {kind.__name__}(…)"
            found = checked.several(f"Plant: {name}", getattr(self, name), wanted, kind)
            for one in found:
                checked.instance(f"Plant: {name}", one, kind, wanted)
            keep(self, name, found)
        checked.one_of("Plant: friction", self.friction, get_args(Resistance))
        checked.flag("Plant: limits", self.limits)
        keep(self, "gravity", tuple(map(float, checked.numbers("Plant: gravity", self.gravity, GRAVITY, (3,)))))
        checked.one_of("Plant: method", self.method, get_args(Method))
        checked.whole("Plant: sweeps", self.sweeps, 1, "give a whole number of sweeps ≥ 1")
        checked.one_of("Plant: precision", self.precision, get_args(Precision))
        keep(self, "vary", understood_variations("Plant: vary", self.vary))
        if isinstance(self.actuators, Mapping):
            keep(self, "actuators", dict(self.actuators))
        _ = self.parts  # whatever does not go together is said now

    # ---------------------------------------------------------------- as computations

    @cached_property
    def parts(self) -> dict[str, Computation]:
        """What makes a turn, in order, a controller left out: sensors before it, the others behind."""
        return {**self.measuring, **self.moving}

    @cached_property
    def measuring(self) -> dict[str, Computation]:
        """What comes before a controller."""
        scene: dict[str, Any] = {
            "contacts": self.contacts,
            "forces": self.forces,
            "gravity": self.gravity,
            "parameters": self._parameters,
        }
        made = {one.name: one.computation(self.robot, self.dt, self.precision, **scene) for one in self.sensors}
        if len(made) < len(self.sensors):
            raise Error("Plant: sensors: two have one name; give each its own, Encoder(name=…)")
        noisier = {name: with_noise_level(name, made[name], self.precision) for name in self._levelled}
        return made | noisier

    @cached_property
    def moving(self) -> dict[str, Computation]:
        """What comes behind it."""
        happenings = {"happenings": self._happenings} if self._happens else {}
        felt = any(port.name == "a" for part in self.measuring.values() for port in part.inputs)
        rates = {"rates": accelerations(self.robot, self.dt, self.precision)} if felt else {}
        servo = {"servo": forces_of_springs(self.robot, self._servo, self.precision)} if self._servo else {}
        return {**happenings, "actuators": self._actuators, STEP: self.stepper, **servo, **rates}

    @cached_property
    def feeds(self) -> dict[str, str]:
        """Wires between the parts that names do not tell."""
        if self._servo:
            return {f"{STEP}.target": "actuators.servo_target", f"{STEP}.tau": "actuators.no_force"}
        return {f"{STEP}.tau": "actuators.motor_force"}

    @cached_property
    def step(self) -> Computation:
        """One step of the plant as the file has it: q, v, the command (, time, state) → q_next, v_next …"""
        if self.vary:
            return self.alike(vary={}).step
        return wired(self.moving, feeds=self.feeds, name="plant")

    def alike(self, **changes: Any) -> "Plant":
        """The same plant but for these of its arguments."""
        return replace(self, **changes)

    @property
    def command(self) -> Port:
        """What actuators are told."""
        known = {"q", "v"}
        return next(port for port in self._actuators.inputs if port.name not in known)

    @cached_property
    def varied(self) -> tuple[Open, ...]:
        """The constants that differ from lane to lane."""
        return tuple(one for one in self._open if one.name in self._factors)

    def plants(self, seed: int, lanes: Any) -> dict[str, Array]:
        """What the constants are that differ, in each of these lanes."""
        return drawn_plants(self.varied, self._factors, seed, lanes)

    @property
    def nominal(self) -> dict[str, Array]:
        """What open constants are where nobody says otherwise."""
        return {one.name: np.asarray(one.default, float) for one in self._open}

    # ---------------------------------------------------------------- where it starts

    def start(self, q: Any = None, v: Any = None, *, height: float | None = None) -> dict[str, Array]:
        """Where a run starts: {"q": …, "v": …}.

        Args:
            q: the configuration; neutral unless said.
            v: velocities; at rest unless said.
            height: lifts or lowers a floating robot until its lowest contact is so far above what it touches (m).
        """
        robot = self.robot
        place = _entries("q", robot.neutral() if q is None else q, robot.nq)
        speed = _entries("v", np.zeros(robot.nv) if v is None else v, robot.nv)
        if height is not None:
            wanted = checked.number("start: height", height, "give metres above the ground")
            if not robot.floating:
                raise Error(f"start: height={wanted:g}: {robot.name} does not float, and stays there; leave it out")
            missing = np.inf
            for _ in range(LIFTS):
                way = wanted - self.gaps(np.atleast_2d(place)).min(axis=1).reshape(place.shape[:-1])
                nearer = np.abs(way) < missing
                place[..., 2], missing = place[..., 2] + np.where(nearer, way, 0.0), np.abs(way)
        return {"q": place, "v": speed}

    def gaps(self, q: Any) -> Array:
        """How far contacts are from what they touch, (N, k), at so many configurations (N, nq)."""
        if not self.contacts:
            raise Error(f"{self.robot.name} touches nothing here; say Plant(…, contacts=[…])")
        states = np.asarray(q, float)
        known = {**self.nominal, "q": states}
        given = (known.get(port.name, np.zeros(port.shape)) for port in self._gaps.inputs)
        found = self._gaps.batch(*given)
        return np.asarray(found.gap if self._gaps.states else found)  # alone where every contact gives way

    @cached_property
    def _gaps(self) -> Computation:
        return time_step(self.robot, self.dt, contacts=self.contacts, outputs=["gap"])

    # ---------------------------------------------------------------- what it is made of

    @property
    def _happens(self) -> Happenings:
        return Happenings(tuple(self.pushes), tuple(self.payloads), tuple(self.brakes))

    @property
    def forces(self) -> tuple[Force, ...]:
        """Where wrenches act, in the order of f_ext."""
        return tuple(map(Force, self._happens.frames))

    @property
    def _servo(self) -> Position | None:
        """Springs that are part of the step, implicit: position actuators that are ideal."""
        one = self.actuators
        if not isinstance(one, Position) or self.method != "semi_implicit":
            return None
        pulls = any(gains_in_order(self.robot, "Plant: actuators: stiffness", one.stiffness))
        return one if pulls and one == Position(one.stiffness, one.damping) else None

    @property
    def _open(self) -> Sequence[Open]:
        """Constants that are inputs of the step."""
        frictions = np.array([contact.friction for contact in self.contacts for _ in range(contact.places())])
        levels = (Constant(f"{sensor}{LEVEL}", np.array(1.0)) for sensor in self._levelled)
        mu = [Constant("mu", frictions)] if MU in self.vary else []
        return (*source_of("plant", self.stepper).open, *mu, *levels)

    @property
    def _levelled(self) -> list[str]:
        """The sensors whose noise differs from lane to lane."""
        return [one.name for one in self.sensors if f"{one.name}.noise" in self.vary]

    @property
    def _parameters(self) -> tuple[str, ...]:
        """Constants of the robot that are inputs: what differs from lane to lane, and what is picked up."""
        varied = (name for name in self._factors if name != "mu" and not name.endswith(LEVEL))
        return (*varied, *(payload.parameter for payload in self.payloads))

    @cached_property
    def _factors(self) -> dict[str, Factors]:
        if MU in self.vary and not self.contacts:
            raise Error(f"Plant: vary: {MU!r}, but nothing touches; say contacts=[…], or leave it out")
        levels = {f"{sensor}{LEVEL}": self.vary[f"{sensor}.noise"] for sensor in self._levelled}
        own = {
            name: factors for name, factors in self.vary.items() if name.removesuffix(".noise") not in self._levelled
        }
        rubs = self.friction != "none"
        return factors_by_name("Plant: vary", self.robot, own, self.gravity, rubs=rubs) | levels

    @cached_property
    def stepper(self) -> Computation:
        """The time step of the robot: what moves it."""
        servo, touched = self._servo, TOUCHED if self.contacts else ()
        stops = ["joint_stop_force"] * self.limits
        holds = ["joint_friction_force"] * (bool(self.brakes) or self.friction == "stiction")
        soft = all(contact.law is not None for contact in self.contacts)
        if soft and not (self.limits or self.brakes or self.friction == "stiction"):
            touched = [name for name in touched if name != "contact_residual"]  # nothing is solved for
        return time_step(
            self.robot,
            self.dt,
            method=self.method,
            stiffness=servo.stiffness if servo else 0.0,
            damping=servo.damping if servo else 0.0,
            external_forces=self.forces,
            gravity=self.gravity,
            friction=self.friction == "smooth",
            contacts=self.contacts,
            limits=self.limits,
            stiction=self.friction == "stiction",
            brakes={brake.joint: brake.force for brake in self.brakes},
            sweeps=self.sweeps,
            contact_friction=MU in self.vary,
            outputs=("q_next", "v_next", *touched, *stops, *holds),
            parameters=self._parameters,
            precision=self.precision,
        )

    @cached_property
    def _actuators(self) -> Computation:
        if self._servo is None:
            return actuators_of(self.robot, self.dt, self.actuators, precision=self.precision)
        target = next(port for port in self.stepper.inputs if port.name == "target")
        return told_to_springs(self.robot, self._servo, target, self.precision)

    @cached_property
    def _happenings(self) -> Computation:
        ports = {port.name: port for port in self.stepper.inputs}
        return self._happens.computation(self.robot, ports, self.precision)

    def __repr__(self) -> str:
        said = [f"dt={self.dt:g}"]
        for one in fields(self)[2:]:
            value = getattr(self, one.name)
            default = one.default if one.default_factory is MISSING else {}
            if value != default:
                said.append(f"{one.name}={checked.shown(value)}")
        return f"Plant({self.robot.name}, {', '.join(said)})"


def _entries(name: str, given: Any, size: int) -> Array:
    """So many numbers, lanes in front where there are many."""
    wanted = f"give {size} numbers, or (N, {size}) for as many lanes"
    found = np.array(checked.numbers(f"start: {name}", given, wanted), float)
    if found.ndim not in (1, 2) or found.shape[-1] != size:
        raise Error(f"start: {name} has shape {found.shape}; {wanted}")
    return found


GRAVITY = "give three finite numbers in m/s², world axes"
KINDS: dict[str, Any] = {
    "contacts": Contact,
    "sensors": Sensor,
    "pushes": Push,
    "brakes": Brake,
    "payloads": Payload,
}
