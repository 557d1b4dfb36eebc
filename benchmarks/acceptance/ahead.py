"""Our C against Pinocchio's C++ on three robots: how many times as long its fastest function takes, in one run.

Rows at frames are compared with `pv`, as the issue says; what its constraintDynamics takes stands beside it.
"""

from collections.abc import Iterator

from acceptance import verdict
from entries import RACED
from figures.race import AGREEMENT, FUNCTIONS, FUNCTIONS_AT_FEET, race, times
from motionc.benchmark import Absent
from motionc.benchmark.questions import Kind

ROUNDS = 600
WANTED: dict[Kind, tuple[float, float, float]] = {
    Kind.INVERSE: (5, 5, 5),
    Kind.FORWARD: (5, 5, 5),
    Kind.MASS: (4.5, 4, 4),
    Kind.CONSTRAINED: (5, 5, 5),
    Kind.INVERSE_DERIVATIVES: (5, 4, 3),
    Kind.FORWARD_DERIVATIVES: (5, 4, 3),
    Kind.FRAMES: (5, 5, 5),
}
"""On Panda, ANYmal C and Talos; what is not listed is shown for itself."""


def figures(rounds: int = ROUNDS) -> Iterator[str]:
    """A line a robot and question."""
    yield f"  answers agree to {AGREEMENT:.0e} before anything is timed; times in µs, the least of {rounds} rounds"
    for column, (title, entry) in enumerate(RACED.items()):
        kinds = [*FUNCTIONS, *(FUNCTIONS_AT_FEET if entry.feet else ())]
        try:
            if entry.absent:
                raise Absent(entry.absent)
            lines = race(entry.load(), entry.path, entry.frame, rounds, kinds=kinds, feet=entry.feet)
        except Absent as reason:
            yield f"  not measured: {title}: {reason}"
            continue
        for kind in kinds:
            asked = [line for line in lines if line.question == kind]
            found = times(asked)
            if found is None:
                said = "; ".join(f"{line.contender}: {line.note}" for line in asked if line.note)
                yield f"  {title}, {kind}: {said}"
                continue
            wanted = WANTED[kind][column] if kind in WANTED else None
            rival = min((time for name, time in found.theirs.items() if name.startswith("pv")), default=None)
            ratio = found.ratio if rival is None else rival / found.ours
            theirs = ", ".join(f"{name} {time:.3f}" for name, time in found.theirs.items())
            yield (
                f"  {title + ', ' + kind:<52} ours {found.ours:.3f} (as built for Python {found.built:.3f}); {theirs}: "
                f"{ratio:.2f} times as long{f' (wanted ≥ {wanted:g}) {verdict(ratio >= wanted)}' if wanted else ''}"
            )
