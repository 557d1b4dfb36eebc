"""A time step: MuJoCo's integrators, Pinocchio's M and h beside a dense solve, what is conserved, orders, and where
simpler steps fail.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from all_joints import Coupled, Kind, build, random_tree
from oracle import Array, error

State = tuple[Array, Array]
PLANAR = mc.load("planar2")
TREE = [Kind.SPHERICAL, Kind.PLANAR, Kind.UNIVERSAL, Kind.CYLINDRICAL, Kind.REVOLUTE]


def tree(kinds: Sequence[Kind], *, floating: bool = True, damping: float = 0.0) -> mc.Robot:
    """A tree without followers; MuJoCo has no rotors that turn with a body."""
    pieces = []
    for piece in random_tree(3, kinds, rotors=False):
        said = {name: value for name, value in piece.joint.items() if name != "mimic"}
        rotor = 0.1 if piece.kind in (Kind.REVOLUTE, Kind.UNIVERSAL) else 0.0
        pieces.append(replace(piece, joint={**said, "transmission": mc.Transmission(rotor, damping)}))
    return build(pieces, floating)


def stone(*com: float) -> mc.Robot:
    """A body that flies."""
    link = mc.Link.rigid("stone", 2.0, com or (0, 0, 0), (0.02, 0.05, 0.06))
    return mc.Robot(mc.KinematicChain("stone", (), mc.Segment("stone", link)), floating=True)


def state(robot: mc.Robot, size: float = 1.0) -> State:
    return robot.random(1), size * np.random.default_rng(0).normal(size=robot.nv)


def steps(step: mc.Computation, start: State, count: int, *more: Array) -> Iterator[State]:
    q, v = start
    for _ in range(count):
        out = step.run(q, v, np.zeros(len(v)), *more)
        q, v = out.q_next, out.v_next
        yield q, v


def last(states: Iterator[State]) -> State:
    *_, end = states
    return end


# ---------------------------------------------------------------- MuJoCo


@pytest.mark.parametrize(
    ("method", "integrator", "dt", "off"), [("semi_implicit", "IMPLICITFAST", 1e-2, 1e-12), ("rk4", "RK4", 1e-3, 1e-9)]
)
def test_a_step_is_mujocos_on_every_joint_it_has(method: str, integrator: str, dt: float, off: float) -> None:
    robot = tree(TREE, damping=0.4)
    model = mc.to_mjspec(robot).compile()
    model.opt.timestep, model.opt.integrator = dt, getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    theirs, data = mc.orders.mujoco(robot, model), mujoco.MjData(model)
    start, target = state(robot), robot.random(2)
    # springs at a hinge, at both of a universal joint and at a ball
    model.qpos_spring[:] = theirs.q(target)
    servo = {"to_link1": 3.0, "to_link3": 20.0, "to_link5": 50.0}
    for k in range(model.njnt):
        model.jnt_stiffness.reshape(model.njnt, -1)[k, 0] = servo.get(model.joint(k).name.partition("/")[0], 0.0)
    data.qpos[:], data.qvel[:] = theirs.q(start[0]), theirs.v(*start[::-1])
    step = mc.step(robot, dt, method=method, friction=True, stiffness=servo)
    for q, v in steps(step, start, 6, target):
        mujoco.mj_step(model, data)
        assert error(theirs.q(q), data.qpos) < off
        assert error(theirs.v(v, q), data.qvel) < off


# ---------------------------------------------------------------- which terms are implicit


@pytest.mark.parametrize("springs", [False, True])
def test_dampers_friction_and_springs_are_implicit_as_said(springs: bool) -> None:
    """(M + dt D + dt² K) a = tau - h - D v + K (target - q - dt v), Pinocchio's M and h; followers with leaders."""
    dt, smoothing, rng = 0.02, 0.3, np.random.default_rng(0)
    pieces = random_tree(8, [Kind.REVOLUTE, Kind.HELICAL, Kind.SPHERICAL, Kind.PRISMATIC, Kind.REVOLUTE])
    at = {f"to_{piece.name}": mc.Transmission(0.1, *rng.uniform(0, 3, 2)) for piece in pieces[1:]}
    pieces = [replace(piece, joint={**piece.joint, "transmission": at.get(f"to_{piece.name}")}) for piece in pieces]
    x = Coupled([replace(pieces[0], joint={"type": Kind.FIXED}), *pieces[1:]])
    robot, free = x.robot, x.free
    assert robot.followers
    (q, v), tau, target = state(robot), rng.normal(size=robot.nv), robot.random(4)
    stiffness, damping = rng.uniform(0, 9, robot.nv), rng.uniform(0, 9, robot.nv)
    Q, V = x.whole(q), x.G @ v
    M = x.G.T @ x.world.mass_matrix(Q) @ x.G
    h = x.G.T @ x.world.bias_forces(Q, V, (0, 0, -9.81))
    d = np.concatenate([np.full(free.v_index[n].stop - free.v_index[n].start, at[n].damping) for n in free.v_index])
    c = np.concatenate([np.full(free.v_index[n].stop - free.v_index[n].start, at[n].friction) for n in free.v_index])
    D = x.G.T @ np.diag(d + c / np.sqrt(V**2 + smoothing**2)) @ x.G + np.diag(damping)
    way = np.zeros(robot.nv)
    for name, where in robot.v_index.items():
        now, there = q[robot.q_index[name]], target[robot.q_index[name]]
        turn = [Rotation.from_quat(one, scalar_first=True) for one in (now, there)] if len(now) == 4 else []
        way[where] = (turn[0].inv() * turn[1]).as_rotvec() if turn else there - now
    K = np.diag(stiffness)
    force = tau - h - D @ v + K @ (way - dt * v * springs)
    v_next = v + dt * np.linalg.solve(M + dt * D + dt**2 * K * springs, force)
    servo = {"stiffness": stiffness, "damping": damping, "implicit_stiffness": springs}
    step = mc.step(robot, dt, friction=True, friction_smoothing=smoothing, **servo)
    out = step.run(q, v, tau, target)
    assert error(out.v_next, v_next) < 1e-11
    assert error(out.q_next, robot.integrate(q, v_next, dt)) < 1e-12


