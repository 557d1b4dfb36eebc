"""Drake on the same fused links: inverse and forward dynamics and the mass matrix, setting the state included."""

from collections.abc import Callable
from importlib import import_module
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, calls
from motionc.model import JointType, Robot
from peers.fused import FusedBody, floats, fused_bodies


def enter(question: Question) -> Contender:
    """One call sets the state and asks; forces are those of gravity."""
    try:
        plants, trees = import_module("pydrake.multibody.plant"), import_module("pydrake.multibody.tree")
        parsing = import_module("pydrake.multibody.parsing")
    except ImportError:
        raise Absent("drake is not installed; pip install drake") from None
    if question.kind not in (Kind.INVERSE, Kind.MASS, Kind.FORWARD):
        raise Absent("its inverse and forward dynamics and its mass matrix are compared")
    if floats(question.robot):
        raise Absent("its floating base has other coordinates, which are not compared")
    plant: Any = plants.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(fused_urdf(question.robot), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    function = _function(plant, plant.CreateDefaultContext(), trees.MultibodyForces(plant), question.kind)
    return Contender(
        len(question.states),
        calls(function, question.states),
        lambda: np.array([np.ravel(function(*state)) for state in question.states]),
    )


def _function(plant: Any, context: Any, forces: Any, kind: Kind) -> Callable[..., Array]:
    def inverse(q: Array, v: Array, a: Array) -> Array:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces.SetZero()
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, a, forces)

    def mass(q: Array) -> Array:
        plant.SetPositions(context, q)
        return plant.CalcMassMatrix(context)

    applied = plant.get_applied_generalized_force_input_port()

    def forward(q: Array, v: Array, tau: Array) -> Array:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        applied.FixValue(context, tau)
        return plant.get_generalized_acceleration_output_port().Eval(context).copy()

    return {Kind.INVERSE: inverse, Kind.MASS: mass}.get(kind, forward)


def fused_urdf(robot: Robot) -> str:
    """The moving bodies alone, each about or along its own z, for those who read files."""
    bodies = fused_bodies(robot)
    lines = [f"<robot name={quoteattr(robot.name)}>", '<link name="base"/>']
    for number, body in enumerate(bodies):
        lines += [_link(number, body), _joint(number, body)]
    return "\n".join([*lines, "</robot>"])


def _link(number: int, body: FusedBody) -> str:
    I, com = body.inertia, " ".join(map(repr, body.com.tolist()))
    names = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
    moments = " ".join(f'{name}="{float(I[i, j])!r}"' for name, i, j in names)
    return (
        f'<link name="body_{number}"> <inertial> <origin xyz="{com}"/> <mass value="{body.mass!r}"/> '
        f"<inertia {moments}/> </inertial> </link>"
    )


def _joint(number: int, body: FusedBody) -> str:
    """Drake reads reflected inertia from its own tags, with a gear of one."""
    R, kind = body.pose[:3, :3], "prismatic" if body.type is JointType.PRISMATIC else "continuous"
    pitch = -np.arcsin(np.clip(R[2, 0], -1, 1))
    roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    if abs(R[2, 0]) > 1 - 1e-12:  # turned by a quarter about y: one of the other two angles is enough
        roll, yaw = 0.0, np.arctan2(-R[0, 1], R[1, 1])
    rpy = " ".join(repr(float(angle)) for angle in (roll, pitch, yaw))
    xyz = " ".join(map(repr, body.pose[:3, 3].tolist()))
    parent = "base" if body.parent < 0 else f"body_{body.parent}"
    limit = '<limit lower="-1e3" upper="1e3" effort="1e6" velocity="1e6"/>'
    return (
        f'<joint name="joint_{number}" type="{kind}"> <parent link="{parent}"/> <child link="body_{number}"/> '
        f'<origin xyz="{xyz}" rpy="{rpy}"/> <axis xyz="0 0 1"/> {limit} </joint>\n'
        f'<transmission name="motor_{number}"> <type>transmission_interface/SimpleTransmission</type> '
        f'<joint name="joint_{number}"> <hardwareInterface>EffortJointInterface</hardwareInterface> </joint> '
        f'<actuator name="motor_{number}"> <drake:rotor_inertia value="{body.rotor!r}"/> '
        f'<drake:gear_ratio value="1"/> </actuator> </transmission>'
    )
