"""A robot as C++ classes, in the shape of specs/robcogen.md §2.8 and §2.10: what was computed last is kept by
an object, and by nothing else.

Each class is a thin skin: behind every method stands a program, printed as a function on pointers. Matrices get their
constants when they are made, and later only the entries that change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources

from motionc.program.program import Program
from motionc.program.stage import Stages, only
from motionc.sweeps.solver import Port, Precision
from motionc.targets.c import REAL, comment, identifier, number
from motionc.targets.cmake import ROBOT
from motionc.targets.cpp import EIGEN, code
from motionc.targets.self_test import self_test
from motionc.targets.target import Files, Trial, documentation

REPRESENTATIONS = {
    "homogeneous": "Points, [R p; 0 1].",
    "motion": "Twists (ω; v) at the origins of the frames, [R 0; p×R R].",
    "force": "Wrenches (n; f) at the origins of the frames, [R p×R; 0 R].",
}


DECLARED = ('#include "declarations.h"', "", "#include <math.h>")
WEIGHED = ('#include "inertia_properties.h"', "", "#include <math.h>")


@dataclass(frozen=True, slots=True)
class Between:
    """Something of two frames: one program a representation, and for a Jacobian the entries of v it goes with."""

    base: str
    target: str
    programs: Mapping[str, Program]
    columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dynamics:
    """What masses are needed for: their own numbers, what is made of them, and of that, stage by stage, the rest.

    `inverse` has the outputs of id, of id with forces, G_terms and C_terms, `forward` those of fd and of fd with
    forces; `jsim` is H, H and L, H and its inverse.
    """

    inertials: Mapping[str, Sequence[float]]
    inertia: Program
    inverse: Stages
    forward: Stages
    jsim: tuple[Program, Program, Program]
    gravity: Sequence[float]


@dataclass(frozen=True, slots=True)
class Package:
    """A robot as programs. Joints have their first entries of q and v; links are those that move.

    `whole` is all of it as one program with nothing open, on whose trials the classes are tested.
    """

    name: str
    precision: Precision
    joints: Mapping[str, tuple[int, int]]
    neutral: Sequence[float]
    nv: int
    links: tuple[str, ...]
    transforms: tuple[Between, ...]
    jacobians: tuple[Between, ...]
    dynamics: Dynamics | None
    whole: Program
    trials: Sequence[Trial]


def files(package: Package) -> Files:
    """Headers, one a concern, a self-test and a CMakeLists.txt."""
    name, headers = identifier(package.name), {"declarations": _declarations(package)}
    headers["transforms"] = _transforms(package)
    headers["jacobians"] = _jacobians(package)
    if package.dynamics is not None:
        headers["inertia_properties"] = _inertia_properties(package, package.dynamics)
        headers["inverse_dynamics"] = _inverse_dynamics(package, package.dynamics)
        headers["forward_dynamics"] = _forward_dynamics(package, package.dynamics)
        headers["jsim"] = _jsim(package, package.dynamics)
    headers["traits"] = _traits(package, list(headers)[1:])
    written = {f"include/{name}/{stem}.h": _header(name, stem, text) for stem, text in headers.items()}
    return {**written, f"{name}_test.cpp": _test(package, name), "CMakeLists.txt": ROBOT.replace("@name@", name)}


@dataclass(frozen=True, slots=True)
class Text:
    """What a header includes, and what stands in the robot's namespace."""

    includes: Sequence[str]
    lines: Sequence[str]


def _header(name: str, stem: str, text: Text) -> str:
    guard = f"{name}_{stem}_H".upper()
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *text.includes,
            "",
            f"namespace {name} {{",
            "",
            *text.lines,
            "",
            f"}}  // namespace {name}",
            "",
            "#endif",
            "",
        ]
    )


def distinct(names: Iterable[str]) -> list[str]:
    """Identifiers that resemble the names, each differently."""
    taken = list[str]()
    for name in names:
        plain = identifier(name)
        while plain in taken:
            plain += "_"
        taken.append(plain)
    return taken


