"""Feed a reader what nobody would write, for as long as one likes: scripts/fuzz.py FORMAT --seconds N.

Inputs that reach new lines of the package are kept and changed further. Whatever ends in anything but a robot or a
motionc.Error, or takes longer than two seconds, is made as short as it can be and written to tests/hostile/corpus,
where a test replays it ever after. Formats are listed in tests/support/hostile.py. Should a reader take the whole
process down, or never come back, its input is the file named in the first line that is printed.
"""

import argparse
import hashlib
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support")]

from hostile import CORPUS, READERS, Reader, corpus, survives  # noqa: E402
from motionc.robots import robot_file, robot_names  # noqa: E402

SLOW = 2.0  # seconds
LONGEST = 20_000  # bytes of an input that is kept

NASTY = r"""
nan inf -inf 1e400 1e39 -1e39 1e-39 1e-200 5e-324 -0.0 0 1 -1 3.141592653 0x10 1_0 ١ 1,5 1.5.2 0,0,0
world root_joint base tip joint:tip base:inertia revolute continuous prismatic fixed floating planar
hinge slide ball free true false auto R P F pi pi/0 2*pi 1e9 99999 polycoef convention: angles: degree # , :
%s ${x} $(find) ../../x é ☃ */ *\ ??/ a;system('x')// &#0; &#10; &#9; &#x202e; &lt; &amp;&quot; &x; <![CDATA[ <!-- <?x?>
"""
WORDS = [*NASTY.split(), "<!DOCTYPE r [", "", " ", "x" * 300]
Change = Callable[[bytes, bytes, random.Random], bytes]


# ---------------------------------------------------------------- changes


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64, 256)))


def noise(data: bytes, other: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + rng.randbytes(rng.randrange(4)) + data[end:]


def splice(data: bytes, other: bytes, rng: random.Random) -> bytes:
    (start, end), (a, b) = _span(data, rng), _span(other, rng)
    return data[:start] + other[a:b] + data[end:]


def _exchange(pattern: bytes) -> Change:
    """Put one match of a pattern (or a word) where another stood; or drop it, or have it twice."""

    def change(data: bytes, other: bytes, rng: random.Random) -> bytes:
        places = list(re.finditer(pattern, data))
        if not places:
            return data
        place = rng.choice(places)
        donors = [donor[0] for donor in re.finditer(pattern, rng.choice((data, other)))] or [b""]
        old = place[0]
        new = rng.choice((rng.choice(donors), rng.choice(donors), b"", old + old, old + rng.choice(donors)))
        return data[: place.start()] + new + data[place.end() :]

    return change


def word(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """One word of an attribute, or all of it, becomes a word that is known to hurt."""
    places = list(re.finditer(rng.choice((rb'(?<=")[^"<>]*(?=")', rb'(?<=[" ])[^"<>= ]+(?=[" ])')), data))
    if not places:
        return data
    place = rng.choice(places)
    return data[: place.start()] + rng.choice(WORDS).encode() + data[place.end() :]


CHANGES: list[Change] = [
    noise,
    splice,
    word,
    word,
    word,
    _exchange(rb'"[^"<>]*"'),  # attribute values
    _exchange(rb'\s[\w:]+="[^"<>]*"'),  # attributes
    _exchange(rb"<[^<>/]+/>"),  # elements without content
    _exchange(rb"(?s)<(link|joint|inertial|body|geom)\b.*?</\1>"),  # larger parts
    _exchange(rb"</?\w+"),  # tags
    _exchange(rb"[-+.\w]+"),
    _exchange(rb"[^,\n]+"),  # cells of tables
    _exchange(rb"[^\n]*\n"),  # lines
]


def changed(data: bytes, other: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = rng.choice(CHANGES)(data, other, rng)
    return data


# ---------------------------------------------------------------- runs


class Lines:
    """Which lines of the package were ever reached."""

    def __init__(self) -> None:
        self.unseen: dict[CodeType, set[int]] = {}
        self.news = 0

    def watch(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "motionc" not in frame.f_code.co_filename:
            return None
        code = frame.f_code
        unseen = self.unseen.get(code)
        if unseen is None:
            unseen = self.unseen[code] = {line for _, _, line in code.co_lines() if line and line > code.co_firstlineno}

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line" and frame.f_lineno in unseen:
                unseen.discard(frame.f_lineno)
                self.news += 1
            return line

        return line if unseen else None


def watched(read: Reader, data: bytes, lines: Lines) -> tuple[bool, str]:
    """Whether new lines were reached, and what went wrong; what is slow only while it is watched is not wrong."""
    before = lines.news
    sys.settrace(lines.watch)
    try:
        wrong = complaint(read, data)
    finally:
        sys.settrace(None)
    return lines.news > before, complaint(read, data) if wrong == "slow" else wrong


def complaint(read: Reader, data: bytes) -> str:
    """What an input does that it should not: kind and place of the exception, or that it is slow; "" for nothing."""
    start = time.process_time()
    try:
        survives(read, data)
    except Exception as bug:
        last = traceback.extract_tb(bug.__traceback__)[-1]
        said = f": {bug}" if isinstance(bug, AssertionError) else ""
        return f"{type(bug).__name__}{said} in {Path(last.filename).name}, {last.name}"
    return "slow" if time.process_time() - start > SLOW else ""


def shortened(data: bytes, wrong: Callable[[bytes], bool]) -> bytes:
    """Leave out what can be left out: halves first, then ever smaller pieces."""
    size = len(data) // 2
    while size:
        start = 0
        while start < len(data):
            shorter = data[:start] + data[start + size :]
            if wrong(shorter):
                data = shorter
            else:
                start += size
        size //= 2
    return data


def fuzz(format: str, seconds: float, rng: random.Random) -> int:
    read, lines, found = READERS[format], Lines(), dict[str, bytes]()
    shipped = [path for name in robot_names() if (path := robot_file(name)) and path.suffix == f".{format}"]
    seeds = [path.read_bytes() for path in (*corpus(format), *shipped)]
    last = Path(tempfile.mkdtemp(prefix="fuzz-"), f"last.{format}")
    print(f"{last} is the last input", flush=True)
    kept = [data for data in seeds if len(data) <= LONGEST and watched(read, data, lines)[0]]
    print(f"{len(kept)} of {len(seeds)} seeds kept, {lines.news} lines", flush=True)

    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data, runs = changed(rng.choice(kept), rng.choice(kept), rng), runs + 1
        last.write_bytes(data)
        is_new, wrong = watched(read, data, lines)
        if wrong and wrong not in found:
            found[wrong] = shortened(data, lambda shorter, wrong=wrong: complaint(read, shorter) == wrong)
            name = hashlib.sha256(found[wrong]).hexdigest()[:12]
            (CORPUS / format / f"{name}.{format}").write_bytes(found[wrong])
            print(f"{wrong}\n  {name}: {found[wrong][:300]!r}", flush=True)
        elif is_new and len(data) <= LONGEST:
            kept.append(data)
            print(f"{runs} runs, {len(kept)} kept, {lines.news} lines, {len(found)} found", flush=True)
    print(f"{runs} runs, {len(kept)} inputs kept, {lines.news} lines reached, {len(found)} findings")
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed a reader mutated files and report what it cannot take.")
    parser.add_argument("format", choices=sorted(READERS))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the random numbers, to repeat a run")
    given = parser.parse_args()
    return fuzz(given.format, given.seconds, random.Random(given.seed))


if __name__ == "__main__":
    sys.exit(main())
