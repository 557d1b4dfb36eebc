"""Contact in time steps: a block, HyQ dropped, a humanoid on its soles, joints that stick and stop, balls that bounce.

What is known in closed form is compared with that; speed with MuJoCo's, on a model built from ours whose feet are
spheres of 1 mm and pressed as stiffly as it can (elliptic cones, solref (0.002, 1)): one core, CPU time of the thread,
minima of interleaved rounds, both standing.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.time_steps import mujoco_model
from motionc.benchmark.timing import Array, one_core
from motionc.simulate import Box, Contact, Plane, Sphere, free_body

DT, GRAVITY = 1e-3, 9.81
SERVO = {"stiffness": 400.0, "damping": 10.0}
ROUNDS, STEPS = 9, 2000
CREEP, SPEED = 0.05, 1e-2
"""mm/s on a slope within the cone; share by which the speed beyond it may be off."""
DEEPEST, RESTING, CREEPING, WEIGHT = 0.1, 0.01, 0.01, 1e-3
"""mm, mm and mm/s of HyQ's feet, and the share of its weight they may be off."""

Standing = tuple[mc.Robot, list[Contact], Array]


def figures() -> Iterator[str]:
    yield from _block()
    yield from _dropped()
    yield from _joints()
    yield _bounces()
    yield _derivative()
    yield _gradient()
    yield _fast("HyQ on four feet", hyq(), 4)
    yield _fast("humanoid on eight corners of its soles", humanoid(), 3)


def gone(step: mc.Computation, q: Array, v: Array, count: int, **more: Any) -> Iterator[Any]:
    """Where steps lead, one by one, impulses carried on; motors make nothing unless said."""
    state, given = step.start(), {"tau": np.zeros(len(v)), **more}
    for _ in range(count):
        out = step(q=q, v=v, **given, state=state)
        q, v, state = out.q_next, out.v_next, out.state
        yield out


def last(outputs: Iterator[Any]) -> Any:
    *_, end = outputs
    return end


# ---------------------------------------------------------------- a block


def _block() -> Iterator[str]:
    robot, mu = free_body("block", Box((0.3, 0.2, 0.1)), mass=2.0), 0.5
    corners = [(x, y, -0.05) for x in (-0.15, 0.15) for y in (-0.1, 0.1)]
    contacts = [Contact("block", point=at, friction=mu, name=f"corner{k}") for k, at in enumerate(corners)]
    step = mc.step(robot, DT, contacts=contacts, parameters=["gravity"])
    start = robot.neutral() + 0.05 * np.eye(7)[2]
    end = last(gone(step, start, 2.0 * np.eye(6)[3], 1000, gravity=(0, 0, -GRAVITY)))
    way, expected = end.q_next[0], 2.0**2 / (2 * mu * GRAVITY)
    yield (
        f"  block thrown at 2 m/s: slides {way:.5f} m, {expected:.5f} m in closed form (within v dt = {2 * DT:g} m) "
        f"{verdict(abs(way - expected) <= 2 * DT)}"
    )
    for share in (0.95, 1.05):
        slope = np.arctan(mu * share)
        down = GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope)])
        q = np.array([out.q_next for out in gone(step, start, np.zeros(6), 1000, gravity=down)])
        if share < 1:
            creep = np.linalg.norm(q[-1, :3] - q[499, :3]) / 0.5 * 1e3
            yield (
                f"  block on a slope of {share:.0%} of its cone: creeps {creep:.1e} mm/s (at most {CREEP:g}) "
                f"{verdict(creep <= CREEP)}"
            )
        else:
            speed, expected = (q[-1, 0] - q[-2, 0]) / DT, down[0] + mu * down[2]
            off = abs(speed / expected - 1)
            yield (
                f"  block on a slope of {share:.0%} of its cone: {speed:.4f} m/s after 1 s, {expected:.4f} in closed "
                f"form (within {SPEED:.0%}) {verdict(off <= SPEED)}"
            )


# ---------------------------------------------------------------- HyQ


def hyq() -> Standing:
    """HyQ, its four feet, and how it stands on them."""
    robot, home = mc.load("hyq"), mc.load("hyq").neutral()
    for leg in ("LF", "RF", "LH", "RH"):
        side = 1.0 if leg[1] == "F" else -1.0
        home[robot.q_index[f"{leg}_HFE"]], home[robot.q_index[f"{leg}_KFE"]] = 0.7 * side, -1.4 * side
    return _standing(robot, [Contact(f"{leg}_foot") for leg in ("LF", "RF", "LH", "RH")], home)


def humanoid() -> Standing:
    """A humanoid, four corners of each sole."""
    robot, corners = mc.load("humanoid"), [(x, y, 0.0) for x in (-0.08, 0.12) for y in (-0.04, 0.04)]
    named = [(f"{side}_sole", k, at) for side in ("left", "right") for k, at in enumerate(corners)]
    return _standing(robot, [Contact(sole, point=at, name=f"{sole}{k}") for sole, k, at in named], robot.neutral())


