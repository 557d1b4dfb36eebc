"""Who holds what no motor drives? Contacts, as far as they reach: G = J_cᵀ along undriven coordinates.

of all contact forces with G λ = f the least ½ λᵀ W λ      λ = W⁻¹ Gᵀ C⁺ f,  C = G W⁻¹ Gᵀ
what they do not reach                                     Q = 1 - C C⁺,  Q G = 0
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, above, assemble, beside, symmetric, zeros
from motionc.geometry.joint_inertia import JointInertia
from motionc.geometry.joint_space import JointAcceleration, JointForce
from motionc.geometry.labels import Labels, expect_alike
from motionc.geometry.row_space import Coupling, JointRows, Multipliers


@dataclass(frozen=True, slots=True, eq=False)
class Support(Relation):
    """How forces along contact rows hold undriven coordinates: what these feel of unit forces, W⁻¹ of the rows, C⁺."""

    reach: JointRows
    softness: Coordinates
    values: Coordinates = UNKNOWN
    inverse: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Support({', '.join(self.reach.joints)}; {', '.join(self.reach.rows)})"

    @classmethod
    def of(cls, reach: JointRows, softness: Any, kernel: Any, call: Callable[..., Any]) -> "Support":
        """By contacts of which coordinates feel this; where there is none, nothing is held."""
        n = len(reach.joints)
        if not reach.rows:
            return cls(reach, softness, zeros(n, n), zeros(n, n))
        compliance = symmetric(reach.values @ np.asarray(softness, float) @ reach.values.T)
        flat, *_ = call(kernel, compliance)
        inverse = assemble([[flat[n * i + j, 0] for j in range(n)] for i in range(n)])
        return cls(reach, softness, compliance, inverse)

    def share(self, force: JointForce) -> Multipliers:
        """Contact forces that make this along the coordinates, as far as they can: of all such the least."""
        expect_alike(self.reach, force, ".share", JointForce, "joints")
        if not self.reach.rows:
            return Multipliers((), zeros(0, 1))
        values = np.asarray(self.softness, float) @ (self.reach.values.T @ (self.inverse @ force.values))
        return Multipliers(self.reach.rows, values)

    def unreached(self) -> Coordinates:
        """Q: the part of forces along the coordinates that contacts cannot make."""
        return np.eye(len(self.reach.joints)) - symmetric(self.values @ self.inverse)

    def couple(self, labels: Labels, masses: JointInertia, felt: JointRows) -> Coupling:
        """Rows that keep forces off the coordinates: J_u = Q Eᵀ M, beside the rows that these feel.

        J_u M⁻¹ J_uᵀ = Q M_uu Q, J_u M⁻¹ Jᵀ = Q (Jᵀ)_u. What contacts hold is balanced by itself, by nothing: s (1 - Q),
        s as large as masses are.
        """
        expect_alike(self.reach, masses, ".couple", JointInertia, "joints")
        expect_alike(self.reach, felt, ".couple", JointRows, "joints")
        Q, n = self.unreached(), len(labels)
        size = sum((masses.values[k, k] for k in range(1, n)), masses.values[0, 0]) * (1.0 / n)
        own = symmetric(Q @ masses.values @ Q + (np.eye(n) - Q) * size)
        others = felt.select(tuple(row for row in felt.rows if row not in self.reach.rows))
        across, m = Q @ others.values, len(others.rows)
        return Coupling(labels + others.rows, above(beside(own, across), beside(across.T, zeros(m, m))))

    def freed(self, labels: Labels, forces: Multipliers) -> JointAcceleration:
        """How the coordinates accelerate on their own: Q μ."""
        return JointAcceleration(self.reach.joints, self.unreached() @ forces.select(labels).values)
