"""Functions in another language that emitted files carry along, and of them only what is needed."""

import re
from functools import cache


@cache
def functions(text: str, heading: str) -> dict[str, str]:
    """The functions of a text by name, in its order. `heading` matches where one starts, and its name."""
    starts = [*re.finditer(heading, text, re.MULTILINE)]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {match["name"]: text[match.start() : end].strip() for match, end in zip(starts, ends, strict=True)}


def needed(text: str, known: dict[str, str], comment: str) -> list[str]:
    """The functions that a text calls, and those that they call, in the order in which they are known. `comment`
    matches what is said and not called.
    """
    asked, found = [text], set[str]()
    while asked:
        for name in re.findall(r"[A-Za-z]\w*", re.sub(comment, "", asked.pop(), flags=re.MULTILINE)):
            if name in known and name not in found:
                found.add(name)
                asked.append(known[name])
    return [body for name, body in known.items() if name in found]
