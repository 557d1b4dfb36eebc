"""Several computations of one robot in one program: one call, one function in every language, shared work done once."""

from motionc import checked
from motionc.computations.making import made_of
from motionc.errors import Error, WrongType
from motionc.runtime.computation import Computation
from motionc.sweeps.identity import robot_identity
from motionc.sweeps.options import Options, Together

WANTED = "give computations of one robot, such as mc.forward_dynamics(robot)"


def together(*computations: Computation) -> Computation:
    """Several computations of one robot as one: inputs are those of all, outputs those of all, in order.

    What they share is computed once. Inputs of one name are one, and must mean the same. An output whose name several
    have is called <computation>_<name> (forward_dynamics_a), and numbered where that is not enough (jacobian_J_1).

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> both = mc.together(mc.mass_matrix(robot), mc.jacobian(robot, "tip"))
    >>> both([0.1, 0.2]).J.shape
    (6, 2)

    Args:
        computations: of one robot, two or more; derivatives too.

    Returns:
        Computation, to be called with arrays, in their order or by name: `help` of it lists them with units and shapes.
    """
    for one in computations:
        if not isinstance(one, Computation):  # pyright: ignore[reportUnnecessaryIsInstance]
            step = "; of inverse kinematics, its step" * hasattr(one, "step")
            raise WrongType(f"together: computations: {checked.shown(one)} is none; {WANTED}{step}")
    if len(computations) < 2:
        raise Error(f"together: computations: {len(computations)} given, which needs nobody beside it; {WANTED}")
    robot, *others = (one.robot for one in computations)
    for other in others:
        if other is not robot and robot_identity(other) != robot_identity(robot):
            raise Error(
                f"together: computations are of two robots, {robot.name} and {other.name} (or one of them loaded "
                "otherwise); make all of one robot"
            )
    for one in computations:
        if getattr(one.solver, "made_by", True) is None:
            raise Error(f"together: {one.name} was made from a solver by hand, and is not known by its options")
    parts: list[Options] = []
    for one in computations:
        parts += one.options.parts if isinstance(one.options, Together) else [one.options]
    return made_of(robot, Together(tuple(parts)))