def _said(lines: Iterable[str], indent: str = "") -> str:
    text = f"\n{indent} * ".join(comment(line) for line in lines)
    return f"{indent}/* {text} */"


# ---------------------------------------------------------------- names and sizes


def _declarations(package: Package) -> Text:
    real, joints = REAL[package.precision], package.joints
    first = [", ".join(str(place[k]) for place in joints.values()) for k in range(2)]
    zero = ", ".join(number(value, real) for value in package.neutral)
    index = "{{ constexpr std::array<int, {0}> first{{{{{1}}}}}; return first[static_cast<std::size_t>(joint)]; }}"
    lines = [
        f"using Scalar = {real};",
        "",
        "/* Sizes of q and of rates, forces and accelerations; links that move. */",
        f"constexpr int NQ = {len(package.neutral)}, NV = {package.nv}, LINKS = {len(package.links)};",
        "",
        f"/* Joints in the order of v: {comment(', '.join(joints))}. */",
        f"enum class Joint : int {{ {', '.join(distinct(joints))} }};",
        "",
        "/* The first entry of a joint in q, and in v. */",
        f"constexpr int q_index(Joint joint) noexcept {index.format(len(joints), first[0])}",
        f"constexpr int v_index(Joint joint) noexcept {index.format(len(joints), first[1])}",
        "",
        f"/* Links that move: {comment(', '.join(package.links))}. */",
        f"enum class Link : int {{ {', '.join(distinct(package.links))} }};",
        "",
        "/* The configuration at zero. */",
        f"inline std::array<Scalar, NQ> neutral() noexcept {{ return {{{{{zero}}}}}; }}",
        "",
        (resources("motionc.targets") / "robot.hpp").read_text(encoding="utf-8").rstrip(),
    ]
    eigen = [EIGEN, "#include <Eigen/Core>", "#ifndef MOTIONC_EIGEN", "#define MOTIONC_EIGEN", "#endif", "#endif"]
    return Text(["#include <array>", "#include <cstddef>", "#include <type_traits>", "", *eigen], lines)


# ---------------------------------------------------------------- matrices of q


def _constants(program: Program, port: int, name: str, real: str) -> list[str]:
    """Statements for the entries of an output that are always the same."""
    steps = program.instructions
    fixed = [(k, steps[value].data) for k, value in enumerate(program.results[port]) if steps[value].op == "const"]
    return [f"        {name}[{k}] = {number(value, real)};" for k, value in fixed]  # type: ignore[arg-type]


def _cell(name: str, program: Program, real: str, more: Sequence[str] = ()) -> list[str]:
    """A matrix that depends on q alone: constants once, the rest with every update."""
    rows, columns = program.outputs[0].shape
    constants = _constants(program, 0, "data()", real)
    changing = rows * columns - len(constants)
    given = ["q.data()" for _ in program.inputs]
    return [
        _said(documentation(program)),
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
        *_unused(["q"], given),
        f"        detail::{name}({', '.join([*given, 'data()'])});",
        "        return *this;",
        "    }",
        "",
        f"    {name} &operator()(In<NQ> q) noexcept {{ return update(q); }}",
        f"    using Matrix<{rows}, {columns}>::operator();",
        "};",
        "",
    ]


def _space(name: str, inside: Sequence[str]) -> list[str]:
    return [f"namespace {name} {{", "", *inside, f"}}  // namespace {name}", ""]


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


def _frames(pairs: Sequence[Between], letter: str) -> list[str]:
    return distinct(f"fr_{identifier(pair.base)}_{letter}_fr_{identifier(pair.target)}" for pair in pairs)


def _transforms(package: Package) -> Text:
    real, names, lines = REAL[package.precision], _frames(package.transforms, "X"), list[str]()
    for kind in REPRESENTATIONS:
        programs = {name: pair.programs[kind] for name, pair in zip(names, package.transforms, strict=True)}
        inside = _space("detail", code(programs, package.precision, constants=False))
        for name, program in programs.items():
            inside += _cell(name, program, real)
        lines += _space(kind, inside)
    for kind, said in REPRESENTATIONS.items():
        lines += _together(f"{kind.title()}Transforms", said, [(f"{kind}::{name}", name) for name in names])
    members = [(f"{kind.title()}Transforms", kind) for kind in REPRESENTATIONS]
    lines += _together("Transforms", "All of them.", members)
    return Text(DECLARED, lines)


