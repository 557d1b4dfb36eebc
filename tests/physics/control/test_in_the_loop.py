"""Laws in closed loops: what inverse dynamics there is worth, on our plant and MuJoCo's (specs/robcogen.md §3.3)."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import motionc as mc
from motionc.robots import robot_file
from oracle import Array
from references import sines
from rows import row

HERTZ, SWAY = np.array([0.5, 0.6, 0.7, 0.8, 0.9]), np.array([0.4, 0.1, 0.4, 0.1, 0.5])
STIFF, DAMPED = [800.0, 2000.0, 400.0, 1500.0, 80.0], [80.0, 120.0, 40.0, 100.0, 8.0]


@cache
def five_joints() -> mc.Robot:
    return mc.load("fancy")


@cache
def tracked(feedforward: str | None, engine: str, seconds: float = 1.5) -> tuple[Array, Array]:
    """Sinusoids at all five joints, a law asked to follow: where it is and where it is to be."""
    robot = five_joints()
    plant = mc.simulate.Plant(robot)
    law = mc.control.pd(robot, STIFF, DAMPED, feedforward=feedforward, moving=True)
    engines = {"ours": plant, "MuJoCo": mc.simulate.MujocoPlant(plant)}
    loop = mc.simulate.closed(engines[engine], [sines(robot, np.zeros(5), SWAY, HERTZ), law], log=["q", "target"])
    run = loop({"q": np.zeros(5), "v": SWAY * 2 * np.pi * HERTZ}, seconds=seconds)
    return np.asarray(run.q), np.asarray(run.target)


def rms(values: Array) -> Array:
    return np.sqrt(np.mean(np.square(values), axis=0))


@row("robcogen", 46)
def test_inverse_dynamics_in_the_loop_lessens_the_error_of_every_joint_tenfold() -> None:
    """Five joints on MuJoCo's plant: PD against PD with inverse dynamics."""
    alone, fed = (rms(np.subtract(*tracked(feedforward, "MuJoCo"))) for feedforward in (None, "inverse_dynamics"))
    assert alone.min() > 5e-3  # there is something to gain
    assert np.all(fed < alone / 10)


@row("robcogen", 46)
def test_a_plant_whose_motors_make_nothing_keeps_its_energy_and_goes_where_scipy_says() -> None:
    """Two seconds of swinging: energies and accelerations by Pinocchio, the way by SciPy's eighth order."""
    robot = five_joints()
    model = pin.buildModelFromUrdf(str(robot_file("fancy")))
    data = model.createData()
    q, v = np.array([0.3, 0.1, 0.5, -0.1, 1.0]), np.array([1.0, 0.2, -1.5, 0.3, 2.0])

    def energy(q: Array, v: Array) -> float:
        return pin.computeKineticEnergy(model, data, q, v) + pin.computePotentialEnergy(model, data, q)

    def rate(_: float, x: Array) -> Array:
        return np.concatenate([x[5:], pin.aba(model, data, x[:5], x[5:], np.zeros(5))])

    end = solve_ivp(rate, (0.0, 2.0), np.concatenate([q, v]), method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    scale = pin.computeKineticEnergy(model, data, end[:5], end[5:])
    for method, drift, off in (("rk4", 1e-11, 1e-9), ("semi_implicit", 2e-3, 0.05)):
        loop = mc.simulate.closed(mc.simulate.Plant(robot, method=method), log={"q": 20, "v": 20})
        run = loop({"q": q, "v": v}, tau=np.zeros(5), seconds=2.0)
        energies = np.array([energy(*state) for state in zip(run.q, run.v, strict=True)])
        assert np.abs(energies - energy(q, v)).max() < drift * scale
        assert np.abs(np.concatenate([run.state.q, run.state.v]) - end).max() < off


# ---------------------------------------------------------------- HyL at 5 Hz


def leg(folder: Path, heavier: float) -> mc.Robot:
    """HyL's hip and knee, the slide and the first hip joint held, its links so many times as heavy as they are."""
    text = robot_file("hyl").read_text(encoding="utf-8")
    for weighs in ("mass value", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        text = re.sub(rf'{weighs}="([^"]+)"', lambda m: f'{weighs}="{heavier * float(m[1]):.17g}"', text)  # noqa: B023
    (folder / f"{heavier}.urdf").write_text(text, encoding="utf-8")
    return mc.load(folder / f"{heavier}.urdf", fixed=["SLIDE", "HAA"])


@row("robcogen", 47)
def test_at_five_hertz_what_is_fed_forward_dominates_with_a_matched_model_alone(tmp_path: Path) -> None:
    """The law runs at 250 Hz, the plant at 1 kHz; shares by Pinocchio's inverse dynamics of the law's own model."""
    true, middle, sway = leg(tmp_path, 1.0), np.array([0.7, -1.4]), np.array([0.2, 0.2])
    reference = sines(true, middle, sway, [5.0, 5.0])
    left = dict[float, Array]()
    for heavier in (1.0, 0.3):
        model = leg(tmp_path, heavier)
        law = mc.control.pd(model, 200.0, 4.0, feedforward="inverse_dynamics")
        logged = ["target", "target_v", "target_a", "motor_force"]
        loop = mc.simulate.closed(mc.simulate.Plant(true), [reference, law], rate=4, log=dict.fromkeys(logged, 4))
        run = loop({"q": middle, "v": sway * 10 * np.pi}, seconds=1.0)
        theirs = pin.buildModelFromUrdf(str(tmp_path / f"{heavier}.urdf"))
        held = pin.buildReducedModel(theirs, [theirs.getJointId(name) for name in ("SLIDE", "HAA")], np.zeros(4))
        fed = [
            pin.rnea(held, held.createData(), *state)
            for state in zip(run.target, run.target_v, run.target_a, strict=True)
        ]
        left[heavier] = rms(run.motor_force - np.array(fed)) / rms(run.motor_force)
    assert np.all(left[1.0] < 0.15)
    assert np.all(left[0.3] > 0.5)


# ---------------------------------------------------------------- two engines


@row("robcogen", 48)
@pytest.mark.parametrize("feedforward", [None, "inverse_dynamics"])
def test_the_same_controller_goes_the_same_way_on_two_engines(feedforward: str | None) -> None:
    ours, theirs = (tracked(feedforward, engine)[0] for engine in ("ours", "MuJoCo"))
    assert np.ptp(ours, axis=0).min() > 0.1
    assert np.abs(ours - theirs).max() < 1e-9
