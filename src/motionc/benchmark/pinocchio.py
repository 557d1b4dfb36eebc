"""Pinocchio on the same file: rnea, aba, constraintDynamics, called from Python."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.fused import check_joints, floats
from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, State, calls
from motionc.model import Robot


def enter(question: Question) -> Contender:
    """It reads the file itself, so that reading is compared too."""
    try:
        pin = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    peer = Peer(pin, question.robot, question.path)
    function, extra = peer.function(question)
    states = [(peer.model, peer.data, *peer.state(*state[:3]), *extra) for state in question.states]

    def answers() -> Array:
        return np.array([np.array(function(*state))[peer.order] for state in states])

    return Contender(len(states), calls(function, states), answers)


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
        self.data: Any = self.model.createData()
        # entry i of our v is entry order[i] of its
        self.order = np.zeros(robot.nv, int)
        for name, where in robot.v_index.items():
            joint = self._joint(name)
            self.order[where] = joint.idx_v + np.array([3, 4, 5, 0, 1, 2] if joint.nv == 6 else [0])

    def _joint(self, name: str) -> Any:
        return self.model.joints[self.model.getJointId(name)]

    def state(self, q: Array, *vectors: Array) -> State:
        """A state of ours in its coordinates."""
        own = np.zeros(self.model.nq)
        for name, where in self.robot.q_index.items():
            joint, values = self._joint(name), q[where]
            if joint.nv == 6:
                values = values[[0, 1, 2, 4, 5, 6, 3]]
            elif joint.nq == 2:  # continuous joints are points of a circle there
                values = np.array([np.cos(values[0]), np.sin(values[0])])
            own[joint.idx_q : joint.idx_q + joint.nq] = values
        turned = [np.zeros(self.model.nv) for _ in vectors]
        for vector, values in zip(turned, vectors, strict=True):
            vector[self.order] = values
        return (own, *turned)

    def ours(self, q: Array) -> Array:
        """A configuration of its, of joints with one coordinate, in our order."""
        if self.model.nq != self.model.nv:
            raise Absent("some of its joints have more coordinates than rates")
        return np.asarray(q, float)[self.order]

    def function(self, question: Question) -> tuple[Any, State]:
        """What to call, and its arguments after q, v and the third."""
        pin = self.pin
        if question.kind is Kind.INVERSE:
            return pin.rnea, ()
        if question.kind is Kind.FORWARD:
            return pin.aba, (pin.Convention.WORLD,)
        return pin.constraintDynamics, self._rows(question.frame)

    def _rows(self, frame: str) -> State:
        """Six rows at a frame, in its own axes, no stabilisation, no regularisation, one iteration."""
        pin, model = self.pin, self.model
        if not model.existFrame(frame, pin.FrameType.BODY):
            raise Absent(f"it has no frame {frame}; name a link")
        at = model.frames[model.getFrameId(frame, pin.FrameType.BODY)]
        rows = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_6D, model, at.parentJoint, at.placement, pin.ReferenceFrame.LOCAL
        )
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        models.append(rows)
        datas.append(rows.createData())
        try:
            pin.initConstraintDynamics(model, self.data, models, datas)
        except TypeError:
            raise Absent("this release prepares constraints in another way; pip install 'pin>=4'") from None
        return models, datas, pin.ProximalSettings(1e-12, 0.0, 1)
