"""What each number of a task is about: of, wrt, as_seen_by, and its unit."""

import pytest

from motionc.geometry.units import Quantity
from motionc.tasks import (
    Force,
    Goal,
    Hold,
    Monitor,
    Move,
    Orientation,
    Override,
    Path,
    Phases,
    Sine,
    Speed,
    Tube,
    quantities,
    read,
    shipped,
)


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


def test_a_hold_is_within_metres_along_its_axes_and_within_radians_about_them() -> None:
    place, turned = quantities(Hold("hand", "T", position=Tube(0.002), orientation=Orientation(0.01)))
    assert str(place) == "position of hand wrt T as seen by T: within 0.002 m along each axis"
    assert str(turned) == "orientation of hand wrt T as seen by T: within 0.01 rad"
    assert (place.quantity, turned.quantity) == (Quantity.LENGTH, Quantity.ANGLE)


def test_a_profile_is_told_with_all_its_numbers() -> None:
    (speed,) = quantities(Move("hand", "T", x=Speed(Sine(0.05, 0.12, 5.0), 0.005)))
    assert speed.asked == "0.05 + 0.12 sin(5 r) ± 0.005 m/s, r left to go"


def test_what_is_watched_says_of_what_it_is_and_whether_it_stops() -> None:
    watched = [Monitor("turning", 0.2, then="tell"), Monitor("force", 3.0), Monitor("conditioning", 50.0)]
    said = [str(one) for one in quantities(Move("hand", "T", y=Tube(0.01), monitors=watched))]
    assert said[1:] == [
        "turning of hand wrt world as seen by T: is told above 0.2 rad/s",
        "force of hand wrt what it touches as seen by T: stops above 3 N",
        "conditioning of rows wrt T as seen by T: stops above 50",
    ]
    pad = Move("hand", "T", y=Tube(0.01), z=Force(5.0, 0.5), force_frame="pad", monitors=[Monitor("moment", 2.0)])
    assert str(quantities(pad)[-1]) == "moment of pad wrt what it touches as seen by pad: stops above 2 Nm"
