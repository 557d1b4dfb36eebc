"""Motion over time."""

SECTIONS = {
    "time_steps": "A time step: against MuJoCo's integrators, its order, what it conserves, what a call takes",
    "machines": "Machines as tables: all readings over 10⁵ random ticks of three tables",
    "roll_outs": "PD roll-outs at 1 kHz beside MuJoCo: one by one, and 1,024 in lanes",
    "over_time": "Noise, frames and rows given with each call, a gradient through a roll-out, a lazy control cycle",
    "gpu_roll_outs": "A million roll-outs on a GPU",
}
"""Module → heading."""
