"""Robots of their own process: the same commands over shared memory and UDP, and what happens where one side dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import yaml

import motionc as mc
from bad_channels import BadChannel
from motionc.control import Interface, Stopped, Tolerance, operate
from motionc.control.channels import Datagrams
from motionc.control.remote import RemoteRobot
from motionc.simulate import Encoder, Plant, SimulatedRobot, Velocity, reached, serve
from motionc.simulate.serving import StartedRobot
from rows import row

ROBOT = mc.load("planar2")
START = {"q": np.array([0.4, -0.3]), "v": np.array([0.8, -0.5])}
LAW = mc.control.computed_torque(ROBOT, 100.0, 20.0)
TOLD = {"target": np.array([0.5, -0.2]), "target_v": np.zeros(2), "target_a": np.zeros(2)}
PLANT = Plant(ROBOT, friction="smooth", sensors=[Encoder(noise=1e-4)])


def simulated(**how: Any) -> SimulatedRobot:
    return SimulatedRobot(PLANT, start=START, every=2, seed=5, **how)


# ---------------------------------------------------------------- processes


@pytest.fixture(scope="module")
def alone() -> Any:
    """What comes of it in this process."""
    return operate(reached(Interface(), ROBOT, simulated()), LAW, TOLD, cycles=200, log=["q", "v", "tau"])


@row("robcogen", 51)
@pytest.mark.parametrize("section", ["kind: shared_memory", "kind: udp"])
def test_another_process_gives_the_same_commands_bit_for_bit_by_a_line_of_a_file(alone: Any, section: str) -> None:
    """And where that process is killed, the robot is lost within the timeout."""
    hardware = reached(Interface.from_mapping(yaml.safe_load(section)), ROBOT, simulated())
    assert isinstance(hardware, StartedRobot)
    processes = set[int]()

    def target(time_: float) -> Any:
        process = hardware.process
        assert process is not None
        processes.add(process.pid)
        if time_ > 0.4 and process.poll() is None:
            process.kill()
            process.wait()
        return TOLD["target"]

    tolerance = Tolerance(timeout=0.2)
    done = operate(hardware, LAW, {**TOLD, "target": target}, cycles=10**6, log=["q", "v", "tau"], tolerance=tolerance)
    for name in ("q", "v", "tau"):
        assert done[name][:200].tobytes() == alone[name].tobytes()
    assert len(processes) == 1
    assert os.getpid() not in processes
    assert (done.ended, done.events[-1].words) == ("lost", "no state came within 0.2 s")
    assert not Path("/dev/shm", f"motionc-{hardware._address}").exists()  # nothing is left of it
    assert 200 < done.cycles < 210


@contextmanager
def controlling(address: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Another process that controls the robot at an address, and never ends by itself."""
    code = (
        "import motionc as mc, numpy as np, sys\n"
        "robot = mc.load('planar2')\n"
        f"there = mc.control.Interface(kind='udp', address={address!r}, start=False, timeout=5.0)\n"
        "law = mc.control.computed_torque(robot, 100.0, 20.0)\n"
        "told = {'target': lambda t: [np.sin(20 * t), 0.0], 'target_v': np.zeros(2), 'target_a': np.zeros(2)}\n"
        "mc.control.operate(mc.simulate.reached(there, robot), law, told, cycles=10**9)\n"
    )
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=where)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@row("robcogen", 51)
def test_a_controller_that_is_killed_leaves_the_robot_stopped() -> None:
    robot = SimulatedRobot(Plant(ROBOT), start=START)
    with served(robot, Interface(kind="udp", timeout=0.3)) as address:
        with controlling(address) as controller:
            eventually(lambda: robot.moves.number > 50)
            assert not robot.moves.stopped
            speed = np.abs(robot.moves.true("v")).max()
            controller.send_signal(signal.SIGKILL)
            controller.wait()
            eventually(lambda: bool(robot.moves.stopped) and np.abs(robot.moves.true("v")).max() < 1e-4)
        assert speed > 0.1
        assert robot.moves.stopped == Stopped.NO_COMMAND
        moved = robot.moves.number
        time.sleep(0.05)
        assert robot.moves.number == moved  # and it stays so
        # whoever comes next finds it there
        there = Interface(kind="udp", address=address, start=False)
        done = operate(reached(there, ROBOT), LAW, TOLD, cycles=3, log=["q", "v"])
        assert done.ended == "done"
        assert np.abs(done["v"][0]).max() < 1e-4
        eventually(lambda: robot.moves.stopped == Stopped.ASKED)


def test_by_the_clock_who_says_nothing_for_the_timeout_is_gone_and_another_may_come() -> None:
    robot = SimulatedRobot(Plant(ROBOT, 0.01), start=START, pace="clock", watchdog=3)
    with served(robot, Interface(kind="udp", timeout=0.2, pace="clock")) as address:
        there = Interface(kind="udp", address=address, start=False, pace="clock")
        silent, next_one = reached(there, ROBOT), reached(there, ROBOT)
        silent.open()
        assert silent.read(1.0) is not None
        with pytest.raises(mc.Error, match="somebody else controls it"):
            next_one.open()
        eventually(lambda: robot.moves.stopped == Stopped.NO_COMMAND)
        time.sleep(0.5)
        next_one.open()
        assert next_one.read(1.0) is not None
        next_one.close()
        silent.close()


