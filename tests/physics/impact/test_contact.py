"""Contact and impact (specs/multibody-methodology.md §2.8): Pinocchio's own solvers, dense solves, and physics.

contact   M a + h = tau + Jᵀ f,  J a + J̇ v = 0
impact    M (v⁺ - v) = Jᵀ f,     J v⁺ = - e J v
"""

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import Moving
from dense import EPSILON, Real, Rows, all_rows, random_rows
from oracle import Array, error, kkt, load, oracle
from rows import row
from trials import some, trials

C, J = mc.Constraint, mc.JointConstraint
FEET = {
    "anymal": ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
    "solo12": ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"),
    "talos_reduced": ("left_sole_link", "right_sole_link", "gripper_left_base_link"),
}
ROWS = {"point": "xyz", "welded": "xyz rx ry rz"}
EVERYTHING = ("v_after", "impulse", "residual", "rank", "conditioning", "energy_lost", "coupling")


def contacts(name: str, sort: str, **options) -> list[mc.Constraint]:
    return [C(foot, ROWS[sort], source="contact", **options) for foot in FEET[name]]


class Theirs:
    """Pinocchio's own models of contacts with the world, in axes of the world, without a corrector."""

    def __init__(self, name: str, sort: str) -> None:
        self.world = oracle(name)
        model, kind = self.world.model, getattr(pin.ContactType, f"CONTACT_{3 if sort == 'point' else 6}D")
        self.models, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for foot in FEET[name]:
            frame = model.frames[self.world._id(foot)]
            at = frame.parentJoint, frame.placement
            self.models.append(pin.RigidConstraintModel(kind, model, *at, pin.LOCAL_WORLD_ALIGNED))
            self.datas.append(self.models[-1].createData())
        self.data = model.createData()
        pin.initConstraintDynamics(model, self.data, self.models, self.datas)

    def accelerate(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """a and the forces."""
        world, exact = self.world, pin.ProximalSettings(1e-14, 0.0, 1)
        state = world._q(q), world._v(v), world._v(tau)
        a = pin.constraintDynamics(world.model, self.data, *state, self.models, self.datas, exact)
        return a[world.order], np.array(self.data.lambda_c)

    def strike(self, q: Array, v: Array, restitution: float) -> tuple[Array, Array]:
        """v after, and the impulses."""
        world, exact = self.world, pin.ProximalSettings(1e-14, 0.0, 1)
        state = world._q(q), world._v(v)
        after = pin.impulseDynamics(world.model, self.data, *state, self.models, self.datas, restitution, exact)
        return after[world.order], np.array(self.data.impulse_c)


# ---------------------------------------------------------------- contact


@row("multibody-methodology", 31)
@pytest.mark.parametrize(
    ("name", "sort"),
    some([("anymal", "point"), ("talos_reduced", "welded"), ("solo12", "point"), ("talos_reduced", "point")], 2),
)
def test_bodies_in_contact_stay_where_they_touch(name: str, sort: str) -> None:
    """Pinocchio's contact dynamics, the dense solve, and Pinocchio's free robot pushed by the forces we found."""
    x, feet = Real(name, seed=1), contacts(name, sort)
    dynamics = mc.constrained_dynamics(x.robot, feet, outputs=["a", "multipliers", "tau_command", "rank"])
    for _ in range(5):
        x.place()
        # who is in contact does not move there: the impact says how fast all the others do
        v = mc.impact(x.robot, feet).run(x.q, x.v).v_after
        out = dynamics.run(x.q, v, x.tau, np.zeros(dynamics.inputs[-1].shape))
        a, forces = Theirs(name, sort).accelerate(x.q, v, x.tau)
        assert out.rank == len(forces)
        assert error(out.a, a) < 1e-9
        assert error(out.multipliers, forces) < 1e-9
        assert np.array_equal(out.tau_command[6:], x.tau[6:])
        x.world.place(x.q, v)
        moves, bias = all_rows(x.world, v, x.robot, x.G, feet)
        a, forces = kkt(x.M, moves, x.tau - x.world.bias_forces(x.q, v, (0, 0, -9.81)), -bias)
        assert error(out.a, a) < 1e-9
        assert error(out.multipliers, forces) < 1e-9
        # Q V̇_c = 0, as Pinocchio sees the feet move
        for foot in FEET[name]:
            twist, acceleration, _ = x.world.frame_motion(foot, x.q, v, out.a)
            still = slice(None) if sort == "welded" else slice(3, 6)
            assert np.abs(twist[still]).max() < 1e-9
            assert np.abs(acceleration[still]).max() < 1e-8
        pushes = {}
        for foot, push in zip(FEET[name], np.split(out.multipliers, len(FEET[name])), strict=True):
            pushes[foot, "world"] = np.concatenate([push[3:] if sort == "welded" else np.zeros(3), push[:3]])
        assert error(x.world.forward_dynamics(x.q, v, x.tau, pushes), out.a) < 1e-9


# ---------------------------------------------------------------- impact: others' answers


def check_impact(x: Moving | Real, rows: list[Rows], out, e: Array | float = 0.0) -> float:
    """The balance of momentum, the velocities asked for and the energy, densely; returns the worst error."""
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rows)
    impulse = -np.linalg.solve(moves @ np.linalg.solve(x.M, moves.T), (1 + e) * (moves @ x.v))
    after = x.v + np.linalg.solve(x.M, moves.T @ impulse)
    lost = 0.5 * (x.v @ x.M @ x.v - after @ x.M @ after)
    return max(
        error(out.impulse, impulse),
        error(out.v_after, after),
        error(x.M @ (out.v_after - x.v), moves.T @ out.impulse),
        error(moves @ out.v_after, -e * (moves @ x.v)),
        error(out.energy_lost, lost),
        float(np.abs(out.residual).max()),
    )


