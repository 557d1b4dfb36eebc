"""Signals over time: exponentials of twists against SciPy and Pinocchio, errors along rows, commands with units."""

import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation as Turn

import look_ahead as block
from motionc.errors import Error
from motionc.geometry import (
    ENVIRONMENT,
    JOINTS,
    WORLD,
    WORLD_FRAME,
    Body,
    Command,
    Displacement,
    Duration,
    Frame,
    JointDisplacement,
    JointForce,
    JointRows,
    Pose,
    RowAcceleration,
    RowAmounts,
    RowError,
    RowStack,
    RowTwist,
    SemanticError,
    Twist,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.factors import Rotation
from motionc.sweeps.state import BodyState, Slot
from mutants import mutants
from scene import homogeneous, skew
from symbols import Page

HAND, TABLE = Body("hand"), Body("table")
TOOL, PATH = Frame("tool", HAND), Frame("path", WORLD)
page = Page()
TIMES = st.one_of(st.sampled_from([0.0, 1e-9, 1.0]), st.floats(-3, 3))
SYMBOLIC = [page.symbols(*shape) for shape in ((3, 3), (3, 1), (3, 1), (3, 1), (1, 1))]


def pose(R: Any, xyz: Any, of: Frame = TOOL, wrt: Frame = WORLD_FRAME) -> Pose:
    return Pose.between(of, wrt, None if R is None else (Rotation(R),), xyz)


def twist(w: Any, v: Any, axes: Frame = WORLD_FRAME, **fields: Any) -> Twist:
    return Twist(**{"of": HAND, "wrt": WORLD, "point": TOOL.origin} | fields, as_seen_by=axes, angular=w, linear=v)


AHEAD = pose(*SYMBOLIC[:2]).after(twist(*SYMBOLIC[2:4]), Duration(SYMBOLIC[4])).matrix


def drawn(seed: int, size: float) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    w, v, xyz = rng.normal(size=(3, 3, 1))
    return Turn.random(rng=rng).as_matrix(), xyz, size * w, v


# ---------------------------------------------------------------- Pose.after


@given(st.integers(0, 2**32 - 1), st.floats(-9, 1).map(lambda x: 10**x), TIMES)
def test_a_pose_after_a_time_is_the_exponential_of_its_twist(seed: int, size: float, t: float) -> None:
    R, xyz, w, v = drawn(seed, size)
    # the twist in world axes at the tool, as a field at the world's origin, and in the tool's own axes
    spatial = np.block([[skew(w), v - np.cross(w[:, 0], xyz[:, 0])[:, None]], [np.zeros((1, 4))]])
    expected = expm(spatial * t) @ homogeneous(R, xyz)
    own = np.concatenate([R.T @ v, R.T @ w])[:, 0]
    witness = (pin.SE3(R, xyz[:, 0]) * pin.exp6(own * t)).homogeneous
    seconds = Duration.of(t, "s")
    found = [
        pose(R, xyz).after(twist(w, v), seconds).matrix,
        pose(R, xyz).after(twist(R.T @ w, R.T @ v, TOOL), seconds).matrix,
        page.evaluated([AHEAD], R, xyz, w, v, np.array([[t]]))[0],
    ]
    tolerance = 1e-13 * (1 + size * abs(t))
    assert np.abs(witness - expected).max() < 10 * tolerance
    for each in found:
        assert np.abs(each - witness).max() < tolerance


@given(st.integers(0, 2**32 - 1), TIMES, TIMES)
def test_times_add_where_the_body_keeps_its_own_twist(seed: int, s: float, t: float) -> None:
    R, xyz, w, v = drawn(seed, 1.0)
    start, moving = pose(R, xyz), twist(w, v, TOOL)
    at_once = start.after(moving, Duration.of(s + t, "s"))
    in_parts = start.after(moving, Duration.of(1000 * s, "ms")).after(moving, Duration.of(t, "s"))
    assert np.allclose(at_once.matrix, in_parts.matrix, rtol=0, atol=1e-13)
    assert np.allclose(start.after(moving, Duration.of(0, "s")).matrix, start.matrix, rtol=0, atol=1e-16)
    assert (at_once.of, at_once.wrt) == (TOOL, WORLD_FRAME)


def test_a_body_at_rest_stays_where_it_is() -> None:
    R, xyz, _, _ = drawn(1, 1.0)
    rest = twist(np.zeros((3, 1)), np.zeros((3, 1)))
    assert np.array_equal(pose(R, xyz).after(rest, Duration.of(7, "h")).matrix, pose(R, xyz).matrix)


@pytest.mark.parametrize(
    ("fields", "reason", "remedy"),
    [
        ({"of": TABLE}, "of Twist.* is table, not hand", "right one"),
        ({"wrt": TABLE}, "is table, not world", "compose with what relates table to world"),
        ({"point": WORLD_FRAME.origin}, "point of", "change_point with a Position"),
        ({"axes": Frame("other", HAND)}, "neither", "change_frame with an Orientation"),
    ],
)
def test_a_pose_does_not_follow_the_twist_of_another(fields: Any, reason: str, remedy: str) -> None:
    with pytest.raises(SemanticError, match=reason) as refused:
        pose(None, None).after(twist(None, None, **fields), Duration())
    assert remedy in refused.value.remedy


# ---------------------------------------------------------------- what takes a time, and which


def test_position_plus_velocity_without_a_time_is_refused() -> None:
    here, moving = pose(np.eye(3), np.zeros(3)), twist(*np.zeros((2, 3, 1)))
    missing = Displacement(HAND, WORLD, TOOL.origin, WORLD_FRAME)
    rows = basis("x y")
    speed = RowTwist.of_body(rows, moving)
    for mistake in (
        lambda: here + moving,
        lambda: here.position + moving,
        lambda: here.compose(moving),  # type: ignore[arg-type]
        lambda: missing + moving,
        lambda: missing.along(rows) + speed,  # type: ignore[operator]
    ):
        with pytest.raises(SemanticError, match="Twist") as refused:
            mistake()
        assert "pose.after(twist, Duration.of" in refused.value.remedy
    with pytest.raises(SemanticError, match="is no velocity without a time"):
        _ = moving + missing
    with pytest.raises(SemanticError, match=r"say in which unit: Duration.of\(2.5"):
        here.after(moving, 2.5)  # type: ignore[arg-type]
    with pytest.raises(SemanticError, match="m is a unit of Length, not of Time") as refused:
        Duration.of(2.5, "m")
    assert "ms" in refused.value.remedy


def test_places_are_composed_not_added() -> None:
    with pytest.raises(SemanticError, match=r"compose\(\) it"):
        _ = pose(np.eye(3), np.zeros(3)) + pose(np.eye(3), np.zeros(3))


# ---------------------------------------------------------------- errors along rows

UNIT = {name: np.eye(6)[:, k] for k, name in enumerate(["rx", "ry", "rz", "x", "y", "z"])}


def basis(names: str, axes: Frame = WORLD_FRAME, columns: Any = None) -> WrenchBasis:
    rows = tuple(names.split())
    columns = np.column_stack([UNIT[name] for name in rows]) if columns is None else columns
    return WrenchBasis(HAND, ENVIRONMENT, TOOL.origin, axes, columns[:3], columns[3:], rows)


@given(st.integers(0, 2**32 - 1))
def test_an_error_along_rows_is_what_is_missing_along_them(seed: int) -> None:
    """Against SciPy's rotation vectors, along oblique rows; through symbols too; beyond a tolerance, as it was."""
    rng = np.random.default_rng(seed)
    start, goal = Turn.random(rng=rng), Turn.random(rng=rng)
    a, b = rng.normal(size=(2, 3))
    turns, shifts = rng.normal(size=(2, 3, 2))
    rows = basis("rx ry x y", columns=np.block([[turns, np.zeros((3, 2))], [np.zeros((3, 2)), shifts]]))
    missing = Displacement.between(pose(start.as_matrix(), a), pose(goal.as_matrix(), b)).along(rows)
    expected = np.concatenate([turns.T @ (goal * start.inv()).as_rotvec(), shifts.T @ (b - a)])
    assert np.allclose(missing.values[:, 0], expected, rtol=0, atol=1e-12)
    assert (missing.of, missing.wrt, missing.rows) == (HAND, WORLD, ("rx", "ry", "x", "y"))
    allowed = rng.uniform(0, 1, 4)
    beyond = missing.beyond(RowAmounts.of(rows.rows, allowed * [1e3, 1e3, 1e2, 1e2], ["mrad", "mrad", "cm", "cm"]))
    assert isinstance(beyond, RowError)
    assert np.allclose(beyond.values[:, 0], np.where(np.abs(expected) <= allowed, 0.0, expected), atol=1e-12)
    paper = Page()
    error, width = paper.symbols(4, 1), paper.symbols(4, 1)
    symbols = RowError(rows, WORLD, error).beyond(RowAmounts.of(rows.rows, width, ["rad", "rad", "m", "m"]))
    found = paper.evaluated([symbols.sign().values], missing.values, allowed[:, None])[0]
    assert np.array_equal(found, beyond.sign().values)


def test_an_error_after_a_time_is_that_from_where_the_body_is_then() -> None:
    """e - ẏ t of a body that shifts, against the displacement of the pose after that time."""
    R, a, _, v = drawn(4, 1.0)
    rows, seconds, shifting = basis("rx x y"), Duration.of(300, "ms"), twist(np.zeros((3, 1)), v)
    start, goal = pose(R, a), pose(np.eye(3), np.array([[0.3], [-0.2], [0.1]]))
    ahead = Displacement.between(start, goal).along(rows).after(RowTwist.of_body(rows, shifting), seconds)
    then = Displacement.between(start.after(shifting, seconds), goal).along(rows)
    assert np.allclose(ahead.values, then.values, rtol=0, atol=1e-13)


def test_metres_do_not_mix_with_radians() -> None:
    lengths, angles = (RowError(basis(name), WORLD, np.ones((1, 1))) for name in ("x", "rx"))
    mistaken = RowError(basis("x", columns=UNIT["rx"][:, None]), WORLD, np.ones((1, 1)))
    with pytest.raises(SemanticError, match="rows differ"):
        _ = lengths + angles
    with pytest.raises(SemanticError, match="x is of Length here and of Angle there") as refused:
        _ = lengths + mistaken
    assert "do not add" in refused.value.remedy
    assert (lengths + lengths - lengths).values[0, 0] == 1.0
    for error, unit in ((lengths, "deg"), (angles, "mm"), (lengths, "m/s")):
        with pytest.raises(SemanticError, match=r"misses a (Length|Angle), but is given") as refused:
            error.beyond(RowAmounts.of(error.rows, 0.1, unit))
        assert "lengths in m" in refused.value.remedy
    with pytest.raises(SemanticError, match="adds a length to an angle"):
        RowError(basis("x", columns=(UNIT["x"] + UNIT["rz"])[:, None]), WORLD)
    with pytest.raises(SemanticError, match=r"RowAmounts\.of"):
        lengths.beyond(0.01)  # type: ignore[arg-type]
    with pytest.raises(SemanticError, match="rows differ"):
        lengths.beyond(RowAmounts.of(("y",), 0.1, "m"))


def test_a_displacement_is_measured_along_rows_of_the_same_frame() -> None:
    missing = Displacement(HAND, WORLD, TOOL.origin, WORLD_FRAME)
    with pytest.raises(SemanticError, match="change_frame with an Orientation"):
        missing.along(basis("x", PATH))
    with pytest.raises(SemanticError, match="ArticulatedWrench"):
        missing.along(basis("x").articulated())


# ---------------------------------------------------------------- commands get a unit at one place


def test_a_command_is_scaled_into_accelerations_wrenches_and_joint_forces() -> None:
    rng = np.random.default_rng(3)
    columns = np.zeros((6, 2))
    columns[3:, 0], columns[:3, 1] = rng.normal(size=(2, 3))
    rows, u = basis("x rz", columns=columns), np.array([[0.5], [-1.0]])
    command = Command(rows, WORLD, u)
    wanted = command.scaled(RowAmounts.of(rows.rows, [30.0, 90.0], ["m/s^2", "deg/s^2"]))
    assert isinstance(wanted, RowAcceleration)
    assert str(wanted) == "RowAcceleration(hand,world,classical; x, rz)"
    assert np.allclose(wanted.values[:, 0], [15.0, -np.pi / 2])
    pull = command.scaled(RowAmounts.of(rows.rows, [10.0, 2.0], ["N", "Nm"]))
    assert isinstance(pull, Wrench)
    assert (pull.of, pull.wrt, pull.point, pull.as_seen_by) == (HAND, ENVIRONMENT, TOOL.origin, WORLD_FRAME)
    assert np.allclose(np.concatenate([pull.angular, pull.linear])[:, 0], columns @ [5.0, -2.0])
    joints = JointRows(("elbow", "wrist"), ("sum",), np.array([[1.0], [2.0]]))
    error = RowError.of_joints(JointDisplacement(joints.joints, np.array([[0.1], [0.2]])), joints)
    assert np.allclose(error.values, 0.5)
    driven = error.per(RowAmounts.of(("sum",), 0.25, "rad")).within().scaled(RowAmounts.of(("sum",), 3.0, "Nm"))
    assert isinstance(driven, JointForce)
    assert np.allclose(driven.values[:, 0], [3.0, 6.0])
    asked = error.sign().scaled(RowAmounts.of(("sum",), 4.0, "rad/s^2"))
    assert (asked.of, asked.wrt, asked.kind, asked.values[0, 0]) == (JOINTS, JOINTS, "spatial", 4.0)
    seen = Command(basis("x"), TABLE, np.ones((1, 1))).scaled(RowAmounts.of(("x",), 1.0, "m/s^2"), "spatial")
    assert (seen.wrt, seen.kind) == (TABLE, "observed")


def test_a_command_is_scaled_by_what_drives_its_rows() -> None:
    command = Command(basis("x rz"), WORLD, UNKNOWN)
    for units in (["m/s^2", "Nm"], ["rad/s^2", "rad/s^2"], ["m", "rad"], ["N", "N"]):
        with pytest.raises(SemanticError, match="is scaled by") as refused:
            command.scaled(RowAmounts.of(("x", "rz"), 1.0, units))
        assert "LinearAcceleration, AngularAcceleration or Force, Torque" in refused.value.remedy
    with pytest.raises(SemanticError, match=r"RowAmounts\.of"):
        command.scaled(30.0)  # type: ignore[arg-type]


class Asked(BodyState):
    asked_of_rows = Slot(RowAcceleration, "none")


def test_a_command_is_not_used_unscaled() -> None:
    rows = basis("x")
    command, error = Command(rows, WORLD, np.ones((1, 1))), RowError(rows, WORLD, np.ones((1, 1)))
    wanted = RowAcceleration(("x",), HAND, WORLD, "spatial", np.ones((1, 1)))
    pull = Wrench(HAND, ENVIRONMENT, TOOL.origin, WORLD_FRAME)
    for mistake in (
        lambda: wanted.minus(command),  # type: ignore[arg-type]
        lambda: RowStack.gather(("x",), [command]),  # type: ignore[list-item]
        lambda: rows.times(command),  # type: ignore[arg-type]
        lambda: pull + command,  # type: ignore[operator]
        lambda: JointForce(("elbow",)) + command,  # type: ignore[operator]
    ):
        with pytest.raises(SemanticError, match="Command") as refused:
            mistake()
        assert "command.scaled(maximum)" in refused.value.remedy
    with pytest.raises(SemanticError, match=r"error\.sign\(\)"):
        wanted.minus(error)  # type: ignore[arg-type]
    with pytest.raises(SemanticError, match=r"error\.sign\(\)"):
        _ = command + error


def test_amounts_say_how_many_there_are() -> None:
    with pytest.raises(SemanticError, match="2 rows have 1 units"):
        RowAmounts.of(("x", "y"), 1.0, ["m"])
    with pytest.raises(SemanticError, match="2 numbers are asked for, 3 × 1 are given"):
        RowAmounts.of(("x", "y"), [1.0, 2.0, 3.0], "m")
    for nonsense in (np.nan, "two", [[1.0], [2.0, 3.0]], object()):
        with pytest.raises(Error, match="needs real numbers"):
            RowAmounts.of(("x",), nonsense, "m")
        with pytest.raises(Error, match="needs real numbers"):
            Duration.of(nonsense, "s")
    some = RowAmounts.of(("x", "y"), [1.0, 2.0], ["m", "cm"]).select(("y",))
    assert (some.rows, some.values[0, 0]) == (("y",), 0.02)
    both = Command(basis("x y"), WORLD, np.array([[1.0], [2.0]]))
    assert both.select(("y",)).times(2.0).values[0, 0] == 4.0


# ---------------------------------------------------------------- a block of them, and every mistake in it


def seen(known: bool) -> SimpleNamespace:
    """What a control block sees: the tool on a hand that moves along a path fixed in the world."""
    hand = Frame("hand", HAND)
    rng = np.random.default_rng(5)

    def place(of: Frame, wrt: Frame) -> Pose:
        return (
            pose(Turn.random(rng=rng).as_matrix(), rng.normal(size=3), of, wrt) if known else pose(None, None, of, wrt)
        )

    moving = rng.normal(size=(2, 3, 1)) if known else (None, None)
    labels = ("x", "ry")
    return SimpleNamespace(
        hand=place(hand, WORLD_FRAME),
        tool=place(TOOL, hand),
        path=place(PATH, WORLD_FRAME),
        goal=place(TOOL, PATH),
        twist=Twist(HAND, WORLD, hand.origin, hand, *moving),
        horizon=Duration.of(0.4, "s"),
        rows=basis("x ry", PATH),
        tolerances=RowAmounts.of(labels, [0.01, 0.1], ["m", "rad"]),
        maximum=RowAmounts.of(labels, [30.0, 10.0], ["m/s^2", "rad/s^2"]),
    )


def test_a_block_looks_ahead_in_every_reading() -> None:
    found = block.look_ahead(seen(known=True))
    assert set(np.abs(found.values[:, 0])) <= {0.0, 10.0, 30.0}
    unknown = block.look_ahead(seen(known=False))
    assert isinstance(unknown, RowAcceleration)
    assert unknown.values is UNKNOWN


def test_every_mistake_in_a_block_is_refused_before_any_number() -> None:
    alive = list[str]()
    for mutant in mutants("look_ahead", inspect.getsource(block)):
        module: dict[str, Any] = {}
        exec(mutant.code, module)
        try:
            module["look_ahead"](seen(known=False))
        except SemanticError:
            continue
        alive.append(mutant.change)
    # a twist may be given in the path's axes or in the tool's, not in the hand's or the world's
    assert alive == []


def test_what_the_block_sees_must_fit() -> None:
    """Another point, other axes, another body, another unit: none passes."""
    fine = seen(known=False)
    for wrong in (
        {"twist": Twist(TABLE, WORLD, fine.twist.point, fine.twist.as_seen_by)},
        {"twist": Twist(HAND, TABLE, fine.twist.point, fine.twist.as_seen_by)},
        {"goal": pose(None, None, TOOL, WORLD_FRAME)},
        {"rows": basis("x ry")},
        {"tolerances": RowAmounts.of(fine.rows.rows, 0.01, "m")},
        {"maximum": RowAmounts.of(fine.rows.rows, 30.0, "m/s^2")},
        {"horizon": 0.4},
    ):
        with pytest.raises(SemanticError):
            block.look_ahead(SimpleNamespace(**vars(fine) | wrong))
