"""Mass and inertia as people give them: moments or tensor, in one frame or another, by numbers or by shape."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from broken_chains import BASE, chain, joint, lf_hip
from motionc.formats import read_urdf
from motionc.model import Attachment, KinematicChain, Link, Robot, Role, Segment, check_chain, placed
from motionc.model.shapes import Box, Cylinder, MassProperties, Shape, Sphere, combined, inertia_matrix, mass_properties
from mujoco_witness import MujocoWitness
from oracle import Array, error
from rows import row

LOWER = [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]  # xx, xy, yy, xz, yz, zz, as Pinocchio lists them
SWAP = np.roll(np.eye(6), 3, axis=0)  # between angular first and linear first


def six_by_six(robot: Robot) -> Array:
    """The inertia of the first moving body about its frame's origin, angular first."""
    inertia = robot.as_mechanism(normalise=False).bodies[0].inertia.articulated()
    return np.block([[inertia.angular, inertia.mixed], [inertia.mixed.T, inertia.linear]])


# ---------------------------------------------------------------- moments or tensor


@row("robcogen", 6)
def test_hyqs_hip_is_a_body_as_moments_and_none_as_a_tensor():
    """specs/robcogen.md §2.2: the eigenvalues at the centre of mass, and the one that gives the wrong sign away."""
    right, wrong = (np.linalg.eigvalsh(lf_hip(sign).link.inertia) for sign in (1, -1))
    assert np.round(right, 5).tolist() == [0.00565, 0.05077, 0.05486]
    assert round(wrong[0], 4) == -0.0211

    def hip(sign: float) -> KinematicChain:
        return chain(joint("LF_HAA", (BASE, "b1"), (lf_hip(sign), "near")))

    assert len(check_chain(hip(1))) == 0
    (finding,) = check_chain(hip(-1))
    assert (finding.rule, finding.place.element) == ("Lk4", "link LF_hip")
    assert "-0.0211, " in finding.message
    assert "products of inertia and their signs" in finding.remedy


@row("robcogen", 6)
def test_hyqs_leg_gives_the_wrong_sign_away_too():
    moments = (0.005495, 0.087136, 0.089871, -0.007418, -0.000102, -0.000021)
    given = [inertia_matrix(*moments, products=kind) for kind in ("moments", "tensor")]
    legs = [MassProperties.seen_from(np.eye(4), 2.638, (0.15074, -0.02625, 0.0), each) for each in given]
    least = [np.linalg.eigvalsh(leg.inertia)[0] for leg in legs]
    assert least[0] > 0
    assert round(least[1], 4) == -0.0059


# ---------------------------------------------------------------- one frame or another


def urdf(xyz: Array, rotation: Array, mass: float, inertia: Array) -> str:
    """One link on a hinge, its inertia in a frame of its own."""
    entries = " ".join(f'i{"xyz"[i]}{"xyz"[k]}="{float(inertia[i, k])!r}"' for i in range(3) for k in range(i, 3))
    origin = f'<origin xyz="{" ".join(map(repr, xyz.tolist()))}" rpy="{" ".join(map(repr, rotation.tolist()))}"/>'
    return f"""<robot name="r"><link name="base"/>
<link name="body"><inertial>{origin}<mass value="{mass!r}"/><inertia {entries}/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="body"/><axis xyz="0 0 1"/></joint></robot>"""


@row("robcogen", 7)
@pytest.mark.parametrize("seed", range(5))
def test_a_body_given_in_two_inertia_frames_is_one_body(seed: int):
    rng = np.random.default_rng(seed)
    mass, com, half = rng.uniform(1, 3), rng.normal(size=3), rng.normal(size=(3, 3))
    inertia = np.trace(half @ half.T) * np.eye(3) - half @ half.T
    found = list[Array]()
    for angles in (np.zeros(3), rng.uniform(-1, 1, 3)):
        turn = Rotation.from_euler("xyz", angles).as_matrix()
        text = urdf(com, angles, mass, turn.T @ inertia @ turn)
        found.append(six_by_six(Robot(read_urdf(text).chain)))
    assert error(found[1], found[0]) < 1e-12
    assert error(found[0], SWAP @ pin.Inertia(mass, com, inertia).matrix() @ SWAP) < 1e-12


