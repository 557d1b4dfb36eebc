"""What may stand for a frame: its name, a Target or a Constraint of it; one or several, alike in every computation.

A name is told by arguments beside it which rows, wrt what, at which point and as seen by whom; a Target and a
Constraint say so themselves. As seen by "" is as seen by the frame itself.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, WrongType
from motionc.solvers.centroidal import CenterOfMass, Momentum
from motionc.solvers.constraint import (
    EVERYTHING,
    Constraint,
    Force,
    JointConstraint,
    OfAllBodies,
    unit_wrenches,
)
from motionc.solvers.target import AnyTarget, Target

Framed = str | Target | Constraint | CenterOfMass | Momentum
Frames = Framed | Sequence[Framed]
Rows = Constraint | JointConstraint | CenterOfMass | Momentum
RowsArgument = Framed | JointConstraint | Sequence[Framed | JointConstraint]

SINGLE = (str, Target, Constraint, JointConstraint, OfAllBodies)
WANTED = "give the name of a frame, a Target or a Constraint, or a list of these"
USUAL = {"rows": EVERYTHING, "wrt": "world", "point": (0.0, 0.0, 0.0), "as_seen_by": "world"}
"""What is meant of a name where nothing is said beside it."""


def framed_or_none(what: str, given: Any) -> Any:
    """The same where an empty list means something: no constraints."""
    return () if isinstance(given, tuple) and not given else framed(what, given)


def framed(what: str, given: Any) -> Any:
    """What was given for a frame, one alone as it is, several in a tuple; refused where it is none."""
    entries = checked.several(what, given, WANTED, *SINGLE, Force)
    if not entries:
        raise Error(f"{what} is empty; {WANTED}")
    for one in entries:
        if isinstance(one, Force):
            raise WrongType(f"{what}: {one!r} is a force, not a frame; give its name, {one.frame!r}")
        if not isinstance(one, SINGLE) or one == "":
            raise checked.refusal(what, one, WANTED, kind=WrongType)
        if isinstance(one, str):
            checked.name(what, one, WANTED)
    return given if isinstance(given, SINGLE) else entries


def listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, SINGLE) else list(given)


def as_targets(what: str, given: Any, **beside: Any) -> list[AnyTarget]:
    """Targets of all that were given; those of names are as was said `beside` them."""
    _refuse_idle_words(what, listed(given), beside)
    return [_target(what, one, beside) for one in listed(given)]


def as_constraints(what: str, given: Any, **beside: Any) -> list[Rows]:
    """Constraints of all that were given; those of names are as was said `beside` them."""
    _refuse_idle_words(what, listed(given), beside)
    return [_constraint(one, beside) for one in listed(given)]


def without_friction(what: str, constraints: Sequence[Rows]) -> list[Rows]:
    """The same, none of which may say how much friction there is: nothing here asks."""
    for one in constraints:
        if isinstance(one, Constraint) and one.mu is not None:
            raise Error(
                f"{what}: mu={one.mu:g} on {one.frame}: friction is not heeded here; leave it out, or ask "
                "constrained_dynamics for contact_margin"
            )
    return list(constraints)


def as_twists(what: str, given: Any, **beside: Any) -> list[Target]:
    """Targets of all that were given, whose motion is wanted whole: refused where one names fewer rows."""
    targets = list[Target]()
    for target in as_targets(what, given, **beside):
        if not isinstance(target, Target):
            raise Error(
                f"{what}: {target!r} is no frame; outputs of mc.center_of_mass and mc.centroidal_momentum are its "
                "Jacobian and bias"
            )
        wrenches, _ = unit_wrenches(what, target.rows)
        if wrenches.shape != (6, 6) or not np.array_equal(wrenches, np.eye(6)):
            raise Error(
                f"{what}: {target!r} names rows, but all six are given here, {EVERYTHING}; leave rows out, and take "
                "those you want of the answer"
            )
        targets.append(target)
    return targets


def as_twist(what: str, given: Any, **beside: Any) -> Target:
    """The one target whose whole motion is wanted."""
    _refuse_many(what, given)
    return as_twists(what, given, **beside)[0]


def as_names(what: str, given: Any) -> list[str]:
    """Names of all that were given, of which a whole pose is wanted: refused where one says more than its frame."""
    for one in listed(given):
        if isinstance(one, OfAllBodies):
            raise Error(f"{what}: {one!r} is no frame; give a name")
        if isinstance(one, JointConstraint) or (not isinstance(one, str) and one != type(one)(one.frame)):
            raise Error(f"{what}: {one!r} says more than a frame, and nothing of it is read here; give a name")
    return [one if isinstance(one, str) else one.frame for one in listed(given)]


def as_name(what: str, given: Any) -> str:
    """The one name."""
    _refuse_many(what, given)
    return as_names(what, given)[0]


def _refuse_many(what: str, given: Any) -> None:
    if len(listed(given)) > 1:
        raise Error(f"{what}={checked.shown(given)}: that is {len(listed(given))} frames; give one at a time")


def _refuse_idle_words(what: str, entries: Sequence[Any], beside: dict[str, Any]) -> None:
    """What is said of names is said in vain where there are none."""
    if any(isinstance(one, str) for one in entries):
        return
    for word, value in beside.items():
        usual = USUAL[word]
        if isinstance(value, str) != isinstance(usual, str) or value != usual:
            raise Error(f"{what}: {word}={checked.shown(value)} is for frames given by name; say it in {entries[0]!r}")


def _target(what: str, one: Any, beside: dict[str, Any]) -> AnyTarget:
    if isinstance(one, str):
        own: dict[str, Any] = {} if beside.get("as_seen_by", one) else {"as_seen_by": one}
        return Target(one, **beside | own)
    if isinstance(one, Target) or (isinstance(one, CenterOfMass | Momentum) and one.level == 1):
        return one
    if not isinstance(one, Constraint) or (one.level, one.kind) != (1, "classical"):
        raise Error(f"{what}: {one!r} is no frame that goes somewhere; give a Target, or a Constraint of level 1")
    return Target(one.frame, one.rows, one.wrt, one.point, one.as_seen_by, one.weight)


def _constraint(one: Any, beside: dict[str, Any]) -> Rows:
    if isinstance(one, str):
        return Constraint(one, **beside)
    if isinstance(one, Target):
        point: Any = one.point
        return Constraint(one.frame, one.rows, one.wrt, point, one.as_seen_by, weight=one.weight)
    return one
