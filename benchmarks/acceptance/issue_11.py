"""Motion over time."""

SECTIONS = {
    "time_steps": "A time step: against MuJoCo's integrators, its order, what it conserves, what a call takes",
    "machines": "Machines as tables: all readings over 10⁵ random ticks of three tables",
}
"""Module → heading."""
