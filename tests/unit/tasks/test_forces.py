"""Forces of lazy tasks: what is refused, what is an error, what motors make, which controllers begin anew, who wins."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.program.port import Port
from motionc.tasks import (
    Align,
    Approach,
    Contact,
    Force,
    Goal,
    LazyCycle,
    Moment,
    Move,
    Override,
    Path,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.force_parts import FELT, ROCKING, SMOOTH, Feeling, ForceErrors, Pressing, Renewing
from motionc.tasks.forces import WRENCH_ROWS, Forces
from motionc.tasks.machines import ALIGN, APPROACH, CRUISE, START, STOP, machine_of
from rows import row

BANDS: dict[str, Any] = {
    "x": Speed(0.03, 0.003),
    "y": Tube(0.07),
    "z": Force(5.0, 0.5),
    "ax": Moment(0.0, 0.05),
    "ay": Moment(0.0, 0.05),
}
WAY: dict[str, Any] = {"approach": Approach(Speed(0.02, 0.003), contact=1.0), "align": Align(held=0.01, timeout=0.05)}
ENDS = [Goal(0.003), Contact(30.0, along="xy"), Timeout(9.0)]
CLEAN = Move("pad", "T", force_frame="pad", **BANDS, **WAY, until=ENDS, name="clean")
FORCES, MACHINE = Forces.of(CLEAN), machine_of(CLEAN, dt=1 / 770)
Q = np.array([1.12, 0.66, -0.13, -2.19, 1.64, 0.12, 0.01])
AXES = ("ax", "ay", "z")


def mode(name: str) -> float:
    return float(MACHINE.states.index(name))


def felt(**entries: float) -> np.ndarray:
    """A wrench or twist of which these entries are not 0."""
    found = np.zeros(6)
    for axis, value in entries.items():
        found[WRENCH_ROWS[axis]] = value
    return found


@cache
def arm() -> mc.Robot:
    return mc.load("lwr4").with_frame("pad", "link_7")


@cache
def cycle() -> LazyCycle:
    return mc.tasks.lazy(arm(), CLEAN, rate=770)


@cache
def frame() -> np.ndarray:
    """A task frame 20 cm before the tool, its axes the world's: Z of the pad is 18 degrees off its own."""
    T = np.eye(4)
    T[:3, 3] = mc.forward_kinematics(arm(), "pad").run(Q)[0, :3, 3] + (0.2, 0.0, 0.0)
    return T


def ran(computation: mc.Computation, **given: Any) -> Any:
    """A computation interpreted, inputs by name."""
    return computation.run(*(given[port.name] for port in computation.inputs))


def cycled(wrench: np.ndarray, v: Any = None, **state: float) -> Any:
    """One cycle, from a state that is that of the start but for these."""
    start = dict(cycle().start().items()) | state
    rates = np.zeros(7) if v is None else v
    return ran(cycle(), q=Q, v=rates, T=frame(), wrench=wrench, **start)


# ---------------------------------------------------------------- what is refused


def test_contact_that_noise_is_by_itself_is_refused() -> None:
    """Five deviations of the sensor: 1 N is enough for 0.2 N of noise, and not for 0.21 N."""
    assert FORCES.monitors(1 / 770, 0.2)
    with pytest.raises(mc.Error, match=r"contact_z.*5 sigma"):
        FORCES.monitors(1 / 770, 0.21)


@pytest.mark.parametrize("what", ["controllers", "maximum", "damping"])
def test_numbers_of_directions_that_a_task_has_not_are_refused(what: str) -> None:
    with pytest.raises(mc.Error, match=f"{what}: 'az'"):
        mc.tasks.lazy(arm(), CLEAN, rate=770, **{what: {"az": 1.0}})


# ---------------------------------------------------------------- parts, by hand


