"""Nonsense in any argument of anything public gets one sentence that names it; nothing nonsensical is taken."""

import inspect
from pathlib import Path

import pytest

import motionc as mc
from motionc.computations import CATALOGUE
from motionc.sweeps.options import checks
from nonsense import Maker, Try, makers, tries
from trials import trials

WORDS = {"word", "digits", "zero byte"}

ARRAYS = {"short array", "deep array", "array of objects", "array of nan", "masked"}

NAMES = """
    Constraint(frame) Constraint(wrt) Constraint(as_seen_by) JointConstraint(joints) Target(frame) Target(wrt)
    CenterOfMass(as_seen_by) Momentum(as_seen_by) Target(as_seen_by) Force(frame) Force(as_seen_by) Attachment(name)
    Attachment(axes) Link(name) Link.rigid(name) Link.rigid(reference) Segment(name) Joint(name) KinematicChain(name)
    Output(quantity) Output(of) Output(as_seen_by) Output(unit) Output(meaning) Port(name) Port(unit) Port(meaning)
    Schedule(name) Finding(rule) Finding(message) Finding(remedy) operation(needs) operation(gives) operation(equation)
    solve(name)
    Row(from_) Row(to) Machine.computation(name) Threshold(event) Threshold(signal) Threshold(otherwise) Threshold(unit)
    Braking(event) Braking(position) Braking(velocity) Elapsed(event) Ramp(unit) Trapezoid(unit) DoubleS(unit)
    from_dh(name) attach(prefix) attach(name) Robot.with_frame(name) emit(prefix) sources(prefix) emit_robot(prefix)
    bundle(licence) block(name) wired(name) loop(name) Loop.sources(prefix) pd(name) computed_torque(name)
    impedance(name) beta(name) resolved_acceleration(name)
    Rest.law(name) Bounds(event) Bounds(signal) Bounds(unit) Coupling(event) Sound(event)
    Sound(clock) Sound(stamp) Late(event) Late(clock) to_stop(state) Pid(unit) Pid(command_unit) Converged(event)
    Load(event)
    Contact(frame) Contact(name) Solid(frame) HeightField(name) free_body(name)
    Signal(name) Signal(unit) Signal(meaning) Signal(relation) Mark(name) Band(signal) Band(name) Reference(signal)
    Reference(of) Mode(names) Mode(machine) Recording(task) Recording(notes) Tube(frame) Tube(pose) Tube(wrt) Tube(name)
    Declared(task)
"""
"""Any word may be one: whether a robot has a frame of that name is asked where the robot is."""

TIMES_AND_SHARES = """
    LimitSprings(margin) LimitSprings(share) Bounds(held) Bounds(dt) Sound(age) Late(most) guards(dt) guards(brakes)
    guards(react) guards(velocity) guards(torque) guards(overload) guards(late) guards(age) Pid(dt) Pid(filter)
    Pid(tracking) Baumgarte(eta) Baumgarte(dt) Converged(tolerance) Converged(gain) Converged(window) Converged(dt)
"""

