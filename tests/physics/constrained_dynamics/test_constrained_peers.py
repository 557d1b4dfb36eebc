"""Constrained dynamics beside those who do it too: Pinocchio's two solvers of contacts, and MuJoCo's of a soft one.

Pinocchio holds a point (classical) or a frame (spatial). Its loop-constrained articulated bodies approach the answer by
proximal steps. MuJoCo has no hard rows, but adds a compliance R to the coupling, which is what our `damping` is, and
leaves out J̇ v, which is therefore part of b.
"""

from collections.abc import Callable

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from mujoco_witness import MujocoWitness
from oracle import Array, Oracle, error, load, oracle

FRAMES = {
    "anymal": "LF_FOOT",
    "panda": "panda_hand_tcp",
    "solo12": "FL_FOOT",
    "talos_reduced": "gripper_left_base_link",
    "ur5_robot": "tool0",
    "lwr4": "link_7",
}
HELD = {"a point": ("x y z", "classical"), "a frame": ("x y z rx ry rz", "spatial")}
STATES = 5


# ---------------------------------------------------------------- Pinocchio


def by_cholesky(model: pin.Model, state: tuple[Array, ...], contact: pin.RigidConstraintModel) -> Array:
    models, datas, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData(), model.createData()
    models.append(contact)
    datas.append(contact.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    # what it returns is in data, which ends here
    return np.array(pin.constraintDynamics(model, data, *state, models, datas, pin.ProximalSettings(1e-14, 0.0, 20)))


def by_articulated_bodies(model: pin.Model, state: tuple[Array, ...], contact: pin.RigidConstraintModel) -> Array:
    models, datas, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData(), model.createData()
    models.append(contact)
    datas.append(contact.createData())
    pin.computeJointMinimalOrdering(model, data, models)
    return np.array(pin.lcaba(model, data, *state, models, datas, pin.ProximalSettings(1e-15, 1e-3, 500)))


def contact_of(world: Oracle, name: str, held: str) -> pin.RigidConstraintModel:
    frame = world.model.frames[world.model.getFrameId(FRAMES[name], pin.FrameType.BODY)]
    type = pin.ContactType.CONTACT_3D if held == "a point" else pin.ContactType.CONTACT_6D
    world_axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return pin.RigidConstraintModel(
        type, world.model, frame.parentJoint, frame.placement, 0, pin.SE3.Identity(), world_axes
    )


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("name", FRAMES)
def test_what_is_held_in_pinocchio_moves_as_here(name: str, held: str, record_property: Callable) -> None:
    robot, world, rng = load(name), oracle(name), np.random.default_rng(1)
    (rows, kind), errors = HELD[held], []
    dynamics = mc.constrained_dynamics(robot, [mc.Constraint(FRAMES[name], rows, kind=kind, source="contact")])
    contact, b = contact_of(world, name, held), np.zeros(len(rows.split()))
    for _ in range(STATES):
        q, (v, tau) = robot.random(rng), rng.normal(size=(2, robot.nv))
        ours, theirs = dynamics.run(q, v, tau, b).a, (world._q(q), world._v(v), world._v(tau))
        ways = by_cholesky, by_articulated_bodies
        errors.append([error(ours, way(world.model, theirs, contact)[world.order]) for way in ways])
    worst = np.max(errors, axis=0)
    record_property("worst errors", worst.tolist())
    assert np.all(worst < [1e-10, 1e-8])


# ---------------------------------------------------------------- MuJoCo


class Connected(MujocoWitness):
    """A robot one point of which is tied to where it is at home, softly."""

    def __init__(self, robot: mc.Robot, frame: str, softness: float) -> None:
        spec = mc.to_mjspec(robot)
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        spec.option.tolerance, spec.option.iterations = 0.0, 50
        tie = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, name1=frame, objtype=mujoco.mjtObj.mjOBJ_BODY)
        tie.data[:] = 0
        tie.solimp[:] = [1 - softness, 1 - softness, 0.001, 0.5, 2]
        super().__init__(spec.compile(), robot)
        for name in ("CONSTRAINT", "EQUALITY"):
            self.model.opt.disableflags &= ~int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0))

    def solve(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array, Array]:
        """a, the forces of the tie, J a as it is asked for, and its compliance."""
        self._place(q, v)
        drift, data = self.data.qacc.copy(), self.data
        data.qfrc_applied[:] = self.theirs.tau(tau, q)
        data.qacc_warmstart[:] = 0
        mujoco.mj_forward(self.model, data)
        a, asked = self.theirs.our_a(data.qacc, v, q), data.efc_aref - data.efc_J.reshape(3, -1) @ drift
        return a, data.efc_force.copy(), asked, data.efc_R.copy()


@pytest.mark.parametrize("softness", [0.5, 1e-2, 1e-4])
@pytest.mark.parametrize("name", ["panda", "solo12", "ur5_robot", "lwr4"])
def test_what_is_tied_softly_in_mujoco_moves_as_here_with_damping(name: str, softness: float) -> None:
    robot, world, frame = load(name), oracle(name), FRAMES[name]
    tied, rng = Connected(robot, frame, softness), np.random.default_rng(2)
    for number in range(STATES):
        q, (v, tau) = robot.random(rng), rng.normal(size=(2, robot.nv))
        a, forces, asked, compliance = tied.solve(q, v, tau)
        assert np.ptp(compliance) < 1e-12 * compliance[0]
        if not number:
            rows = [mc.Constraint(frame, "xyz", source="contact")]
            dynamics = mc.constrained_dynamics(robot, rows, regularisation=float(compliance[0]))
        world.place(q, v)
        out = dynamics.run(q, v, tau, asked + world.bias(frame)[3:])
        assert error(out.a, a) < 1e-10
        assert error(out.multipliers, forces) < 1e-10
