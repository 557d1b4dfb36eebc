"""Motion over time."""

SECTIONS = {
    "time_steps": "A time step: against MuJoCo's integrators, its order, what it conserves, what a call takes",
}
"""Module → heading."""
