"""A control law as an operation between the sweeps: a PD in task space, rows switched by its mode, one program."""

import numpy as np

import motionc as mc

S = mc.schedules


@mc.operation(mc.ROOT, needs=["held_rows", "world_pose", "twist"], gives=["asked_rows"])
def reach(graph, problem):
    """b = K e - D ẏ: along each row to where T is, as fast as the gains say."""
    (hold,) = graph.world.held_rows
    missing, moving = hold.displacement(graph).along(hold.at_point), hold.moving(graph)
    K, D = (problem.rows("gains", slice(k, k + 1)) for k in (0, 1))
    graph.world.asked_rows = (hold.asks(K * missing.values - D * moving.values),)


robot = mc.load("lwr4")
cycle = mc.solve(
    robot,
    S.CONSTRAINED_DYNAMICS.replacing("ask_rows", reach) + mc.sweep(S.clip),
    outputs={"tau": "commanded", "force": "constraint_forces"},
    inputs=["q", "v", "tau", mc.Port("gains", (2,), "1/s², 1/s", "K and D"), "activation"],
    constraints=[mc.Constraint("link_7", "xyz", wrt="T", as_seen_by="T")],
    given_frames={"T": "world"},
    activation=True,
    limits="robot",
    name="reach",
)
print(cycle)
print(f"{sum(cycle.operations.values())} operations for kinematics, control law, dynamics and limits")

# what motors make anyway: the arm floats, and what rows leave free comes to rest
plant, gravity = mc.forward_dynamics(robot), mc.gravity_forces(robot)
tip = mc.forward_kinematics(robot, "link_7")
q, v, dt = np.array([0.2, 0.5, 0.1, -1.2, 0.3, 0.6, 0.0]), np.zeros(7), 1e-3
T = tip(q)[0] @ mc.placed((0.1, -0.15, 0.05), (0.3, 0.2, 0.1))


def miss(configuration):
    """Where the tip is, as T sees it."""
    return T[:3, :3].T @ (tip(configuration)[0, :3, 3] - T[:3, 3])


print("in the axes of T it is", (1e3 * miss(q)).round(1), "mm away")
for step in range(1500):
    # y is left free for half a second, then taken in without a jump
    on = np.array([1.0, np.clip((step - 500) / 200, 0.0, 1.0), 1.0])
    out = cycle(q, v, gravity(q) - 3.0 * v, [64.0, 16.0], on, T)
    v = v + dt * plant(q, v, out.tau)
    q = robot.integrate(q, v, dt)
    if step == 499:
        print("after 0.5 s without y", (1e3 * miss(q)).round(1), "mm")
print("after 1.5 s", (1e3 * miss(q)).round(1), "mm")
