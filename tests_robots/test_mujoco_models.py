"""Every model that comes along with MuJoCo and MJX: the tree in it moves as in MuJoCo, and comes back as it was."""

from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import mujoco
import numpy as np
import pytest

import motionc as mc
from motionc.formats import read_mjcf
from mujoco_witness import MujocoWitness, same
from oracle import error
from trials import trials

distribution("mujoco-mjx")  # its models lie in mujoco's folder
FOLDER = Path(mujoco.__file__).parent
FILES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.xml"))

# what MuJoCo itself does not compile, because of tendons, which are no part of the tree
NO_MODELS = {
    "mjx/test_data/actuator/arm26.xml": "Lengthrange computation did not converge",
    "mjx/test_data/constraints.xml": "must be slide or hinge",
}
MODELS = [file for file in FILES if file not in NO_MODELS]

# bodies with several joints, on massless links here
SEVERAL = ("humanoid/humanoid", "shadow_hand/scene_right", "pendula", "sensor/model")


@cache
def load(file: str) -> mc.Robot:
    return mc.load(FOLDER / file)


def test_models_are_there() -> None:
    assert len(MODELS) >= 38


@pytest.mark.parametrize("file", NO_MODELS)
def test_the_tree_is_read_although_mujoco_refuses_the_tendons(file: str) -> None:
    with pytest.raises(ValueError, match=NO_MODELS[file]):
        mujoco.MjModel.from_xml_path(str(FOLDER / file))
    assert load(file).nv


@pytest.mark.parametrize("file", MODELS)
def test_models_of_mujoco_move_as_in_mujoco(file: str) -> None:
    robot, model = load(file), mujoco.MjModel.from_xml_path(str(FOLDER / file))
    witness, rng = MujocoWitness(model, robot), np.random.default_rng(len(file))
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    assert robot.joint_names == tuple(model.joint(k).name or f"joint_{k}" for k in range(model.njnt))
    assert not [found for found in robot.findings if found.rule.startswith("Mg")]
    masses = {link.name: link.mass or 0.0 for link in robot.links}
    links = [model.body(number).name or f"body_{number}" for number in range(model.nbody)]
    assert error(np.array([masses[link] for link in links]), model.body_mass) < 1e-14
    limit = max(1e-10, 10 * witness.rounding)
    poses = mc.forward_kinematics(robot, links)
    inverse = mc.inverse_dynamics(robot) if robot.nv else None
    # four slides of one body in three directions: a mass matrix that is singular, and refused
    forward = mc.forward_dynamics(robot) if robot.nv and not robot.idle_joints else None
    for _ in range(trials(3)):
        q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.nv))
        bodies, _ = witness.poses(q)
        assert error(poses.run(q), bodies) < 1e-12
        if inverse is not None:
            tau = witness.inverse_dynamics(q, v, a)
            assert error(inverse.run(q, v, a), tau) < limit
            condition = np.linalg.cond(witness.mass_matrix(q))
            assert condition > 1e12 or forward is not None
            if forward is not None and condition < 1e8:
                assert error(forward.run(q, v, tau), a) < max(limit, witness.rounding * condition)


@pytest.mark.parametrize("name", SEVERAL)
def test_bodies_of_several_joints_come_back_as_they_were(name: str) -> None:
    robot = load(f"mjx/test_data/{name}.xml")
    same(robot, mc.Robot(read_mjcf(mc.to_mjcf(robot)).chain))
