"""Pinocchio on the same file: kinematics, dynamics, their derivatives and constraintDynamics, called from Python."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, State, calls
from motionc.model import Robot, orders
from peers.fused import check_joints, floats


def reading(path: Path) -> Callable[[Question], Contender]:
    """It reads the file itself, so that reading is compared too."""
    return lambda question: enter(question, path)


def enter(question: Question, path: Path) -> Contender:
    """Its function for a question, on its model of the file."""
    try:
        pin = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    peer = Peer(pin, question.robot, path)
    function, extra, read = peer.function(question)
    states = [(peer.model, peer.data, *peer.state(*state[:3]), *extra) for state in question.states]
    return Contender(
        len(states), calls(function, states), lambda: np.array([read(function(*state)) for state in states])
    )


class Peer:
    """Its model of the file, and how our coordinates are ordered there."""

    def __init__(self, pin: Any, robot: Robot, path: Path) -> None:
        self.robot = robot
        check_joints(robot)
        root = [pin.JointModelFreeFlyer()] if floats(robot) else []
        try:
            model = pin.buildModelFromUrdf(str(path), *root)
        except (ValueError, RuntimeError) as error:
            raise Absent(f"it refuses the file: {str(error).splitlines()[0]}") from None
        held = [k for k in range(1, model.njoints) if model.names[k] not in robot.v_index]
        self.pin = pin
        self.model: Any = pin.buildReducedModel(model, held, pin.neutral(model)) if held else model
        for joint in robot.joints:
            if joint.name in robot.v_index:  # it does not read rotors
                moved = self.model.joints[self.model.getJointId(joint.name)]
                self.model.armature[moved.idx_v : moved.idx_v + moved.nv] = joint.transmission.rotor_inertia
        self.data: Any = self.model.createData()
        # entry i of our v is entry order[i] of its
        self.theirs = orders.pinocchio(robot, self.model)
        self.order = np.argmax(self.theirs.matrix(robot.neutral()), axis=0)

    def state(self, q: Array, *vectors: Array) -> State:
        """A state of ours in its coordinates."""
        return (self.theirs.q(q), *(self.theirs.v(vector, q) for vector in vectors))

    def function(self, question: Question) -> tuple[Any, State, Callable[[Any], Array]]:
        """What to call, its arguments after the state's, and how to read the answer as ours."""
        pin, data = self.pin, self.data
        match question.kind:
            case Kind.KINEMATICS:
                return pin.forwardKinematics, (), lambda _: self._poses(question.bodies)
            case Kind.JACOBIAN:
                place = self.frame(question.frames[0]), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
                return pin.computeFrameJacobian, place, lambda J: J[[3, 4, 5, 0, 1, 2]][:, self.order].ravel()
            case Kind.INVERSE:
                return pin.rnea, (), self._vector
            case Kind.MASS:
                return pin.crba, (), self._symmetric
            case Kind.FACTOR:

                def factored(model: Any, data: Any, q: Array) -> Any:
                    pin.crba(model, data, q)
                    return pin.cholesky.decompose(model, data)

                return factored, (), lambda _: self._matrix(data.U @ np.diag(data.D) @ data.U.T)
            case Kind.FORWARD:
                return pin.aba, (pin.Convention.WORLD,), self._vector
            case Kind.INVERSE_DERIVATIVES:
                return pin.computeRNEADerivatives, (), lambda found: np.concatenate([*map(self._matrix, found[:2])])
            case Kind.FORWARD_DERIVATIVES:

                def read(found: Any) -> Array:
                    return np.concatenate([self._matrix(found[0]), self._matrix(found[1]), self._symmetric(found[2])])

                return pin.computeABADerivatives, (), read
            case _:
                kind = pin.ContactType.CONTACT_3D if question.kind is Kind.POINTS else pin.ContactType.CONTACT_6D
                return pin.constraintDynamics, self._rows(question.frames, kind), self._vector

    def _vector(self, found: Any) -> Array:
        return np.array(found)[self.order]

    def _matrix(self, found: Any) -> Array:
        return np.array(found)[np.ix_(self.order, self.order)].ravel()

    def _symmetric(self, found: Any) -> Array:
        """Of some matrices it fills the upper half alone."""
        return self._matrix(np.triu(found) + np.triu(found, 1).T)

    def _poses(self, links: list[str]) -> Array:
        """Where forward kinematics has put joints, and with them the links behind them."""
        pin, model = self.pin, self.model
        frames = [model.frames[model.getFrameId(link, pin.FrameType.BODY)] for link in links]
        return np.array([(self.data.oMi[at.parentJoint] * at.placement).homogeneous for at in frames]).ravel()

    def frame(self, name: str) -> int:
        if not self.model.existFrame(name, self.pin.FrameType.BODY):
            raise Absent(f"it has no frame {name}; name a link")
        return self.model.getFrameId(name, self.pin.FrameType.BODY)

    def _rows(self, frames: Sequence[str], kind: Any) -> State:
        """Rows at frames, in their own axes, no stabilisation, no regularisation, one iteration."""
        pin, model = self.pin, self.model
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for frame in frames:
            at = model.frames[self.frame(frame)]
            models.append(pin.RigidConstraintModel(kind, model, at.parentJoint, at.placement, pin.ReferenceFrame.LOCAL))
            datas.append(models[-1].createData())
        try:
            pin.initConstraintDynamics(model, self.data, models, datas)
        except TypeError:
            raise Absent("this release prepares constraints in another way; pip install 'pin>=4'") from None
        return models, datas, pin.ProximalSettings(1e-12, 0.0, 1)