def test_what_explodes_when_it_is_explicit_comes_to_rest() -> None:
    """Dampers and springs far too strong for their time step, and friction that would chatter."""
    robot, dt, target = PLANAR, 0.01, np.array([0.4, -0.3])
    start = np.array([0.5, 0.2]), np.array([1.0, -2.0])
    forward, (q, v) = mc.forward_dynamics(robot), start
    with np.errstate(all="ignore"):
        for _ in range(20):
            v = v + dt * forward.run(q, v, -1e3 * v)
            q = q + dt * v
    assert not np.abs(v).max() < 1e9
    assert np.abs(last(steps(mc.step(robot, dt, damping=1e3), start, 20))[1]).max() < 1e-6
    stiff = {"stiffness": 1e5, "damping": 1.0}
    with np.errstate(all="ignore"):
        assert not np.abs(last(steps(mc.step(robot, dt, **stiff), start, 20, target))[1]).max() < 1e9
    q, v = last(steps(mc.step(robot, dt, **stiff, implicit_stiffness=True), start, 60, target))
    assert error(q, target) < 1e-6 > np.abs(v).max()
    rough = [replace(joint, transmission=mc.Transmission(friction=3.0)) for joint in robot.chain.joints]
    braked = mc.Robot(replace(robot.chain, joints=tuple(rough)))
    speeds = [np.abs(v).max() for _, v in steps(mc.step(braked, dt, friction=True), start, 60)]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[-1] < 1e-6


# ---------------------------------------------------------------- order and conservation


def averaged(robot: mc.Robot, dt: float) -> Callable[[Array, Array], State]:
    """Runge–Kutta with averaged velocities along the exponential, as one would write it first."""
    forward, move, still = mc.forward_dynamics(robot), mc.integrate(robot), np.zeros(robot.nv)

    def step(q: Array, v: Array) -> State:
        rates, changes = [v], [forward.run(q, v, still)]
        for share in (0.5, 0.5, 1.0):
            there = move.run(q, rates[-1], share * dt), v + share * dt * changes[-1]
            rates.append(there[1])
            changes.append(forward.run(*there, still))
        weights = np.array([1, 2, 2, 1]) / 6
        return move.run(q, weights @ rates, dt), v + dt * weights @ changes

    return step


def test_rk4_is_of_fourth_order_on_a_floating_robot_and_averaged_velocities_are_not() -> None:
    robot = stone(0.1, 0.0, -0.2)
    start, seconds = state(robot, 3.0), 0.2

    def ours(count: int) -> Array:
        return np.concatenate(last(steps(mc.step(robot, seconds / count, method="rk4"), start, count)))

    def theirs(count: int) -> Array:
        step, (q, v) = averaged(robot, seconds / count), start
        for _ in range(count):
            q, v = step(q, v)
        return np.concatenate([q, v])

    ends = [[way(count) for count in (4, 8, 16)] for way in (ours, theirs)]
    assert abs(np.linalg.norm(ends[0][0][3:7]) - 1) < 1e-15
    orders = [np.log2(np.abs(a - b).max() / np.abs(b - c).max()) for a, b, c in ends]
    assert orders[0] > 3.8
    assert 1.8 < orders[1] < 2.5


def test_momentum_stays_in_flight_and_does_not_where_the_base_is_kicked_in_its_own_axes() -> None:
    robot, dt, count, weightless = stone(), 1e-2, 10, {"gravity": (0, 0, 0)}
    start = state(robot, 3.0)
    forward, move, (q, v) = mc.forward_dynamics(robot, **weightless), mc.integrate(robot), start

    def drift(q: Array, v: Array) -> float:
        """Of the velocity in the world's axes; the centre of mass is the origin."""
        now, then = (robot.rates(*each)[:3] for each in ((q, v), start))
        return float(np.linalg.norm(now - then) / np.linalg.norm(then))

    for _ in range(count):
        v = v + dt * forward.run(q, v, np.zeros(6))
        q = move.run(q, v, dt)
    assert drift(q, v) > 1e-3
    for method, off in (("semi_implicit", 1e-14), ("rk4", 1e-5)):
        q, v = last(steps(mc.step(robot, dt, method=method, **weightless), start, count))
        assert drift(q, v) < off
        assert error(q[:3], start[0][:3] + count * dt * robot.rates(*start)[:3]) < off


