"""Names for languages without headers: what a text is called in code, and ports that meet nothing else there."""

import hashlib
import re
from dataclasses import dataclass, replace

from motionc.program.program import Program

LOCAL = re.compile(r"[atkn]\d+")
"""What we call values inside a function."""


@dataclass(frozen=True, slots=True)
class Names:
    """A language's words, which nothing else may be called, and how long a name may be."""

    words: frozenset[str]
    longest: int = 58

    def identifier(self, text: str) -> str:
        """Letters, digits and underscores that resemble the text, a letter first; too long ones keep both their ends.

        What is a word already gets an underscore.
        """
        plain = re.sub(r"[^0-9A-Za-z_]+", "_", text).strip("_") or "unnamed"
        plain = f"r{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if plain in self.words or LOCAL.fullmatch(plain) else plain
        digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
        half = (self.longest - 10) // 2
        return plain if len(plain) <= self.longest else f"{plain[:half]}_{digest}_{plain[-half:]}"

    def ports(self, program: Program, *taken: str) -> Program:
        """Every port under a name of its own: an output called like an input has `_out` behind it."""
        names = list(taken)
        for port in (*program.inputs, *program.outputs):
            plain = self.identifier(port.name)
            plain = f"{plain}_out" if plain in names else plain
            while plain in names:
                plain += "_"
            names.append(plain)
        ports = (*program.inputs, *program.outputs)
        named = [replace(port, name=name) for port, name in zip(ports, names[len(taken) :], strict=True)]
        split = len(program.inputs)
        return replace(program, inputs=tuple(named[:split]), outputs=tuple(named[split:]))


def harmless(text: str) -> str:
    """Text that stays on its line and says nothing to a reader of code: no controls, no backslashes."""
    return "".join(letter if letter.isprintable() else "?" for letter in text).replace("\\", "/")
