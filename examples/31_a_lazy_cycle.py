"""A lazy control cycle as one schedule: look ahead, tolerate, adapt, ask; in one C loop with the arm that it moves.

The tip of an arm comes into a tube around the x axis of a frame T, and goes along it. What will be missing in a while
is judged by its sign alone, a bias and a gain adapt to it (ABAG), and the command becomes an acceleration at one place.
Rotation is not mentioned: it is free.
"""

import numpy as np

import motionc as mc
from motionc.geometry import Command, Duration, RowAmounts
from motionc.geometry.control_words import dead_zone, hysteresis, magnitude, sign, step, within
from motionc.geometry.coordinates import above

S = mc.schedules
HORIZON, TUBE, SPEED = Duration.of(2.5, "s"), 0.01, 0.05
# of rows x, y, z: what of the past counts, which error is ignored, how bias and gain grow, the most that is asked
PAST = np.array([[0.3], [0.5], [0.5]])
IGNORED, BIAS = np.array([[0.15], [0.03], [0.03]]), np.array([[4e-4], [2e-4], [2e-4]])
PANIC, GAIN = np.array([[0.7], [0.8], [0.8]]), np.array([[3e-3], [2e-3], [2e-3]])
MOST = np.array([[30.0], [10.0], [10.0]])


@mc.operation(mc.ROOT, needs=["held_rows", "world_pose", "twist"], gives=["moving", "missing", "cruising"])
def look_ahead(graph, problem):
    """What will be missing after the horizon; whether the tip is in the tube, from 0.95 of it on, until beyond it."""
    (hold,) = graph.world.held_rows
    now = hold.displacement(graph).along(hold.at_point)
    graph.world["moving"] = hold.moving(graph)
    graph.world["missing"] = now.after(graph.world["moving"], HORIZON)
    away = now.values[1:2, :] ** 2 + now.values[2:, :] ** 2
    graph.world["cruising"] = hysteresis(problem.rows("mode", slice(0, 1)), -away, -((0.95 * TUBE) ** 2), -(TUBE**2))


@mc.operation(mc.ROOT, needs=["moving", "missing", "cruising"], gives=["asked_rows", "abag"])
def adapt(graph, problem):
    """u = bias + gain sign(e), where signs of errors, low-passed, turn bias and gain up and down."""
    on, missing, moving = (graph.world[name] for name in ("cruising", "missing", "moving"))
    # along x a speed is kept; across it the tube is tolerated as soon as the tip is inside
    pace = on * SPEED - moving.values[:1, :]
    signs = sign(above(pace, dead_zone(missing.values[1:, :], on * TUBE)))
    past, bias, gain = (problem.rows("adapted", slice(3 * k, 3 * k + 3)) for k in range(3))
    past = PAST * past + (1 - PAST) * signs
    bias = within(bias + BIAS * sign(past) * step(magnitude(past), IGNORED), -1.0, 1.0)
    gain = within(gain + GAIN * sign(magnitude(past) - PANIC), 0.0, 1.0)
    command = Command(missing.along, missing.wrt, bias + gain * signs).within()
    graph.world.asked_rows = (command.scaled(RowAmounts.of(command.rows, MOST, "m/s²")),)
    graph.world["abag"] = above(above(past, bias), gain)


robot = mc.load("lwr4")
cycle = mc.solve(
    robot,
    S.CONSTRAINED_DYNAMICS.replacing("ask_rows", look_ahead, adapt) + mc.sweep(S.clip),
    outputs={"tau_command": "commanded", "mode": "cruising", "adapted": "abag"},
    inputs=[
        "q",
        "v",
        "tau",
        mc.State("mode", (), "1", "0 on the way, 1 in the tube"),
        mc.State("adapted", (9,), "1", "…"),
    ],
    constraints=[mc.Constraint("link_7", "xyz", wrt="T", as_seen_by="T")],
    given_frames={"T": "world"},
    limits="robot",
    name="lazy_cycle",
)
print(cycle)
print(f"{sum(cycle.operations.values())} operations: kinematics, control, machine, dynamics, limits")

# what motors make anyway: the arm floats, and what rows leave free comes to rest
q_, v_, tau_ = mc.forward_dynamics(robot).inputs
gravity = mc.gravity_forces(robot)
rest = mc.block("rest", lambda v, g: {"tau": g - 3.0 * v}, [v_, gravity.outputs[0]], [tau_])
loop = mc.loop(
    [gravity, rest, cycle, mc.step(robot, 1 / 630, friction=True)],
    feeds={"step.tau": "tau_command"},
    feedback={"q": "q_next", "v": "v_next"},
    held=["T"],
    log={"q": 63, "mode": 63},
    period=1 / 630,
    name="lazy",
)
tip = mc.forward_kinematics(robot, "link_7")
q = np.array([0.2, 0.5, 0.1, -1.2, 0.3, 0.6, 0.0])
T = tip(q)[0] @ mc.placed((0.1, 0.04, -0.05), (0.3, 0.2, 0.1))
run = loop(q=q, v=np.zeros(7), T=T, seconds=8.0)
there = np.array([T[:3, :3].T @ (tip(each)[0, :3, 3] - T[:3, 3]) for each in run.q])
across, inside = np.hypot(there[:, 1], there[:, 2]), run.mode > 0
print(f"{1e3 * across[0]:.0f} mm beside the tube's axis; inside after {run.time[np.argmax(inside)]:.1f} s")
speed = np.diff(there[inside, 0]) / 0.1
print(f"from then on at most {1e3 * across[inside].max():.1f} mm, {np.median(speed):.3f} m/s along it")
