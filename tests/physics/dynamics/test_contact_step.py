"""A time step with contact, end stops, stiction and brakes: Pinocchio's M, h and J beside Coulomb's law, what is known
in closed form, what cannot be won, and the same answers in every reading.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, Moving, build, random_tree
from cuda_on_cpu import CXX
from fake_cupy import Fake
from motionc.simulate import Box, Capsule, Compliant, Contact, HeightField, Plane, Solid, Sphere, free_body
from oracle import Array, error
from trials import some

DT, G = 1e-3, 9.81
BLOCK, BALL = free_body("block", Box((0.3, 0.2, 0.1)), mass=2.0), free_body("ball", Sphere(0.1), mass=0.5)
CORNERS = [
    Contact("block", point=(x, y, -0.05), friction=0.5, name=f"corner{k}")
    for k, (x, y) in enumerate([(-0.15, -0.1), (-0.15, 0.1), (0.15, -0.1), (0.15, 0.1)])
]


ARM = mc.load(
    """<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="0.5" effort="20" velocity="10"/><dynamics damping="0.1" friction="2"/></joint></robot>"""
)
"""A bar of 1 kg that swings about y, between -1 and 0.5 rad, with 2 N m of dry friction."""


def gone(step: mc.Computation, q: Any, v: Any, count: int, tau: Any = None, **more: Any) -> Iterator[Any]:
    """Where steps lead, impulses carried on."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    state, tau = step.start(), np.zeros(len(v)) if tau is None else tau
    for _ in range(count):
        out = step(q, v, tau, **more, state=state)
        q, v, state = out.q_next, out.v_next, out.state
        yield out


def last(outputs: Iterator[Any]) -> Any:
    *_, end = outputs
    return end


# ---------------------------------------------------------------- Pinocchio's M, h and J, and Coulomb's law


def coulomb(force: Array, w: Array, n: Array, mu: float) -> float:
    """How far a force and a velocity are from Coulomb's law."""
    f_n, w_n = n @ force, n @ w
    f_t, w_t = force - f_n * n, w - w_n * n
    slides = np.linalg.norm(np.linalg.norm(w_t) * f_t + mu * f_n * w_t)
    return max(-w_n, -f_n, abs(f_n * w_n), np.linalg.norm(f_t) - mu * f_n, slides)


KINDS = [Kind.REVOLUTE, Kind.SPHERICAL, Kind.PRISMATIC, Kind.REVOLUTE, Kind.UNIVERSAL]


@pytest.mark.parametrize("mimic", [False, True], ids=["one by one", "joints that follow"])
@pytest.mark.parametrize("seed", some([7, 4]))
def test_a_step_is_newtons_with_impulses_of_coulombs(seed: int, mimic: bool) -> None:
    moving = Moving(seed, KINDS, mimic)
    robot, far = moving.robot, moving.links[-1]
    near = next(link for link in moving.links if link != far)
    at, on = (moving.world.pose(link)[:3, 3] for link in (far, near))
    apart = np.linalg.norm(at - on)
    contacts = [
        Contact(far, Plane((0.1, 0.2, 1.0), tuple(at - (0, 0, 0.1))), shape=Sphere(0.1), friction=0.4),
        Contact(far, Solid(Sphere(apart / 2), near), shape=Sphere(apart / 2 + 1e-4), friction=0.8, name="both"),
        Contact(near, Plane((1.0, 0.3, 0.2), tuple(on)), friction=0.2),
    ]
    outputs = ["q_next", "v_next", "gap", "contact_normal", "contact_point", "contact_force", "contact_residual"]
    step = mc.step(robot, DT, contacts=contacts, outputs=outputs, sweeps=1600)
    assert bool(robot.followers) == mimic
    out = step.solver.run(moving.q, moving.v, moving.tau, np.zeros(9))
    J = np.vstack(
        [
            _jacobian(moving, far, out["contact_point"][0]),
            _jacobian(moving, far, out["contact_point"][1]) - _jacobian(moving, near, out["contact_point"][1]),
            _jacobian(moving, near, out["contact_point"][2]),
        ]
    )
    made = moving.tau - moving.h + J.T @ out["contact_force"].ravel()
    assert error(moving.M @ (out["v_next"] - moving.v), DT * made) < 1e-9
    assert out["contact_residual"] < 1e-9
    w, n = (J @ out["v_next"]).reshape(3, 3), out["contact_normal"]
    for k, contact in enumerate(contacts):
        allowed = -out["gap"][k] / DT if out["gap"][k] > 0 else min(-0.1 * out["gap"][k] / DT, 0.5)
        off = coulomb(DT * out["contact_force"][k], w[k] - allowed * n[k], n[k], contact.friction)
        assert off < 1e-8
    assert np.any(out["contact_force"])


