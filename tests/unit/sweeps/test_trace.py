"""Of two places for the frames of joints the program is written that is shorter, however that is found out."""

import pytest

import motionc as mc
from motionc.sweeps import trace


def operations(name: str) -> int:
    return sum(mc.regressor(mc.load(name)).operations.values())


@pytest.mark.parametrize("name", ["ur5", "youbot", "biped"])
def test_what_is_recorded_tells_which_of_two_programs_is_shorter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = mc.regressor(mc.load(name)).solver
    robot = solver.robot
    ways = robot.mechanism, robot.standing_mechanism
    both = {sum(trace.trace(solver, mechanism=each).operations.values()) for each in ways}
    assert len(both) == 2
    assert operations(name) == min(both)
    monkeypatch.setattr(trace, "TRACED_TWICE", 0)
    assert operations(name) == min(both)
    # and it comes with the mechanism that it is of: names of its values are read off that
    program, mechanism = trace.shortest(solver, ways)
    assert sum(trace.trace(solver, mechanism=mechanism).operations.values()) == min(both)
    assert sum(program.operations.values()) == min(both)
    monkeypatch.setattr(trace, "RECORDED_TWICE", 0)
    assert operations(name) == sum(trace.trace(solver).operations.values())