def _jacobians(package: Package) -> Text:
    real, names = REAL[package.precision], _frames(package.jacobians, "J")
    programs = {name: pair.programs["J"] for name, pair in zip(names, package.jacobians, strict=True)}
    inside = _space("detail", code(programs, package.precision, constants=False))
    for (name, program), pair in zip(programs.items(), package.jacobians, strict=True):
        entries = ", ".join(map(str, pair.columns))
        which = f"{{{{{entries}}}}}" if pair.columns else "{}"
        own = ["    /* Which entries of v the columns go with. */"]
        own += [f"    static constexpr std::array<int, {len(pair.columns)}> joints{which};", ""]
        inside += _cell(name, program, real, own)
    said = "Columns for the joints between two frames alone, rows rx ry rz x y z: (ω; v) = J v[joints]."
    members = [(f"jacobians::{name}", name) for name in names]
    lines = [*_space("jacobians", inside), *_together("Jacobians", said, members)]
    return Text(DECLARED, lines)


# ---------------------------------------------------------------- dynamics


def _inertia_properties(package: Package, dynamics: Dynamics) -> Text:
    real, links = REAL[package.precision], distinct(package.links)
    rows = [", ".join(number(x, real) for x in ten) for ten in dynamics.inertials.values()]
    given = ", ".join(f"given.data() + {10 * k}" for k in range(len(rows)))
    size = dynamics.inertia.outputs[0].size
    lines = [
        *_space("inertia_detail", code({"derive": dynamics.inertia}, package.precision, comments=True)),
        "/* Mass, centre of mass and inertia tensor of the links that move, each in its link's axes, the tensor about",
        " * the centre of mass as xx xy xz yy yz zz (kg, m, kg m²). They can be changed at any time; what dynamics",
        " * need of them is derived right then. */",
        "class InertiaProperties {",
        "public:",
        "    /* As in the robot's file. */",
        "    InertiaProperties() noexcept",
        "        : given{{",
        ",\n".join(f"              {row}" for row in rows),
        "          }}",
        "    {",
        "        derive();",
        "    }",
        "",
        "    Scalar mass(Link link) const noexcept { return given[first(link)]; }",
        "    std::array<Scalar, 3> com(Link link) const noexcept { return some<3>(first(link) + 1); }",
        "    std::array<Scalar, 6> tensor(Link link) const noexcept { return some<6>(first(link) + 4); }",
        "",
        "    void setMass(Link link, Scalar mass) noexcept { put<1>(first(link), {{mass}}); }",
        "    void setCom(Link link, const std::array<Scalar, 3> &com) noexcept { put<3>(first(link) + 1, com); }",
        "    void setTensor(Link link, const std::array<Scalar, 6> &six) noexcept { put<6>(first(link) + 4, six); }",
        "",
        "    /* What dynamics need, in an order of their own. */",
        "    const Scalar *derived() const noexcept { return made.data(); }",
        "",
        "private:",
        f"    std::array<Scalar, {10 * len(links)}> given;",
        f"    std::array<Scalar, {max(1, size)}> made{{}};",
        "",
        f"    void derive() noexcept {{ inertia_detail::derive({given}, made.data()); }}",
        "    static std::size_t first(Link link) noexcept { return 10 * static_cast<std::size_t>(link); }",
        "    template <std::size_t N>",
        "    std::array<Scalar, N> some(std::size_t start) const noexcept",
        "    {",
        "        std::array<Scalar, N> found{};",
        "        for (std::size_t k = 0; k < N; ++k) found[k] = given[start + k];",
        "        return found;",
        "    }",
        "    template <std::size_t N>",
        "    void put(std::size_t start, const std::array<Scalar, N> &numbers) noexcept",
        "    {",
        "        for (std::size_t k = 0; k < N; ++k) given[start + k] = numbers[k];",
        "        derive();",
        "    }",
        "};",
    ]
    return Text(DECLARED, lines)


