"""PyKDL: recursive Newton-Euler on a serial arm, the one kind of dynamics that it has in Python."""

from importlib import import_module
from typing import Any

import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, calls
from motionc.model import JointType, Robot
from peers.fused import FusedBody, floats, fused_bodies

GRAVITY = (0.0, 0.0, -9.81)


def enter(question: Question) -> Contender:
    """Arrays and wrenches are made beforehand; one call is CartToJnt."""
    try:
        kdl = import_module("PyKDL")
    except ImportError:
        raise Absent("PyKDL is not installed; Debian calls it python3-pykdl") from None
    if question.kind in (Kind.JACOBIAN, Kind.MASS):
        return _matrices(kdl, question)
    if question.kind is not Kind.INVERSE:
        raise Absent(f"it has no {question.kind} in Python")
    chain = _chain(kdl, question.robot)
    solver = kdl.ChainIdSolver_RNE(chain, kdl.Vector(*GRAVITY))
    wrenches = [kdl.Wrench.Zero() for _ in range(chain.getNrOfSegments())]
    found = kdl.JntArray(question.robot.nv)
    states = [(*(joint_array(kdl, values) for values in state), wrenches, found) for state in question.states]

    def answers() -> Array:
        rows: list[list[float]] = []
        for state in states:
            solver.CartToJnt(*state)
            rows.append([found[k] for k in range(chain.getNrOfJoints())])  # the solver does not keep its chain
        return np.array(rows)

    return Contender(len(states), calls(solver.CartToJnt, states), answers)


def _matrices(kdl: Any, question: Question) -> Contender:
    """The Jacobian of a frame, or the mass matrix."""
    robot, turned = question.robot, question.kind is Kind.JACOBIAN
    chain = chain_to(kdl, robot, question.frames[0]) if turned else _chain(kdl, robot)
    nv = chain.getNrOfJoints()
    if turned:
        solver, found = kdl.ChainJntToJacSolver(chain), kdl.Jacobian(nv)
        function, order = solver.JntToJac, [3, 4, 5, 0, 1, 2]  # linear first
    else:
        solver, found = kdl.ChainDynParam(chain, kdl.Vector(*GRAVITY)), kdl.JntSpaceInertiaMatrix(nv)
        function, order = solver.JntToMass, list(range(nv))
    states = [(joint_array(kdl, q), found) for (q,) in question.states]

    def answers() -> Array:
        rows: list[list[float]] = []
        for state in states:
            function(*state)
            rows.append([found[i, j] for i in order for j in range(chain.getNrOfJoints())])
        return np.array(rows)

    return Contender(len(states), calls(function, states), answers)


def joint_array(kdl: Any, values: Array) -> Any:
    array = kdl.JntArray(len(values))
    for k, value in enumerate(values):
        array[k] = float(value)
    return array


def _chain(kdl: Any, robot: Robot) -> Any:
    if floats(robot):
        raise Absent("it has no floating base")
    bodies = fused_bodies(robot)
    if [body.parent for body in bodies] != list(range(-1, len(bodies) - 1)):
        raise Absent("it has dynamics of serial chains alone")
    chain = kdl.Chain()
    for body in bodies:
        chain.addSegment(_segment(kdl, body))
    return chain


def chain_to(kdl: Any, robot: Robot, frame: str) -> Any:
    """The chain that ends in a frame of its last body."""
    body, pose = robot.mechanism.frames[frame]
    if body != len(robot.mechanism.bodies) - 1:
        raise Absent(f"its chains end where joints end; {frame} does not move with the last of them")
    chain = _chain(kdl, robot)
    chain.addSegment(kdl.Segment(frame, kdl.Joint(frame, kdl.Joint.Fixed), _frame(kdl, pose.matrix)))
    return chain


def _frame(kdl: Any, pose: Array) -> Any:
    return kdl.Frame(kdl.Rotation(*map(float, pose[:3, :3].ravel())), kdl.Vector(*map(float, pose[:3, 3])))


def _segment(kdl: Any, body: FusedBody) -> Any:
    """A link behind its joint; both stand where the joint is at q = 0."""
    R, I, tip = body.pose[:3, :3], body.inertia, _frame(kdl, body.pose)
    kind = kdl.Joint.TransAxis if body.type is JointType.PRISMATIC else kdl.Joint.RotAxis
    axis = kdl.Vector(*map(float, R[:, 2]))
    joint = kdl.Joint(body.name, tip.p, axis, kind, 1.0, 0.0, body.rotor)
    moments = kdl.RotationalInertia(*map(float, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])))
    return kdl.Segment(
        body.name, joint, tip, kdl.RigidBodyInertia(body.mass, kdl.Vector(*map(float, body.com)), moments)
    )