def _jacobian(moving: Moving, link: str, place: Array) -> Array:
    """Of the point of a link that is at a place, in world axes."""
    pose = moving.world.pose(link)
    return moving.world.jacobian(link, point=pose[:3, :3].T @ (place - pose[:3, 3]))[3:] @ moving.G


# ---------------------------------------------------------------- a block, in closed form


def test_a_block_slides_as_far_as_coulomb_says_and_holds_on_slopes_within_its_cone() -> None:
    step = mc.step(BLOCK, DT, contacts=CORNERS, parameters=["gravity"])
    start = BLOCK.neutral() + np.eye(7)[2] * 0.05
    end = last(gone(step, start, (0, 0, 0, 2.0, 0, 0), 600, gravity=(0, 0, -G)))
    assert abs(end.q_next[0] - 2.0**2 / (2 * 0.5 * G)) <= 2.0 * DT
    assert abs(end.q_next[2] - 0.05) < 1e-12
    assert np.abs(end.v_next).max() < 1e-12
    for share in (0.95, 1.05):
        slope = np.arctan(0.5 * share)
        down = G * np.array([np.sin(slope), 0.0, -np.cos(slope)])
        q = [out.q_next for out in gone(step, start, np.zeros(6), 600, gravity=down)]
        if share < 1:
            assert np.abs(q[-1] - q[99]).max() / 0.5 < 1e-9
        else:
            speed, expected = (q[-1] - q[-2])[0] / DT, 0.6 * (down[0] + 0.5 * down[2])
            assert abs(speed - expected) < 2 * DT * expected + 1e-3 * expected


def test_a_belt_carries_a_block_along() -> None:
    step = mc.step(BLOCK, DT, contacts=CORNERS, moving_surface=True, contact_friction=True)
    start, belt = BLOCK.neutral() + np.eye(7)[2] * 0.05, np.tile((0.0, 0.3, 0.0), (4, 1))
    end = last(gone(step, start, np.zeros(6), 400, surface_velocity=belt, mu=np.full(4, 0.1)))
    assert np.allclose(end.v_next, (0, 0, 0, 0, 0.3, 0), atol=1e-9)
    # the distance that friction 0.1 needs to bring it there
    assert abs(end.q_next[1] - (0.3 * 0.4 - 0.3**2 / (2 * 0.1 * G))) < 0.3 * DT


# ---------------------------------------------------------------- energy, rebound, momentum


@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_a_ball_bounces_as_high_as_its_restitution_says(restitution: float) -> None:
    contact = Contact("ball", shape=Sphere(0.1), restitution=restitution)
    step = mc.step(BALL, DT, contacts=[contact], outputs=["q_next", "v_next", "gap"])
    outs = list(gone(step, BALL.neutral() + np.eye(7)[2] * 0.6, np.zeros(6), 1200))
    height = np.array([out.q_next[2] for out in outs]) - 0.1
    tops = [
        z for before, z, after in zip(height, height[1:], height[2:], strict=False) if before <= z > after and z > 1e-3
    ]
    falls = np.sqrt(2 * 0.5 / G)
    assert min(out.gap[0] for out in outs) > -1e-12
    assert len(tops) == (0 if restitution == 0 else 2)
    for k, top in enumerate(tops, start=1):
        speed = restitution**k * G * falls
        assert abs(top - speed**2 / (2 * G)) < 2 * k * speed * DT


def test_energy_is_never_won_where_nothing_rebounds() -> None:
    upper = [replace(one, point=(one.point[0], one.point[1], 0.05), name=f"{one.name}'") for one in CORNERS]
    step, energy = mc.step(BLOCK, DT, contacts=[*CORNERS, *upper]), mc.energy(BLOCK)
    q = np.array([0, 0, 0.5, 0.9, 0.3, 0.2, 0.24])
    outs = gone(step, q / ([1] * 3 + [np.linalg.norm(q[3:])] * 4), [1, 2, 3, 0.5, 0, 0], 1500)
    whole = np.array([sum(energy(out.q_next, out.v_next)) for out in outs])
    assert np.diff(whole).max() < 1e-6 * whole[0]
    # it lies on a side
    assert abs(whole[-1] - 2 * G * 0.05) < 1e-3


