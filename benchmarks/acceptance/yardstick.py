"""Our C against Pinocchio's C++ on the robots and questions of the issue, beside what was measured there.

The issue's figures come from a machine with AVX-512; they are shown, and the bar is that no question is slower here.
"""

from collections.abc import Iterator

from acceptance import verdict
from entries import RACED
from figures.race import AGREEMENT, FUNCTIONS, race, times
from motionc.benchmark import Absent
from motionc.benchmark.questions import Kind

ROUNDS = 60
REPORTED = {
    Kind.INVERSE: (5.1, 4.1, 4.4),
    Kind.FORWARD: (5.7, 4.1, 5.2),
    Kind.MASS: (3.8, 2.7, 2.8),
    Kind.CONSTRAINED: (4.2, 3.2, 3.9),
    Kind.FORWARD_DERIVATIVES: (4.3, 2.5, 1.16),
}
"""On Panda, ANYmal C and Talos; six rows against pv."""


def figures(rounds: int = ROUNDS) -> Iterator[str]:
    """A line a robot and question: how many times as long Pinocchio's C++ takes."""
    yield f"  answers agree to {AGREEMENT:.0e} before anything is timed; times in µs, the least of {rounds} rounds"
    for column, (title, entry) in enumerate(RACED.items()):
        try:
            if entry.absent:
                raise Absent(entry.absent)
            lines = race(entry.load(), entry.path, entry.frame, rounds)
        except Absent as reason:
            yield f"  not measured: {title}: {reason}"
            continue
        for kind in FUNCTIONS:
            asked = [line for line in lines if line.question == kind]
            found = times(asked)
            if found is None:
                said = "; ".join(f"{line.contender}: {line.note}" for line in asked if line.note)
                yield f"  {title}, {kind}: {said} {verdict(False)}"
                continue
            theirs = ", ".join(f"{name} {found.theirs[name]:.3f}" for name in found.theirs)
            there = f"{REPORTED[kind][column]:g} with AVX-512" if kind in REPORTED else "not in the issue"
            yield (
                f"  {title + ', ' + kind:<46} ours {found.ours:.3f}; {theirs}: {found.ratio:.2f} times as long "
                f"(wanted ≥ 1; {there}) {verdict(found.ratio >= 1)}"
            )
