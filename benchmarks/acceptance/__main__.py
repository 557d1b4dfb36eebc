"""Print every figure of an issue's acceptance: `make acceptance ISSUE=7`, or

python -m acceptance 7 [--only levels versus] [--seed 5]     with benchmarks/ in PYTHONPATH

Ends with status 1 where a bar was missed, with 2 where a section is not there or could not be measured.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from acceptance import MISSED, SEEDS
from motionc import Error


def issues() -> list[str]:
    """Those whose acceptance is written down here."""
    names = (re.fullmatch(r"issue_(\d+)", path.stem) for path in Path(__file__).parent.glob("issue_*.py"))
    return sorted((name[1] for name in names if name), key=int)


def lines(section: str) -> Iterator[str]:
    """A section's figures; that there are none is a line too."""
    if find_spec(f"acceptance.{section}") is None:
        yield f"  not there: benchmarks/acceptance/{section}.py"
        return
    try:
        yield from import_module(f"acceptance.{section}").figures()
    except Error as error:
        yield f"  not measured: {error}"


def told(issue: str, only: list[str]) -> int:
    """Print all sections of an issue, and what came of them; returns the status to end with."""
    sections: dict[str, str] = import_module(f"acceptance.issue_{issue}").SECTIONS
    unknown = [name for name in only if name not in sections]
    if unknown:
        print(f"issue {issue} has no section {', '.join(unknown)}; it has {', '.join(sections)}", file=sys.stderr)
        return 2
    missed, absent = list[str](), list[str]()
    for name, title in sections.items():
        if only and name not in only:
            continue
        print(f"\n## {title}\n", flush=True)
        start = time.monotonic()
        for line in lines(name):
            print(line, flush=True)
            if MISSED in line:
                missed.append(f"{title}: {' '.join(line.split())}")
            if line.startswith("  not "):
                absent.append(f"{title}: {line.strip()}")
        busy, cores = os.getloadavg()[0], os.cpu_count()
        print(f"\n({time.monotonic() - start:.0f} s; {busy:.1f} processes wanted {cores} cores)", flush=True)
    print(f"\n## In all\n\n{len(missed)} bars missed, {len(absent)} sections without figures")
    for line in (*missed, *absent):
        print(f"  {line}")
    return 1 if missed else 2 if absent else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Every figure of an issue's acceptance, measured here and now.")
    parser.add_argument("issue", nargs="?", default="", help=f"one of {', '.join(issues())}")
    parser.add_argument("--only", nargs="+", default=[], help="names of sections, where not all are wanted")
    parser.add_argument("--seed", type=int, help="of random plants, besides 1, 2 and 3")
    asked = parser.parse_args()
    if asked.seed is not None:
        SEEDS.append(asked.seed)
    if asked.issue not in issues():
        given = f"of issue {asked.issue} nothing is written down" if asked.issue else "no issue is named"
        print(f"{given}: say make acceptance ISSUE=n, n one of {', '.join(issues())}", file=sys.stderr)
        return 2
    return told(asked.issue, asked.only)


if __name__ == "__main__":
    sys.exit(main())
