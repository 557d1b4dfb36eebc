"""Solvers a user might write, from `import motionc as mc` alone: the textbook's page, as operations and one call."""

import motionc as mc

# ---------------------------------------------------------------- recursive Newton–Euler


@mc.operation(mc.ROOT, gives="classical_acceleration")
def hold_the_world(graph, problem):
    graph.world.classical_acceleration = problem.free_fall().inverse()


@mc.operation(mc.OUTWARD, needs=["pose", "twist", "classical_acceleration"], gives=["classical_acceleration", "wrench"])
def newton_euler(joint, parent, child):
    X, S, V = child.pose, joint.basis, child.twist
    carried = parent.classical_acceleration.change_point(X.position, parent.twist).change_frame(X.orientation.inverse())
    locked = carried.compose(V.classical_bias(S.times(joint.velocity)))
    A = child.classical_acceleration = locked.driven(S.times(joint.acceleration))
    child.wrench = joint.inertia.required_wrench(A, V).exerted_by(parent.body)


@mc.operation(mc.INWARD, needs=["pose", "wrench"], gives=["wrench", "joint_force"])
def hand_down(joint, parent, child):
    child.joint_force = joint.basis.pair(child.wrench) + joint.rotor_force
    X, F = child.pose, child.wrench.change_frame(child.pose.orientation)
    if not parent.is_world:
        parent.wrench = parent.wrench.without(F.change_point(X.position.inverse()).inverse())


NEWTON_EULER = mc.schedules.TWISTS + mc.sweep(hold_the_world) + mc.sweep(newton_euler) + mc.sweep(hand_down)


def inverse_dynamics(robot: mc.Robot) -> mc.Computation:
    return mc.solve(robot, NEWTON_EULER, outputs={"tau": "joint_force"}, name="newton_euler")


# ---------------------------------------------------------------- articulated bodies


@mc.operation(mc.OUTWARD, needs="twist", gives=["bias_acceleration", "bias", "inertia"])
def start(joint, parent, child):
    V, H = child.twist, joint.inertia
    child.bias_acceleration = V.spatial_bias(joint.basis.times(joint.velocity))
    child.bias, child.inertia = (H @ V).rate(V).articulated(), H.articulated()


@mc.operation(mc.INWARD, needs=["pose", "bias_acceleration"], gives=["inertia", "bias", "projector"])
def articulate(joint, parent, child):
    X = child.pose
    P = child.projector = child.inertia.projector(joint.basis, joint.rotor)
    H_a = P @ child.inertia
    F_a = P.wrench(child.bias, joint.force) + H_a @ child.bias_acceleration
    if not parent.is_world:
        parent.inertia = parent.inertia + H_a.change_frame(X.orientation).change_point(X.position.inverse())
        parent.bias = parent.bias + F_a.change_frame(X.orientation).change_point(X.position.inverse())


@mc.operation(mc.ROOT, gives="acceleration")
def let_fall(graph, problem):
    graph.world.acceleration = problem.free_fall_field().inverse()


@mc.operation(
    mc.OUTWARD,
    needs=["pose", "acceleration", "bias_acceleration", "bias", "inertia", "projector"],
    gives=["acceleration", "joint_acceleration"],
)
def accelerate(joint, parent, child):
    X, S = child.pose, joint.basis
    carried = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    locked = carried.compose(child.bias_acceleration)
    left = joint.force - S.pair(child.bias) - S.pair(child.inertia @ locked)
    child.joint_acceleration = child.projector.inertia.solve(left)
    child.acceleration = locked.driven(S.times(child.joint_acceleration))


ARTICULATED_BODIES = (
    mc.schedules.TWISTS + mc.sweep(start) + mc.sweep(articulate) + mc.sweep(let_fall) + mc.sweep(accelerate)
)


def forward_dynamics(robot: mc.Robot) -> mc.Computation:
    return mc.solve(robot, ARTICULATED_BODIES, outputs={"a": "joint_acceleration"}, name="articulated_bodies")


# ---------------------------------------------------------------- a Jacobian, column by column


@mc.operation(mc.OUTWARD, needs=["pose", "motion_columns"], gives="motion_columns")
def collect_columns(joint, parent, child):
    X = child.pose
    carried = parent.motion_columns.change_point(X.position).change_frame(X.orientation.inverse())
    child.motion_columns = carried.compose(joint.basis)


def jacobian(robot: mc.Robot, frame: str) -> mc.Computation:
    start = mc.schedules.INNOVATIONS["world_is_still"]
    schedule = mc.schedules.POSES + mc.sweep(start) + mc.sweep(collect_columns)
    return mc.solve(robot, schedule, outputs={"J": mc.Output("motion_columns", of=frame)}, name="columns")


def every_solver(robot: mc.Robot, frame: str) -> list[mc.Computation]:
    return [inverse_dynamics(robot), forward_dynamics(robot), jacobian(robot, frame)]