def test_a_tool_is_as_far_from_aligned_as_its_worst_direction() -> None:
    feel, flat = Feeling(FORCES, 1 / 770).computation(), np.array([0.0, 0.0, 5.0])
    steady = feel.run(felt(z=5.25, ax=0.02, ay=-0.04), [0.02, -0.04, 5.25])
    assert (steady.pressed, steady.misaligned) == pytest.approx((5.25, 0.8))
    # a blow is felt at once, and counts by as much as lasts: 1 - exp(-dt/T)
    struck = feel.run(felt(z=9.0), flat)
    assert (struck.pressed, struck.misaligned) == pytest.approx((9.0, 4.0 / 0.5 * -np.expm1(-1 / 770 / SMOOTH)))


def test_errors_are_of_forces_on_a_surface_and_of_speeds_before_it() -> None:
    law = ForceErrors(FORCES, MACHINE).computation()
    order = [AXES.index(axis) for axis in ("z", "ax", "ay")]

    def errors(name: str, wrench: np.ndarray, twist: np.ndarray) -> list[float]:
        return law.run(wrench, twist, mode(name)).force_error[order].tolist()

    inside = FELT * np.array([0.5, 0.05])
    for name in (ALIGN, START, CRUISE):
        assert errors(name, felt(z=4.0, ax=0.04, ay=-0.04), felt(z=0.3, ax=1.0)) == pytest.approx([1.0, -0.04, 0.04])
        assert errors(name, felt(z=5 - inside[0] + 1e-6, ax=inside[1] - 1e-6), felt()) == [0.0, 0.0, 0.0]
    assert errors(APPROACH, felt(z=4.0, ax=0.04), felt(z=0.005, ax=0.1, ay=-0.1)) == pytest.approx([0.015, -0.1, 0.1])
    assert errors(APPROACH, felt(z=4.0), felt(z=0.018, ax=ROCKING, ay=-ROCKING)) == [0.0, 0.0, 0.0]


def test_motors_make_the_force_that_is_asked_and_commands_and_dampers_beside_it() -> None:
    maximum, damping = {"z": 100.0, "ax": 10.0, "ay": 20.0}, {"z": 1000.0, "ax": 5.0, "ay": 6.0}
    f_art = Port("f_art", (1, 6), "N m, N", "what motors make")
    press = Pressing(FORCES, maximum, damping, MACHINE, f_art).computation()
    moving, shares = (
        felt(z=0.01, ax=0.2, ay=-0.1, az=9.0, x=9.0),
        {"command_z": 0.3, "command_ax": -0.5, "command_ay": 0.1},
    )
    made = ran(press, **shares, pad_twist=moving, mode=mode(CRUISE)).f_art[0]
    np.testing.assert_allclose(made, felt(z=5 + 30 - 10, ax=-5 - 1, ay=2 + 0.6), rtol=1e-14)
    # before it, nothing is fed forward, and the damper lets the tool come
    coming = ran(press, **shares, pad_twist=moving, mode=mode(APPROACH)).f_art[0]
    np.testing.assert_allclose(coming, felt(z=30 - 1000 * (0.01 - 0.02), ax=-6, ay=2.6), rtol=1e-14)


def test_controllers_begin_anew_where_errors_mean_something_else_and_nowhere_else() -> None:
    renew = Renewing({"still": ["bias_y"], "presses": ["bias_z"]}, MACHINE).computation()

    def told(before: str, now: str) -> tuple[float, float]:
        first = renew.run(mode(before), *renew.start())
        out = renew.run(mode(now), first.still_before, first.presses_before)
        return float(out.reset_bias_y), float(out.reset_bias_z)

    assert told(APPROACH, ALIGN) == (0.0, 1.0)  # a speed becomes a force
    assert told(ALIGN, START) == (1.0, 0.0)  # no motion becomes a tube
    assert told(CRUISE, APPROACH) == (1.0, 1.0)
    for before, now in ((START, CRUISE), (CRUISE, START), (APPROACH, APPROACH), (CRUISE, CRUISE)):
        assert told(before, now) == (0.0, 0.0)