@row("multibody-methodology", 32)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_blows_anywhere_on_a_tree_are_the_dense_solve(seed: int) -> None:
    """Every joint type, followers, rotors; contacts of any bodies with the world and with each other, and end stops."""
    x = Moving(seed, mimic=seed % 3 == 0)
    rows = random_rows(x, int(x.rng.integers(1, x.robot.nv + 1)))
    out = mc.impact(x.robot, rows, outputs=EVERYTHING).run(x.q, x.v)
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rows)
    coupling = moves @ np.linalg.solve(x.M, moves.T)
    assert error(out.coupling, coupling) < 1e-10
    assert check_impact(x, rows, out) < max(1e-10, 10 * EPSILON * np.linalg.cond(coupling))
    assert out.rank == len(moves)
    assert out.energy_lost > -1e-12


@row("multibody-methodology", 32)
@pytest.mark.parametrize(
    ("name", "sort"), [("anymal", "point"), ("talos_reduced", "point"), ("talos_reduced", "welded")]
)
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_several_feet_strike_the_ground_as_pinocchios_do(name: str, sort: str, restitution: float) -> None:
    x, feet = Real(name, seed=2), contacts(name, sort)
    blow = mc.impact(x.robot, feet, restitution=restitution, outputs=EVERYTHING)
    for _ in range(5):
        x.place()
        out = blow.run(x.q, x.v)
        after, impulse = Theirs(name, sort).strike(x.q, x.v, restitution)
        assert error(out.v_after, after) < 1e-9
        assert error(out.impulse, impulse) < 1e-9
        assert check_impact(x, feet, out, restitution) < 1e-9
        assert out.energy_lost > 0


@row("multibody-methodology", 32)
def test_compiled_in_hundreds_of_states_it_is_the_dense_solve(record_property: Callable) -> None:
    x, feet = Real("anymal", seed=3), contacts("anymal", "point")[:2]
    blow = mc.impact(x.robot, feet, outputs=EVERYTHING)
    states = []
    for _ in range(trials(1000)):
        x.place()
        moves, _ = all_rows(x.world, x.V, x.robot, x.G, feet)
        impulse = -np.linalg.solve(moves @ np.linalg.solve(x.M, moves.T), moves @ x.v)
        states.append((x.q, x.v, impulse, x.v + np.linalg.solve(x.M, moves.T @ impulse)))
    Q, V, impulses, after = (np.array(column) for column in zip(*states, strict=True))
    out = blow.batch(Q, V)
    worst = max(error(out.impulse, impulses), error(out.v_after, after))
    record_property("worst error", worst)
    assert worst < 1e-10
    assert np.all(out.energy_lost > 0)


# ---------------------------------------------------------------- impact: physics


@row("multibody-methodology", 32)
def test_what_a_point_does_to_a_floating_robot_has_no_moment_about_the_point() -> None:
    """Angular momentum about the contact is kept, linear momentum changes by the impulse."""
    x, foot = Real("anymal", seed=4), "LH_FOOT"
    out = mc.impact(x.robot, C(foot, "xyz"), outputs=EVERYTHING).run(x.q, x.v)
    at = x.world.pose(foot)[:3, 3]
    com, _ = x.world.center_of_mass(x.q)

    def momentum(v: Array) -> tuple[Array, Array]:
        n, p = np.split(x.world.momentum(x.q, v)[0], 2)
        return n + np.cross(com - at, p), p

    (n, p), (n_after, p_after) = momentum(x.v), momentum(out.v_after)
    assert error(n_after, n) < 1e-12
    assert error(p_after - p, out.impulse) < 1e-12
    assert np.linalg.norm(p_after - p) > 0.1


