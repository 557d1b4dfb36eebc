"""What is a text called in code? Names that resemble it, legal in a language, each differently; harmless comments, and
lines of readable width.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from motionc.program.program import Program

LOCAL = r"[atkn]\d+"
"""What we call values inside a function."""
DIGEST = 8


@dataclass(frozen=True, slots=True)
class Names:
    """A language's words, which nothing else may be called; a pattern of names that are ours, and one of those that are
    ours inside functions alone. A name that is too long keeps both its ends, so many letters of each.
    """

    words: frozenset[str]
    ours: str = LOCAL
    inside: str = LOCAL
    ends: tuple[int, int] = (24, 24)

    def identifier(self, text: str) -> str:
        """Letters, digits and underscores that resemble the text, a letter first.

        What is a word already gets an underscore.
        """
        plain = re.sub(r"[^0-9A-Za-z_]+", "_", text).strip("_") or "unnamed"
        plain = f"r{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if plain in self.words or re.fullmatch(self.ours, plain) else plain
        front, back = self.ends
        digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGEST]
        return plain if len(plain) <= front + back + DIGEST + 2 else f"{plain[:front]}_{digest}_{plain[-back:]}"

    def ports(self, program: Program, *taken: str) -> Program:
        """Every port under a name of its own: an output called like an input has `_out` behind it."""
        ports = (*program.inputs, *program.outputs)
        names = apart((self.identifier(port.name) for port in ports), taken, again="_out", inside=self.inside)
        named = [replace(port, name=name) for port, name in zip(ports, names, strict=True)]
        split = len(program.inputs)
        return replace(program, inputs=tuple(named[:split]), outputs=tuple(named[split:]))


def apart(
    names: Iterable[str], taken: Iterable[str] = (), *, again: str = "", inside: str = "", beside: Sequence[str] = ()
) -> list[str]:
    """The names, each differently: one that is taken has `again` behind it, and underscores as long as it is taken, or
    matches what is ours `inside`. Each takes itself and itself with every ending `beside` it.
    """
    known, found = set(taken), list[str]()
    for name in names:
        name = f"{name}{again}" if name in known else name
        while known & {name, *(f"{name}{end}" for end in beside)} or re.fullmatch(inside, name):
            name += "_"
        known |= {name, *(f"{name}{end}" for end in beside)}
        found.append(name)
    return found


def harmless(text: str) -> str:
    """Text that stays on its line and says nothing to a reader of code: no controls, no backslashes."""
    return "".join(letter if letter.isprintable() else "?" for letter in text).replace("\\", "/")


def wrapped(items: Sequence[str], between: str, indent: str, width: int = 116) -> Iterator[str]:
    """Items in lines of readable width; each line but the last ends in what stands between them."""
    line = indent
    for k, item in enumerate(items):
        piece = item + (between if k < len(items) - 1 else "")
        if line.strip() and len(line) + len(piece) > width:
            yield line.rstrip()
            line = indent
        line += piece
    if line.strip() or not items:
        yield line.rstrip()
