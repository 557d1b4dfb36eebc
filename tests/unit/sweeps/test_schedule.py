"""Sweeps as data: order enforced when a schedule is built, needs and gives enforced while it runs, the trace."""

import runpy
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.geometry import RigidInertia, SemanticError
from motionc.solvers.inverse_dynamics import accelerations
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.sweeps import INWARD, OUTWARD, ROOT, Problem, Schedule, breadth_first, depth_first, operation, sweep, walk
from mutants import tree
from oracle import error
from repository import REPOSITORY
from rows import row

EXAMPLES = REPOSITORY / "examples"


@row("motion-stack", 11)
def test_a_composite_in_the_wrong_order_is_refused_when_it_is_built() -> None:
    with pytest.raises(Error, match=r"twists needs 'pose', which nothing before it gives; put poses before it"):
        Schedule("wrong", (sweep(world_at_rest), sweep(twists, poses)))
    with pytest.raises(Error, match=r"accelerations needs 'classical_acceleration'"):
        Schedule("wrong", (sweep(world_at_rest), sweep(poses, twists, accelerations)))
    with pytest.raises(Error, match="walk different ways"):
        sweep(world_at_rest, poses)


@row("motion-stack", 11)
def test_a_state_nobody_has_computed_is_refused() -> None:
    @operation(OUTWARD, needs=["twist"], gives=["copy"])
    def copies(joint, parent, child):
        child["copy"] = child.twist

    # the root has a twist, the bodies do not
    schedule = Schedule("stale", (sweep(world_at_rest), sweep(copies)))
    with pytest.raises(SemanticError, match="before anything has computed it"):
        walk(schedule, tree(False).mechanism, Problem({}))


@pytest.mark.parametrize(("needs", "gives", "said"), [((), ("b",), "needs 'a'"), (("a",), ("c",), "gives 'b'")])
def test_an_operation_must_say_what_it_reads_and_writes(needs, gives, said) -> None:
    @operation(ROOT, gives=["a"])
    def start(graph, problem):
        graph.world["a"] = 1

    @operation(ROOT, needs=needs, gives=gives)
    def step(graph, problem):
        graph.world["b"] = graph.world["a"]

    with pytest.raises(SemanticError, match=said):
        walk(Schedule("silent", (sweep(start), sweep(step))), tree(False).mechanism, Problem({}))


@row("motion-stack", 13)
def test_a_users_operation_and_policy_plug_in_and_hold_no_state() -> None:
    """Each policy is followed, out and back in; what is left behind is the same."""
    visited: list[str] = []

    @operation(OUTWARD, gives=["depth"])
    def depths(joint, parent, child):
        visited.append(joint.name)
        child["depth"] = 1 + parent.get("depth", 0)

    @operation(INWARD, needs=["depth"], gives=["weight"])
    def weights(joint, parent, child):
        visited.append(joint.name)
        child["weight"] = 1 + child.get("weight", 0)
        parent["weight"] = child["weight"] + parent.get("weight", 0)

    def last_child_first(mechanism):
        order, stack = [], [-1]
        while stack:
            index = stack.pop()
            order += [index] if index >= 0 else []
            stack += [body.index for body in mechanism.bodies if body.parent == index]
        return order

    mechanism = tree(True).mechanism
    schedule = Schedule("mine", (sweep(depths), sweep(weights)))
    ways = {
        depth_first: ["root_joint", "shoulder", "reach", "wrist", "hip"],
        breadth_first: ["root_joint", "shoulder", "hip", "reach", "wrist"],
        last_child_first: ["root_joint", "hip", "shoulder", "reach", "wrist"],
    }
    for policy, way in [*ways.items()] * 2:
        visited.clear()
        states = walk(schedule, mechanism, Problem({}), policy=policy)
        assert [(state["depth"], state["weight"]) for state in states] == [(1, 5), (2, 3), (3, 2), (4, 1), (2, 1)]
        assert visited == [*way, *way[::-1]]


@pytest.mark.parametrize(("order", "said"), [([0], "every body"), ([3, 2, 1, 0], "before its parent")])
def test_a_policy_that_is_no_outward_order_is_refused(order, said) -> None:
    with pytest.raises(Error, match=said):
        walk(Schedule("fk", (sweep(poses),)), tree(False).mechanism, Problem({}), policy=lambda _: order)