def test_two_links_that_run_into_a_wall_are_as_by_hand() -> None:
    """Point masses m at the ends of two links of length l, at a right angle, the first along y, turning at ω.

    The tip moves along y at -l ω, and its link is across: the wall stops that mass alone, the elbow runs on.
    """
    robot, m, l, w = load("planar2"), 0.3, 0.4, 1.7
    out = mc.impact(robot, C("tip", "y"), outputs=EVERYTHING).run([0, np.pi / 2], [w, 0])
    assert np.allclose(out.impulse, m * l * w, rtol=0, atol=1e-12)
    assert np.allclose(out.v_after, [w, -w], rtol=0, atol=1e-12)
    assert np.allclose(out.energy_lost, 0.5 * m * (l * w) ** 2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_restitution_gives_back_a_share_of_the_energy(e: float) -> None:
    """All rows alike: (1 - e²) of what a blow without any would take."""
    x = Real("talos_reduced", seed=5)
    rows = [C("left_sole_link", "z"), C("right_sole_link", "x z"), J("arm_left_4_joint")]
    out, dead = (mc.impact(x.robot, rows, restitution=r, outputs=EVERYTHING).run(x.q, x.v) for r in (e, 0.0))
    assert check_impact(x, rows, out, e) < 1e-9
    assert error(out.energy_lost, (1 - e**2) * dead.energy_lost) < 1e-9


def test_each_contact_has_its_own_restitution() -> None:
    """A foot that bounces and does not slip."""
    x = Real("solo12", seed=6)
    rows = [C("FL_FOOT", "z"), C("FL_FOOT", "x y")]
    out = mc.impact(x.robot, rows, restitution=[0.8, 0.0], outputs=EVERYTHING).run(x.q, x.v)
    assert check_impact(x, rows, out, np.array([0.8, 0, 0])) < 1e-9


def test_bodies_that_strike_each_other_keep_the_momentum_of_both() -> None:
    """Two feet of a floating robot, welded at once: no impulse comes from outside."""
    x = Real("anymal", seed=7)
    rows = [C("LF_FOOT", ROWS["welded"], wrt="RF_FOOT", as_seen_by="LF_FOOT")]
    out = mc.impact(x.robot, rows, outputs=EVERYTHING).run(x.q, x.v)
    before, after = (x.world.momentum(x.q, v)[0] for v in (x.v, out.v_after))
    assert error(after, before) < 1e-11
    assert check_impact(x, rows, out) < 1e-9


def test_an_end_stop_stops_its_joint_and_jerks_the_others() -> None:
    x = Real("panda", seed=8)
    stop = J("panda_joint4")
    out = mc.impact(x.robot, stop, outputs=EVERYTHING).run(x.q, x.v)
    assert abs(out.v_after[x.robot.v_index["panda_joint4"]][0]) < 1e-12
    assert check_impact(x, [stop], out) < 1e-10
    assert np.abs(out.v_after - x.v)[:3].max() > 1e-3


def test_a_surface_that_moves_takes_the_rows_along() -> None:
    """Relative to it the same happens, whatever it does: Newton's law knows relative velocities alone."""
    x = Real("panda", seed=9)
    rows = [C("panda_hand_tcp", "xyz")]
    blow = mc.impact(x.robot, rows, restitution=0.4, moving_surface=True, outputs=EVERYTHING)
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rows)
    surface = x.rng.normal(size=3)
    out = blow.run(x.q, x.v, surface)
    assert error(moves @ out.v_after - surface, -0.4 * (moves @ x.v - surface)) < 1e-12
    lost = 0.5 * (x.v @ x.M @ x.v - out.v_after @ x.M @ out.v_after)
    assert error(out.energy_lost, lost) < 1e-12
    fixed = mc.impact(x.robot, rows, restitution=0.4).run(x.q, x.v)
    assert error(blow.run(x.q, x.v, np.zeros(3)).v_after, fixed.v_after) < 1e-12


