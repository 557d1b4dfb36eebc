"""How cost grows: with joints, on serial chains that Pinocchio reads too, and with the size of a batch."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionc.benchmark.report import SCALAR, Report, Tell
from motionc.benchmark.timing import ROUNDS, Array, Contender, measure, one_core
from motionc.errors import Error
from motionc.model import Attachment, Joint, JointType, KinematicChain, Link, Robot, Role, Segment, placed
from motionc.runtime import Computation
from peers.compare import PINOCCHIO, compare

JOINTS = (5, 10, 20, 50, 100, 200)
BATCHES = (1, 8, 64, 1000, 10_000, 100_000, 1_000_000)

# ---------------------------------------------------------------- joints

AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
LENGTH, MASS, COM, INERTIA = 0.1, 1.0, (0.01, 0.02, 0.05), (0.01, 0.01, 0.005)


def serial_chain(joints: int) -> Robot:
    """Equal links, one above the other, that turn about z, y and x in turn."""
    below = Segment("link_0", Link.rigid("link_0"), (Attachment("link_0:end", Role.JOINT),))
    made: list[Joint] = []
    for k in range(joints):
        name = f"link_{k + 1}"
        ends = (Attachment(f"{name}:start", Role.JOINT), Attachment(f"{name}:end", Role.JOINT, placed((0, 0, LENGTH))))
        above = Segment(name, Link.rigid(name, MASS, COM, INERTIA), ends)
        target, reference = (above, f"{name}:start"), (below, f"{below.name}:end")
        made.append(Joint(f"joint_{k}", JointType.REVOLUTE, target, reference, AXES[k % 3]))
        below = above
    return Robot(KinematicChain(f"chain{joints}", tuple(made)))


def serial_urdf(joints: int) -> str:
    """The same chain as others read it."""
    x, y, z = COM
    ixx, iyy, izz = INERTIA
    inertial = (
        f'<inertial> <origin xyz="{x} {y} {z}"/> <mass value="{MASS}"/> '
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/> </inertial>'
    )
    lines = [f'<robot name="chain{joints}">', '<link name="link_0"/>']
    for k in range(joints):
        axis, height = " ".join(map(str, AXES[k % 3])), LENGTH if k else 0
        lines += [
            f'<link name="link_{k + 1}"> {inertial} </link>',
            f'<joint name="joint_{k}" type="revolute"> <origin xyz="0 0 {height}"/> <axis xyz="{axis}"/>',
            f'  <parent link="link_{k}"/> <child link="link_{k + 1}"/>',
            '  <limit lower="-3.14" upper="3.14" effort="1" velocity="1"/> </joint>',
        ]
    return "\n".join([*lines, "</robot>"])


def with_joints(joints: int, rounds: int = ROUNDS, tell: Tell = lambda _: None) -> Report:
    """One chain, ours in C and Pinocchio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "chain.urdf")
        path.write_text(serial_urdf(joints), encoding="utf-8")
        # blocks of about the same length
        states = int(np.clip(5000 // joints, 32, 256))
        names = (SCALAR, PINOCCHIO)
        return compare(serial_chain(joints), path, rounds=rounds, names=names, states=states, tell=tell)


# ---------------------------------------------------------------- batches


@dataclass(frozen=True, slots=True)
class BatchTiming:
    """Nanoseconds a state in a batch of that many, with arrays (N, n) and (n, N)."""

    states: int
    rows: float
    columns: float


def with_states(
    computation: Computation, sizes: Sequence[int] = BATCHES, tell: Tell = lambda _: None
) -> list[BatchTiming]:
    """One thread, both layouts."""
    rng = np.random.default_rng(0)
    found: list[BatchTiming] = []
    for size in sizes:
        tell(f"{computation.name}, {size} states")
        rows = [rng.uniform(-1, 1, (size, port.size)) for port in computation.inputs]
        columns = [np.ascontiguousarray(array.T) for array in rows]
        pair = {"rows": _batches(computation, rows, 0), "columns": _batches(computation, columns, -1)}
        rounds = int(np.clip(2e7 / size, 20, ROUNDS))
        with one_core():
            first, second = measure(f"{computation.name}, {size} states", pair, rounds)
        if first.microseconds is None or second.microseconds is None:
            raise Error(f"{second.question}, arrays (n, N): {second.note}")
        found.append(BatchTiming(size, 1000 * first.microseconds, 1000 * second.microseconds))
    return found


def _batches(computation: Computation, inputs: list[Array], axis: int) -> Contender:
    def run() -> Array:
        return computation.batch(*inputs, axis=axis, threads=1)

    return Contender(inputs[0].shape[axis], run, lambda: np.moveaxis(run(), axis, 0))