ACCEPTED: dict[str, set[str]] = {
    **dict.fromkeys(NAMES.split(), WORDS),
    # a model of a file may have nothing for a name; units and meanings may be left empty
    **{
        f"{kind}(name)": WORDS | {"empty word"} for kind in ("Attachment", "Link", "Segment", "Joint", "KinematicChain")
    },
    **{f"Finding({words})": WORDS | {"empty word"} for words in ("rule", "message", "remedy")},
    **{
        f"{kind}({words})": WORDS | {"empty word"}
        for kind in ("Port", "State")
        for words in ("name", "unit", "meaning")
    },
    **{f"Signal({words})": WORDS | {"endless word"} for words in ("unit", "meaning", "relation")},
    "Recording(task)": WORDS | {"endless word"},
    "Recording(notes)": WORDS | {"generator", "nothing in a list"},
    "Signal(labels)": {"generator"},  # two of them, for two entries
    **{key: {"short array"} for key in ("Signal(times)", "Signal(values)", "Mode(times)")},
    **{key: WORDS | {"minus three", "half", "zero", "infinity", "short array"} for key in ("Band(low)", "Band(high)")},
    **{key: WORDS | {"generator"} for key in ("Band(during)", "Tube(during)", "Declared(events)")},
    **{f"Tube({length})": {"half", "zero"} for length in ("width", "length", "ahead")},
    "Declared(modes)": {"nothing by name"},
    "Declared(task)": WORDS | {"endless word"},
    # a robot without a run, any port that is free; folders may be called anything
    "show(run)": {"None", "nothing in a list"},
    "show(port)": {"zero"},
    **{f"show({several})": {"nothing in a list"} for several in ("frames", "constraints")},
    **{f"{page}(roots)": {"word", "digits", "nothing in a list", "generator"} for page in ("show", "replay")},
    "replay(path)": {"word", "digits"},
    "replay(rate)": {"half"},
    **{key: {"half", "zero"} for key in ("Mark(time)", "Recorder(dt)", "Recording(dt)")},
    **{key: {"nothing in a list", "nothing by name"} for key in ("Recording(signals)", "Recording(inputs)")},
    "Recording(versions)": {"nothing by name"},
    # a check may fail for any number, a report say nothing more, files be called anything
    **{f"Check({words})": WORDS for words in ("name", "unit", "beside")},
    "Check(value)": {"minus three", "half", "zero", "nan", "infinity"},
    "Check(limit)": {"minus three", "half", "zero"},
    "report(said)": {"nothing by name"},
    "report(replay)": {"True"},
    "plots(folder)": {"word", "digits"},
    "Recorder(signals)": {"nothing in a list"},
    **{key: {"True"} for key in ("Recorder(views)", "Recorder(force)")},
    **{key: {"word", "digits"} for key in ("Recording.save(path)", "Recording.to_csv(path)", "Recorder(path)")},
    "block(equation)": WORDS | {"endless word"},
    "Output(as_seen_by)": WORDS | {"empty word"},
    "frame_motion(as_seen_by)": {"empty word"},
    # words that come one by one
    "JointConstraint(joints)": WORDS | {"generator"},
    "operation(needs)": WORDS | {"generator"},
    "operation(gives)": WORDS | {"generator", "nothing in a list"},
    "Row(event)": WORDS | {"generator"},
    # numbers that mean something
    **{
        key: {"half"}
        for key in (
            "Row(held)",
            "Machine(dt)",
            "Elapsed(after)",
            "Elapsed(dt)",
            "Ramp(rate)",
            "Ramp(dt)",
            "Trapezoid(dt)",
        )
    },
    **{f"Threshold({number})": {"half"} for number in ("enter", "held", "dt")},
    "Threshold(leave)": {"minus three", "half", "zero"},
    "Threshold(rest)": {"minus three", "half"},
    **{f"Braking({numbers})": {"short array"} for numbers in ("lower", "upper", "meanwhile")},
    **{
        f"{kind}({limit})": {"half"}
        for kind in ("Trapezoid", "DoubleS")
        for limit in ("velocity", "acceleration", "jerk")
    },
    "Machine.selected(mode)": {"zero"},
    "State(start)": {"minus three", "half", "short array"},
    "loop(period)": {"half"},
    # any run and any number: a lane that is not finite ends, and says so
    "Loop.batch(seconds)": {"half", "zero"},
    "environment(seconds)": {"half"},
    **{f"environment({which})": {"nothing by name"} for which in ("start", "held")},
    "environment(low)": {"minus three", "zero"},
    "environment(high)": {"half", "zero"},
    **{f"environment({which})": {"huge"} for which in ("rate", "threads")},
    "Loop.batch(threads)": {"None", "huge"},
    "MujocoPlant.roll_out(threads)": {"huge"},
    **{
        f"{run}({which})": {"zero"}
        for run in ("Loop", "Loop.batch", "Loop.to_jax")
        for which in ("steps", "lanes", "seed", "lane", "turn")
    },
    **{
        f"{run}({name})": {"minus three", "half", "zero", "True", "nan", "infinity"}
        for run in ("Loop", "Loop.batch")
        for name in ("x", "push", "count")
    },
    "Block.start(states)": {"zero"},
    "inverse_kinematics(tolerance)": {"half"},
    "inverse_kinematics(iterations)": {"huge"},
    "inverse_kinematics(restarts)": {"zero", "huge"},
    "inverse_kinematics(seed)": {"huge"},
    "inverse_velocity(damping_factor)": {"half"},
    "constrained_dynamics(moment_arm)": {"half"},
    "constrained_dynamics(regularisation)": {"half"},
    **{f"step({name})": {"half", "nothing by name"} for name in ("stiffness", "damping")},
    **{
        f"{law}({name})": {"half", "zero", "nothing by name"}
        for law in ("pd", "computed_torque", "stability_note")
        for name in ("stiffness", "damping")
    },
    **{f"impedance({name})": {"half", "zero"} for name in ("stiffness", "damping")},
    "impedance(joint_damping)": {"half", "nothing by name"},
    **{f"beta({name})": {"half", "zero"} for name in ("stiffness", "damping")},
    **{f"resolved_acceleration({name})": {"half", "zero"} for name in ("stiffness", "damping")},
    "resolved_acceleration(limits)": {"nothing by name"},
    # around tasks: gains of a robot that is told later, and of none
    **{
        place: {"half", "zero", "nothing in a list", "nothing by name", "short array"}
        for kind in ("Rest", "Stop", "LimitSprings")
        for place in (f"{kind}(stiffness)", f"{kind}(damping)")
    },
    "Rest(springs)": {"None"},
    "Bounds(back)": {"zero"},
    "Bounds(sigma)": {"short array"},
    **{f"Pid({numbers})": {"half", "zero", "short array"} for numbers in ("proportional", "integral", "derivative")},
    **{f"Pid({limit})": {"minus three", "half", "zero", "short array"} for limit in ("lower", "upper")},
    **{f"Baumgarte({rate})": {"half", "zero"} for rate in ("alpha", "beta")},
    **{key: {"half"} for key in TIMES_AND_SHARES.split()},
    **{place: {"nothing in a list"} for place in ("Sound(rates)", "to_stop(monitors)")},
    "stability_note(dt)": {"half"},
    # numbers of motors and sensors; {} for no joint
    **{
        f"{kind}({name})": {"half", "zero", "nothing by name"}
        for kind in ("Torque", "Velocity", "Position", "TorqueSpeed", "Encoder", "JointTorque")
        for name in ("gain", "stiffness", "damping", "time_constant", "noise", "resolution")
    },
    **{f"{kind}(saturation)": {"half", "nothing by name"} for kind in ("Torque", "Velocity", "Position")},
    **{f"TorqueSpeed({name})": {"half", "nothing by name"} for name in ("stall", "no_load_speed")},
    "actuators_of(dt)": {"half"},
    "actuators_of(actuators)": {"nothing by name"},
    "Encoder(offset)": {"minus three", "half", "nothing by name"},
    "Encoder(velocity_noise)": {"half", "nothing by name"},
    "JointTorque(bias)": {"minus three", "half", "nothing by name"},
    "Encoder(time_constant)": {"half"},
    **{f"Imu({name})": {"half"} for name in ("gyro_noise", "accelerometer_noise")},
    **{f"ForceTorque({name})": {"half"} for name in ("force_noise", "torque_noise")},
    **{f"Range({name})": {"half"} for name in ("noise", "most")},
    "Range(bias)": {"minus three", "half"},
    **{f"{kind}Encoder(resolution)": {"half"} for kind in ("Absolute", "Relative")},
    **{f"AbsoluteEncoder({name})": {"minus three", "half", "short array"} for name in ("reference", "raw_reference")},
    **{
        f"{kind}(name)": {"word"}
        for kind in ("Encoder", "Imu", "ForceTorque", "JointTorque", "Range", "AbsoluteEncoder", "RelativeEncoder")
    },
    "Sensor.computation(dt)": {"half"},
    "actuators_of(name)": WORDS | {"empty word"},
    **{f"step({name})": {"half"} for name in ("dt", "friction_smoothing")},
    **{f"{kind}_dynamics(friction_smoothing)": {"half"} for kind in ("inverse", "forward", "hybrid", "constrained")},
    "constrained_dynamics(truncation)": {"zero"},
    "operational_space(truncation)": {"zero"},
    "impact(truncation)": {"zero"},
    "impact(restitution)": {"short array"},  # one for its one constraint
    "Constraint(level)": {"huge"},
    "Constraint(weight)": {"half"},
    "JointConstraint(level)": {"huge"},
    "JointConstraint(weight)": {"half"},
    **{f"{kind}(level)": {"huge"} for kind in ("CenterOfMass", "Momentum")},
    **{f"{kind}(weight)": {"half"} for kind in ("CenterOfMass", "Momentum")},
    "Target(weight)": {"half"},
    "Contact(friction)": {"half", "zero"},
    "HeightField(spacing)": {"half"},
    **{f"Compliant({number})": {"half"} for number in ("stiffness", "damping", "slip_speed")},
    "free_body(mass)": {"half"},
    "Link(mass)": {"half", "zero"},
    "Link.rigid(mass)": {"half", "zero"},
    "inertial(mass)": {"half", "zero"},
    "Limits(lower)": {"minus three", "half", "zero", "infinity"},
    "Limits(upper)": {"minus three", "half", "zero"},
    "Limits(velocity)": {"half", "zero"},
    "Limits(effort)": {"half", "zero"},
    "Mimic(gain)": {"minus three", "half", "zero"},
    "Mimic(offset)": {"minus three", "half"},
    "Transmission(rotor_inertia)": {"half"},
    "Transmission(damping)": {"half"},
    "Transmission(friction)": {"half"},
    # a revolute joint has none of these, which a finding says
    "Joint(pitch)": {"minus three", "half"},
    "Joint(second_axis)": WORDS
    | {"empty word", "nothing in a list", "None in a list", "ragged", "holds itself"}
    | ARRAYS,
    # as many states as one likes in front, none too, and any time or share
    "Robot.configuration(q)": {"deep array"},
    "Robot.integrate(q)": {"deep array"},
    "Robot.integrate(v)": {"deep array"},
    "Robot.integrate(dt)": {"minus three", "half", "zero", "nothing in a list", "short array", "deep array"},
    "Robot.rates(q)": {"deep array"},
    "Robot.rates(v)": {"deep array"},
    "Robot.difference(q0)": {"deep array"},
    "Robot.difference(q1)": {"deep array"},
    "Robot.interpolate(q0)": {"deep array"},
    "Robot.interpolate(q1)": {"deep array"},
    "Robot.interpolate(share)": {"minus three", "half", "zero", "nothing in a list", "short array", "deep array"},
    "Robot.random(rng)": {"zero", "huge"},
    "Robot.random(size)": {"zero"},
    "build(threads)": {"huge"},
    # none of them
    "build(computations)": {"nothing in a list"},
    "Machine(resets)": {"nothing by name"},
    "Machine.next(events)": {"nothing in a list", "nothing by name"},
    "hybrid_dynamics(prescribed)": {"nothing in a list"},
    "constrained_dynamics(constraints)": {"nothing in a list"},
    "constrained_dynamics(actuated)": {"nothing in a list"},
    "constrained_dynamics(limits)": {"nothing by name"},
    "step(brakes)": {"nothing by name"},
    "solve(constants)": {"nothing by name"},
    **{
        f"{maker}(given_frames)": {"nothing by name"}
        for maker in ("forward_kinematics", "jacobian", "constrained_dynamics", "solve")
    },
    "Schedule(sweeps)": {"nothing in a list"},
    "Port(shape)": {"nothing in a list"},
    "State(shape)": {"nothing in a list"},
    "wired(outputs)": {"nothing in a list"},
    **{f"wired({name})": {"nothing by name"} for name in ("feeds", "feedback", "start")},
    "report(tables)": {"nothing in a list"},
    **{f"loop({by_name})": {"nothing by name"} for by_name in ("drawn", "log", "feeds", "rates", "start")},
    "Link.rigid(features)": {"nothing by name"},
    "Link(places)": {"nothing by name"},
    "Joint(places)": {"nothing by name"},
    "Robot(fixed)": {"nothing by name"},
    "load(fixed)": {"nothing by name"},
    "load(arguments)": {"nothing by name"},
    "check(arguments)": {"nothing by name"},
    # folders, and a file that is not there, which is a finding
    **{f"{maker}(folder)": {"word", "digits"} for maker in ("emit", "emit_robot", "bundle")},
    **{
        f"{maker}(roots)": {"word", "digits", "generator"}
        for maker in ("load", "check", "convert", "drawing", "picture")
    },
    "picture(captions)": WORDS,
    "picture(ground)": {"minus three", "half", "zero"},
    "Camera(angle)": {"half"},
    "check(source)": {"word", "digits"},
    "load(floating)": {"True"},
    "bundle(tell)": {"function", "class"},  # what somebody's own function does is theirs
}
"""What is no nonsense there, besides an argument's default and both of yes and no."""

