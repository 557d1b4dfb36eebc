"""Sweeps as data: order enforced when a schedule is built, needs and gives enforced while it runs, the trace."""

import runpy

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.geometry import SemanticError
from motionc.solvers.inverse_dynamics import accelerations
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.sweeps import INWARD, OUTWARD, ROOT, Problem, Schedule, breadth_first, depth_first, operation, sweep, walk
from mutants import tree
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
    @operation(OUTWARD, gives=["depth"])
    def depths(joint, parent, child):
        child["depth"] = 1 + parent.get("depth", 0)

    @operation(INWARD, needs=["depth"], gives=["weight"])
    def weights(joint, parent, child):
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
    found = [
        [(state["depth"], state["weight"]) for state in walk(schedule, mechanism, Problem({}), policy=policy)]
        for policy in (depth_first, breadth_first, last_child_first, depth_first)
    ]
    assert found[0] == [(1, 5), (2, 3), (3, 2), (4, 1), (2, 1)]
    assert all(states == found[0] for states in found)


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
    mechanism = tree(False).mechanism
    graph = walk(
        Schedule("fk", (sweep(world_at_origin, world_at_rest), sweep(poses, world_poses, twists))),
        mechanism,
        Problem({"q": np.zeros((4, 1)), "v": np.ones((4, 1))}),
    )
    pose, twist = graph[1].pose, graph[1].twist
    assert type(graph[0].pose.compose(pose)) is type(pose)
    for left, right in ((pose, twist), (twist, pose)):
        with pytest.raises((SemanticError, AttributeError)):
            left.compose(right)
