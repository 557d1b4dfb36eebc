"""Who may import whom, as pyproject.toml says it: kept or broken, contract by contract."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from acceptance import ROOT, verdict
from motionc import Error

LINE = re.compile(r"(.*\S) (KEPT|BROKEN)( \(.*\))?")
WIDE = {"COLUMNS": "1000"}
"""A contract a line."""


def figures() -> Iterator[str]:
    """A line a contract."""
    tool = Path(sys.executable).with_name("lint-imports")
    if not tool.is_file():
        raise Error("import-linter is not installed here; make lint installs it")
    command = [str(tool), "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | WIDE, capture_output=True, text=True, check=False)
    contracts = [contract for line in done.stdout.splitlines() if (contract := LINE.fullmatch(line.strip()))]
    if not contracts:
        raise Error(f"lint-imports said nothing about contracts: {(done.stdout + done.stderr).strip()}")
    for contract in contracts:
        yield f"  {contract[1]}: wanted KEPT, is {contract[2]} {verdict(contract[2] == 'KEPT')}"
