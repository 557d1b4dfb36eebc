"""docs/reference/, from what the code says: every computation with its ports, other public names, the command line.

Written by `make reference`; tests/pages/test_reference.py wants the committed pages to be those written now.

    python scripts/reference.py            write the pages
    python scripts/reference.py --check    write nothing; fail where a page is not what it would be
"""

import argparse
import enum
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType
from typing import Any

import typer.main

import motionc as mc
from motionc.cli.main import app
from motionc.computations import CATALOGUE
from motionc.program.port import Port
from motionc.sweeps.options import Options

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
ROBOT = "lwr4"
NEEDED: dict[str, Any] = {
    "frame": "link_7",
    "frames": ["link_7"],
    "target": "link_7",
    "wrt": "world",
    "prescribed": ["joint_1"],
    "constraints": [mc.Constraint("link_7", "xyz")],
    "schedule": mc.schedules.ENERGY,
    "outputs": {"kinetic": "kinetic_energy"},
    "dt": 0.001,
}
"""Options without a default, as they are said of the example."""

GENERATED = "<!-- written by scripts/reference.py (make reference); change the docstrings instead -->\n"


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    return {
        "index.md": "\n".join(index()),
        "computations.md": "\n".join(computations()),
        "names.md": "\n".join(names()),
        "command_line.md": "\n".join(command_line()),
    }


def index() -> Iterator[str]:
    yield GENERATED
    yield "# Reference\n"
    yield "| | |\n|---|---|"
    yield "| [Computations](computations.md) | equation, options, inputs and outputs of each |"
    yield "| [Names](names.md) | robots, models, results, solvers of your own, other packages, errors |"
    yield "| [Command line](command_line.md) | every command and option |"
    yield "\n| computation | |\n|---|---|"
    for name, options in sorted(CATALOGUE.items()):
        yield f"| [`{name}`](computations.md#{name}) | {cell(first_sentence(options))} |"
    yield ""


# ---------------------------------------------------------------- computations


def computations() -> Iterator[str]:
    robot = mc.load(ROBOT)
    yield GENERATED
    yield "# Computations\n"
    yield f"Each as a function of a robot and options, with its ports on an example: `robot = mc.load({ROBOT!r})`."
    yield "Which outputs there are, and their shapes, may depend on options. Arguments come in the order of the inputs,"
    yield "or by name; [conventions](../guide/index.md#conventions) say units, axes and order.\n"
    for name, options in sorted(CATALOGUE.items()):
        needed = {field.name: NEEDED[field.name] for field in fields(options) if field.default is MISSING}
        made: Any = getattr(mc, name)(robot, **needed)
        yield f"## {name}\n"
        yield from signature(name, options)
        yield from described(options)
        yield f"`{', '.join([f'mc.{name}(robot', *(f'{key}={shown(value)}' for key, value in needed.items())])})`\n"
        equation = getattr(getattr(made, "solver", None), "equation", "")
        if equation:
            yield f"    {equation}\n"
        yield from ports(made.inputs, made.outputs)


def ports(inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> Iterator[str]:
    yield "| | shape | unit | meaning |\n|---|---|---|---|"
    for way, those in (("in", inputs), ("out", outputs)):
        for port in those:
            yield f"| {way} `{port.name}` | {port.shape or 'a number'} | {port.unit} | {cell(port.meaning)} |"
    yield ""


def shown(value: Any) -> str:
    if value is mc.schedules.ENERGY:
        return "mc.schedules.ENERGY"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, mc.Constraint):
        source = "" if value.source == "task" else f", source={value.source!r}"
        return f'mc.Constraint({value.frame!r}, "xyz"{source})'
    return repr(value)


# ---------------------------------------------------------------- other names

HEADINGS: dict[str, str] = {
    "Robots and files": "load check convert from_dh robots to_urdf to_mjcf to_mjspec to_dot",
    "Models": (
        "Robot KinematicChain Link Segment Attachment Role Joint JointType Limits Mimic Transmission attach placed "
        "orders inertial Finding Findings"
    ),
    "Tasks": "Constraint JointConstraint CenterOfMass Momentum Force Target",
    "Computations and results": "Computation together InverseKinematics Results Port build from_file",
    "Over time": "State block wired loop control tasks simulate",
    "To look at": "view",
    "Solvers of your own": "operation sweep Schedule Output schedules INWARD OUTWARD ROOT",
    "Other packages": "bundle emit_robot to_casadi to_jax to_torch",
    "Errors": "Error ReadError ModelError ModelWarning SemanticError",
}
"""Every public name that is no computation."""


def names() -> Iterator[str]:
    yield GENERATED
    yield "# Names\n"
    yield "What `import motionc as mc` has besides [computations](computations.md).\n"
    listed = [name for under in HEADINGS.values() for name in under.split()]
    missing = set(mc.__all__) - set(listed) - set(CATALOGUE) - {"__version__"}
    if missing or len(listed) != len(set(listed)):
        sys.exit(f"scripts/reference.py: HEADINGS lacks, or has twice, {', '.join(sorted(missing)) or listed}")
    for heading, under in HEADINGS.items():
        yield f"## {heading}\n"
        for name in under.split():
            yield f"### {name}\n"
            yield from one(name, getattr(mc, name))