# ---------------------------------------------------------------- derivatives, readings, refusals


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_a_step_can_be_differentiated(method: str) -> None:
    robot = tree([Kind.PLANAR, Kind.REVOLUTE], floating=False, damping=0.4)
    step = mc.step(robot, 0.1, method=method, friction=True, stiffness=9.0, parameters=["to_link2.damping"])
    (q, v), rng, h = state(robot), np.random.default_rng(5), 1e-6
    given = [q, v, rng.normal(size=robot.nv), robot.random(2), 0.7]
    along = [*rng.normal(size=(4, robot.nv)), 1.0]

    def after(size: float) -> Array:
        moved = [
            robot.integrate(value, way, size) if k in (0, 3) else value + size * way
            for k, (value, way) in enumerate(zip(given, along, strict=True))
        ]
        return np.concatenate(tuple(step.run(*moved)))

    names = [port.name for port in step.inputs]
    found = step.jvp(["q_next", "v_next"], names).run(*given, *along)
    assert error(np.concatenate(tuple(found)), (after(h) - after(-h)) / (2 * h)) < 1e-6
    weights = [rng.normal(size=len(part)) for part in found]
    back = step.vjp(["q_next", "v_next"], names).run(*given, *weights)
    ahead = sum(weight @ part for weight, part in zip(weights, found, strict=True))
    assert ahead == pytest.approx(sum(np.sum(part * way) for part, way in zip(back, along, strict=True)), rel=1e-9)


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_compiled_steps_are_those_of_the_walk(method: str) -> None:
    robot = tree([Kind.SPHERICAL], floating=False)
    step = mc.step(robot, 0.01, method=method, stiffness=5.0, damping={"to_link1": [1.0, 2.0, 3.0]})
    given = *state(robot), np.random.default_rng(2).normal(size=robot.nv), robot.random(3)
    assert error(np.concatenate(tuple(step(*given))), np.concatenate(tuple(step.run(*given)))) < 1e-13
    assert [port.name for port in step.inputs] == ["q", "v", "tau", "target"]


def test_a_loop_of_steps_goes_where_steps_go() -> None:
    step, target, still = mc.step(PLANAR, 1e-2, stiffness=5.0, damping=1.0), np.array([0.4, -0.3]), np.zeros(2)
    fed_back = {"q": "q_next", "v": "v_next"}
    loop = mc.loop(step, feedback=fed_back, held=["tau", "target"], log=["q_next"], period=1e-2)
    start = np.array([0.5, 0.2]), np.array([1.0, -2.0])
    run = loop(steps=20, q=start[0], v=start[1], tau=still, target=target)
    assert error(run.q_next, np.array([q for q, _ in steps(step, start, 20, target)])) < 1e-12


REFUSED = {
    "dt=0; give the length of a time step in seconds": {"dt": 0},
    "dt=-0.001; give the length": {"dt": -1e-3},
    "dt=inf; give the length": {"dt": float("inf")},
    "stiffness=-1.0; give finite numbers from 0": {"stiffness": -1.0},
    "stiffness of root_joint: no motor drives it; leave it out, or 0": {"stiffness": {"root_joint": 1.0}},
    "damping of to_link1: no such": {"damping": {"nobody": 1.0}},
    "damping of to_link1: shape .2,.; give one number, or 1": {"damping": {"to_link1": [1.0, 2.0]}},
    "damping of shape .3,.; give one number, .joint: number., or 7 numbers": {"damping": [1.0, 2.0, 3.0]},
    "implicit_stiffness=True, but there is no spring": {"implicit_stiffness": True},
    'implicit_stiffness=True, but method="rk4" is explicit': {"implicit_stiffness": True, "method": "rk4"},
    "method='euler'; say 'semi_implicit' or 'rk4'": {"method": "euler"},
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_makes_no_step_is_refused(said: str) -> None:
    with pytest.raises(mc.Error, match=said.replace("to_link1: no such", "'nobody': tree has no such movable joint")):
        mc.step(tree([Kind.REVOLUTE]), **{"dt": 1e-3, **REFUSED[said]})


def test_gains_of_a_follower_are_its_leaders() -> None:
    joints = [replace(joint, mimic=mc.Mimic("shoulder")) if k else joint for k, joint in enumerate(PLANAR.chain.joints)]
    follows = mc.Robot(replace(PLANAR.chain, joints=tuple(joints)))
    with pytest.raises(mc.Error, match="stiffness of elbow: it follows shoulder; name that joint instead"):
        mc.step(follows, 1e-3, stiffness={"elbow": 1.0})