ANY_LENGTH = """
    Attachment(name) Attachment(axes) Link(name) Segment(name) Joint(name) Joint(second_axis) KinematicChain(name)
    Finding(rule) Finding(message) Finding(remedy) Output(of) Output(as_seen_by) Output(unit) Output(meaning)
    Port(meaning) State(meaning)
"""
"""Words of a model, which its rules look at, and words for people."""

NO_MAKERS = {
    "Error",
    "ModelError",
    "ModelWarning",
    "ReadError",
    "SemanticError",
    "Role",
    "Results",
    "InverseKinematics",
    "robots",
}
"""Public names that are called and are tried nowhere: exceptions, an enumeration, what only we make, no arguments."""


@pytest.fixture
def every_maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Maker]:
    monkeypatch.chdir(tmp_path)  # where a relative folder lands
    return makers(tmp_path)


def ended_well(each: Try) -> bool:
    theirs = each.error is None or each.place == "bundle(tell)"
    if each.value == "endless word" and each.place in ANY_LENGTH.split():
        return theirs
    return each.refused or (theirs and (each.usual or each.value in ACCEPTED.get(each.place, ())))


@pytest.mark.filterwarnings("ignore")
def test_nonsense_in_any_argument_gets_one_sentence_that_names_it(every_maker: list[Maker]) -> None:
    """7,301 calls of this kind had 1,783 tracebacks in version 0.1, and 365 were taken."""
    tried = [each for maker in every_maker for each in tries(maker)]
    assert len(tried) > trials(22000)
    bad = [each for each in tried if not ended_well(each)]
    assert [f"{each.place} given {each.value}: {each.error!r}" for each in bad] == []


def test_every_public_maker_is_tried_with_nonsense(every_maker: list[Maker]) -> None:
    tried = {maker.name for maker in every_maker} | NO_MAKERS | {"to_casadi", "to_jax", "to_torch"}
    public = {name for name in mc.__all__ if callable(getattr(mc, name)) and not inspect.ismodule(getattr(mc, name))}
    assert sorted(public - tried) == []


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_option_of_a_computation_is_checked_when_it_is_made(name: str) -> None:
    unchecked = {option for option, check in checks(CATALOGUE[name]).items() if check is None}
    assert unchecked == set()
