"""Can a time step follow these gains? Where springs and dampers are forces of this instant, held for dt.

    v_next = v + dt M⁻¹ (K e - D v),  q_next = q ⊕ dt v_next    die down where 4 M - 2 dt D - dt² K is positive definite

At the limit each step overshoots by as much as it corrects, the root -1 of the pencil. The inertia is that of one pose;
gravity, friction, delays and limits are left out.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations.making import made_of
from motionc.control.efforts import driven_joints
from motionc.control.impedance import Impedance
from motionc.control.laws import ComputedTorque, ProportionalDerivative
from motionc.errors import WrongType
from motionc.model.robot import Robot
from motionc.program.source import Source
from motionc.solvers.arguments import refuse_idle
from motionc.solvers.constraint import unit_wrenches
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.solvers.jacobian import Jacobian
from motionc.solvers.mass_matrix import LARGEST_MASS_MATRIX, MassMatrix

Array = np.ndarray[Any, np.dtype[np.float64]]


def stability_note(robot: Robot, stiffness: Gains, damping: Gains, dt: float, *, q: Any = None) -> str | None:
    """Why an explicit PD law shakes the robot at this time step, in a sentence; None where it does not.

    Stable is 4 M(q) - 2 dt D - dt² K > 0 in a pose: of one joint d dt < 2 m without a spring, k dt² < 4 m without a
    damper. Weak gains on a light link are strong ones.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> mc.control.stability_note(robot, 100.0, 10.0, dt=1e-3)
    >>> mc.control.stability_note(robot, 100.0, 100.0, dt=1e-3)[:60]
    'gains of elbow are 6.07 times what steps of 0.001 s follow i'

    Args:
        robot: the robot.
        stiffness: as of `mc.control.pd`.
        damping: as of `mc.control.pd`.
        dt: seconds for which a force is held.
        q: the pose; the neutral one unless said.
    """
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise checked.refusal("stability_note: robot", robot, "load one: mc.load(…)", kind=WrongType)
    for name, given in (("stiffness", stiffness), ("damping", damping)):
        understood_gains(f"stability_note: {name}", given)
    seconds = checked.number("stability_note: dt", dt, "give seconds > 0", fits=lambda time: time > 0)
    K, D = (
        np.diag(gains_in_order(robot, f"stability_note: {name}", given))
        for name, given in (("stiffness", stiffness), ("damping", damping))
    )
    wanted = f"give a configuration, {robot.nq} numbers"
    pose = robot.neutral() if q is None else checked.numbers("stability_note: q", q, wanted, (robot.nq,))
    return _note(robot, _inertia(robot, pose), K, D, seconds)


def can_be_weighed(robot: Robot) -> bool:
    """Whether the inertia of all its joints is known, and small enough to be looked at."""
    return robot.nv <= LARGEST_MASS_MATRIX and not robot.idle_besides(())


def notes_of(controller: Source, dt: float) -> Iterator[str]:
    """What a controller's laws cannot do at this time step in the neutral pose, each in a sentence."""
    for source in _sources(controller):
        options, robot = source.options, source.robot
        if not isinstance(options, ProportionalDerivative | ComputedTorque | Impedance) or not isinstance(robot, Robot):
            continue
        if not can_be_weighed(robot) or (isinstance(options, Impedance) and options.gives == "b"):
            continue
        inertia = np.eye(robot.nv) if isinstance(options, ComputedTorque) else _inertia(robot, robot.neutral())
        if said := _note(robot, inertia, *_along_joints(robot, options), dt):
            yield f"{controller.name}: {said}"


def _along_joints(robot: Robot, options: ProportionalDerivative | ComputedTorque | Impedance) -> tuple[Array, Array]:
    """K and D of a law as joints feel them in the neutral pose."""
    if not isinstance(options, Impedance):
        gains = options.stiffness, options.damping
        spring, damper = (np.diag(gains_in_order(robot, options.called, given)) for given in gains)
        return spring, damper
    turned = Jacobian(options.frame, options.wrt, options.point, options.as_seen_by)
    rows = unit_wrenches(options.called, options.rows)[0].T @ made_of(robot, turned).run(robot.neutral())
    K, D = (rows.T * np.asarray(given) @ rows for given in (options.stiffness, options.damping))
    return K, D + np.diag(gains_in_order(robot, options.called, options.joint_damping))


def _sources(source: Source) -> Iterator[Source]:
    """A source, or those it is wired from."""
    parts: tuple[Source, ...] = getattr(source, "parts", ())
    yield source
    for part in parts:
        yield from _sources(part)


def _inertia(robot: Robot, q: Array) -> Array:
    refuse_idle(robot, "stability_note")
    return made_of(robot, MassMatrix()).run(q)


def _note(robot: Robot, M: Array, K: Array, D: Array, dt: float) -> str | None:
    """The mode that is followed worst, and what would be."""
    driven = driven_joints(robot)
    if not driven:
        return None
    block = np.ix_(driven, driven)
    # what those joints move by themselves, while the others give way
    own, k, d = np.linalg.inv(np.linalg.inv(M)[block]), K[block], D[block]
    pull, root = 2 * dt * d + dt**2 * k, np.linalg.cholesky(own)
    worth, modes = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, pull).T))
    if worth[-1] < 4:
        return None
    mode = np.linalg.solve(root.T, modes[:, -1])
    name = robot.configurations.rate_labels[driven[np.argmax(mode * (pull @ mode))]]
    # the longest step that this mode bears: k dt² + 2 d dt = 4, its inertia being 1
    spring, damper = mode @ k @ mode, mode @ d @ mode
    longest = 4 / (damper + np.sqrt(damper**2 + 4 * spring))
    return (
        f"gains of {name} are {worth[-1] / 4:.3g} times what steps of {dt:g} s follow in this pose: "
        f"4 M > 2 dt D + dt² K; lower them so much, take steps below {longest:.1e} s, or leave springs and dampers to "
        "the time step, where they are implicit (mc.step, stiffness= and damping=)"
    )