@row("robcogen", 7)
def test_moments_about_a_frame_anywhere_on_the_body_are_the_same_body():
    """The kinematics language: moments about the origin of the link, or of a `ref_frame`, in its axes."""
    rng = np.random.default_rng(1)
    at_link = inertia_matrix(0.134705, 0.144171, 0.011033, 0.000036, 0.022734, 0.000051, products="moments")
    mass, com = 2.93, np.array([0.04263, 0.0, 0.16931])
    hip = pin.Inertia.FromDynamicParameters(np.array([mass, *mass * com, *at_link[LOWER]]))
    for frame in (np.eye(4), placed(rng.normal(size=3), rng.uniform(-1, 1, 3))):
        seen = pin.SE3(frame).actInv(hip).toDynamicParameters()
        moments = np.zeros((3, 3))
        moments[LOWER] = moments.T[LOWER] = seen[4:]
        given = MassProperties.seen_from(frame, seen[0], seen[1:4] / seen[0], moments)
        link = Link.rigid("body", given.mass, given.com, given.inertia)
        body = Segment("body", link, (Attachment("near", Role.JOINT),))
        found = six_by_six(Robot(chain(joint("j", (BASE, "b1"), (body, "near")))))
        assert error(found, SWAP @ hip.matrix() @ SWAP) < 1e-12


# ---------------------------------------------------------------- by numbers or by shape


DENSITY = 800.0
UPPER, FORE, FIST = placed((0, 0, -0.2)), placed((0, 0.1, -0.15), (0.3, 0, 0)), placed((0, 0.2, -0.3))


def two_links(upper: Link, fore: Link) -> Robot:
    ends = [Attachment(name, Role.JOINT, placed(xyz)) for name, xyz in (("near", (0, 0, 0)), ("far", (0, 0, -0.4)))]
    arm, hand = Segment("upper", upper, tuple(ends)), Segment("fore", fore, (ends[0],))
    return Robot(
        chain(
            joint("shoulder", (BASE, "b1"), (arm, "near"), axis=(0, 1, 0)),
            joint("elbow", (arm, "far"), (hand, "near"), axis=(1, 0, 0)),
        )
    )


def by_shape() -> Robot:
    rod = mass_properties(Shape(Cylinder(0.05, 0.4), UPPER), density=DENSITY)
    box, ball = (
        mass_properties(Shape(geometry, pose), density=DENSITY)
        for geometry, pose in ((Box((0.04, 0.06, 0.3)), FORE), (Sphere(0.05), FIST))
    )
    fore = combined([box, ball])
    return two_links(
        Link.rigid("upper", rod.mass, rod.com, rod.inertia), Link.rigid("fore", fore.mass, fore.com, fore.inertia)
    )


def by_numbers() -> Robot:
    """m and J from a table of moments of inertia, and the parallel axis theorem by hand."""
    m = DENSITY * np.pi * 0.05**2 * 0.4
    across = m * (3 * 0.05**2 + 0.4**2) / 12
    upper = Link.rigid("upper", m, UPPER[:3, 3], (across, across, m * 0.05**2 / 2))
    box, ball = DENSITY * 0.04 * 0.06 * 0.3, DENSITY * 4 / 3 * np.pi * 0.05**3
    J_box = box / 12 * np.diag([0.06**2 + 0.3**2, 0.04**2 + 0.3**2, 0.04**2 + 0.06**2])
    com = (box * FORE[:3, 3] + ball * FIST[:3, 3]) / (box + ball)
    J = FORE[:3, :3] @ J_box @ FORE[:3, :3].T + 2 / 5 * ball * 0.05**2 * np.eye(3)
    for mass, place in ((box, FORE), (ball, FIST)):
        r = place[:3, 3] - com
        J = J + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return two_links(upper, Link.rigid("fore", box + ball, com, J))


def by_mujoco() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"""<mujoco><compiler angle="radian"/>
<option><flag contact="disable"/></option><default><geom density="{DENSITY}"/></default>
<worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
<geom type="cylinder" size="0.05 0.2" pos="0 0 -0.2"/>
<body name="fore" pos="0 0 -0.4"><joint name="elbow" axis="1 0 0"/>
<geom type="box" size="0.02 0.03 0.15" pos="0 0.1 -0.15" euler="0.3 0 0"/><geom size="0.05" pos="0 0.2 -0.3"/>
</body></body></worldbody></mujoco>""")


@row("multibody-methodology", 5)
@pytest.mark.parametrize("seed", range(5))
def test_a_body_of_shape_and_density_moves_as_one_of_mass_and_inertia(seed: int):
    shape, numbers = by_shape(), by_numbers()
    q, v, x = np.random.default_rng(seed).normal(size=(3, 2))
    for compute in (mc.inverse_dynamics, mc.forward_dynamics):
        assert error(compute(shape).run(q, v, x), compute(numbers).run(q, v, x)) < 1e-12
    tau = MujocoWitness(by_mujoco(), shape).inverse_dynamics(q, v, x)
    assert error(mc.inverse_dynamics(shape).run(q, v, x), tau) < 1e-9
