"""A robot as C++ classes, in the shape of specs/robcogen.md §2.8 and §2.10: what was computed last is kept by
an object, and by nothing else.

Each class is a thin skin: behind every method stands a program, printed as a function on pointers.
"""

from collections.abc import Sequence
from importlib.resources import files as resources

from motionc.program.port import Port
from motionc.targets.c import REAL, comment, number, outermost
from motionc.targets.cmake import ROBOT
from motionc.targets.cpp import EIGEN
from motionc.targets.cpp_dynamics import forward_dynamics, inertia_properties, inverse_dynamics, jsim
from motionc.targets.cpp_matrices import frames, jacobians, transforms
from motionc.targets.cpp_package import REPRESENTATIONS, Package, Text, distinct
from motionc.targets.self_test import self_test
from motionc.targets.target import Files


def files(package: Package) -> Files:
    """Headers, one a concern, a self-test and a CMakeLists.txt."""
    name, headers = space_of(package), {"declarations": _declarations(package)}
    headers["transforms"] = transforms(package)
    headers["jacobians"] = jacobians(package)
    if package.dynamics is not None:
        headers["inertia_properties"] = inertia_properties(package, package.dynamics)
        headers["inverse_dynamics"] = inverse_dynamics(package, package.dynamics)
        headers["forward_dynamics"] = forward_dynamics(package, package.dynamics)
        headers["jsim"] = jsim(package, package.dynamics)
    headers["traits"] = _traits(package, list(headers)[1:])
    written = {f"include/{name}/{stem}.h": _header(name, stem, text) for stem, text in headers.items()}
    return {**written, f"{name}_test.cpp": _test(package, name), "CMakeLists.txt": ROBOT.replace("@name@", name)}


DECLARED = """
ExtForces ForceTransforms ForwardDynamics HomogeneousTransforms In InertiaProperties InverseDynamics JSIM Jacobians
Joint LINKS Link LinkDataMap Matrix MotionTransforms NQ NV Out Scalar Traits Transforms detail fd_detail force
homogeneous id_detail inertia_detail jacobians jsim_detail motion q_index v_index
"""
"""What stands in the robot's namespace, which is called like none of these."""


def space_of(package: Package) -> str:
    """The robot's namespace."""
    name = outermost(package.name)
    return f"{name}_" if name in DECLARED.split() else name


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


def _traits(package: Package, headers: Sequence[str]) -> Text:
    names = ["Transforms", "Jacobians"]
    if package.dynamics is not None:
        names += ["InertiaProperties", "InverseDynamics", "ForwardDynamics", "JSIM"]
    space = space_of(package)
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
    found = [f"transforms.{kind}.{each}.data()" for each in frames(package.transforms, "X") for kind in REPRESENTATIONS]
    found += [f"jacobians.{each}.data()" for each in frames(package.jacobians, "J")]
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
