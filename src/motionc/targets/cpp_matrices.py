"""Matrices that depend on q alone, as C++ classes: constants when one is made, later only the entries that change."""

from collections.abc import Sequence

from motionc.program.program import Program
from motionc.targets.c import REAL, block_comment, identifier
from motionc.targets.cpp import code
from motionc.targets.cpp_package import (
    DECLARED,
    REPRESENTATIONS,
    Between,
    Package,
    Text,
    distinct,
    fixed_entries,
    space,
    unused,
)


def transforms(package: Package) -> Text:
    real, names, lines = REAL[package.precision], frames(package.transforms, "X"), list[str]()
    for kind in REPRESENTATIONS:
        programs = {name: pair.programs[kind] for name, pair in zip(names, package.transforms, strict=True)}
        inside = space("detail", code(programs, package.precision, constants=False))
        for name, program in programs.items():
            inside += _cell(name, program, real)
        lines += space(kind, inside)
    for kind, said in REPRESENTATIONS.items():
        lines += _together(f"{kind.title()}Transforms", said, [(f"{kind}::{name}", name) for name in names])
    members = [(f"{kind.title()}Transforms", kind) for kind in REPRESENTATIONS]
    lines += _together("Transforms", "All of them.", members)
    return Text(DECLARED, lines)


def jacobians(package: Package) -> Text:
    real, names = REAL[package.precision], frames(package.jacobians, "J")
    programs = {name: pair.programs["J"] for name, pair in zip(names, package.jacobians, strict=True)}
    inside = space("detail", code(programs, package.precision, constants=False))
    for (name, program), pair in zip(programs.items(), package.jacobians, strict=True):
        entries = ", ".join(map(str, pair.columns))
        which = f"{{{{{entries}}}}}" if pair.columns else "{}"
        own = ["    /* Which entries of v the columns go with. */"]
        own += [f"    static constexpr std::array<int, {len(pair.columns)}> joints{which};", ""]
        inside += _cell(name, program, real, own)
    said = "Columns for the joints between two frames alone, rows rx ry rz x y z: (ω; v) = J v[joints]."
    members = [(f"jacobians::{name}", name) for name in names]
    lines = [*space("jacobians", inside), *_together("Jacobians", said, members)]
    return Text(DECLARED, lines)


def _cell(name: str, program: Program, real: str, more: Sequence[str] = ()) -> list[str]:
    """A matrix that depends on q alone: constants once, the rest with every update."""
    rows, columns = program.outputs[0].shape
    constants = fixed_entries(program, 0, "data()", real)
    changing = rows * columns - len(constants)
    given = ["q.data()" for _ in program.inputs]
    return [
        block_comment(program),
        f"class {name} : public Matrix<{rows}, {columns}> {{",
        "public:",
        *more,
        f"    {name}() noexcept",
        "    {",
        *constants,
        "        update(neutral());",
        "    }",
        "",
        f"    /* Assigns the {changing} of {rows * columns} entries that q changes. */",
        f"    {name} &update(In<NQ> q) noexcept",
        "    {",
        *unused(["q"], given),
        f"        detail::{name}({', '.join([*given, 'data()'])});",
        "        return *this;",
        "    }",
        "",
        f"    {name} &operator()(In<NQ> q) noexcept {{ return update(q); }}",
        f"    using Matrix<{rows}, {columns}>::operator();",
        "};",
        "",
    ]


def _together(name: str, said: str, members: Sequence[tuple[str, str]]) -> list[str]:
    """A class of several matrices, all updated at once or each by itself."""
    return [
        f"/* {said} */",
        f"class {name} {{",
        "public:",
        *(f"    {type} {member};" for type, member in members),
        "",
        f"    {name} &update(In<NQ> q) noexcept",
        "    {",
        *([] if members else ["        (void)q;"]),
        *(f"        {member}.update(q);" for _, member in members),
        "        return *this;",
        "    }",
        "};",
        "",
    ]


def frames(pairs: Sequence[Between], letter: str) -> list[str]:
    return distinct(f"fr_{identifier(pair.base)}_{letter}_fr_{identifier(pair.target)}" for pair in pairs)
