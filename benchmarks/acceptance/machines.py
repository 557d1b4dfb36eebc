"""Machines as tables: interpreted, in C, in lanes and as CUDA text over the same random ticks, number for number."""

import sys
from collections.abc import Iterator

import numpy as np

from acceptance import ROOT, verdict

sys.path.insert(0, str(ROOT / "tests" / "support"))

from machine_tables import MACHINES, READINGS, interpreted, random_events

TICKS, LANES = 1000, 100


def figures() -> Iterator[str]:
    """A line a table and a reading."""
    for table, machine in MACHINES.items():
        events = random_events(machine, TICKS, LANES)
        expected = interpreted(machine, events)
        transitions = int(np.count_nonzero(expected[..., 1] >= 0))
        operations = sum(machine.computation().operations.values())
        yield f"  {table}: {len(machine.rows)} rows, {operations} operations, {transitions:,} transitions"
        for reading, run in READINGS.items():
            wrong = int(np.count_nonzero(np.any(run(machine, events) != expected, axis=-1)))
            yield f"    {reading}: of {TICKS * LANES:,} ticks wanted 0 different, are {wrong} {verdict(not wrong)}"
