"""What each number of a task is about: of, wrt, as_seen_by, and its unit."""

import pytest

from motionc.geometry.units import Quantity
from motionc.tasks import Goal, Monitor, Move, Override, Path, Phases, Speed, Tube, quantities, read, shipped


def test_motions_are_of_the_tool_in_the_task_frame_and_forces_of_the_pad_in_its_own() -> None:
    found = {one.what: one for one in quantities(read("uc3_ex2"))}
    told = {what: (one.of, one.wrt, one.as_seen_by, one.quantity, one.asked) for what, one in found.items()}
    assert told == {
        "speed along X": ("tool", "T_M", "T_M", Quantity.LINEAR_VELOCITY, "0.03 ± 0.003 m/s"),
        "position along Y": ("tool", "T_M", "T_M", Quantity.LENGTH, "within 0.07 m"),
        "force along Z": ("T_F", "what it touches", "T_F", Quantity.FORCE, "0.03 ± 0.003 N"),
        "moment about X": ("T_F", "what it touches", "T_F", Quantity.TORQUE, "0 ± 0.005 Nm"),
        "moment about Y": ("T_F", "what it touches", "T_F", Quantity.TORQUE, "0 ± 0.005 Nm"),
        "angle about Z": ("tool", "T_M", "T_M", Quantity.ANGLE, "0.2 ± 0.05 rad"),
        "distance left along X": ("tool", "T_M", "T_M", Quantity.LENGTH, "done below 0.003 m"),
        "force along X, Y": ("T_F", "what it touches", "T_F", Quantity.FORCE, "ends above 1 N"),
    }


def test_contacts_without_a_force_frame_are_seen_by_the_task_frame() -> None:
    (contact,) = [one for one in quantities(read("uc1_ex1")) if one.what == "force along X, Y, Z"]
    assert (contact.of, contact.as_seen_by) == ("tool", "T")


def test_phases_sections_and_monitors_say_whose_they_are() -> None:
    move = Move(
        "hand", "T", x=Speed(0.1, 0.01), until=[Goal(0.1)], monitors=[Monitor("speed", 0.2), Monitor("torque", 0.8)]
    )
    path = Path(move, 3, overrides=[Override(2, x=Speed(0.05, 0.01))], last=Goal(0.01), name="way")
    said = [str(one) for one in quantities(Phases([path]))]
    assert said == [
        "way: speed along X of hand wrt T as seen by T: 0.1 ± 0.01 m/s",
        "way: distance left along X of hand wrt T as seen by T: done below 0.1 m",
        "way: speed of hand wrt world as seen by T: stops above 0.2 m/s",
        "way: torque of joints wrt their limits as seen by joints: stops above 0.8",
        "way: distance left to the end along X of hand wrt T as seen by T: done below 0.01 m",
        "way, section 2: speed along X of hand wrt T as seen by T: 0.05 ± 0.01 m/s",
    ]


@pytest.mark.parametrize("name", shipped())
def test_every_direction_that_is_asked_has_a_quantity(name: str) -> None:
    task = read(name)
    one = task.move if isinstance(task, Path) else task
    asked = [band for band in ("x", "y", "z", "ax", "ay", "az", "orientation", "position") if getattr(one, band, None)]
    assert len([each for each in quantities(task) if "ends" not in each.asked and "done" not in each.asked]) == len(
        asked
    )
    assert all(each.of and each.wrt and each.as_seen_by for each in quantities(task))


def test_a_tube_is_no_number_without_a_frame() -> None:
    (tube,) = quantities(Move("hand", "T", y=Tube(0.01)))
    assert str(tube) == "position along Y of hand wrt T as seen by T: within 0.01 m"