@row("multibody-methodology", 32)
def test_a_robot_at_rest_that_is_struck_solves_the_inverse_velocity_kinematics() -> None:
    """§2.8: no foot Jacobian is formed. The trunk moves as told, four feet stand: what do the legs do?"""
    robot, world, rng = load("anymal"), oracle("anymal"), np.random.default_rng(10)
    rows = [J("root_joint"), *contacts("anymal", "point")]
    inverse = mc.impact(robot, rows, moving_surface=True, outputs=["v_after", "rank"])
    for _ in range(5):
        q, trunk = robot.random(rng), rng.normal(size=6)
        out = inverse.run(q, np.zeros(18), np.concatenate([trunk, np.zeros(12)]))
        world.place(q)
        feet = np.vstack([world.jacobian(foot)[3:] for foot in FEET["anymal"]])
        assert out.rank == 18
        assert error(out.v_after[:6], trunk) < 1e-9
        assert error(out.v_after[6:], np.linalg.solve(feet[:, 6:], -feet[:, :6] @ trunk)) < 1e-9
    # a redundant arm: of all rates that move the hand so, those of least kinetic energy
    arm, hand = Real("panda", seed=11), C("panda_hand_tcp", ROWS["welded"])
    twist = arm.rng.normal(size=6)
    moves, _ = all_rows(arm.world, arm.V, arm.robot, arm.G, [hand])
    sway = np.linalg.solve(arm.M, moves.T)
    out = mc.impact(arm.robot, hand, moving_surface=True).run(arm.q, np.zeros(arm.robot.nv), twist)
    assert error(out.v_after, sway @ np.linalg.solve(moves @ sway, twist)) < 1e-9


# ---------------------------------------------------------------- when rank is lost


def test_four_welded_feet_are_more_than_a_quadruped_has_and_it_is_said() -> None:
    """24 rows on 18 coordinates: everything stops, by the least impulses."""
    x, rows = Real("anymal", seed=12), contacts("anymal", "welded")
    blow = mc.impact(x.robot, rows, outputs=EVERYTHING)
    out = blow.run(x.q, x.v)
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rows)
    coupling = moves @ np.linalg.solve(x.M, moves.T)
    impulse = -np.linalg.pinv(coupling, rcond=1e-10, hermitian=True) @ (moves @ x.v)
    assert out.rank == 18
    assert "rank 18 of 24" in out.notes[0]
    assert error(out.impulse, impulse) < 1e-8
    assert np.abs(out.v_after).max() < 1e-8
    assert error(out.energy_lost, 0.5 * x.v @ x.M @ x.v) < 1e-8


def test_rows_that_cannot_all_be_had_come_as_near_as_they_can() -> None:
    """A hand struck by a surface along directions it does not have; velocities are the same whoever is asked for."""
    x, rows = Real("planar2", seed=13), [C("tip", ROWS["welded"])]
    moves, _ = all_rows(x.world, x.V, x.robot, x.G, rows)
    surface = x.rng.normal(size=6)
    out = mc.impact(x.robot, rows, moving_surface=True, outputs=EVERYTHING).run(x.q, x.v, surface)
    coupling = moves @ np.linalg.solve(x.M, moves.T)
    impulse = np.linalg.pinv(coupling, rcond=1e-9, hermitian=True) @ (surface - moves @ x.v)
    after = x.v + np.linalg.solve(x.M, moves.T @ impulse)
    assert out.rank == 2
    assert error(out.impulse, impulse) < 1e-10
    assert error(out.residual, moves @ after - surface) < 1e-10
    velocities = mc.impact(x.robot, rows, moving_surface=True, outputs=["v_after", "energy_lost"])
    alone = velocities.run(x.q, x.v, surface)
    assert error(alone.v_after, after) < 1e-10
    assert error(alone.energy_lost, out.energy_lost) < 1e-10


def test_what_comes_first_is_had_first() -> None:
    """The tip cannot keep still along x and y while its joint runs on; levels say who yields."""
    x = Real("planar2", seed=14)
    rows = [C("tip", "x y", level=2), J(x.robot.joint_names[0])]
    surface = np.array([0.3, -0.2, 1.0])
    out = mc.impact(x.robot, rows, moving_surface=True).run(x.q, x.v, surface)
    assert abs(out.residual[2]) < 1e-12
    assert abs(out.v_after[0] - 1.0) < 1e-12
    assert np.abs(out.residual[:2]).max() > 1e-2


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        ([], {}, "constraints is empty; give the name of a frame"),
        ([C("tipp", "x")], {}, "no frame 'tipp'; did you mean tip"),
        ([J("elbow_")], {}, "no movable joint 'elbow_'"),
        ([3], {}, "constraints=3; give the name of a frame, a Target or a Constraint"),
        ([C("tip", "x")], {"restitution": 1.5}, "a number between 0 and 1"),
        ([C("tip", "x")], {"restitution": [0.5, 0.5]}, "one for each of the 1 constraints"),
        ([C("tip", "x")], {"restitution": "bouncy"}, "a number between 0 and 1"),
        ([C("tip", "x")], {"restitution": np.nan}, "a number between 0 and 1"),
        ([C("tip", "x")], {"outputs": ["v"]}, "impact has no such output"),
    ],
)
def test_a_wrong_question_gets_a_sentence(rows: list, options: dict, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        mc.impact(load("planar2"), rows, **options)
