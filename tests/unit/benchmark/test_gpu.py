"""Figures of a GPU: the page has those of the file, and rows of earlier programs are marked."""

import json
from pathlib import Path
from typing import Any

import pytest

import gpu
from acceptance import gpu_ahead
from repository import REPOSITORY

GUIDE = REPOSITORY / "docs" / "guide"
FIGURES: list[dict[str, Any]] = json.loads((GUIDE / "gpu.json").read_text(encoding="utf-8"))


def test_the_table_of_the_page_is_that_of_the_file() -> None:
    page = (GUIDE / "cuda.md").read_text(encoding="utf-8")
    assert gpu.with_figures(page, FIGURES) == page, "python benchmarks/gpu.py page docs/guide"


def test_figures_are_rounded_and_nothing_else_of_a_page_moves() -> None:
    row = {"computation": "A, step", "precision": "single", "per_second": 9.96e9, "share_of_bandwidth": 0.846}
    row |= {"error": 4.2e-7, "first_call_seconds": 1.26}
    slow = row | {"precision": "double", "per_second": 9.02e8, "error": 1e-12}
    page = "# P\n\n| (n, N) | x |\n|---|---|\n| old | 1 |\n\nafter\n\n| other |\n"
    line = "| A, step | 10.0 | 85 % | 4e-7 | 0.90 | 85 % | 1e-12 | 1.3, 1.3 |"
    assert gpu.with_figures(page, [row, slow]) == page.replace("| old | 1 |", line)


@pytest.mark.parametrize("then", [1332, 1577])
def test_a_row_of_an_earlier_program_is_a_missed_bar(
    then: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = "forward dynamics", "single"
    (row,) = (row for row in FIGURES if (row["computation"], row["precision"]) == key)
    file = tmp_path / "gpu.json"
    file.write_text(json.dumps([row | {"operations_per_state": then}]))
    for name, value in (("FIGURES", file), ("BARS", {key: 1.0}), ("TOLD", [])):
        monkeypatch.setattr(gpu_ahead, name, value)
    monkeypatch.setattr(gpu, "LARGER", {})
    now = sum(gpu.computation(*key).operations.values())
    earlier = [f"  forward dynamics, single: of an earlier program, {then:,} operations where there are {now:,} ✗"]
    assert list(gpu_ahead.figures())[1:] == (earlier if then != now else [])