HOLDER = """\
    explicit {0}(const InertiaProperties &properties) noexcept : inertia(&properties)
    {{
{1}
    }}
    {0}(InertiaProperties &&) = delete;
"""
"""A constructor; whoever gives the inertia keeps it."""

Parameter = tuple[str, str]

QD: Parameter = ("In<NV> ", "qd")
QDD: Parameter = ("In<NV> ", "qdd")
FEXT: Parameter = ("const ExtForces &", "fext")
FORCES: Parameter = ("In<NV> ", "tau")
TAU: Parameter = ("Out<NV> ", "tau")
FOUND: Parameter = ("Out<NV> ", "qdd")

INVERSE: dict[str, tuple[str, str, tuple[Parameter, ...]]] = {
    "id": ("id", "tau = H(q) qdd + C(q, qd) + G(q)", (QD, QDD, TAU)),
    "id_fext": (
        "id",
        "tau = H(q) qdd + C(q, qd) + G(q) - sum J^T f, each f on its link in its axes",
        (QD, QDD, FEXT, TAU),
    ),
    "G_terms": ("G_terms", "+G(q), what motors make to hold the robot at rest", (TAU,)),
    "C_terms": ("C_terms", "C(q, qd), centrifugal and Coriolis terms alone", (QD, TAU)),
}
FORWARD: dict[str, tuple[str, str, tuple[Parameter, ...]]] = {
    "fd": ("fd", "qdd = H(q)^-1 (tau - C(q, qd) - G(q))", (QD, FORCES, FOUND)),
    "fd_fext": (
        "fd",
        "qdd = H(q)^-1 (tau - C(q, qd) - G(q) + sum J^T f), each f on its link in its axes",
        (QD, FORCES, FEXT, FOUND),
    ),
}


def _inverse_dynamics(package: Package, dynamics: Dynamics) -> Text:
    ports = {"v": "qd", "a": "qdd"}
    stale = "Takes over q; the inertia is read by each call."
    return _staged(package, dynamics, "InverseDynamics", "id", dynamics.inverse, INVERSE, ports, stale)


def _forward_dynamics(package: Package, dynamics: Dynamics) -> Text:
    ports = {"v": "qd", "tau": "tau"}
    stale = "Takes over q, and the inertia as it is now."
    return _staged(package, dynamics, "ForwardDynamics", "fd", dynamics.forward, FORWARD, ports, stale)


