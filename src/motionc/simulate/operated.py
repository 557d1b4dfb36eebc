"""What came of operating a robot, as a run: what closed loops are judged, recorded and drawn by.

A row is a period: what its state was at its end, which is the next reading, and what was told in it. Of a robot in
another process nobody knows more than it tells: q and v are readings, and motor_force is what motors were told.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from motionc import checked
from motionc.control.interfaces import Interface
from motionc.control.operating import Operation, Tolerance, operate
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.runtime.computation import Computation
from motionc.runtime.loop_arguments import Rows, run_type
from motionc.simulate.declarations import Declared
from motionc.simulate.hardware import SimulatedRobot
from motionc.simulate.runs import Run
from motionc.simulate.serving import reached
from motionc.solvers.arguments import q_port, tau_port, v_port


def operated(
    interface: Interface,
    simulated: SimulatedRobot,
    robot: Robot,
    controller: Computation,
    given: Mapping[str, Any],
    *,
    seconds: float,
    declared: Declared | None = None,
) -> tuple[Run, Operation]:
    """A controller on the robot that an interface names, as a run, and how that went.

    Args:
        interface: which robot, and how it is reached.
        simulated: the robot that is simulated; where another one is reached, what it is expected to be.
        robot: the model that the controller is made of.
        controller: what is operated; all its outputs are logged.
        given: what it reads besides.
        seconds: how long.
        declared: what is to be said of the run's signals.
    """
    outputs = [port.name for port in controller.outputs]
    hardware = reached(interface, robot, simulated if interface.start else None)
    tolerance = Tolerance(timeout=interface.timeout)
    done = operate(hardware, controller, given, seconds=seconds, tolerance=tolerance, log=["q", "v", *outputs])
    if done.cycles < 2:
        raise Error(f"{robot.name}: nothing came of it: {done.ended}; {done.events[-1].words if done.events else ''}")
    return _run(simulated, robot, controller, given, done, declared), done


def _run(
    simulated: SimulatedRobot,
    robot: Robot,
    controller: Computation,
    given: Mapping[str, Any],
    done: Operation,
    declared: Declared | None,
) -> Run:
    if done.nameplate.command != "tau":
        raise checked.refusal("operated: command", done.nameplate.command, "runs are of robots that are told forces")
    told = next(port.name for port in controller.outputs if port.name in ("tau", "tau_command"))
    ports: list[Port] = [q_port(robot), v_port(robot), tau_port(robot, "what motors were told", "motor_force")]
    ports += [_plain(port) for port in controller.outputs if port.name != told]
    # the state at the end of a period is the next reading: the last period has none
    rows: dict[str, Any] = {port.name: done.rows[port.name][:-1] for port in ports[3:]}
    rows |= {"q": done["q"][1:], "v": done["v"][1:], "motor_force": done[told][:-1]}
    every = round(done.nameplate.period / simulated.plant.dt)
    logs = tuple((port.name, every) for port in ports)
    states = (
        Port("last_q", (robot.nq,), "rad, m", "at the end"),
        Port("last_v", (robot.nv,), "rad/s, m/s", "at the end"),
    )
    ends = (Port("turns", (), "1", "turns made"), Port("finite", (), "1", "whether all stayed finite"))
    kind = run_type(Rows((*ports, *states, *ends), states, logs, simulated.plant.dt, tuple(ports)), None)
    turns = every * (done.cycles - 1)
    values = [*(rows[port.name] for port in ports), rows["q"][-1], rows["v"][-1], turns, True]
    return Run(simulated.plant, kind(values), simulated.seed, _words(done), given=given, steps=turns, declared=declared)


def _plain(port: Port) -> Port:
    return Port(port.name, port.shape, port.unit, port.meaning, port.space, port.relation)


def _words(done: Operation) -> Sequence[str]:
    """What went wrong, each in a sentence."""
    first = {event.name: event for event in reversed(done.events) if event.name != "late"}
    return [f"{event.name}: {event.words}, at {event.time:.3f} s" for event in first.values()]
