"""The MJCF reader: MuJoCo's own models against MuJoCo, what is mapped, the fate of every element, each refusal."""

from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from oracle import error

mujoco = pytest.importorskip("mujoco")
from mujoco_witness import MujocoWitness  # noqa: E402

WHEEL = Path(mujoco.__file__).parent


def compiles(path: Path) -> bool:
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


MODELS = [path for path in sorted(WHEEL.glob("**/*.xml")) if "_humanoids" not in path.name and compiles(path)]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_models_of_mujoco_move_as_in_mujoco(path: Path) -> None:
    robot, model = mc.load(path), mujoco.MjModel.from_xml_path(str(path))
    witness, rng = MujocoWitness(model, robot), np.random.default_rng(len(path.name))
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    assert robot.joint_names == tuple(witness.joints)
    masses = {link.name: link.mass or 0.0 for link in robot.links}
    links = [model.body(number).name or f"body_{number}" for number in range(model.nbody)]
    assert error(np.array([masses[link] for link in links]), model.body_mass) < 1e-14
    limit = max(1e-10, 10 * witness.rounding)
    for _ in range(3):
        q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.nv))
        bodies, _ = witness.poses(q)
        assert error(mc.forward_kinematics(robot, links).run(q), bodies) < 1e-12
        if robot.nv:
            tau = witness.inverse_dynamics(q, v, a)
            assert error(mc.inverse_dynamics(robot).run(q, v, a), tau) < limit
            if (condition := np.linalg.cond(witness.mass_matrix(q))) < 1e8:
                limit = max(1e-10, 10 * witness.rounding * condition)
                assert error(mc.forward_dynamics(robot).run(q, v, tau), a) < limit