def test_two_robots_that_meet_keep_their_momentum() -> None:
    both = mc.attach(BALL, free_body("other", Sphere(0.1), mass=1.5), "world", prefix="b_", floating=True)
    meet = Contact("ball", Solid(Sphere(0.1), "b_other"), shape=Sphere(0.1), restitution=1.0, friction=0.3)
    step = mc.step(both, DT, contacts=[meet], gravity=(0, 0, 0))
    q, v = both.neutral(), np.zeros(12)
    q[:3], v[3] = (-0.5, 0.05, 0.0), 1.0
    momentum = mc.centroidal_momentum(both)
    end = last(gone(step, q, v, 500))
    assert np.abs(momentum(end.q_next, end.v_next) - momentum(q, v))[3:].max() < 1e-12
    assert np.abs(end.v_next[6:]).max() > 0.1


# ---------------------------------------------------------------- along joints


def test_joints_stop_at_their_limits_and_stick_by_their_friction_and_brakes() -> None:
    outputs = ["q_next", "v_next", "joint_stop_force", "joint_friction_force"]
    step = mc.step(ARM, DT, limits=True, stiction=True, brakes={"hinge": 5.0}, parameters=["gravity"], outputs=outputs)

    def pulled(tau: float, brake: float = 0.0, down: float = 0.0, v: float = 0.0, count: int = 400) -> list[Any]:
        return list(gone(step, [0.0], [v], count, [tau], brake=[brake], gravity=(0, 0, -down)))

    # falling on the stop, from either side
    for swing in (pulled(0.0, down=G, count=1500), pulled(0.0, v=-8.0)):
        assert max(out.q_next[0] for out in swing) < 0.5 + 1e-12
        assert min(out.q_next[0] for out in swing) > -1.0 - 1e-12
    rest = pulled(0.0, down=G, count=1500)[-1]
    assert abs(rest.joint_stop_force[0] + rest.joint_friction_force[0] + G * 0.5 * np.cos(0.5)) < 1e-9
    # held below what friction and brake hold, and not above
    for holds, brake in ((2.0, 0.0), (7.0, 1.0), (4.5, 0.5)):
        assert np.abs([out.v_next for out in pulled(0.95 * holds, brake)]).max() < 1e-12
        moves = pulled(1.05 * holds, brake)[-1]
        assert moves.joint_friction_force[0] == pytest.approx(-holds)
        # 0.27 kg m² under a constant torque, damped
        torque, inertia = 0.05 * holds, 0.27
        assert moves.v_next[0] == pytest.approx(torque / 0.1 * (1 - np.exp(-0.1 * 0.4 / inertia)), rel=1e-3)


def test_a_planar_joint_stops_at_its_limits_along_the_axes_they_are_meant_in() -> None:
    """x, y and θ of q, while v is as the child sees it that turns."""
    pieces = random_tree(1, [Kind.PLANAR])
    ends = tuple(mc.Limits(-least, most) for least, most in ((0.3, 1.0), (0.5, 0.5), (0.2, 0.4)))  # θ, x, y
    robot = build([*pieces[:1], replace(pieces[1], joint={**pieces[1].joint, "coordinate_limits": ends})])
    step = mc.step(robot, DT, limits=True, gravity=(0, 0, 0), sweeps=100, outputs=["q_next", "v_next"])
    outs = list(gone(step, np.zeros(3), [1.0, 2.0, 1.5], 1500))
    q = np.array([out.q_next for out in outs])
    least, most = np.array([(-0.5, -0.2, -0.3), (0.5, 0.4, 1.0)])
    assert np.all((least - 1e-12 < q) & (q < most + 1e-12))
    # it has been at some of them
    assert np.sum(np.any((q < least + 1e-9) | (q > most - 1e-9), axis=0)) >= 2


# ---------------------------------------------------------------- surfaces, and what gives way


def test_a_block_rests_on_ground_by_its_heights_as_on_the_plane_through_them() -> None:
    slope = 0.1 * np.arange(3)[:, None] * np.ones((3, 4))
    field = HeightField(slope, 1.0, (-1.0, -1.5, 0.0))
    plane = Plane((-0.1, 0.0, 1.0), (-1.0, 0.0, 0.0))
    q, v = BLOCK.neutral() + np.eye(7)[2] * 0.2, np.array([0.1, 0.2, 0.3, 0.5, 0.2, 0])
    ends = list[Any]()
    for surface, more in ((field, {"heights": slope}), (plane, {})):
        contacts = [Contact("block", surface, point=one.point, name=one.name) for one in CORNERS]
        ends.append(last(gone(mc.step(BLOCK, DT, contacts=contacts), q, v, 300, **more)))
    assert error(ends[0].q_next, ends[1].q_next) < 1e-9
    assert abs(ends[0].v_next).max() < 1e-3


