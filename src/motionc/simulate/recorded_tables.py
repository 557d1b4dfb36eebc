"""Recordings as tables: a row a time, a column an entry of a signal; CSV for everybody, Parquet for those who count."""

import csv
import io
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.simulate.recorded import Recorded
from motionc.writing import write_file

Array = np.ndarray[Any, np.dtype[Any]]
FORMULAS = "=+-@\t\r"
"""What spreadsheets take for the beginning of a formula."""


def columns(recorded: Recorded) -> tuple[Array, Iterator[tuple[str, str, Array, Array]]]:
    """All times, and of each column its name, unit, rows among them and values there."""
    times = np.unique(np.concatenate([np.zeros(0), *(one.times for one in recorded.signals.values())]))

    def each() -> Iterator[tuple[str, str, Array, Array]]:
        for signal in recorded.signals.values():
            rows = np.searchsorted(times, signal.times)
            for name, column in zip(signal.columns, signal.flat.T, strict=True):
                yield name, signal.unit, rows, column

    return times, each()


def to_csv(recorded: Recorded, path: Path) -> Path:
    """A line a time, every digit; nothing where a signal has no row."""
    times, found = columns(recorded)
    heads, cells = ["time"], [[repr(float(time)) for time in times]]
    for name, _, rows, values in found:
        heads.append(f"'{name}" if name.startswith(tuple(FORMULAS)) else name)
        cells.append([""] * len(times))
        for row, value in zip(rows, values, strict=True):
            cells[-1][row] = repr(float(value))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(heads)
    table.writerows(zip(*cells, strict=True))
    return write_file(path, text.getvalue())


def to_parquet(recorded: Recorded, path: Path) -> Path:
    """A row a time, null where a signal has none; units are metadata of columns."""
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise Error(f"Parquet needs pyarrow ({error}): pip install 'motionc[parquet]'") from None
    times, found = columns(recorded)
    fields, arrays = [arrow.field("time", arrow.float64(), metadata={"unit": "s"})], [arrow.array(times)]
    for name, unit, rows, values in found:
        full, absent = np.zeros(len(times), values.dtype), np.ones(len(times), bool)
        full[rows], absent[rows] = values, False
        arrays.append(arrow.array(full, mask=absent, from_pandas=False))
        fields.append(arrow.field(name, arrays[-1].type, metadata={"unit": unit}))
    about = {"motionc": str(recorded.versions.get("motionc", "")), "seed": str(recorded.seed), "dt": repr(recorded.dt)}
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=arrow.schema(fields, metadata=about)), sink)
    return write_file(path, sink.getvalue())
