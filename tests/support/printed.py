"""Popov and Vereshchagin's recursion as the books print it, for one serial arm, with its printed mistakes to switch on.

Spatial vectors, angular first, at the world's origin in world axes, so that no transform stands between two links
(specs/lazy-control.md §2.3, specs/motion-stack.md §2.13). Geometry is read off Pinocchio; nothing here calls a solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import motionc as mc
from all_joints import JointByJoint, Kind, Piece, build, random_tree
from oracle import Array


@dataclass(frozen=True)
class Solved:
    a: Array
    nu: Array
    tau: Array
    """-Jᵀ A_N ν, which makes the motion."""
    tau_projected: Array
    """-Sᵀ A_i ν, which the books call the torque."""


class Arm:
    """A serial arm of revolute joints with random links, for us (`robot`), for Pinocchio (`world`), and here."""

    def __init__(self, seed: int, rotor: float = 0.0, joints: int = 7) -> None:
        geared = {"transmission": mc.Transmission(rotor_inertia=rotor)}
        self.pieces: list[Piece] = [
            replace(piece, parent=k - 1, joint={"type": Kind.REVOLUTE, "axis": piece.joint.get("axis")} | geared)
            for k, piece in enumerate(random_tree(seed, [Kind.REVOLUTE] * joints))
        ]
        self.robot = build(self.pieces)
        self.world = JointByJoint(self.pieces, self.robot)
        self.tip, self.rotor = self.pieces[-1].name, rotor
        rng = np.random.default_rng(100 + seed)
        self.q, self.rng = self.robot.random(rng), rng
        self.v, self.tau = rng.normal(size=(2, joints))
        self.place(self.q, self.v)

    def place(self, q: Array, v: Array) -> None:
        self.q, self.v = q, v
        self.world.place(q, v)

    def wrenches(self, rows: Array) -> Array:
        """Columns (n; f) at the tip's origin in world axes, moved to the world's origin."""
        return np.vstack([rows[:3] + np.cross(self.world.pose(self.tip)[:3, 3], rows[3:], axis=0), rows[3:]])

    def axes(self) -> list[Array]:
        """A screw for each joint."""
        found = []
        for piece in self.pieces[1:]:
            frame = self.world.pose(f"joint:to_{piece.name}")
            axis = frame[:3, :3] @ (np.array(piece.joint["axis"]) / np.linalg.norm(piece.joint["axis"]))
            found.append(np.append(axis, np.cross(frame[:3, 3], axis)))
        return found

    def inertias(self) -> list[Array]:
        found = []
        for piece in self.pieces[1:]:
            pose = self.world.pose(piece.name)
            C, I = hat((pose @ [*piece.com, 1])[:3]), pose[:3, :3] @ piece.inertia @ pose[:3, :3].T
            m = piece.mass
            found.append(np.block([[I - m * C @ C, m * C], [-m * C, m * np.eye(3)]]))
        return found

    def solve(
        self, rows: Array, b: Array, tau: Array, *, gravity: Sequence[float] = (0, 0, -9.81), shift: float = -1.0
    ) -> Solved:
        """For rows (6, m) of the tip's spatial acceleration in world axes; U_N = shift · A_Nᵀ Ẍ₀, -1 if b is true."""
        A = self.wrenches(rows)
        base = np.append(np.zeros(3), -np.array(gravity, float))
        axes, inertias, n = self.axes(), self.inertias(), len(self.v)

        # outward: velocities, and what they make
        twist, biases, forces = np.zeros(6), [], []
        for S, I, rate in zip(axes, inertias, self.v, strict=True):
            twist = twist + S * rate
            biases.append(crossed(twist) @ S * rate)
            forces.append(-crossed(twist).T @ I @ twist)

        # inward: articulated inertia and force, rows, and what they reach already
        H, F, U, L = np.zeros((6, 6)), np.zeros(6), shift * A.T @ base, np.zeros((len(b), len(b)))
        kept = []
        unprojected = A
        for k in reversed(range(n)):
            S, H, F = axes[k], H + inertias[k], F + forces[k]
            D = self.rotor + S @ H @ S
            rest = tau[k] - S @ (F + H @ biases[k])
            kept.append((S, D, H, F, A, biases[k]))
            U, L = U + A.T @ (biases[k] + S * rest / D), L - np.outer(A.T @ S, A.T @ S) / D
            P = np.eye(6) - np.outer(H @ S, S) / D
            H, F, A = P @ H, P @ (F + H @ biases[k]) + H @ S * tau[k] / D, P @ A

        # at the base, and outward again
        nu = np.linalg.solve(L, b - A.T @ base - U)
        a, acceleration, projected = [], base, []
        for k, (S, D, H, F, A, bias) in enumerate(reversed(kept)):
            projected.append(-S @ A @ nu)
            a.append((tau[k] - S @ (F + H @ (acceleration + bias)) + projected[-1]) / D)
            acceleration = acceleration + S * a[-1] + bias
        return Solved(np.array(a), nu, np.array([-S @ unprojected @ nu for S in axes]), np.array(projected))


def hat(a: Array) -> Array:
    return np.cross(np.eye(3), a)


def crossed(twist: Array) -> Array:
    """The matrix of twist ×."""
    return np.block([[hat(twist[:3]), np.zeros((3, 3))], [hat(twist[3:]), hat(twist[:3])]])
