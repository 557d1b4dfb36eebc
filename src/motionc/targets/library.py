"""Functions in another language that emitted files carry along: read from a file here, and only what is needed."""

import re
from functools import cache
from importlib.resources import files


@cache
def functions(file: str, heading: str) -> dict[str, str]:
    """The functions of a file of this room by name, in its order. `heading` matches where one starts, and its name."""
    text = (files("motionc.targets") / file).read_text(encoding="utf-8")
    starts = [*re.finditer(heading, text, re.MULTILINE)]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {match["name"]: text[match.start() : end].strip() for match, end in zip(starts, ends, strict=True)}


def needed(text: str, known: dict[str, str]) -> list[str]:
    """The functions that a text calls, and those that they call, in the order of their file."""
    asked, found = [text], set[str]()
    while asked:
        for name in re.findall(r"[A-Za-z]\w*", asked.pop()):
            if name in known and name not in found:
                found.add(name)
                asked.append(known[name])
    return [body for name, body in known.items() if name in found]