def _standing(robot: mc.Robot, contacts: list[Contact], home: Array) -> Standing:
    home[2] -= _points(robot, contacts)(home)[:, 2].min()
    return robot, contacts, home


def _points(robot: mc.Robot, contacts: Sequence[Contact]) -> Callable[[Array], Array]:
    """Where contact points are, (k, 3)."""
    poses = mc.forward_kinematics(robot, [contact.frame for contact in contacts])
    points = np.array([[*contact.point, 1.0] for contact in contacts])
    return lambda q: np.einsum("kij,kj->ki", poses(q), points)[:, :3]


def _dropped() -> Iterator[str]:
    robot, feet, home = hyq()
    step = mc.step(robot, DT, contacts=feet, outputs=["q_next", "v_next", "contact_force", "gap"], **SERVO)
    v, points = np.zeros(robot.nv), _points(robot, feet)
    v[4] = 0.5
    outs = list(gone(step, home + 0.05 * np.eye(robot.nq)[2], v, 15_000, target=home))
    gaps = 1e3 * np.array([out.gap for out in outs[:3000]])
    deepest, rest = max(0.0, -gaps.min()), max(0.0, -gaps[2500:].min())
    creep = 1e3 * np.linalg.norm(points(outs[2999].q_next) - points(outs[2499].q_next), axis=1).max() / 0.5
    weight = mc.center_of_mass(robot, outputs=["mass"])(home) * GRAVITY
    off = abs(outs[-1].contact_force[:, 2].sum() / weight - 1)
    fine = deepest <= DEEPEST and rest <= RESTING and creep <= CREEPING
    yield (
        f"  HyQ dropped by 5 cm, 0.5 m/s sideways, 3 s: deepest {deepest:.1e} mm (at most {DEEPEST:g}), at rest "
        f"{rest:.1e} mm ({RESTING:g}), feet creep {creep:.1e} mm/s ({CREEPING:g}) {verdict(fine)}"
    )
    yield f"  HyQ at rest: feet carry its weight to {off:.1e} (at most {WEIGHT:g}) {verdict(off <= WEIGHT)}"


# ---------------------------------------------------------------- joints, balls, derivatives


def _joints() -> Iterator[str]:
    """A hinge with 2 N m of dry friction, a brake of 5 N m and a stop, as an arm swings on it."""
    arm = mc.load(
        '<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
        '<inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="0.5" effort="20" velocity="10"/><dynamics friction="2"/></joint></robot>'
    )
    step = mc.step(arm, DT, limits=True, stiction=True, brakes={"hinge": 5.0}, parameters=["gravity"])

    def pulled(tau: float, brake: float, down: float = 0.0, count: int = 1000) -> Array:
        given = {"tau": [tau], "brake": [brake], "gravity": (0, 0, -down)}
        return np.array([out.q_next for out in gone(step, np.zeros(1), np.zeros(1), count, **given)])

    for what, holds, brake in (("2 N m of friction", 2.0, 0.0), ("5 N m of brake beside them", 7.0, 1.0)):
        still, moved = (float(np.abs(pulled(share * holds, brake)).max()) for share in (0.95, 1.05))
        yield (
            f"  joint under {what}: at 95 % moves by {still:.0e} rad, at 105 % by {moved:.2f} "
            f"{verdict(still < 1e-9 and moved > 0.05)}"
        )
    beyond = max(0.0, float(pulled(0.0, 0.0, GRAVITY, 3000).max()) - 0.5)
    yield f"  arm falling on its end stop: {beyond:.0e} rad beyond (at most 1e-9) {verdict(beyond <= 1e-9)}"


def _bounces() -> str:
    ball, e = free_body("ball", Sphere(0.1), mass=0.5), 0.8
    step = mc.step(ball, 1e-4, contacts=[Contact("ball", shape=Sphere(0.1), restitution=e)])
    outs = gone(step, ball.neutral() + 0.6 * np.eye(7)[2], np.zeros(6), 17_000)
    height = np.array([out.q_next[2] for out in outs]) - 0.1
    tops = [z for before, z, after in zip(height, height[1:], height[2:], strict=False) if before <= z > after]
    off = max(abs(top / (0.5 * e ** (2 * k)) - 1) for k, top in enumerate(tops[:3], start=1))
    return (
        f"  ball of restitution {e:g}: three rebounds as high as e² says to {off:.1e} (at most 1e-2, steps of 0.1 ms) "
        f"{verdict(off <= 1e-2)}"
    )


