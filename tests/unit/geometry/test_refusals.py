"""Every operation on relations that does not fit is refused, with both names and a remedy."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    INERTIA,
    WORLD,
    ApparentInertia,
    ApparentWrench,
    ArticulatedInertia,
    ArticulatedWrench,
    Body,
    ClassicalAcceleration,
    Coupling,
    DrivenAcceleration,
    Frame,
    JointAcceleration,
    JointBias,
    JointForce,
    JointInertia,
    JointRows,
    JointVelocity,
    Momentum,
    MotionBasis,
    Multipliers,
    Orientation,
    Point,
    Pose,
    Position,
    RigidInertia,
    RowAcceleration,
    RowStack,
    SemanticError,
    SpatialAcceleration,
    Twist,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN
from rows import row
from scene import BASE, LOWER, SCREWS, THREE, TWO, UPPER, E, Numbers, P, Q, Scene, bare, screw_name

# ---------------------------------------------------------------- what is refused: a field that does not fit

Make = Callable[[Scene], Any]


@dataclass(frozen=True)
class Pairing:
    """A valid operation on two relations; `fields` are those of the second that must fit the first."""

    name: str
    left: Make
    right: Make
    operate: Callable[[Any, Any], Any]
    fields: tuple[str, ...]


REMEDY = {  # what a student is told to do, by the field that does not fit
    "of": r"compose|body|inverse\(\)|Orientation of|same two frames",
    "wrt": r"compose|inverse\(\)|same body|near end|same two frames|Position wrt|body wrt",
    "point": r"change_point|Position",
    "as_seen_by": r"change_frame|Orientation|as seen by the reference",
    "joints": "same joint",
    "rows": "same rows|same constraint rows",
    "kind": "to_spatial|to_classical",
}


def altered(relation: Any, field: str) -> Any:
    """The same relation with something else in one field."""
    old = getattr(relation, field)
    new = {
        Body: lambda: Body("stranger"),
        Point: lambda: Point("elsewhere", old.body),
        Frame: lambda: Frame("askew", old.body),
        tuple: lambda: tuple(f"other {label}" for label in old),
        str: lambda: {"spatial": "classical", "classical": "spatial"}[old],
    }[type(old)]()
    if isinstance(relation, Pose):
        return Pose.between(relation.of, new, relation.orientation.factors, relation.position.xyz)
    return replace(relation, **{field: new})


def named(relation: Any) -> str:
    """A relation as messages name it, without its first word (a Twist complains as LinearVelocity)."""
    return str(relation)[str(relation).index("(") :]


def refused(operation: Callable[[], Any], *relations: Any) -> SemanticError:
    """The refusal of an operation; it names these relations and says what to do."""
    with pytest.raises(SemanticError) as caught:
        operation()
    error = caught.value
    for relation in relations:
        assert named(relation) in str(error)
    assert str(error).startswith(f"{error.subject} is NOK since:\n* {error.reasons[0]}")
    assert error.remedy
    assert str(error).endswith(f"remedy: {error.remedy}")
    return error


def method(name: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: getattr(x, name)(y)


def screw(relation: type, /, **said: Any) -> Make:
    return lambda s: s.screw(relation, screw_name(relation), **said)


def rows(kind: str = "spatial", of: Body = LOWER, wrt: Body = WORLD) -> Make:
    return lambda s: RowAcceleration(THREE, of, wrt, kind, s.given("strength"))


def joint(kind: type) -> Make:
    return lambda s: kind(TWO, s.given("rate"))


def step(s: Scene) -> Position:
    return s.position(Q, P, P)


def turn(s: Scene) -> Orientation:
    return s.orientation(P, E)


def articulated(s: Scene, of: Body = LOWER) -> ArticulatedInertia:
    return s.blocks(ArticulatedInertia, "H", of=of)


def apparent(s: Scene) -> ApparentInertia:
    return s.blocks(ApparentInertia, "H2")


def joint_inertia(s: Scene) -> JointInertia:
    return JointInertia(TWO, s.given("D"))


def joint_rows(s: Scene) -> JointRows:
    return JointRows(TWO, THREE, s.given("table"))


def stack(s: Scene) -> RowStack:
    return RowStack(THREE, s.given("strength"))


def strengths(s: Scene) -> Multipliers:
    return Multipliers(THREE, s.given("strength"))


def coupling(s: Scene) -> Coupling:
    return Coupling(THREE, s.given("L"))


def no_kernel(*_: Any) -> tuple[Any, ...]:
    return (UNKNOWN,)


ALL, OWN, PLACE = ("of", "wrt", "point", "as_seen_by"), ("of", "point", "as_seen_by"), ("point", "as_seen_by")
own, bias = screw(Twist, wrt=WORLD), screw(ArticulatedWrench, wrt=INERTIA)
spatial, classical = screw(SpatialAcceleration, wrt=FREE_FALL), screw(ClassicalAcceleration, wrt=FREE_FALL)
felt = screw(WrenchBasis, kind=ArticulatedWrench)
COMPOSED = (Twist, SpatialAcceleration, ClassicalAcceleration, MotionBasis)
TURNED: dict[str, Make] = {  # everything that has axes
    "Position": step,
    "RigidInertia": Scene.rigid,
    "ArticulatedInertia": articulated,
    "ApparentInertia": apparent,
} | {kind.__name__: screw(kind) for kind in SCREWS}
MOVED = {name: relation for name, relation in TURNED.items() if name not in ("Position", "ClassicalAcceleration")}

PAIRINGS = [
    *(Pairing(f"{x.__name__} + ", screw(x), screw(x), operator.add, ALL) for x in SCREWS),
    *(Pairing(f"{x.__name__} - ", screw(x), screw(x), operator.sub, ALL) for x in SCREWS),
    *(Pairing(f"{name}.change_frame", x, turn, method("change_frame"), ("of",)) for name, x in TURNED.items()),
    *(
        Pairing(f"{name}.change_point", x, step, method("change_point"), ("wrt", "as_seen_by"))
        for name, x in MOVED.items()
    ),
    *(
        Pairing(f"{x.__name__}.compose", screw(x, of=UPPER, wrt=BASE), screw(x), method("compose"), ("wrt", *PLACE))
        for x in COMPOSED
    ),
    # places
    Pairing(
        "Position.compose",
        lambda s: s.position(P, E, E),
        lambda s: s.position(Q, P, E),
        method("compose"),
        ("wrt", "as_seen_by"),
    ),
    Pairing("Orientation.compose", turn, lambda s: s.orientation(Q, P), method("compose"), ("wrt",)),
    Pairing("Pose.compose", lambda s: s.pose(P, E), lambda s: s.pose(Q, P), method("compose"), ("wrt",)),
    Pairing("Pose", turn, lambda s: s.position(P, E, E), Pose, ("of", "wrt", "as_seen_by")),
    # motion
    Pairing("Twist.spatial_bias", own, screw(Twist), method("spatial_bias"), OWN),
    Pairing("Twist.classical_bias", own, screw(Twist), method("classical_bias"), OWN),
    Pairing("SpatialAcceleration.driven", spatial, screw(DrivenAcceleration), method("driven"), OWN),
    Pairing("ClassicalAcceleration.driven", classical, screw(DrivenAcceleration), method("driven"), OWN),
    Pairing("SpatialAcceleration.to_classical", spatial, own, method("to_classical"), OWN),
    Pairing("ClassicalAcceleration.to_spatial", classical, own, method("to_spatial"), OWN),
    Pairing(
        "ClassicalAcceleration.change_point",
        classical,
        own,
        lambda a, twist: a.change_point(Position(Q.origin, P.origin, P), twist),
        ("of", "as_seen_by"),
    ),
    Pairing("Momentum.rate", screw(Momentum, wrt=WORLD), own, method("rate"), ALL),
    # forces
    Pairing("Wrench.without", screw(Wrench, wrt=INERTIA), screw(Wrench, wrt=ENVIRONMENT), method("without"), OWN),
    Pairing(
        "ArticulatedWrench + ApparentWrench",
        screw(ArticulatedWrench, of=UPPER),
        screw(ApparentWrench),
        operator.add,
        ("wrt", *PLACE),
    ),
    # inertias
    Pairing(
        "ArticulatedInertia + ApparentInertia",
        lambda s: articulated(s, UPPER),
        apparent,
        operator.add,
        ("wrt", *PLACE),
    ),
    Pairing("RigidInertia + RigidInertia", Scene.rigid, lambda s: s.rigid("2"), operator.add, PLACE),
    Pairing("RigidInertia @ Twist", Scene.rigid, own, operator.matmul, OWN),
    Pairing(
        "RigidInertia.required_wrench(acceleration)",
        Scene.rigid,
        classical,
        lambda H, a: H.required_wrench(a, Twist(LOWER, WORLD, P.origin, P)),
        OWN,
    ),
    Pairing(
        "RigidInertia.required_wrench(twist)",
        classical,
        own,
        lambda a, twist: RigidInertia(LOWER, P.origin, P).required_wrench(a, twist),
        OWN,
    ),
    Pairing("ArticulatedInertia @ ", articulated, spatial, operator.matmul, OWN),
    Pairing("ApparentInertia @ ", apparent, spatial, operator.matmul, OWN),
    Pairing("RigidInertia.along", Scene.rigid, screw(MotionBasis), method("along"), OWN),
    Pairing("ArticulatedInertia.along", articulated, screw(MotionBasis), method("along"), OWN),
    # along joints and rows
    Pairing("MotionBasis.pair(Wrench)", screw(MotionBasis), screw(Wrench), method("pair"), ALL),
    Pairing("MotionBasis.pair(ArticulatedWrench)", screw(MotionBasis), bias, method("pair"), OWN),
    Pairing("MotionBasis.pair(WrenchBasis)", screw(MotionBasis), felt, method("pair"), OWN),
    Pairing("MotionBasis.times", screw(MotionBasis), joint(JointVelocity), method("times"), ("joints",)),
    Pairing("WrenchBasis.pair", screw(WrenchBasis), spatial, method("pair"), OWN),
    Pairing("WrenchBasis.along", screw(WrenchBasis), spatial, method("along"), PLACE),
    Pairing("WrenchBasis.times", screw(WrenchBasis), strengths, method("times"), ("rows",)),
    Pairing("WrenchBasis.beside", screw(WrenchBasis), screw(WrenchBasis), method("beside"), ALL),
    Pairing("RowAcceleration.minus", rows(), rows(), method("minus"), ("rows", "of", "wrt", "kind")),
    Pairing("RowAcceleration.compose", rows(of=UPPER), rows(wrt=UPPER), method("compose"), ("rows", "wrt", "kind")),
    Pairing(
        "Coupling.balance", coupling, stack, lambda x, b: x.balance(b, None, no_kernel, range(3), (1.0,) * 3), ("rows",)
    ),
    Pairing("RowStack - RowStack", stack, stack, operator.sub, ("rows",)),
    Pairing("WrenchBasis.joined", screw(WrenchBasis), screw(WrenchBasis), method("joined"), ALL),
    Pairing("JointRows.joined", joint_rows, joint_rows, method("joined"), ("joints",)),
    Pairing("Coupling + Coupling", coupling, coupling, operator.add, ("rows",)),
    Pairing("JointForce + JointForce", joint(JointForce), joint(JointForce), operator.add, ("joints",)),
    Pairing("JointBias - JointBias", joint(JointBias), joint(JointBias), operator.sub, ("joints",)),
    Pairing("JointForce - JointBias", joint(JointForce), joint(JointBias), operator.sub, ("joints",)),
    Pairing("JointInertia.solve", joint_inertia, joint(JointBias), method("solve"), ("joints",)),
    Pairing("JointInertia.yields", joint_inertia, joint_rows, method("yields"), ("joints",)),
    Pairing("JointRows.times", joint_rows, strengths, method("times"), ("rows",)),
    Pairing("JointRows.along", joint_rows, joint(JointAcceleration), method("along"), ("joints",)),
]


@row("motion-stack", 1)
@pytest.mark.parametrize("reading", ["nothing", "numbers"])
@pytest.mark.parametrize(
    ("pairing", "field"),
    [pytest.param(pairing, field, id=f"{pairing.name} {field}") for pairing in PAIRINGS for field in pairing.fields],
)
def test_a_field_that_does_not_fit_is_refused_with_both_names_and_a_remedy(pairing: Pairing, field: str, reading: str):
    scene = Scene(Numbers(2, "any"), reading)
    left, right = pairing.left(scene), pairing.right(scene)
    pairing.operate(left, right)  # fits
    wrong = altered(right, field)
    error = refused(lambda: pairing.operate(left, wrong), left, wrong)
    assert re.search(REMEDY[field], error.remedy)


@row("motion-stack", 1)
@pytest.mark.parametrize("field", OWN)
@pytest.mark.parametrize(
    ("operand", "operate"),
    [
        (articulated, operator.matmul),
        (felt, method("basis_of")),
        (bias, lambda projector, wrench: projector.wrench(wrench, JointForce(TWO))),
    ],
    ids=["inertia", "basis", "wrench"],
)
def test_a_projector_takes_only_what_is_of_its_own_joint(operand: Make, operate: Callable[[Any, Any], Any], field: str):
    scene = Scene(Numbers(2, "any"), "nothing")
    projector = articulated(scene).projector(screw(MotionBasis)(scene))
    operate(projector, operand(scene))  # fits
    wrong = altered(operand(scene), field)
    error = refused(lambda: operate(projector, wrong), projector.basis, wrong)
    assert re.search(REMEDY[field], error.remedy)


def test_a_projector_takes_only_the_motor_of_its_own_joint():
    scene = Scene(Numbers(2, "any"), "nothing")
    other = JointForce(("other", "joints"))
    refused(lambda: articulated(scene).projector(screw(MotionBasis)(scene)).wrench(bias(scene), other), other)


# ---------------------------------------------------------------- what is refused: the wrong order


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("left", "right", "operate"),
    [
        pytest.param(lambda s: s.pose(Q, P), lambda s: s.pose(P, E), method("compose"), id="Pose.compose"),
        pytest.param(lambda s: s.orientation(Q, P), turn, method("compose"), id="Orientation.compose"),
        pytest.param(
            lambda s: s.position(Q, P, E), lambda s: s.position(P, E, E), method("compose"), id="Position.compose"
        ),
        *(
            pytest.param(screw(x), screw(x, of=UPPER, wrt=BASE), method("compose"), id=f"{x.__name__}.compose")
            for x in COMPOSED
        ),
        pytest.param(rows(wrt=UPPER), rows(of=UPPER), method("compose"), id="RowAcceleration.compose"),
        pytest.param(screw(ApparentWrench), screw(ArticulatedWrench, of=UPPER), operator.add, id="apparent first"),
        *(
            pytest.param(x, lambda s: turn(s).inverse(), method("change_frame"), id=f"{name}.change_frame")
            for name, x in TURNED.items()
        ),
        *(
            pytest.param(x, lambda s: step(s).inverse(), method("change_point"), id=f"{name}.change_point")
            for name, x in MOVED.items()
        ),
    ],
)
def test_the_wrong_order_is_refused(left: Make, right: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    x, y = left(scene), right(scene)
    error = refused(lambda: operate(x, y), x, y)
    if operate is not operator.add:
        assert re.search(r"inverse\(\)|must be of some body", error.remedy)


# ---------------------------------------------------------------- what is refused: the wrong kind


def hole(*arguments: Any, id: str, reason: str) -> Any:
    """A case that is not refused as it should be."""
    return pytest.param(*arguments, id=id)


def mixed_sums() -> list[Any]:
    """A sum of any two different six-vectors, but for what a parent feels of its child."""
    pairs = [(x, y) for x in SCREWS for y in SCREWS if x is not y and (x, y) != (ArticulatedWrench, ApparentWrench)]
    return [
        pytest.param(screw(x), screw(y), operate, id=f"{x.__name__} {sign} {y.__name__}")
        for x, y in pairs
        for sign, operate in (("+", operator.add), ("-", operator.sub))
    ]


WRONG_KINDS = [
    *mixed_sums(),
    # compose, change_frame, change_point
    *(
        pytest.param(
            screw(x, of=UPPER, wrt=BASE), screw(y), method("compose"), id=f"{x.__name__}.compose({y.__name__})"
        )
        for x in COMPOSED
        for y in (*COMPOSED, Wrench)
        if x is not y
    ),
    *(pytest.param(x, step, method("change_frame"), id=f"{name}.change_frame(Position)") for name, x in TURNED.items()),
    *(
        pytest.param(x, turn, method("change_point"), id=f"{name}.change_point(Orientation)")
        for name, x in MOVED.items()
    ),
    pytest.param(screw(Twist), lambda s: s.pose(Q, P), method("change_point"), id="Twist.change_point(Pose)"),
    pytest.param(lambda s: s.pose(P, E), step, method("compose"), id="Pose.compose(Position)"),
    pytest.param(lambda s: s.position(P, E, E), lambda s: s.pose(Q, P), method("compose"), id="Position.compose(Pose)"),
    hole(
        lambda s: s.pose(P, E), screw(Twist), method("compose"), id="Pose.compose(Twist)", reason="AttributeError: body"
    ),
    hole(
        turn,
        lambda s: s.pose(Q, P),
        method("compose"),
        id="Orientation.compose(Pose)",
        reason="AttributeError: factors",
    ),
    *(
        hole(
            x,
            lambda s: s.pose(P, E),
            method("change_frame"),
            id=f"{name}.change_frame(Pose)",
            reason="AttributeError, or accepted where there are no coordinates",
        )
        for name, x in TURNED.items()
    ),
    # inertias map motions of one kind
    pytest.param(Scene.rigid, spatial, operator.matmul, id="RigidInertia @ SpatialAcceleration"),
    pytest.param(Scene.rigid, screw(Wrench), operator.matmul, id="RigidInertia @ Wrench"),
    pytest.param(Scene.rigid, screw(MotionBasis), operator.matmul, id="RigidInertia @ MotionBasis"),
    pytest.param(articulated, own, operator.matmul, id="ArticulatedInertia @ Twist"),
    pytest.param(articulated, classical, operator.matmul, id="ArticulatedInertia @ ClassicalAcceleration"),
    pytest.param(apparent, own, operator.matmul, id="ApparentInertia @ Twist"),
    pytest.param(articulated, screw(Twist), method("along"), id="ArticulatedInertia.along(Twist)"),
    pytest.param(Scene.rigid, screw(Twist), method("along"), id="RigidInertia.along(Twist)"),
    pytest.param(articulated, Scene.rigid, operator.add, id="ArticulatedInertia + RigidInertia"),
    pytest.param(articulated, articulated, operator.add, id="ArticulatedInertia + ArticulatedInertia"),
    hole(Scene.rigid, articulated, operator.add, id="RigidInertia + ArticulatedInertia", reason="accepted"),
    hole(Scene.rigid, own, operator.add, id="RigidInertia + Twist", reason="accepted"),
    hole(
        apparent,
        classical,
        operator.matmul,
        id="ApparentInertia @ ClassicalAcceleration",
        reason="accepted, while ArticulatedInertia refuses it",
    ),
    pytest.param(
        Scene.rigid,
        spatial,
        lambda H, a: H.required_wrench(a, Twist(LOWER, WORLD, P.origin, P)),
        id="RigidInertia.required_wrench(SpatialAcceleration)",
    ),
    # joints and rows
    pytest.param(screw(MotionBasis), screw(ApparentWrench), method("pair"), id="MotionBasis.pair(ApparentWrench)"),
    pytest.param(
        screw(MotionBasis),
        screw(WrenchBasis, kind=ApparentWrench),
        method("pair"),
        id="MotionBasis.pair(apparent basis)",
    ),
    pytest.param(screw(MotionBasis), screw(Twist), method("pair"), id="MotionBasis.pair(Twist)"),
    hole(
        screw(MotionBasis),
        screw(Momentum),
        method("pair"),
        id="MotionBasis.pair(Momentum)",
        reason="accepted as a JointBias",
    ),
    hole(screw(MotionBasis), joint(JointForce), method("times"), id="MotionBasis.times(JointForce)", reason="a Twist"),
    hole(screw(MotionBasis), joint(JointBias), method("times"), id="MotionBasis.times(JointBias)", reason="a Twist"),
    hole(
        screw(MotionBasis),
        strengths,
        method("times"),
        id="MotionBasis.times(Multipliers)",
        reason="AttributeError: joints",
    ),
    hole(screw(WrenchBasis), rows(), method("times"), id="WrenchBasis.times(RowAcceleration)", reason="a Wrench"),
    hole(
        screw(WrenchBasis),
        joint(JointVelocity),
        method("times"),
        id="WrenchBasis.times(JointVelocity)",
        reason="AttributeError: rows",
    ),
    hole(screw(WrenchBasis), felt, operator.add, id="WrenchBasis<Wrench> + <ArticulatedWrench>", reason="accepted"),
    hole(
        screw(WrenchBasis),
        felt,
        method("beside"),
        id="WrenchBasis<Wrench>.beside(<ArticulatedWrench>)",
        reason="accepted",
    ),
    hole(
        screw(WrenchBasis),
        screw(WrenchBasis, rows=("a", "b", "c")),
        operator.add,
        id="WrenchBasis + WrenchBasis along other rows",
        reason="accepted",
    ),
    hole(
        screw(MotionBasis),
        screw(MotionBasis, joints=("a", "b")),
        operator.add,
        id="MotionBasis + MotionBasis of other joints",
        reason="accepted",
    ),
    pytest.param(screw(WrenchBasis), own, method("pair"), id="WrenchBasis.pair(Twist)"),
    pytest.param(
        screw(WrenchBasis), screw(DrivenAcceleration), method("pair"), id="WrenchBasis.pair(DrivenAcceleration)"
    ),
    pytest.param(screw(WrenchBasis), classical, method("along"), id="WrenchBasis.along(ClassicalAcceleration)"),
    pytest.param(felt, classical, method("pair"), id="articulated WrenchBasis.pair(ClassicalAcceleration)"),
    pytest.param(own, spatial, method("spatial_bias"), id="Twist.spatial_bias(SpatialAcceleration)"),
    pytest.param(spatial, screw(Wrench), method("to_classical"), id="SpatialAcceleration.to_classical(Wrench)"),
    pytest.param(spatial, screw(Twist), method("driven"), id="SpatialAcceleration.driven(Twist)"),
    pytest.param(screw(Momentum, wrt=WORLD), spatial, method("rate"), id="Momentum.rate(SpatialAcceleration)"),
    pytest.param(joint(JointForce), joint(JointBias), operator.add, id="JointForce + JointBias"),
    pytest.param(joint(JointForce), joint(JointForce), operator.sub, id="JointForce - JointForce"),
    pytest.param(joint(JointBias), joint(JointForce), operator.add, id="JointBias + JointForce"),
    pytest.param(joint(JointBias), joint(JointForce), operator.sub, id="JointBias - JointForce"),
    pytest.param(joint_inertia, joint(JointForce), method("solve"), id="JointInertia.solve(JointForce)"),
    pytest.param(joint_inertia, joint(JointVelocity), method("solve"), id="JointInertia.solve(JointVelocity)"),
    pytest.param(joint_inertia, felt, method("yields"), id="JointInertia.yields(WrenchBasis)"),
    pytest.param(joint_rows, rows(), method("times"), id="JointRows.times(RowAcceleration)"),
    pytest.param(joint_rows, felt, lambda z, A: z.along(A), id="JointRows.along(WrenchBasis)"),
    pytest.param(coupling, joint_inertia, operator.add, id="Coupling + JointInertia"),
    pytest.param(rows(), strengths, method("minus"), id="RowAcceleration.minus(Multipliers)"),
]


@row("motion-stack", 1)
@pytest.mark.parametrize(("left", "right", "operate"), WRONG_KINDS)
def test_the_wrong_kind_is_refused_with_both_names(left: Make, right: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    x, y = left(scene), right(scene)
    refused(lambda: operate(x, y), x, y)


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("operand", "operate"),
    [
        pytest.param(Scene.rigid, operator.matmul, id="@ RigidInertia"),
        pytest.param(screw(Wrench, wrt=INERTIA), operator.matmul, id="@ Wrench"),
        pytest.param(screw(WrenchBasis), method("basis_of"), id="a basis of physical wrenches"),
        pytest.param(screw(WrenchBasis, kind=ApparentWrench), method("basis_of"), id="a basis projected already"),
        pytest.param(screw(Wrench, wrt=INERTIA), lambda p, f: p.wrench(f, JointForce(TWO)), id="a physical wrench"),
        pytest.param(screw(ApparentWrench), lambda p, f: p.wrench(f, JointForce(TWO)), id="a wrench projected already"),
        hole(
            joint(JointBias),
            lambda p, f: p.wrench(bare(ArticulatedWrench), f),
            id="a bias for a motor",
            reason="accepted: JointBias - JointBias is valid, and who made it is forgotten",
        ),
        hole(bias, operator.matmul, id="@ ArticulatedWrench", reason="accepted as an ApparentInertia"),
        hole(bias, method("basis_of"), id="basis_of(ArticulatedWrench)", reason="AttributeError: kind"),
    ],
)
def test_a_projector_takes_articulated_things_only(operand: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    projector = articulated(scene).projector(screw(MotionBasis)(scene))
    refused(lambda: operate(projector, operand(scene)), operand(scene))


@row("motion-stack", 1)
def test_a_pose_of_two_kinds_is_refused_when_they_are_exchanged():
    s = Scene(Numbers(2, "any"), "nothing")
    refused(lambda: Pose(turn(s), s.position(Q, E, E)), turn(s), s.position(Q, E, E))


def test_position_and_orientation_exchanged_in_a_pose_are_refused():
    s = Scene(Numbers(2, "any"), "nothing")
    refused(lambda: Pose(s.position(P, E, E), turn(s)), turn(s))  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is refused: one relation alone


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("relation", "operate", "remedy"),
    [
        pytest.param(screw(Twist), lambda v: v.spatial_bias(v), "compose", id="bias of a twist wrt a moving body"),
        pytest.param(screw(Twist), lambda v: v.classical_bias(v), "compose", id="classical bias likewise"),
        pytest.param(
            screw(Twist), lambda v: bare(SpatialAcceleration).to_classical(v), "compose", id="ω × v of a relative twist"
        ),
        pytest.param(
            screw(ClassicalAcceleration),
            lambda a: RigidInertia(LOWER, P.origin, P).required_wrench(a, bare(Twist, wrt=WORLD)),
            "compose",
            id="Newton wrt a moving body",
        ),
        pytest.param(
            classical,
            lambda a: a.change_point(Position(Q.origin, P.origin, P)),
            "twist",
            id="no ω for a change of point",
        ),
        pytest.param(screw(Wrench), lambda f: f.articulated(), "momentum", id="articulated from a contact"),
        pytest.param(screw(Wrench), lambda f: f.exerted_by(BASE), "net wrench", id="a maker for what has one"),
        pytest.param(screw(Wrench), lambda f: f.to_be_made(), "from outside", id="to be made though internal"),
        pytest.param(screw(WrenchBasis), lambda A: A.to_be_made(), "from outside", id="a basis to be made likewise"),
        pytest.param(felt, lambda A: A.articulated(), "as it is", id="articulated twice"),
        pytest.param(felt, lambda A: A.at_parent(), "project", id="arrived without passing the joint"),
        pytest.param(felt, lambda A: A.handed_down(), "Projector", id="handed down though joints are free"),
        pytest.param(
            screw(WrenchBasis), lambda A: A.exerted_by(BASE), "handed_down", id="a maker for a basis with one"
        ),
        pytest.param(screw(WrenchBasis), lambda A: A.held_by(UPPER), "articulated()", id="physical wrenches, held"),
        pytest.param(felt, lambda A: A.reaction_on(UPPER), "articulated()", id="reaction to what joints have changed"),
        pytest.param(
            rows("classical"), lambda b: RowStack.gather(THREE, [b]), "to_spatial", id="classical rows beside others"
        ),
        pytest.param(
            bias, lambda f: f.relieved(replace(f, wrt=UPPER)), "from outside", id="relieved by another part of itself"
        ),
        hole(
            screw(SpatialAcceleration),
            lambda a: a.to_classical(bare(Twist, wrt=WORLD)),
            "compose",
            id="a relative acceleration made classical by the absolute twist",
            reason="accepted",
        ),
        hole(
            screw(ClassicalAcceleration),
            lambda a: a.change_point(Position(Q.origin, P.origin, P), bare(Twist, wrt=WORLD)),
            "compose",
            id="a relative acceleration moved by the absolute twist",
            reason="accepted",
        ),
    ],
)
def test_what_a_relation_cannot_answer_alone_is_refused(relation: Make, operate: Callable[[Any], Any], remedy: str):
    x = relation(Scene(Numbers(2, "any"), "nothing"))
    assert remedy in refused(lambda: operate(x), x).remedy


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("asked", "twist"),
    [
        (rows("spatial"), own),
        (rows("classical", of=UPPER), own),
        (rows("classical"), screw(Twist, of=UPPER, wrt=WORLD)),
        (rows("classical"), screw(Twist, wrt=UPPER)),
        (lambda s: replace(rows("classical")(s), rows=("a", "b", "c")), own),
    ],
    ids=["spatial already", "of another body", "another body's twist", "relative twist", "other rows"],
)
def test_rows_are_made_spatial_only_by_the_own_twist(asked: Make, twist: Make):
    s = Scene(Numbers(2, "any"), "nothing")
    basis = screw(WrenchBasis)(s)
    basis.to_spatial(rows("classical")(s), own(s))  # fits
    refused(lambda: basis.to_spatial(asked(s), twist(s)), basis, twist(s))


# ---------------------------------------------------------------- coordinates on one side only


@pytest.mark.parametrize("kind", [Twist, Wrench, ClassicalAcceleration])
def test_a_sum_with_something_unknown_is_unknown(kind: type):
    numbers, nothing = Scene(Numbers(3, "any"), "numbers"), Scene(Numbers(3, "any"), "nothing")
    for total in (screw(kind)(numbers) + screw(kind)(nothing), screw(kind)(nothing) - screw(kind)(numbers)):
        assert total.angular is UNKNOWN
        assert total.linear is UNKNOWN


def test_a_classical_acceleration_moved_by_an_unknown_twist_is_unknown():
    s = Scene(Numbers(3, "any"), "numbers")
    assert classical(s).change_point(step(s), bare(Twist, wrt=WORLD)).linear is UNKNOWN


@pytest.mark.parametrize(
    "moved",
    [
        lambda S: S.times(JointVelocity(TWO, np.ones((2, 1)))).linear,
        lambda S: S.pair(Wrench(LOWER, UPPER, Q.origin, P, np.ones((3, 1)), np.ones((3, 1)))).values,
        lambda S: (
            S.compose(MotionBasis(BASE, LOWER, Q.origin, P, np.ones((3, 1)), np.ones((3, 1)), joints=("k",))).linear
        ),
    ],
    ids=["times", "pair", "compose"],
)
def test_directions_moved_by_an_unknown_distance_are_unknown(moved: Callable[[Any], Any]):
    """In the check reading S has numbers, a pose that depends on q has none."""
    S = screw(MotionBasis)(Scene(Numbers(3, "any"), "numbers")).change_point(Position(Q.origin, P.origin, P))
    assert moved(S) is UNKNOWN


# ---------------------------------------------------------------- spatial and classical


@row("motion-stack", 4)
@pytest.mark.parametrize("operate", [operator.add, operator.sub, method("compose")])
def test_spatial_and_classical_do_not_mix(operate: Callable[[Any, Any], Any]):
    s = Scene(Numbers(4, "any"), "numbers")
    x, y = spatial(s), classical(s)
    for error in (refused(lambda: operate(x, y), x, y), refused(lambda: operate(y, x), x, y)):
        assert "SpatialAcceleration" in error.reasons[0]
        assert "ClassicalAcceleration" in error.reasons[0]