def test_a_robot_ends_with_who_started_it() -> None:
    hardware = reached(Interface(kind="shared_memory"), ROBOT, simulated())
    assert isinstance(hardware, StartedRobot)
    hardware.open()
    process = hardware.process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()  # as it is where who started it dies
    assert process.wait(20.0) == 0
    hardware.close()


def test_a_robot_that_cannot_start_says_why() -> None:
    taken = Datagrams("127.0.0.1", 0)
    hardware = reached(Interface(kind="udp", address=taken.address), ROBOT, simulated())
    with pytest.raises(mc.Error, match=f"{taken.address} cannot be listened on"):
        hardware.open()
    taken.close()


# ---------------------------------------------------------------- threads: faults on the way


@contextmanager
def served(robot: SimulatedRobot, interface: Interface) -> Iterator[str]:
    """The robot at an address, in a thread."""
    ending, there = Event(), list[str]()
    how: dict[str, Any] = {"until": ending.is_set, "ready": there.append}
    thread = Thread(target=serve, args=(robot, interface), kwargs=how, daemon=True)
    thread.start()
    eventually(lambda: bool(there))
    try:
        yield there[0]
    finally:
        ending.set()
        thread.join()


def eventually(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(2e-3)


@row("robcogen", 51)
def test_lost_doubled_and_reordered_datagrams_change_no_command(alone: Any) -> None:
    with served(simulated(), Interface(kind="udp", timeout=5.0)) as address:
        host, _, port = address.rpartition(":")
        bad = BadChannel(Datagrams("127.0.0.1", 0, to=(host, int(port))), 0.01, seed=3)
        remote = RemoteRobot(lambda: bad, address, ROBOT, timeout=5.0)
        done = operate(remote, LAW, TOLD, cycles=100, log=["tau"])
    assert done["tau"].tobytes() == alone["tau"][:100].tobytes()
    assert bad.mistakes > 3


@row("robcogen", 51)
@pytest.mark.parametrize("kind", ["udp", "shared_memory"])
def test_by_the_clock_a_task_runs_slower_than_the_motors_and_the_watchdog_stops_who_is_late(kind: Any) -> None:
    """Velocity drives close their loop every millisecond, the task tells them what to keep every twenty."""
    gains = 100.0 / np.diag(mc.mass_matrix_inverse(ROBOT)(START["q"]))
    drives = Plant(ROBOT, actuators=Velocity(gains.tolist()), gravity=(0, 0, 0))
    robot = SimulatedRobot(drives, start={"q": START["q"], "v": np.zeros(2)}, every=20, pace="clock", watchdog=15)
    told = mc.Port("v_target", (2,), "rad/s, m/s", "joint velocities that motors are told to keep")
    task = mc.block(
        "task", lambda q, target: {"v_target": 8.0 * (target - q)}, LAW.inputs[:1] + LAW.inputs[2:3], [told]
    )
    slow = {"on": 0.0}

    def target(time_: float) -> Any:
        time.sleep(slow["on"])
        return TOLD["target"]

    with served(robot, Interface(kind=kind, pace="clock", timeout=2.0)) as address:
        there = Interface(kind=kind, address=address, start=False, pace="clock")
        done = operate(reached(there, ROBOT), task, {"target": target}, seconds=0.8, log=["q"])
        assert done.ended == "done"
        assert abs(done.cycles - 40) < 3
        np.testing.assert_allclose(done["q"][-1], TOLD["target"], atol=0.02)
        slow["on"] = 0.7
        late = operate(reached(there, ROBOT), task, {"target": target}, seconds=10.0)
        assert late.ended == "stopped"
        assert late.events[-1].words == "the robot stopped: no command came in time"
        assert late.happened["late"] >= 1


def test_nonsense_from_whoever_reaches_the_port_disturbs_nobody(alone: Any) -> None:
    with served(simulated(), Interface(kind="udp", timeout=5.0)) as address:
        host, _, port = address.rpartition(":")
        stranger = Datagrams("127.0.0.1", 0, to=(host, int(port)))
        ending = Event()

        def shout() -> None:
            rng = np.random.default_rng(0)
            while not ending.is_set():
                stranger.send(b"mcrb" * (rng.integers(2)) + rng.bytes(int(rng.integers(100))))
                time.sleep(1e-3)

        thread = Thread(target=shout, daemon=True)
        thread.start()
        there = Interface(kind="udp", address=address, start=False)
        done = operate(reached(there, ROBOT), LAW, TOLD, cycles=100, log=["tau"])
        ending.set()
        thread.join()
        stranger.close()
    assert done["tau"].tobytes() == alone["tau"][:100].tobytes()


def test_what_is_to_be_started_must_be_said() -> None:
    with pytest.raises(mc.Error, match=r"say what is simulated, mc.simulate.SimulatedRobot"):
        reached(Interface(kind="udp"), ROBOT)
    with pytest.raises(mc.Error, match="say 'udp' or 'shared_memory'"):
        serve(simulated(), Interface(), until=lambda: True, ready=print)
    with pytest.raises(mc.Error, match="there is no shared memory 'nobody'"):
        reached(Interface(kind="shared_memory", address="nobody", start=False), ROBOT).open()
    with pytest.raises(mc.Error, match="its model, planar3, has"):
        reached(Interface(), mc.load("planar3"), simulated())


def test_nothing_listens_beyond_this_machine_unless_it_is_said() -> None:
    with served(simulated(), Interface(kind="udp")) as address:
        assert address.startswith("127.0.0.1:")