def _derivative() -> str:
    """Of v_next by v, a foot of a leg sliding on a slope and another time sticking, against central differences."""
    leg, q = mc.load("hyq_leg"), np.array([0.2, 0.5, -1.0])
    foot, normal = "LF_foot", np.array([0.1, -0.2, 1.0]) / np.linalg.norm([0.1, -0.2, 1.0])
    below = mc.forward_kinematics(leg, [foot])(q)[0][:3, 3] - 0.01999 * normal
    contact = Contact(foot, Plane(tuple(normal), tuple(below)), shape=Sphere(0.02), friction=0.6)
    step = mc.step(leg, DT, contacts=[contact], sweeps=60)
    table, J, off = step.derivative("v_next", ["v"]), mc.jacobian(leg, foot)(q)[3:], 0.0
    for moves in ((0.4, -0.3, -0.1), (0.0, 0.0, -0.1)):
        given = {"q": q, "v": np.linalg.solve(J, moves), "tau": np.array([1.0, 2.0, 3.0]), "impulses": np.zeros(3)}
        found, h = np.asarray(table(**given)), 1e-6
        ends = [[step(**given | {"v": given["v"] + s * h * e}).v_next for s in (1, -1)] for e in np.eye(3)]
        expected = np.array([(up - down) / (2 * h) for up, down in ends]).T
        off = max(off, float(np.abs(found - expected).max()))
    return (
        f"  derivative of a step, foot sliding and sticking: off differences by {off:.1e} (at most 1e-6) "
        f"{verdict(off <= 1e-6)}"
    )


def _gradient() -> str:
    """Of where a ball is that slides, then rolls, by its speed at the start and by friction, through 150 steps."""
    ball, h = free_body("ball", Sphere(0.1), mass=2.0), 1e-6
    step = mc.step(ball, DT, contacts=[Contact("ball", shape=Sphere(0.1))], contact_friction=True)
    loop = mc.loop(step, feedback={"q": "q_next", "v": "v_next"}, held=["tau", "mu"], period=DT)
    start = {"q": ball.neutral() + 0.1 * np.eye(7)[2], "tau": np.zeros(6), "steps": 150}

    def gone_by(speed: float, mu: float) -> float:
        return float(loop(v=speed * np.eye(6)[3], mu=[mu], **start).state.q[0])

    found = loop.vjp("q", ["v", "mu"])(v=np.eye(6)[3], mu=[0.3], q_bar=np.eye(7)[0], **start)
    by_speed = (gone_by(1 + h, 0.3) - gone_by(1 - h, 0.3)) / (2 * h)
    by_friction = (gone_by(1, 0.3 + h) - gone_by(1, 0.3 - h)) / (2 * h)
    off = max(abs(found.v_bar[3] - by_speed), abs(found.mu_bar[0] - by_friction))
    return (
        f"  gradient through 150 steps of a ball that slides, then rolls: off differences by {off:.1e} (at most 1e-6) "
        f"{verdict(off <= 1e-6)}"
    )


# ---------------------------------------------------------------- speed


def _fast(title: str, standing: Standing, bar: float) -> str:
    robot, contacts, home = standing
    step = mc.step(robot, DT, contacts=contacts, **SERVO)
    loop = mc.loop(step, feedback={"q": "q_next", "v": "v_next"}, held=["tau", "target"], period=DT)
    given = {"v": np.zeros(robot.nv), "tau": np.zeros(robot.nv), "target": home}
    loop.build()
    mujoco, model, order = mujoco_feet(robot, contacts, home)
    data = mujoco.MjData(model)

    def ours() -> None:
        loop(q=home, steps=STEPS, **given)

    def theirs() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = order.q(home)
        mujoco.mj_step(model, data, STEPS)

    best = [np.inf, np.inf]
    with one_core():
        for _ in range(ROUNDS):
            for k, run in enumerate((ours, theirs)):
                before = time.thread_time()
                run()
                best[k] = min(best[k], (time.thread_time() - before) / STEPS * 1e6)
    ratio = best[1] / best[0]
    return (
        f"  {title}: {best[0]:.2f} µs a step, MuJoCo {best[1]:.2f}: {ratio:.1f} times (at least {bar:g}) "
        f"{verdict(ratio >= bar)}"
    )


def mujoco_feet(robot: mc.Robot, contacts: Sequence[Contact], home: Array) -> tuple[Any, Any, Any]:
    """MuJoCo, the robot in it on spheres of 1 mm, springs and dampers as servos, and its order of coordinates."""
    mujoco: Any = import_module("mujoco")
    spec = mc.to_mjspec(robot)
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    ground = {"friction": [contacts[0].friction, 0, 0], "condim": 3, "solref": [0.002, 1]}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=1, conaffinity=2, **ground)
    for contact in contacts:
        shape = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [1e-3, 0, 0], "pos": list(contact.point), "mass": 0}
        spec.body(contact.frame).add_geom(contype=2, conaffinity=1, **shape, **ground)
    mujoco, model, order = mujoco_model(robot, "implicitfast", SERVO, home, spec=spec)
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_LIMIT
    return mujoco, model, order
