"""Public constructors: from a robot and options, which are data, to what a user calls."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from motionc.checked import shown
from motionc.errors import Error, WrongType
from motionc.model.robot import Robot
from motionc.notices import warn
from motionc.program import together
from motionc.program.source import Source
from motionc.runtime.computation import Computation
from motionc.sweeps.options import Derivative, Options, Together
from motionc.sweeps.solver import Solver

P = ParamSpec("P")
M = TypeVar("M")

RETURNS = """Returns:
    {}, to be called with arrays, in their order or by name: `help` of it lists them with units and shapes.
"""

MAKERS: dict[str, Callable[[Robot, Any], Any]] = {}
"""Who makes a computation of options that are more than one program, by its name."""


def solver_of(robot: Robot, options: Options) -> Source:
    """The solver that asks this of a robot; a derivative by way of what it is a derivative of, several by each."""
    if isinstance(options, Derivative):
        asked = options.kind, options.of, options.wrt, options.coordinates
        return solver_of(robot, options.source).derived(*asked, sparse=options.sparse)
    if isinstance(options, Together):
        return together.Together([solver_of(robot, part) for part in options.parts], options)
    return options.solver(robot).told(solver_of, swept)


def swept(solver: Solver, of: Sequence[str], wrt: Sequence[str]) -> Solver | None:
    """∂(of)/∂(wrt) by sweeps of its own, where some solver has them; they are loaded when one is first asked for."""
    from motionc.solvers.derivatives.computations import derivative  # it knows many solvers

    return derivative(solver, of, wrt)


def made_of(robot: Robot, options: Options) -> Computation:
    """The computation that asks this of a robot."""
    return Computation(solver_of(robot, options))


def asked_of(robot: Robot, options: Options) -> Any:
    """What a user calls of these options: a computation, or what somebody else makes of them."""
    return MAKERS.get(options.called, made_of)(robot, options)


def computes(
    asked: Callable[P, Options], make: Callable[[Robot, Any], M] = made_of
) -> Callable[Concatenate[Robot, P], M]:
    """The public function of these options: name, arguments and help are theirs, behind the robot."""
    options: Any = asked
    name, own = options.called, inspect.signature(options)
    if not name:
        raise Error(f"{options.__name__} is called nothing: give it a name of its own, called = …")
    first = inspect.Parameter("robot", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Robot)
    made: Any = make if isinstance(make, type) else Computation
    signature = own.replace(parameters=[first, *own.parameters.values()], return_annotation=made)

    def build(*args: Any, **kwargs: Any) -> M:
        for old in [old for old in kwargs if old in options.renamed]:
            new = options.renamed[old]
            warn(f"{name}: {old}= is called {new}= now", DeprecationWarning)
            if new in kwargs:
                raise WrongType(f"{name}: {old}= is called {new}= now; say it once")
            kwargs[new] = kwargs.pop(old)
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise WrongType(f"{name}: {error}; it takes {', '.join(signature.parameters)}") from None
        robot = given.pop("robot")
        if not isinstance(robot, Robot):
            said = f"mc.load({shown(robot)})" if isinstance(robot, str) else "mc.load(…)"
            raise WrongType(f"{name} asks of a robot, not of a {type(robot).__name__}; load one: {said}")
        return make(robot, options(**given))

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"{inspect.cleandoc(options.__doc__)}\n\n{RETURNS.format(made.__name__)}"
    build.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    if make is not made_of:
        MAKERS[name] = make
    return build
