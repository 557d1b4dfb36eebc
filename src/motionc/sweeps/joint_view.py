"""One joint during a walk: its relations, with whatever coordinates the inputs have under them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motionc.geometry import (
    WORLD,
    Body,
    ClassicalAcceleration,
    CoordinateRate,
    JointAcceleration,
    JointCoordinates,
    JointDamping,
    JointDisplacement,
    JointForce,
    JointVelocity,
    KineticEnergy,
    MotionBasis,
    MotionBasisRate,
    Pose,
    RestingVelocity,
    RigidInertia,
    RotorInertia,
    SpatialAcceleration,
    Twist,
)
from motionc.geometry.coordinates import UNKNOWN, Coordinates, at_least, at_most, column, is_nothing, zeros
from motionc.geometry.labels import expect_alike
from motionc.geometry.meaning import as_meant
from motionc.model.chain import Array
from motionc.model.mechanism import MovingBody
from motionc.sweeps.problem import Ahead, Friction, Problem, Servo


@dataclass(frozen=True, eq=False)
class JointView:
    """One joint during a walk: its relations with this problem's numbers, symbols or nothing under them."""

    moving: MovingBody
    parent: Body
    problem: Problem

    @property
    def name(self) -> str:
        return self.moving.joint.name

    @property
    def relative_pose(self) -> Pose:
        """Pose of the joint's target frame wrt its reference frame."""
        return self.moving.joint.relative_pose(self._coordinates)

    @property
    def pose(self) -> Pose:
        """Pose of the child's frame wrt the parent's: the constant way to the joint, then the joint."""
        return self.moving.joint.reference.compose(self.relative_pose)

    @property
    def basis(self) -> MotionBasis:
        """S, the directions the joint leaves free."""
        joint = self.moving.joint
        return self._constant_basis if joint.type.constant else self._basis(self._coordinates)

    @cached_property
    def _constant_basis(self) -> MotionBasis:
        """The same where q does not matter: operations ask for it again and again."""
        return self._basis(UNKNOWN)

    def _basis(self, q: Coordinates) -> MotionBasis:
        return self.moving.joint.basis(self.moving.body, self.parent, q)

    @property
    def basis_rate(self) -> MotionBasisRate | None:
        """S̊, how S changes in the body; None where it is constant."""
        joint = self.moving.joint
        if joint.type.constant:
            return None
        rate = joint.basis_rate(self.moving.body, self.parent, self._coordinates, self._rate("v"))
        return as_meant(rate, "rate of directions", of=self.moving.body, wrt=self.parent)

    def spatial_bias(self, twist: Twist) -> SpatialAcceleration:
        """V × S q̇ + S̊ q̇: the spatial acceleration of the joint while its rates are constant; V is the body's twist."""
        bias, rate = twist.spatial_bias(self.basis.times(self.velocity)), self.basis_rate
        return bias if rate is None else bias.driven(rate.times(self.velocity))

    def classical_bias(self, twist: Twist) -> ClassicalAcceleration:
        """The same as a classical acceleration."""
        bias, rate = twist.classical_bias(self.basis.times(self.velocity)), self.basis_rate
        return bias if rate is None else bias.driven(rate.times(self.velocity))

    @property
    def locked(self) -> MotionBasis:
        """No direction at all: the joint while it does not move."""
        return replace(self.basis, joints=(), angular=zeros(3, 0), linear=zeros(3, 0))

    def coordinates(self, port: str) -> JointCoordinates:
        """q of the joint, as an input has it; of joints that follow no other."""
        return JointCoordinates(self.moving.joint.labels, self.problem.rows(port, self.moving.joint.q))

    def moved(self, start: JointCoordinates, by: JointDisplacement) -> JointCoordinates:
        """Where the joint is that has moved so far from there, its velocity constant."""
        expect_alike(start, by, ".moved", JointDisplacement, "joints")
        return replace(start, values=self.moving.joint.type.advance(start.values, by.values))

    def between(self, start: JointCoordinates, end: JointCoordinates) -> JointDisplacement:
        """How far the joint has to move from one to the other, the shorter way."""
        expect_alike(start, end, ".between", JointCoordinates, "joints")
        return JointDisplacement(start.joints, self.moving.joint.type.difference(start.values, end.values))

    def changing(self, at: JointCoordinates, rates: JointVelocity) -> CoordinateRate:
        """How fast each entry of q changes there: q̇ = N(q) v."""
        expect_alike(at, rates, ".changing", JointVelocity, "joints")
        return CoordinateRate(at.joints, self.moving.joint.type.change(at.values, rates.values))

    def normalised(self, at: JointCoordinates) -> JointCoordinates:
        """The same place, quaternions of length 1."""
        return replace(at, values=self.moving.joint.type.normalised(at.values))

    def after(self, rates: JointVelocity) -> JointCoordinates:
        """Where the joint is after moving with these rates for unit time, within its limits."""
        joint, own = self.moving.joint, rates.among(self.moving.joint.labels)
        values = self.moved(self.coordinates("q"), own.during(1.0)).values
        lower, upper = (self.problem.constants[name][joint.q] for name in ("lower", "upper"))
        if not np.all(np.isinf(lower) & np.isinf(upper)):
            values = at_most(at_least(values, lower), upper)
        return JointCoordinates(joint.labels, values)

    @property
    def prescribed(self) -> bool:
        """Whether the joint is told how to accelerate; a follower is, with its leader."""
        told, joint = self.problem.prescribed, self.moving.joint
        return told is None or joint.name in told

    @property
    def inertia(self) -> RigidInertia:
        """H of the child, about its own origin."""
        self.problem.notice("inertia")
        return self.moving.inertia

    @property
    def rotor(self) -> Coordinates:
        """d, reflected rotor inertia, and what is added to it."""
        self.problem.notice("rotor")
        more = self.implicit_inertia
        return self.moving.joint.rotor if more is None else self.moving.joint.rotor + more.values

    @property
    def velocity(self) -> JointVelocity:
        return JointVelocity(self.moving.joint.labels, self._rate("v"))

    @property
    def acceleration(self) -> JointAcceleration:
        """q̈ as told; zero where nothing is told."""
        labels = self.moving.joint.labels
        return JointAcceleration(labels, self._rate("a") if self.prescribed else zeros(len(labels), 1))

    @property
    def force(self) -> JointForce:
        """The motor's force, as the input tau has it, and what acts along the joint anyway."""
        return self.acting(self.problem.motor_force(self.moving.joint.labels, self.moving.joint.v))

    def acting(self, made: JointForce) -> JointForce:
        """What a motor makes, and what acts along the joint anyway."""
        acting, resists = self.problem.beside_physical(made, self.moving.joint.v), self.passive_force
        return acting if resists is None else acting + resists

    @property
    def friction(self) -> JointForce | None:
        """What damping and Coulomb friction make along the joint; None where nobody asks for them."""
        smoothing, joint = self.problem[Friction].smoothing, self.moving.joint
        if smoothing is None:
            return None
        self.problem.notice("friction")
        if self.problem[Friction].dry:
            return self._rates_ahead.damper(joint.damping)
        return self._rates_ahead.friction(joint.damping, joint.friction, smoothing)

    @property
    def servo_force(self) -> JointForce | None:
        """What a spring and a damper make that pull the joint to its target; None where there are none."""
        stiffness, damping = self._servo
        rates = self.velocity_beside_target if "target_v" in self.problem.inputs else self._rates_ahead
        made = None if is_nothing(damping) else rates.damper(damping)
        if is_nothing(stiffness):
            return made
        way, ahead = self.between(self.coordinates("q"), self.coordinates("target")), self.problem[Ahead]
        if ahead.springs:
            way = way.without(self._rates_ahead.during(ahead.seconds))
        return way.spring(stiffness) if made is None else way.spring(stiffness) + made

    @property
    def velocity_beside_target(self) -> JointVelocity:
        """How much faster the joint is than its target, which moves with the input target_v."""
        return self.velocity.without(JointVelocity(self.moving.joint.labels, self.rates_of_target("target_v")))

    def rates_of_target(self, port: str) -> Coordinates:
        """Rates at the target, as the child sees them from where it is."""
        here, there = self.coordinates("q").values, self.coordinates("target").values
        return self.moving.joint.type.seen_from(here, there, self.problem.rows(port, self.moving.joint.v))

    @property
    def passive_force(self) -> JointForce | None:
        """What acts along the joint beside its motor: friction, a servo; None where nobody asks for them."""
        friction, servo = self.friction, self.servo_force
        return friction + servo if friction is not None and servo is not None else friction or servo

    @property
    def implicit_inertia(self) -> RotorInertia | None:
        """h r + h² k, by which forces h seconds ahead lessen with acceleration; None where they are those of now."""
        ahead, joint, smoothing = self.problem[Ahead], self.moving.joint, self.problem[Friction].smoothing
        if not ahead.seconds:
            return None
        stiffness, resists = self._servo
        if smoothing is not None and self.problem[Friction].dry:
            resists = resists + joint.damping
        elif smoothing is not None and not (is_nothing(joint.damping) and is_nothing(joint.friction)):
            resists = resists + self._rates_ahead.resistance(joint.damping, joint.friction, smoothing).values
        inertia = resists * ahead.seconds
        if ahead.springs and not is_nothing(stiffness):
            inertia = inertia + stiffness * ahead.seconds**2
        return None if is_nothing(inertia) else RotorInertia(joint.labels, inertia)

    @property
    def _servo(self) -> tuple[Array, Array]:
        """Stiffness and damping of its servo, columns; a follower has none."""
        joint, servo = self.moving.joint, self.problem[Servo]
        none = zeros(len(joint.labels), 1)
        if joint.follows or not servo.damping:
            return none, none
        return column(servo.stiffness[joint.v]), column(servo.damping[joint.v])

    @property
    def _rates_ahead(self) -> JointVelocity | RestingVelocity:
        """The rates that forces along the joint depend on, less what accelerations add to them."""
        seconds = self.problem[Ahead].seconds
        return self.resting_velocity(seconds) if seconds else self.velocity

    def resting_velocity(self, seconds: float) -> RestingVelocity:
        """Its rates some time later, unless they change, as the child's axes see them from where they are now."""
        return RestingVelocity(self.moving.joint.labels, self.moving.joint.type.resting(self._rate("v"), seconds))

    def gone_on(
        self, start: JointCoordinates, rates: RestingVelocity, seconds: float
    ) -> tuple[JointCoordinates, JointVelocity]:
        """Where the joint is some time later, its points having gone straight, and its velocity there."""
        expect_alike(start, rates, ".gone_on", RestingVelocity, "joints")
        q, v = self.moving.joint.type.go_on(start.values, rates.values, seconds)
        return replace(start, values=q), JointVelocity(start.joints, v)

    @property
    def effective_damping(self) -> JointDamping | None:
        """How much more the joint is resisted per unit of its own rates; None where nobody asks for friction."""
        smoothing, joint = self.problem[Friction].smoothing, self.moving.joint
        return None if smoothing is None else self.velocity.effective_damping(joint.damping, joint.friction, smoothing)

    def left_to_motor(self, whole: JointForce) -> JointForce:
        """Of all that a joint takes, what does not act along it anyway."""
        labels, left = self.moving.joint.labels, whole
        if "tau_physical" in self.problem.inputs:
            left = left + JointForce(labels, -self.problem.rows("tau_physical", self.moving.joint.v))
        resists = self.passive_force
        return left if resists is None else left + JointForce(labels, -resists.values)

    @property
    def rotor_force(self) -> JointForce:
        """d q̈, what the motor needs to turn its own rotor."""
        values, rotor = self.acceleration.values, self.rotor
        return JointForce(self.moving.joint.labels, values * rotor)

    @property
    def rotor_energy(self) -> KineticEnergy:
        """½ d q̇²."""
        rate, rotor = self._rate("v"), self.rotor
        value = 0.5 * rotor * (rate.T @ rate)
        return KineticEnergy(self.moving.body, WORLD, value)

    @property
    def _coordinates(self) -> Coordinates:
        """q of the joint; a follower's is its leader's, with its own gain and offset."""
        joint = self.moving.joint
        q = self.problem.rows("q", joint.q)
        return q if (joint.gain, joint.offset) == (1.0, 0.0) else q * joint.gain + joint.offset

    def _rate(self, port: str) -> Coordinates:
        joint = self.moving.joint
        values = self.problem.rows(port, joint.v)
        return values * joint.gain if joint.gain != 1.0 else values