def one(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield f"{inspect.getdoc(value)}\n"
        made = {
            each: thing for each, thing in vars(value).items() if inspect.isfunction(thing) or inspect.isclass(thing)
        }
        for each in (each for each in getattr(value, "__all__", ()) if each in made):
            yield f"#### {name}.{each}\n"
            yield from one(f"{name}.{each}", made[each])
    elif isinstance(value, enum.Enum):
        yield f"`{value.name}` of `{type(value).__name__}`. {first_sentence(type(value))}\n"
    elif isinstance(value, enum.EnumType):
        yield f"{first_sentence(value)}\n"
        members: Any = value
        yield f"One of {', '.join(f'`{member.name}`' for member in members)}.\n"
    else:
        yield from signature(name, value)
        yield from described(value)
        if inspect.isclass(value):
            yield from members_of(value)


def members_of(kind: type) -> Iterator[str]:
    """What a class offers, the first sentence of each."""
    rows: list[str] = []
    ours = [base for base in reversed(kind.__mro__) if base.__module__.startswith("motionc")]
    members = {name: member for base in ours for name, member in vars(base).items()}
    for name, member in members.items():
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        call = "" if function is not member and not hasattr(member, "__func__") else "(…)"
        rows.append(f"| `{name}{call}` | {cell(first_sentence(function))} |")
    if rows:
        yield "\n".join(["| | |", "|---|---|", *rows, ""])


# ---------------------------------------------------------------- the command line


def command_line() -> Iterator[str]:
    """What `--help` says, without its frames, whose width is the terminal's."""
    group: Any = typer.main.get_command(app)
    yield GENERATED
    yield "# Command line\n"
    yield f"{group.help} `motionc COMMAND --help` says the same.\n"
    for name, command in group.commands.items():
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        yield f"## motionc {name}\n"
        yield f"    motionc {' '.join([name, *(one.name.upper() for one in arguments)])} [OPTIONS]\n"
        yield f"{paragraphs(command.help or '')}\n"
        yield "| | |\n|---|---|"
        for parameter in command.params:
            said = parameter.name.upper() if parameter in arguments else ", ".join(spellings(parameter))
            yield f"| `{said}` | {cell(parameter.help or '')}{'; needed' * parameter.required} |"
        yield ""


def spellings(parameter: Any) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts]


# ---------------------------------------------------------------- docstrings


def first_sentence(value: Any) -> str:
    """The first paragraph, as one line."""
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def signature(name: str, value: Any) -> Iterator[str]:
    """One line an argument, with defaults but without annotations, which the words below explain better."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return
    if isinstance(value, type) and issubclass(value, BaseException):
        return
    first = ["robot"] if isinstance(value, type) and issubclass(value, Options) else []
    said = [*first, *(str(each.replace(annotation=inspect.Parameter.empty)) for each in parameters)]
    keyword = [k for k, each in enumerate(parameters) if each.kind is inspect.Parameter.KEYWORD_ONLY]
    if keyword:
        said.insert(keyword[0] + len(first), "*")
    text = f"mc.{name}({', '.join(re.sub('=<.*>', '=…', one) for one in said)})"
    yield f"```text\n{text}\n```\n"


def described(value: Any) -> Iterator[str]:
    """A docstring: its paragraphs, its examples as code, its arguments as a list."""
    text = re.sub(r"\bdocs/guide/(\w+)\.md\b", r"[\1](../guide/\1.md)", inspect.getdoc(value) or "")
    before, _, arguments = text.partition("Args:\n")
    yield f"{paragraphs(before)}\n"
    if arguments:
        own, _, after = arguments.partition("\n\n")
        for argument, meaning in re.findall(r"^    (\S.*?): (.*(?:\n {5,}.*)*)", own, re.MULTILINE):
            yield f"- `{argument}`: {' '.join(meaning.split())}"
        yield ""
        if after.strip():
            yield f"{paragraphs(inspect.cleandoc(after))}\n"


def paragraphs(text: str) -> str:
    """Paragraphs as they are, examples as blocks of a console."""
    blocks: list[str] = []
    for block in text.strip().split("\n\n"):
        blocks.append(f"```pycon\n{block}\n```" if block.startswith(">>>") else block)
    return "\n\n".join(blocks)


def cell(text: str) -> str:
    """As a cell of a table: bars escaped, and brackets outside of code, which would be taken for HTML."""
    spans = text.replace("|", r"\|").replace("\n", " ").split("`")
    return "`".join(span if k % 2 else span.replace("<", "&lt;") for k, span in enumerate(spans))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/reference/ from what the code says.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is not what it would be")
    check = parser.parse_args().check
    texts = pages()
    stale = [name for name, text in texts.items() if not same(FOLDER / name, text)]
    if check and stale:
        sys.exit(f"docs/reference/{', '.join(stale)}: not what the code says now; run make reference")
    for name in stale:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(texts[name], encoding="utf-8")
        print(f"wrote docs/reference/{name}")


def same(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
