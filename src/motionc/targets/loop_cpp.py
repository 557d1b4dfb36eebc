"""C++17 for a loop in time: the C of `loop_c.py` as a header alone; what is carried on is a struct that turns itself.

    <robot>::<loop> loop;                       // starts by itself
    loop.start();
    int going = loop.step(<held> …, <streamed> …, <given in between> …);
    long long made = loop.run(steps, <held> …, <streamed> …, <log> …);

No globals, no allocation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from motionc.program.loop import Loop
from motionc.program.program import call_data
from motionc.targets import noise, sines_c
from motionc.targets.c import REAL, identifier, number
from motionc.targets.cmake import ONE_BY_ONE
from motionc.targets.cpp import BENT, CPP, LOUD, QUIET, SPELLING, STRAIGHT, spaces
from motionc.targets.kernels_c import for_one
from motionc.targets.loop_c import carried_on, documentation, kinds_of, lanes_of_one, parts, turning
from motionc.targets.loop_names import Named, in_words
from motionc.targets.loop_test import loop_test
from motionc.targets.target import Files, RollOut

MEMBERS = ("start", "step", "run", "turn", "lane", "seed")
"""What no struct may be called that has them."""


@dataclass(frozen=True, slots=True)
class NamedInCpp(Named):
    """The same in the words of C++: a struct with members, in a namespace."""

    space: str = ""

    @property
    def kind(self) -> str:
        return f"{self.space}::{self.name}"

    def carried(self, name: str) -> str:
        return f"this->{name}"

    def inner(self, function: str) -> str:
        return f"{self.name}_detail::{function}"

    def head(self, result: str, what: str, parameters: Sequence[str]) -> str:
        front = f"{result} {what}("
        return front + (",\n" + " " * (len(front) + 4)).join(parameters) + ") noexcept"

    def call(self, what: str, arguments: Sequence[str], whose: str = "") -> str:
        return f"{whose or 'this'}{'.' if whose else '->'}{what}({', '.join(arguments)})"


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """A header, its self-test, and a CMakeLists.txt for all headers of a folder."""
    stem = identifier(name)
    test = loop_test(loop, stem, trial, "self_test_loop", number, lanes_of_one(words(loop, name), "self_test_loop"))
    return {
        f"{stem}.hpp": emit(loop, name),
        f"{stem}_test.cpp": f'#define SELF_TEST\n#include "{stem}.hpp"\n{test}',
        "CMakeLists.txt": ONE_BY_ONE,
    }


def words(loop: Loop, name: str) -> NamedInCpp:
    """With names that C++ takes."""
    space, own = spaces(loop, name)
    text = in_words(loop, f"{own}_loop" if own in MEMBERS else own, NamedInCpp)
    return replace(text, space=space)


def emit(loop: Loop, name: str) -> str:
    """The header."""
    text, guard = words(loop, name), f"{identifier(name).upper()}_HPP"
    calls = [call_data(step) for use in loop.uses for _, step in use.program.calls()]
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#include <math.h>",
            "",
            "#include <array>",
            "",
            f"namespace {text.space} {{",
            "",
            f"namespace {text.name}_detail {{",
            "",
            *STRAIGHT,
            *sines_c.text([use.program for use in loop.uses], loop.precision, front="inline", behind=CPP.behind),
            *([*QUIET, *for_one(calls, loop.precision, SPELLING), *LOUD] if calls else []),
            *noise.for_one(kinds_of(loop), loop.precision, "inline"),
            *parts(text, CPP),
            *BENT,
            f"}}  // namespace {text.name}_detail",
            "",
            *documentation(loop, text.names, text.logs),
            f"struct {text.name} {{",
            *carried_on(text),
            "",
            f"    {text.name}() noexcept {{ this->start(); }}",
            *_members(text),
            "};",
            "",
            f"}}  // namespace {text.space}",
            "",
            "#endif",
            "",
        ]
    )


def _members(text: Named) -> Iterator[str]:
    for heading, inside in turning(text):
        yield ""
        yield from (f"    {line}" if line else "" for line in (heading, "{", *inside, "}"))
    loop, real = text.loop, REAL[text.loop.precision]
    ports = [(f"const std::array<{real}, {{}}> &", k) for k, _ in loop.given]
    ports += [(f"std::array<{real}, {{}}> &", k) for k in text.between]
    if ports:
        yield ""
        yield "    /* The same for arrays, matrices row by row. */"
        parameters = [f"{kind.format(text.size(k))}{text.names[k]}" for kind, k in ports]
        yield f"    {text.head('int', 'step', parameters)}"
        yield f"    {{ return this->step({', '.join(f'{text.names[k]}.data()' for _, k in ports)}); }}"
