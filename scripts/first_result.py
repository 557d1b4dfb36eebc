"""How long from nothing to the first result? A fresh process each time, with an empty cache, then with a warm one.

    python scripts/first_result.py [--shared ../shared] [--repeat 3]

`import` is `import motionc`, `load` reads the robot, `ask` checks and makes the computations, `call` is the first call
of each (tracing and compiling where nothing is cached). The best of the repetitions is printed, in seconds, and what
its processes took of the processor: on a machine with other work, the better figure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = {
    "panda id": ("panda.urdf", False, ["inverse_dynamics"]),
    "talos id+fd+cd": (
        "talos_reduced.urdf",
        True,
        ["inverse_dynamics", "forward_dynamics", "constrained_dynamics"],
    ),
}
TARGETS = {"panda id": 2.0, "talos id+fd+cd": 10.0}
"""Seconds from an empty cache, without the import; from a warm one it is 0.3 for either."""
WARM = 0.3
STEPS = ("import", "load", "ask", "call")

CHILD = """
import json, os, sys, time
path, floating, names = json.loads(sys.argv[1])
times = [time.perf_counter()]
import motionc as mc
times.append(time.perf_counter())
robot = mc.load(path, floating=floating)
times.append(time.perf_counter())
foot = [mc.Constraint("left_sole_link", "xyz rx ry rz")]
asked = [getattr(mc, name)(robot, *([foot] if name == "constrained_dynamics" else [])) for name in names]
times.append(time.perf_counter())
import numpy as np
for computation in asked:
    computation(robot.neutral(), *(np.zeros(port.shape) for port in computation.inputs[1:]))
times.append(time.perf_counter())
print(json.dumps([*(b - a for a, b in zip(times, times[1:])), sum(os.times()[:4])]))
"""


def measured(question: str, robots: Path, cache: str) -> list[float]:
    """Seconds of every step in a process of its own, and of its processor."""
    file, floating, names = QUESTIONS[question]
    asked = json.dumps([str(robots / file), floating, names])
    # bytecode is kept, as that of an installed package is, wherever this package lies
    environment = os.environ | {"MOTIONC_CACHE": cache, "PYTHONPYCACHEPREFIX": str(Path(cache).parent / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", CHILD, asked]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Load to first result, from an empty and from a warm cache.")
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared", help="with robots/ in it")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    robots = options.shared / "robots"
    print(f"{'':28}", *(f"{step:>8}" for step in (*STEPS, "in all", "−import", "cpu", "target")), "  seconds")
    for question in QUESTIONS:
        cold, warm = list[list[float]](), list[list[float]]()
        with tempfile.TemporaryDirectory() as folder:
            measured("panda id", robots, f"{folder}/first")
            for k in range(options.repeat):
                cold.append(measured(question, robots, f"{folder}/{k}"))
                warm.append(measured(question, robots, f"{folder}/{k}"))
        for state, runs, target in (("empty cache", cold, TARGETS[question]), ("warm cache", warm, WARM)):
            *times, processor = min(runs, key=lambda run: run[-1])
            figures = (*times, sum(times), sum(times[1:]), processor)
            print(f"{question}, {state}".ljust(28)[:28], *(f"{t:8.2f}" for t in figures), f"{target:8.1f}")


if __name__ == "__main__":
    main()