@row("motion-stack", 12, 42)
def test_listing_2_5_prints_its_numbers_under_their_full_names(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "02_sweeps_step_by_step.py"))
    printed = capsys.readouterr().out
    joint1 = printed[printed.index("JOINT NAME Joint1") : printed.index("JOINT NAME Joint2")].splitlines()
    pose, twist = (
        "Pose((l2.Segment2.Link2,[L2.Segment2.Link2])|Segment2.Link2",
        "Twist(l2.Segment2.Link2|Segment2.Link2",
    )
    distal = next(line for line in joint1 if line.startswith(pose))
    assert ",(j2.Segment1.Link1,[J2.Segment1.Link1])|Segment1.Link1,[J2.Segment1.Link1]) with position" in distal
    assert "coordinates:[0.247487, 0.247487, 0]" in distal
    assert "[0.707107, -0.707107, 0; 0.707107, 0.707107, 0; 0, 0, 1]" in distal
    joint = next(line for line in joint1 if line.startswith("Twist(j3."))
    assert joint.startswith("Twist(j3.Segment2.Link2|Segment2.Link2,Segment1.Link1,[J2.Segment1.Link1])")
    assert "angularVelocity coordinates: [0, 0, 0.8555]" in joint
    tip = next(line for line in joint1 if line.startswith(twist))
    assert tip.startswith(f"{twist},Segment1.Link1,[L2.Segment2.Link2]) with linearVelocity coordinates:[")
    assert ", 0.299425, 0] and angularVelocity coordinates: [0, 0, 0.8555]" in tip


@row("motion-stack", 42)
def test_a_trace_lists_operation_joint_relation_and_numbers_and_can_be_diffed() -> None:
    computation = mc.inverse_dynamics(mc.load("planar2"))
    question = ([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    traces: list[list[str]] = [[], []]
    for lines in traces:
        computation.run(*question, trace=lines.append)
    assert traces[0] == traces[1]
    assert "JOINT NAME elbow" in traces[0]
    assert "Inside twists" in traces[0]
    assert any(line.startswith("Twist(elbow:child.forearm|forearm,world") for line in traces[0])


@row("motion-stack", 14)
def test_compose_is_resolved_by_type_and_mixed_kinds_are_refused() -> None:
    """Poses multiply, twists and inertias add up, schedules are fused; against Pinocchio's SE3, Motion and Inertia."""
    mechanism, q, v = tree(False).mechanism, np.array([[0.3], [-0.8], [0.2], [1.1]]), np.ones((4, 1))
    fk = Schedule("fk", (sweep(world_at_origin, world_at_rest), sweep(poses, world_poses, twists)))
    graph = walk(fk, mechanism, Problem({"q": q, "v": v}))
    pose, twist, inertia = graph[1].pose, graph[1].twist, mechanism.bodies[1].inertia

    whole = graph[0].pose.compose(pose)
    product = pin.SE3(graph[0].pose.matrix) * pin.SE3(pose.matrix)
    assert error(whole.matrix, product.homogeneous) < 1e-14

    further = replace(twist, of=graph[2].body, wrt=twist.of)
    total = twist.compose(further).six("linear first").values[:, 0]
    assert error(total, 2 * pin.Motion(twist.linear[:, 0], twist.angular[:, 0]).vector) < 1e-14

    inertias = [graph.mechanism.bodies[k].inertia for k in (1, 2)]
    other = replace(inertias[1], of=inertia.of, point=inertia.point, as_seen_by=inertia.as_seen_by)
    assert error(ten_numbers(inertia + other), (theirs(inertia) + theirs(other)).toDynamicParameters()) < 1e-14

    composed = {
        pose: pose.compose,
        twist: twist.compose,
        inertia: inertia.__add__,
        fk: fk.__add__,
    }
    assert (fk + fk).operations == fk.operations
    for one, compose in composed.items():
        for other in composed:
            if one is not other:
                with pytest.raises(Error, match=rf"{type(other).__name__} is not an? |is an? {type(other).__name__}"):
                    compose(other)


def ten_numbers(inertia: RigidInertia) -> np.ndarray:
    """Mass, first moment, xx, xy, yy, xz, yz, zz."""
    moments = inertia.rotational[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([inertia.mass.ravel(), inertia.first_moment.ravel(), moments])


def theirs(inertia: RigidInertia) -> pin.Inertia:
    return pin.Inertia.FromDynamicParameters(ten_numbers(inertia))
