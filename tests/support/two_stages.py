"""Robots some of whose coordinates no motor drives, densely and in two stages; M, h and J are Pinocchio's.

how it moves     Nᵀ (M a + h - force)_u = 0 first, NᵀG = 0, G = (J_cᵀ)_u; then the rows, level after level
who makes it     of all contact forces with G λ = (M a + h - force)_u the least Σ f² + (n/ℓ)²; motors make the rest
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import motionc as mc
from dense import Dense, Question, Rows
from oracle import Array, error, unit_wrenches


@dataclass(frozen=True)
class Answer:
    """How the robot moves, what contacts and motors make, how many rows are independent beside what no motor drives,
    and how clear it is what contacts reach and rows can have.
    """

    a: Array
    contacts: Array
    motors: Array
    rank: int
    clear: bool


def answer(question: Question, dense: Dense, undriven: Array, arm: float = 0.1) -> Answer:
    """Of a question in a state, where `undriven` coordinates have no motor."""
    contact = question.source == "contact"
    G = dense.J[contact][:, undriven].T
    left, values, _ = np.linalg.svd(G)
    reached = int(np.sum(values > 1e-6))
    N = left[:, reached:]
    known = dense.tau + dense.acts - dense.h
    first = N.T @ dense.M[undriven]
    whole = Dense(
        dense.M,
        dense.h,
        np.vstack([first, dense.J]),
        np.concatenate([N.T @ known[undriven], dense.reach + dense.J @ dense.given]),
        dense.tau,
        dense.acts,
        told=dense.told,
        a=dense.given,
    )
    level = np.concatenate([np.zeros(N.shape[1]), question.level])
    weight = np.concatenate([np.ones(N.shape[1]), question.weight])
    a, _, ranks = whole.levels(level, weight, 1e-9)
    sure = all(list(whole.levels(level, weight, share)[2]) == list(ranks) for share in (1e-12, 1e-5))
    # what counts is Σ f² + (n/ℓ)² of each contact
    root = np.linalg.inv(np.linalg.cholesky(weights(question.constraints, question.robot, arm)))
    least = root.T @ _inverse(G @ root.T, reached) @ (dense.M @ a - known)[undriven]
    made = dense.motors(a, question.outside + dense.J[contact].T @ least)
    rank = int(ranks.sum()) - N.shape[1]
    return Answer(a, least, made, rank, sure and bool(np.all((values < 1e-9) | (values > 1e-3))))


def _inverse(A: Array, rank: int) -> Array:
    """A⁺ of a matrix of this rank."""
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return right[:rank].T @ np.diag(1 / values[:rank]) @ left[:, :rank].T


def weights(constraints: Sequence[Rows], robot: mc.Robot, arm: float) -> Array:
    """W of all contacts, λᵀWλ = Σ f² + (n/ℓ)²."""
    blocks = [np.zeros((0, 0))]
    for c in constraints:
        if c.source == "contact" and isinstance(c, mc.Constraint):
            n, f = np.split(unit_wrenches(c.rows), 2)
            blocks.append(f.T @ f + n.T @ n / arm**2)
        elif c.source == "contact":
            assert isinstance(c, mc.JointConstraint)
            E = np.vstack([np.eye(robot.nv)[robot.v_index[name]] for name in c.names])
            unit = np.eye(len(E)) if c.rows is None else c.rows
            blocks.append(unit.T @ unit / arm**2)
    W = np.zeros((sum(map(len, blocks)),) * 2)
    done = 0
    for block in blocks:
        W[done : done + len(block), done : done + len(block)] = block
        done += len(block)
    return W


def errors(question: Question, dense: Dense, out: mc.Results, told: Answer, undriven: Array) -> dict[str, float]:
    """How far what came back is from the two stages, by output."""
    contact = question.source == "contact"
    return {
        "a": error(out.a, told.a),
        "rank": abs(float(out.rank) - told.rank),
        "contacts": error(out.multipliers[contact], told.contacts),
        "tau_command": error(out.tau_command, np.where(undriven, 0.0, told.motors)),
        "unactuated": error(out.unactuated, np.where(undriven, told.motors, 0.0)),
        "residual": error(out.residual + dense.reach, dense.J @ (told.a - dense.given)),
    }
