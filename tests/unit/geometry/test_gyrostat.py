"""A body with spinning rotors inside (specs/multibody-methodology.md §2.1.2, §2.1.4): the wrench it needs, three ways.

The witness moves the body along polynomials and differentiates its momentum about the world's origin, by complex steps.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest

from motionc.geometry import (
    INERTIA,
    WORLD,
    WORLD_FRAME,
    Body,
    ClassicalAcceleration,
    Frame,
    Momentum,
    Pose,
    RigidInertia,
    Twist,
    Wrench,
)

Array = np.ndarray[Any, Any]
STEP = 1e-30
BODY = Body("wheel")
OWN = Frame("hub", BODY)


def rate(f: Any, t: float) -> Array:
    """df/dt, exact to rounding."""
    return np.imag(f(t + 1j * STEP)) / STEP


def skew(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis: int, angle: complex) -> Array:
    k = skew(np.eye(3)[axis])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


class Gyrostat:
    """Random inertia, path, attitude and spin l(t), all analytic in t."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.mass, self.com, half = rng.uniform(1, 3), rng.normal(size=3), rng.normal(size=(3, 3))
        self.J = half @ half.T + np.eye(3)
        # polynomials in t, cubic: three angles, three places, three components of the spin in the body
        self.angles, self.places, self.spins = rng.normal(size=(3, 4, 3))

    def at(self, polynomials: Array, t: complex, order: int = 0) -> Array:
        return np.array([np.polyval(np.polyder(p, order), t) for p in polynomials.T])

    def attitude(self, t: complex) -> tuple[Array, Array]:
        """R and ω, in world axes."""
        (a, b, c), (da, db, dc) = self.at(self.angles, t), self.at(self.angles, t, 1)
        z, y, x = turn(2, a), turn(1, b), turn(0, c)
        return z @ y @ x, da * np.eye(3)[2] + db * z[:, 1] + dc * (z @ y)[:, 0]

    def twist(self, name: str, t: complex) -> Array:
        """V in ⟨I⟩, ⟨B⟩ or ⟨A⟩."""
        (R, w), v = self.attitude(t), self.at(self.places, t, 1)
        if name == "B":
            return np.concatenate([R.T @ w, R.T @ v])
        return np.concatenate([w, v if name == "I" else v - np.cross(w, self.at(self.places, t))])

    def momentum(self, t: complex) -> Array:
        """About the world's origin, in world axes."""
        (R, w), lever = self.attitude(t), self.attitude(t)[0] @ self.com
        c, p = self.at(self.places, t) + lever, self.mass * (self.at(self.places, t, 1) + np.cross(w, lever))
        return np.concatenate([R @ (self.J @ R.T @ w + self.at(self.spins, t)) + np.cross(c, p), p])


def equation_of_motion(x: Gyrostat, name: str, t: float) -> Array:
    """f = M V̇ - (M Ω̃ + Ṽᵀ M) V + Π̇ᵢ in ⟨I⟩, without M Ω̃ in ⟨B⟩ and ⟨A⟩ (erratum E2)."""
    V, R, spin = x.twist(name, t), x.attitude(t)[0], x.at(x.spins, t)
    axes = np.eye(3) if name == "B" else R
    r = axes @ x.com + (x.at(x.places, t) if name == "A" else 0)
    phi = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])
    at_center = np.kron(np.diag([1, 0]), axes @ x.J @ axes.T) + np.kron(np.diag([0, x.mass]), np.eye(3))
    M, turning = phi.T @ at_center @ phi, np.kron(np.eye(2), skew(V[:3]))
    tilde = turning + np.kron([[0, 0], [1, 0]], skew(V[3:]))
    changing = np.cross(V[:3], axes @ spin) + axes @ x.at(x.spins, t, 1)
    f = M @ rate(partial(x.twist, name), t) - tilde.T @ M @ V + np.append(changing, np.zeros(3))
    return f - M @ turning @ V if name == "I" else f


@pytest.mark.parametrize("name", ["I", "B", "A"])
@pytest.mark.parametrize("seed", range(5))
def test_the_wrench_on_a_gyrostat_is_the_rate_of_its_momentum_in_every_representation(seed: int, name: str) -> None:
    x, t = Gyrostat(seed), 0.4
    (R, w), p = x.attitude(t), x.at(x.places, t)
    place = np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    X = Pose.from_matrix(OWN, WORLD_FRAME, place)

    # in the body's own frame
    def parts(angular: Array, linear: Array) -> tuple[Any, ...]:
        return OWN.origin, OWN, *((R.T @ part).reshape(3, 1) for part in (angular, linear))

    H = RigidInertia.about_center_of_mass(BODY, OWN, x.mass, x.com, x.J)
    V = Twist(BODY, WORLD, *parts(w, x.at(x.places, t, 1)))
    A = ClassicalAcceleration(BODY, WORLD, *parts(rate(lambda s: x.attitude(s)[1], t), x.at(x.places, t, 2)))
    spin = Momentum(BODY, WORLD, *parts(R @ x.at(x.spins, t), np.zeros(3)))
    spinning_up = Wrench(BODY, INERTIA, *parts(R @ x.at(x.spins, t, 1), np.zeros(3)))

    # brought to where they are kept
    if name != "B":
        H, V, A, spin, spinning_up = (part.change_frame(X.orientation) for part in (H, V, A, spin, spinning_up))
    if name == "A":
        back = X.position.inverse()
        A = A.change_point(back, V)
        H, V, spin, spinning_up = (part.change_point(back) for part in (H, V, spin, spinning_up))

    f = H.required_wrench(A, V) + spin.rate(V) + spinning_up
    assert np.allclose(np.vstack([f.angular, f.linear])[:, 0], equation_of_motion(x, name, t), rtol=1e-11, atol=1e-11)

    # and from there to the world's origin
    if name == "B":
        f = f.change_frame(X.orientation)
    if name != "A":
        f = f.change_point(X.position.inverse())
    assert np.allclose(np.vstack([f.angular, f.linear])[:, 0], rate(x.momentum, t), rtol=1e-11, atol=1e-11)
    # without the spin it is another one
    assert np.abs(np.cross(w, R @ x.at(x.spins, t))).max() > 0.1
