"""MuJoCo as a plant: the same ports as ours, made from the same words; a physics engine nobody here wrote."""

from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.program.foreign import Foreign
from motionc.runtime.computation import Computation
from motionc.simulate.mujoco_rollout import rolled_out
from motionc.simulate.mujoco_step import MujocoStep
from motionc.simulate.plant import Plant

Array = np.ndarray[Any, np.dtype[np.float64]]


class MujocoPlant(Plant):
    """A plant whose time step is MuJoCo's: sensors, actuators, what happens and all else are the plant's.

    Closed loops with it have the same ports, logs and noise; they run turn by turn in Python, everything but the step
    compiled. Without contact, stops and stiction it moves as ours to rounding; docs/guide/mujoco.md says what differs
    where there are some.

    >>> from motionc import load
    >>> import numpy as np
    >>> plant = Plant(load("planar2"), friction="smooth")
    >>> step, theirs = (one.stepper.run([0.1, 0.2], [3.0, 4.0], [0.5, 0.6]) for one in (plant, MujocoPlant(plant)))
    >>> bool(np.abs(step.v_next - theirs.v_next).max() < 1e-12)
    True

    Args:
        plant: ours, "semi_implicit" and in double precision, its contacts hard and without restitution.
    """

    plant: Plant

    def __init__(self, plant: Plant) -> None:
        checked.instance("MujocoPlant: plant", plant, Plant, "give a mc.simulate.Plant(…)")
        keep = object.__setattr__
        ours = plant.plant if isinstance(plant, MujocoPlant) else plant
        for one in fields(Plant):
            keep(self, one.name, getattr(ours, one.name))
        keep(self, "plant", ours)
        import_mujoco("MujocoPlant")
        _expect_shared(ours)
        _ = self.stepper  # what MuJoCo has not is said now

    @cached_property
    def stepper(self) -> Computation:
        """The time step, by MuJoCo: the ports of ours, and its open constants."""
        ours, by = self.plant.stepper, self._by
        part = Foreign("step", by, ours.inputs, by.outputs, who="MuJoCo", robot=self.robot, period=self.dt)
        part.open = ours.solver.open
        return Computation(part)

    @cached_property
    def _by(self) -> MujocoStep:
        return MujocoStep(self, self.plant.stepper)

    @property
    def model(self) -> Any:
        """The `mujoco.MjModel`: the robot, stops, what resists joints, and geoms and pairs of its contacts alone."""
        return self._by.built.model

    def alike(self, **changes: Any) -> "MujocoPlant":
        """The same plant but for these of its arguments."""
        return MujocoPlant(self.plant.alike(**changes))

    def roll_out(self, q: Any, v: Any, tau: Any, *, threads: int | None = None) -> tuple[Array, Array]:
        """Many runs without a controller at once, by `mujoco.rollout`: q (N, K, nq) and v (N, K, nv) after each step.

        Motors make what they are told; sensors and actuators play no part, and damping is MuJoCo's own.

        Args:
            q: where they start, (N, nq).
            v: velocities, (N, nv).
            tau: force of each motor at each step, (N, K, nv).
            threads: as many as this process may use, unless said.
        """
        return rolled_out(self, self.model, q, v, tau, threads)

    def __repr__(self) -> str:
        return f"Mujoco{self.plant!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return MujocoPlant, (self.plant,)


def _expect_shared(plant: Plant) -> None:
    """What of our plants MuJoCo's are not."""
    if plant.method != "semi_implicit":
        raise Error(f'MujocoPlant: method={plant.method!r}; MuJoCo steps as "semi_implicit" does: leave it out')
    if plant.precision != "double":
        raise Error(f"MujocoPlant: precision={plant.precision!r}; MuJoCo computes in double precision: leave it out")