# ---------------------------------------------------------------- the cycle


def test_a_surface_is_approached_felt_and_given_up() -> None:
    """Cycle by cycle: 1 N is contact, a controller that was moving begins anew, and moments that stay end it."""
    begun = cycled(felt(), begun=0.0, mode=mode(STOP))
    assert begun.mode == mode(APPROACH)
    moved = {"begun": 1.0, "mode": mode(APPROACH), "still_before": 1.0, "presses_before": 0.0, "bias_z": 0.4}
    assert cycled(felt(z=0.9), **moved).bias_z == pytest.approx(0.4, abs=1e-3)
    touched = cycled(felt(z=1.1), **moved)
    assert (touched.mode, abs(touched.bias_z) < 1e-3) == (mode(ALIGN), True)
    # its clock begins with it, whatever it has counted before
    state = {port.name: touched[port.name] for port in cycle().states} | {"align_error_ticks": 38.0}
    tilted = {"q": Q, "v": np.zeros(7), "T": frame(), "wrench": felt(z=5.0, ax=1.0)}
    first = ran(cycle(), **tilted, **state)
    assert (first.mode, first.align_error_ticks) == (mode(ALIGN), 1.0)
    late = {port.name: first[port.name] for port in cycle().states} | {"align_error_ticks": 38.0}
    assert ran(cycle(), **tilted, **late).mode == mode(STOP)


@row("lazy-control", 32)
def test_motion_wins_over_force_along_the_same_direction() -> None:
    """The pad's Z has a part along X: whatever is pressed with, the tool accelerates along X as its speed asks.

    Forward dynamics under the cycle's torque, a computation of its own, says how the tool then moves.
    """
    motion = mc.frame_motion(arm(), "pad", outputs=["classical"])
    dynamics = mc.forward_dynamics(arm())
    Z = mc.forward_kinematics(arm(), "pad").run(Q)[0, :3, 2]
    assert abs(Z[0]) > 0.1
    moving = {"begun": 1.0, "mode": mode(CRUISE), "presses_before": 1.0, "contact_z_ticks": 1.0}
    ways = list[np.ndarray]()
    for pressed in (-0.1, 0.1):
        out = cycled(felt(z=5.0), **moving, bias_z=pressed, bias_x=0.02)
        a = dynamics.run(Q, np.zeros(7), out.tau)
        ways.append(motion.run(Q, np.zeros(7), a)[0, 3:])
    np.testing.assert_allclose([way[0] for way in ways], 30 * (0.02 + 4e-4), rtol=1e-9)
    assert Z @ (ways[1] - ways[0]) > 0.1


def test_a_section_that_asks_for_another_force_is_refused_and_not_passed_over() -> None:
    move = Move("pad", "T", force_frame="pad", **BANDS, until=[Goal(0.003)])
    for other in ({"z": Force(9.0, 0.5)}, {"ax": Moment(0.0, 0.01)}):
        with pytest.raises(mc.Error, match=f"section 2 asks for another force of {next(iter(other))}.*phases"):
            Forces.of(Path(move, 2, overrides=[Override(2, **other)]))
    alike = Path(move, 2, overrides=[Override(2, z=Force(5.0, 0.5), x=Speed(0.01, 0.001))])
    assert Forces.of(alike).bands == FORCES.bands


def test_a_contact_is_lost_at_half_of_what_it_is_felt_at() -> None:
    """Noise about what is felt is no contact that comes and goes."""
    watch = FORCES.monitors(1 / 770, noise=0.0)[0].computation()
    ticks, seen = 0.0, []
    for pressed in (0.9, 1.0, 0.6, 0.51, 0.49, 0.9):
        out = watch.run(pressed, ticks)
        ticks = out.contact_z_ticks
        seen.append((float(out.contact_z), float(out.no_contact)))
    assert [contact for contact, _ in seen] == [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    assert all(contact + none == 1.0 for contact, none in seen)
