"""PyKDL: recursive Newton-Euler on a serial arm, the one kind of dynamics that it has in Python."""

from importlib import import_module
from typing import Any

import numpy as np

from motionc.benchmark.fused import FusedBody, floats, fused_bodies
from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, calls
from motionc.model import JointType, Robot

GRAVITY = (0.0, 0.0, -9.81)


def enter(question: Question) -> Contender:
    """Arrays and wrenches are made beforehand; one call is CartToJnt."""
    try:
        kdl = import_module("PyKDL")
    except ImportError:
        raise Absent("PyKDL is not installed; Debian calls it python3-pykdl") from None
    if question.kind is not Kind.INVERSE:
        raise Absent(f"it has no {question.kind.split(',')[0]} in Python")
    chain = _chain(kdl, question.robot)
    solver = kdl.ChainIdSolver_RNE(chain, kdl.Vector(*GRAVITY))
    wrenches = [kdl.Wrench.Zero() for _ in range(chain.getNrOfSegments())]
    found = kdl.JntArray(question.robot.nv)
    states = [(*(_array(kdl, values) for values in state), wrenches, found) for state in question.states]

    def answers() -> Array:
        rows: list[list[float]] = []
        for state in states:
            solver.CartToJnt(*state)
            rows.append([found[k] for k in range(chain.getNrOfJoints())])  # the solver does not keep its chain
        return np.array(rows)

    return Contender(len(states), calls(solver.CartToJnt, states), answers)


def _array(kdl: Any, values: Array) -> Any:
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


def _segment(kdl: Any, body: FusedBody) -> Any:
    """A link behind its joint; both stand where the joint is at q = 0."""
    R, p, I = body.pose[:3, :3], body.pose[:3, 3], body.inertia
    tip = kdl.Frame(kdl.Rotation(*map(float, R.ravel())), kdl.Vector(*map(float, p)))
    kind = kdl.Joint.TransAxis if body.type is JointType.PRISMATIC else kdl.Joint.RotAxis
    axis = kdl.Vector(*map(float, R[:, 2]))
    joint = kdl.Joint(body.name, tip.p, axis, kind, 1.0, 0.0, body.rotor)
    moments = kdl.RotationalInertia(*map(float, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])))
    return kdl.Segment(
        body.name, joint, tip, kdl.RigidBodyInertia(body.mass, kdl.Vector(*map(float, body.com)), moments)
    )