def _staged(
    package: Package,
    dynamics: Dynamics,
    name: str,
    stem: str,
    stages: Stages,
    methods: Mapping[str, tuple[str, str, tuple[Parameter, ...]]],
    ports: Mapping[str, str],
    stale: str,
) -> Text:
    """A class that keeps what depends on q, and methods that take the rest, with q or without."""
    real, detail = REAL[package.precision], f"{stem}_detail"
    first = replace(stages.first, equation="what depends on q alone")
    late = {key: _method(stages.second, k, key, said) for k, (key, (_, said, _)) in enumerate(methods.items())}
    values = {port: f"{parameter}.data()" for port, parameter in ports.items()}
    values |= {"f_ext": "fext.data()->data()", "q": "q.data()", "inertia": "inertia->derived()"}
    values |= {"gravity": "gravity.data()", "state": "state.data()"}

    def call(function: str, program: Program, *more: str) -> str:
        return f"        {detail}::{function}({', '.join([*(values[port.name] for port in program.inputs), *more])});"

    gravity = ", ".join(number(x, real) for x in dynamics.gravity)
    text = [
        *_space(detail, code({"setJointStatus": first, **late}, package.precision, comments=True)),
        f"class {name} {{",
        "public:",
        HOLDER.format(name, "        setJointStatus(neutral());"),
        "    /* Acceleration of free fall in world axes (m/s²). */",
        f"    std::array<Scalar, 3> gravity{{{{{gravity}}}}};",
        "",
        f"    /* {stale} Overloads without q work with the one taken over last. */",
        "    void setJointStatus(In<NQ> q) noexcept",
        "    {",
        *_unused(["q"], [values[port.name] for port in first.inputs]),
        call("setJointStatus", first, "state.data()"),
        "    }",
        "",
    ]
    for key, (method, said, parameters) in methods.items():
        names = [parameter for _, parameter in parameters]
        signature = ", ".join(f"{type}{parameter}" for type, parameter in parameters)
        used = [values[port.name] for port in late[key].inputs]
        text += [
            f"    /* {said}. */",
            f"    void {method}({signature}) const noexcept",
            "    {",
            *_unused(names[:-1], used),
            call(key, late[key], f"{names[-1]}.data()"),
            "    }",
            f"    void {method}(In<NQ> q, {signature}) noexcept",
            "    {",
            "        setJointStatus(q);",
            f"        {method}({', '.join(names)});",
            "    }",
            "",
        ]
    size = first.outputs[0].size
    text += ["private:", "    const InertiaProperties *inertia;", f"    std::array<Scalar, {max(1, size)}> state{{}};"]
    return Text(WEIGHED, [*text, "};"])


def _method(program: Program, k: int, name: str, said: str) -> Program:
    """One of a program's outputs, and what it is."""
    one = only(program, [k], name, said)
    return replace(one, outputs=(replace(one.outputs[0], meaning=said),))


def _unused(parameters: Iterable[str], used: Sequence[str]) -> list[str]:
    return [f"        (void){name};" for name in parameters if not any(text.startswith(f"{name}.") for text in used)]


def _jsim(package: Package, dynamics: Dynamics) -> Text:
    real, nv = REAL[package.precision], package.nv
    programs = {program.name: program for program in dynamics.jsim}
    values = {"q": "q.data()", "inertia": "inertia->derived()"}
    constants = [*_constants(dynamics.jsim[0], 0, "data()", real)]
    constants += [*_constants(dynamics.jsim[1], 1, "factor.data()", real)]
    constants += [*_constants(dynamics.jsim[2], 1, "inverted.data()", real)]
    start = [
        *constants,
        "        update(neutral());",
        "        updateL(neutral());",
        "        updateInverse(neutral());",
    ]
    lines = [
        *_space("jsim_detail", code(programs, package.precision, constants=False, comments=True)),
        "/* The joint-space inertia matrix H(q). Nothing is computed of entries that are zero for every q. */",
        f"class JSIM : public Matrix<{nv}, {nv}> {{",
        "public:",
        HOLDER.format("JSIM", "\n".join(start)),
    ]
    for method, said, key, out in (
        ("update", "H.", "H", ""),
        ("updateL", "H and L, lower triangular, L^T L = H.", "H_L", ", factor.data()"),
        ("updateInverse", "H and its inverse.", "H_inverse", ", inverted.data()"),
    ):
        used = [values[port.name] for port in programs[key].inputs]
        lines += [
            f"    /* {said} */",
            f"    JSIM &{method}(In<NQ> q) noexcept",
            "    {",
            *_unused(["q"], used),
            f"        jsim_detail::{key}({', '.join([*used, 'data()'])}{out});",
            "        return *this;",
            "    }",
        ]
    lines += [
        "    JSIM &operator()(In<NQ> q) noexcept { return update(q); }",
        f"    using Matrix<{nv}, {nv}>::operator();",
        "",
        f"    const Matrix<{nv}, {nv}> &L() const noexcept {{ return factor; }}",
        f"    const Matrix<{nv}, {nv}> &inverse() const noexcept {{ return inverted; }}",
        "",
        "private:",
        "    const InertiaProperties *inertia;",
        f"    Matrix<{nv}, {nv}> factor{{}}, inverted{{}};",
        "};",
    ]
    return Text(WEIGHED, lines)


