"""What a surface that gives way does to a body in it: Hunt and Crossley's normal force, regularised Coulomb friction.

    f_n = k d^p max(0, 1 + c ḋ)            d the depth, 0 where there is a gap; ḋ how fast it grows
    f_t = - μ f_n v_t / √(|v_t|² + ε²)     v_t how fast the contact point slides

Damping acts with depth, so that nothing jumps where bodies meet or part, and nothing sticks.
"""

from typing import Any

from motionc.geometry.closest import Meeting
from motionc.geometry.coordinates import Coordinates, at_least, square_root


def compliant_force(
    meeting: Meeting,
    velocity: Coordinates,
    *,
    stiffness: float,
    damping: float,
    exponent: float,
    friction: Any,
    slip_speed: float,
) -> Coordinates:
    """The force on body `of` (3, 1) in N, in the axes of the meeting; body `wrt` feels the opposite.

    Args:
        meeting: where they are nearest.
        velocity: of the contact point, as one of body `of`, with respect to body `wrt` (m/s), (3, 1) in these axes.
        stiffness: k (N/m^p).
        damping: c (s/m).
        exponent: p, 1 or 1.5.
        friction: μ, a number or (1, 1).
        slip_speed: ε (m/s).
    """
    n = meeting.normal
    depth, away = at_least(-meeting.gap, 0.0), n.T @ velocity
    spring = stiffness * depth
    if exponent == 1.5:
        spring = spring * square_root(depth)
    pressure = spring * at_least(1.0 - damping * away, 0.0)
    sliding = velocity - n * away
    speed = square_root(sliding.T @ sliding + slip_speed**2)
    return pressure * n - friction * pressure / speed * sliding
