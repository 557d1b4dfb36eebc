"""What needs masses, as C++ classes: inertia that can change, dynamics that keep what depends on q, the mass matrix."""

from collections.abc import Mapping
from dataclasses import replace

from motionc.program.compose import Stages, only
from motionc.program.program import Program
from motionc.targets.c import REAL, number
from motionc.targets.cpp import code
from motionc.targets.cpp_package import (
    DECLARED,
    WEIGHED,
    Dynamics,
    Package,
    Text,
    distinct,
    fixed_entries,
    space,
    unused,
)


def inertia_properties(package: Package, dynamics: Dynamics) -> Text:
    real, links = REAL[package.precision], distinct(package.links)
    rows = [", ".join(number(x, real) for x in ten) for ten in dynamics.inertials.values()]
    given = ", ".join(f"given.data() + {10 * k}" for k in range(len(rows)))
    size = dynamics.inertia.outputs[0].size
    lines = [
        *space("inertia_detail", code({"derive": dynamics.inertia}, package.precision, comments=True)),
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


def inverse_dynamics(package: Package, dynamics: Dynamics) -> Text:
    ports = {"v": "qd", "a": "qdd"}
    stale = "Takes over q; the inertia is read by each call."
    return _staged(package, dynamics, "InverseDynamics", "id", dynamics.inverse, INVERSE, ports, stale)


def forward_dynamics(package: Package, dynamics: Dynamics) -> Text:
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
        *space(detail, code({"setJointStatus": first, **late}, package.precision, comments=True)),
        f"class {name} {{",
        "public:",
        HOLDER.format(name, "        setJointStatus(neutral());"),
        "    /* Acceleration of free fall in world axes (m/s²). */",
        f"    std::array<Scalar, 3> gravity{{{{{gravity}}}}};",
        "",
        f"    /* {stale} Overloads without q work with the one taken over last. */",
        "    void setJointStatus(In<NQ> q) noexcept",
        "    {",
        *unused(["q"], [values[port.name] for port in first.inputs]),
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
            *unused(names[:-1], used),
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


def jsim(package: Package, dynamics: Dynamics) -> Text:
    real, nv = REAL[package.precision], package.nv
    programs = {program.name: program for program in dynamics.jsim}
    values = {"q": "q.data()", "inertia": "inertia->derived()"}
    constants = [*fixed_entries(dynamics.jsim[0], 0, "data()", real)]
    constants += [*fixed_entries(dynamics.jsim[1], 1, "factor.data()", real)]
    constants += [*fixed_entries(dynamics.jsim[2], 1, "inverted.data()", real)]
    start = [
        *constants,
        "        update(neutral());",
        "        updateL(neutral());",
        "        updateInverse(neutral());",
    ]
    lines = [
        *space("jsim_detail", code(programs, package.precision, constants=False, comments=True)),
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
            *unused(["q"], used),
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