# ---------------------------------------------------------------- all of it


def _traits(package: Package, headers: Sequence[str]) -> Text:
    names = ["Transforms", "Jacobians"]
    if package.dynamics is not None:
        names += ["InertiaProperties", "InverseDynamics", "ForwardDynamics", "JSIM"]
    space = identifier(package.name)
    lines = [
        "/* The robot as a type, for templates that take any. */",
        "struct Traits {",
        f"    using Scalar = {space}::Scalar;",
        f"    using Joint = {space}::Joint;",
        f"    using Link = {space}::Link;",
        f"    using ExtForces = {space}::ExtForces;",
        *(f"    using {name} = {space}::{name};" for name in names),
        f"    static constexpr int nq = {space}::NQ, nv = {space}::NV, links = {space}::LINKS;",
        "};",
    ]
    return Text([f'#include "{header}.h"' for header in headers], lines)


def _test(package: Package, name: str) -> str:
    """The classes on states whose answers the file carries."""
    places = {port.name: f"self_test_x{k}" for k, port in enumerate(package.whole.inputs)}
    lines = [f"    namespace robot = {name};", "    robot::Transforms transforms;", "    robot::Jacobians jacobians;"]
    if package.dynamics is not None:
        lines += [
            "    robot::InertiaProperties inertia;",
            "    robot::InverseDynamics inverse(inertia);",
            "    robot::ForwardDynamics forward(inertia);",
            "    robot::JSIM jsim(inertia);",
            "    robot::ExtForces fext;",
        ]
    lines += [f"    for (int i = 0; i < {len(package.trials)}; ++i) {{"]

    def given(port: str, size: str) -> str:
        return f"robot::In<robot::{size}>::at({places[port]} + robot::{size} * i)"

    lines += [f"        transforms.update({given('q', 'NQ')});", f"        jacobians.update({given('q', 'NQ')});"]
    found = [
        f"transforms.{kind}.{each}.data()" for each in _frames(package.transforms, "X") for kind in REPRESENTATIONS
    ]
    found += [f"jacobians.{each}.data()" for each in _frames(package.jacobians, "J")]
    copies = [_copied(port, k, text) for k, (port, text) in enumerate(zip(package.whole.outputs, found, strict=False))]
    if package.dynamics is not None:
        q, v, a, tau = given("q", "NQ"), given("v", "NV"), given("a", "NV"), given("tau", "NV")
        out = [f"robot::Out<robot::NV>::at(self_test_y{len(found) + k} + robot::NV * i)" for k in range(6)]
        pushes = f"{places['f_ext']}[6 * (robot::LINKS * i + k) + j]"
        copies += [
            "        for (int k = 0; k < robot::LINKS; ++k)",
            "            for (int j = 0; j < 6; ++j)",
            f"                fext[static_cast<robot::Link>(k)][static_cast<std::size_t>(j)] = {pushes};",
            f"        inverse.id({q}, {v}, {a}, {out[0]});",
            f"        inverse.id({v}, {a}, fext, {out[1]});",
            f"        inverse.G_terms({out[2]});",
            f"        inverse.C_terms({v}, {out[3]});",
            f"        forward.fd({q}, {v}, {tau}, {out[4]});",
            f"        forward.fd({v}, {tau}, fext, {out[5]});",
            f"        jsim.updateL({q}).updateInverse({q});",
        ]
        last = zip(("jsim.data()", "jsim.L().data()", "jsim.inverse().data()"), package.whole.outputs[-3:], strict=True)
        copies += [_copied(port, len(found) + 6 + k, text) for k, (text, port) in enumerate(last)]
    call = "\n".join([*lines, *copies, "    }"])
    test = self_test(package.whole, name, package.precision, package.trials, call, number)
    return f'#define SELF_TEST\n#include "{name}/traits.h"\n\n#include <math.h>\n{test}'


def _copied(port: Port, k: int, found: str) -> str:
    return f"        for (int k = 0; k < {port.size}; ++k) self_test_y{k}[{port.size} * i + k] = {found}[k];"