def test_a_capsule_that_gives_way_sinks_by_its_weight() -> None:
    pipe = free_body("pipe", Capsule(0.1, 0.4), mass=1.0)
    contact = Contact("pipe", shape=Capsule(0.1, 0.4), law=Compliant(1e4, 3.0))
    step = mc.step(pipe, DT, contacts=[contact], outputs=["q_next", "v_next", "contact_force"])
    q, v = pipe.neutral(), np.zeros(6)
    q[2:] = 0.1, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0
    for _ in range(1500):
        q, v, force = step(q, v, np.zeros(6))
    assert abs(q[2] - (0.1 - G / 2e4)) < 1e-5
    assert np.allclose(force, [[0, 0, G / 2]] * 2, atol=1e-2)


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"contacts": ["tip"], "method": "rk4"}, "semi_implicit"),
        ({"contacts": ["nowhere"]}, "no frame 'nowhere'"),
        ({"contacts": [3.0]}, "give a Contact"),
        ({"limits": True}, "leave it out"),
        ({"stiction": True, "friction": True}, "say one of them"),
        ({"brakes": ["shoulder"]}, "what its brake can hold"),
        ({"brakes": {"hip": 1.0}}, "no movable joint 'hip'"),
        ({"brakes": {"elbow": -1.0}}, "≥ 0"),
        ({"moving_surface": True}, "give contacts"),
        ({"contacts": ["tip"], "sweeps": 0}, "swept over"),
        ({"contacts": ["tip"] * 33}, "99 rows"),
        ({"outputs": ["gap"]}, "no such output"),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        mc.step(mc.load("planar2"), DT, **options)


# ---------------------------------------------------------------- every reading, and derivatives

WEIGHT = Contact("bar", Plane(point=(0, 0, -0.2)), shape=Sphere(0.05), point=(1.0, 0, 0), restitution=0.5)
SWINGS = {"contacts": [WEIGHT], "limits": True, "stiction": True, "outputs": ["q_next", "v_next", "gap"]}


def test_lanes_and_texts_for_gpus_are_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def looped() -> Any:
        step, feedback = mc.step(ARM, DT, **SWINGS), {"q": "q_next", "v": "v_next"}
        return mc.loop(step, feedback=feedback, held=["tau"], log=["q", "gap"], period=DT)

    starts = np.linspace(-0.9, 0.1, 5)[:, None]
    given = {"q": starts, "v": np.zeros((5, 1)), "tau": np.linspace(-6, 0, 5)[:, None], "steps": 400}
    lanes = looped().batch(**given)
    assert lanes.gap.min() > -1e-4
    assert lanes.gap.min() < 1e-4
    one = looped()(**given | {name: given[name][2] for name in ("q", "v", "tau")})
    assert error(lanes.q[2], one.q) < 1e-12
    if CXX is not None:
        monkeypatch.setitem(sys.modules, "cupy", Fake())
        assert error(looped().on("cuda")(**given).q, lanes.q) < 1e-12
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    few = {**given, "steps": 20}
    assert error(looped().batch(**few).q, lanes.q[:, :20]) < 1e-12


@pytest.mark.parametrize("slides", [True, False], ids=["slides", "sticks"])
def test_derivatives_of_a_step_are_its_differences_where_no_contact_changes_its_state(slides: bool) -> None:
    leg, q = mc.load("hyq_leg"), np.array([0.2, 0.5, -1.0])
    foot, plane = "LF_foot", Plane((0.1, -0.2, 1.0))
    below = mc.forward_kinematics(leg, [foot])(q)[0][:3, 3] - 0.01999 * np.array(plane.normal)
    contact = Contact(foot, replace(plane, point=tuple(below)), shape=Sphere(0.02), friction=0.6)
    step = mc.step(leg, DT, contacts=[contact], limits=True, sweeps=60, outputs=["v_next", "contact_force"])
    jacobian = mc.jacobian(leg, foot)(q)[3:]
    v = np.linalg.solve(jacobian, (0.4, -0.3, -0.1) if slides else (0.0, 0.0, -0.1))
    given = [q, v, np.array([1.0, 2.0, 3.0]), np.zeros(6)]
    force = step(*given).contact_force
    assert force[0, 2] > 0
    names = ("q", "v", "tau")
    tables = step.derivative("v_next", names)(*given)
    for place, table in enumerate(tables):
        for k in range(3):
            ends = [step(*_moved(given, place, k, by)).v_next for by in (1e-6, -1e-6)]
            assert error(table[:, k], (ends[0] - ends[1]) / 2e-6) < 1e-6


def _moved(given: list[Array], place: int, k: int, by: float) -> list[Array]:
    return [value + (by * np.eye(len(value))[k] if n == place else 0.0) for n, value in enumerate(given)]
