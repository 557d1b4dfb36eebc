"""Motion over time: state, cycles, machines, loops."""

SECTIONS = {
    "machines": "Machines as tables: all readings over 10⁵ random ticks of three tables",
}
"""Module → heading."""
