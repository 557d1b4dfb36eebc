"""Twice the links are twice the work, for every reader and writer; counted in lines of ours: MuJoCo counts its own."""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

import motionc as mc
from hostile import GROWN, INERTIAL, growth, tree
from motionc.formats import read_dh, read_mjcf, read_urdf, to_dot, to_mjcf, to_urdf

WEIGHT = '<inertial pos="0.1 0 0" mass="2" diaginertia="1 1 1"/>'


def mujoco_model(bodies: str, rest: str = "") -> str:
    return f"<mujoco><worldbody>{bodies}</worldbody>{rest}</mujoco>"


def bodies(n: int, inside: str = "") -> str:
    return "".join(f"<body name='b{k}'><joint name='j{k}'/>{WEIGHT}{inside}</body>" for k in range(n))


def arms(n: int) -> str:
    return (f"<body><joint/>{WEIGHT}" * 10 + "</body>" * 10) * (n // 10)


def equalities(n: int, order: int = 1) -> str:
    """Every joint follows the one before it."""
    pairs = [f"<joint joint1='j{k}' joint2='j{k - 1}'/>" for k in range(1, n)]
    return f"<equality>{''.join(pairs[::order])}</equality>"


def motors(n: int) -> str:
    return "<actuator>" + "".join(f"<motor joint='j{k}'/>" for k in range(n)) + "</actuator>"


FILES: dict[str, tuple[Callable[[str], Any], Callable[[int], str]]] = {
    "URDF, chain": (read_urdf, lambda n: tree([*range(n)])),
    "URDF, star": (read_urdf, lambda n: tree([0] * n)),
    "URDF, caterpillar": (read_urdf, lambda n: tree([k - k % 2 for k in range(n)])),
    "URDF, strangers": (read_urdf, lambda n: "<robot name='r'><link name='l'/>" + "<wheel r='1'/>" * n + "</robot>"),
    "MJCF, star": (read_mjcf, lambda n: mujoco_model(bodies(n))),
    "MJCF, arms": (read_mjcf, lambda n: mujoco_model(arms(n))),
    "MJCF, nameless": (read_mjcf, lambda n: mujoco_model(f"<body><freejoint/>{WEIGHT}</body>" * n)),
    "MJCF, sites": (read_mjcf, lambda n: mujoco_model(bodies(n, "<site/><site/>"))),
    "MJCF, sites of one body": (read_mjcf, lambda n: mujoco_model(bodies(1, "<site/>" * n))),
    "MJCF, motors": (read_mjcf, lambda n: mujoco_model(bodies(n), motors(n))),
    "MJCF, followers": (read_mjcf, lambda n: mujoco_model(bodies(n), equalities(n))),
    "MJCF, followers, last first": (read_mjcf, lambda n: mujoco_model(bodies(n), equalities(n, -1))),
    "DH": (read_dh, lambda n: "a, alpha, d, mass\n" + "0.1, pi/2, 0, 1\n" * n),
}


@pytest.mark.parametrize("kind", FILES)
def test_reading_grows_with_the_file(kind: str) -> None:
    read, text = FILES[kind]
    texts = {n: text(n) for n in GROWN}
    assert growth(lambda n: lambda: read(texts[n])) < 2.05


def robot(text: str) -> mc.Robot:
    return mc.Robot(read_urdf(text).chain)


def strangers(n: int) -> mc.Robot:
    materials = "".join(f"<material name='m{k}' shine='1'/>" for k in range(n))
    return robot(f"<robot name='r'><link name='l'/>{materials}</robot>")


def tools(n: int) -> mc.Robot:
    features = {f"tool{k}": np.eye(4) for k in range(n)}
    base = mc.Segment("base", mc.Link.rigid("base", 1.0, inertia=(1, 1, 1), features=features))
    return mc.Robot(mc.KinematicChain("r", (), base))


ROBOTS: dict[str, Callable[[int], mc.Robot]] = {
    "chain": lambda n: robot(tree([*range(n)])),
    "star": lambda n: robot(tree([0] * n)),
    "caterpillar": lambda n: robot(tree([k - k % 2 for k in range(n)])),
    "welds": lambda n: robot(tree([k - k % 2 for k in range(n)], "fixed")),
    "welds without mass": lambda n: robot(tree([0] * n, "fixed").replace(INERTIAL, "", n)),
    "followers": lambda n: robot(tree([0] * n, mimic=lambda k: f"<mimic joint='j{k - 1}'/>" * (k > 1))),
    "tools": tools,
    "strangers": strangers,
}


@pytest.mark.parametrize("kind", ROBOTS)
@pytest.mark.parametrize("write", [to_urdf, to_mjcf, to_dot])
def test_writing_grows_with_the_robot(write: Callable[[mc.Robot], str], kind: str) -> None:
    robots = {n: ROBOTS[kind](n) for n in GROWN}
    if (write, kind) in ((to_mjcf, "strangers"), (to_dot, "strangers"), (to_dot, "tools")):
        assert len({write(robot) for robot in robots.values()}) == 1  # they are not written
    else:
        assert growth(lambda n: lambda: write(robots[n])) < 2.2  # names grow too


# ---------------------------------------------------------------- what MuJoCo cannot read


def test_a_chain_as_long_as_mujoco_reads_is_written_and_one_link_more_refused() -> None:
    assert mc.to_mjspec(robot(tree([*range(495)]))).compile().nbody == 1 + 496
    with pytest.raises(mc.Error, match=r"l496 hangs on 496 others.*MuJoCo reads 496 at most"):
        to_mjcf(robot(tree([*range(496)])))
    with pytest.raises(ValueError, match="nesting"):
        mujoco.MjModel.from_xml_string(mujoco_model(f"<body>{WEIGHT}" * 497 + "</body>" * 497))


def test_more_joints_of_massless_links_than_mujoco_takes_for_one_body_are_refused() -> None:
    six, seven = (robot(tree([*range(n)]).replace(INERTIAL, "", n)) for n in (6, 7))
    assert len(mc.to_mjspec(six).joints) == 6
    with pytest.raises(mc.Error, match="before l7 leave it more than 6 coordinates"):
        to_mjcf(seven)
    with pytest.raises(ValueError, match="more than 6 dofs"):
        mujoco.MjModel.from_xml_string(mujoco_model(f"<body>{'<joint/>' * 7}{WEIGHT}</body>"))
