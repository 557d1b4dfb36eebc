"""How the house is: long files, files to touch when something is added, and the time CI takes.

A file that names a thing in its code would be touched to add one like it. $CI_LOG is what `.ci/run` printed.
"""

import ast
import os
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from acceptance import ROOT, verdict

SOURCE = ROOT / "src" / "motionc"
LONG = 350
ADDED = {
    "a solver, the centre of mass": (r"center_of_mass|CenterOfMass|CENTER_OF_MASS", 2),
    "a kernel, tree_solve": (r"tree_solve", 2),
    "a joint type, universal": (r"UNIVERSAL|Universal|universal", 1),
}
"""What, the names it goes by, and in how many files or rooms at most."""
CI_SECONDS = 900


def figures() -> Iterator[str]:
    """A line a figure."""
    files = sorted(SOURCE.rglob("*.py"))
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    above = [path for path in files if lengths[path] > LONG]
    silent = [path for path in above if "long" not in (ast.get_docstring(ast.parse(path.read_bytes())) or "")]
    yield f"  {len(above)} files above {LONG} lines; no word why: wanted 0, are {len(silent)} {verdict(not silent)}"
    yield from (f"    {path.relative_to(SOURCE)}: {lengths[path]}" for path in silent)
    for what, (names, most) in ADDED.items():
        there = [path.relative_to(SOURCE) for path in files if _named(path, names)]
        if "kernel" in what:
            there = sorted({path.parent for path in there})
        yield f"  {what}: wanted ≤ {most}, named in {len(there)} {verdict(len(there) <= most)}"
        yield f"    {', '.join(map(str, there))}"
    log = Path(os.environ.get("CI_LOG", ""))
    if not log.is_file():
        yield "  not measured: .ci/run, since $CI_LOG is no file"
        return
    seconds = [int(found) for found in re.findall(r"^=== all: (\d+) s", log.read_text(encoding="utf-8"), re.M)]
    took = seconds[-1] if seconds else float("inf")
    yield f"  .ci/run: wanted ≤ {CI_SECONDS} s, took {took} {verdict(took <= CI_SECONDS)}"


def _named(path: Path, names: str) -> bool:
    """Whether its code has such a name, or a text that is one; comments and docstrings do not count."""
    with tokenize.open(path) as file:
        return any(
            (token.type == tokenize.NAME and re.fullmatch(names, token.string))
            or (token.type == tokenize.STRING and re.fullmatch(rf"[\"'](?:{names})[\"']", token.string))
            for token in tokenize.generate_tokens(file.readline)
        )
