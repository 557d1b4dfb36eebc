"""A robot as C++ classes: what is in the text, the numbers they give, and what they keep."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from cpp_build import COMPILERS, EIGEN, built, needs_compiler, needs_eigen, said
from motionc.model import Attachment, Joint, JointType, KinematicChain, Link, Robot, Role, Segment
from motionc.robots import robot_file
from oracle import Oracle, error
from rows import row

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="malloc is interposed as glibc has it")

HYL = (0.1, 0.2, 0.3, 0.4)


TRANSFORMS = [("base", "foot"), ("leg", "foot"), ("lowerleg", "foot")]
JACOBIANS = [("base", "foot"), ("foot", "hip")]


@pytest.fixture(scope="module")
def hyl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of HyL."""
    folder = tmp_path_factory.mktemp("hyl")
    mc.emit_robot(mc.load("hyl"), folder, transforms=TRANSFORMS, jacobians=JACOBIANS)
    return folder


def function(text: str, name: str) -> str:
    """The text of a function."""
    start = text.index(f"inline void {name}(")
    return text[start : text.index("\n}\n", start)]


@row("robcogen", 16)
def test_the_printed_transform_has_eleven_updates_six_turns_and_five_constants(hyl: Path) -> None:
    text = (hyl / "include/hyl/transforms.h").read_text(encoding="utf-8")
    start = text.index("namespace homogeneous {")
    text = text[start : text.index("}  // namespace homogeneous", start)]
    update = function(text, "fr_base_X_fr_foot")
    assert len(re.findall(r"^    homogeneous\[\d+\] = ", update, re.MULTILINE)) == 11
    assert "sines_and_cosines(" in update
    assert len(set(re.findall(r"= (k\d+\[\d+\]);", update))) == 6
    start = text.index("    fr_base_X_fr_foot() noexcept")
    constants = re.findall(r"data\(\)\[(\d+)\] = (\S+);", text[start : text.index("    }\n", start)])
    assert constants == [("2", "0.0"), ("12", "0.0"), ("13", "0.0"), ("14", "0.0"), ("15", "1.0")]


def test_every_joint_has_its_transform_and_jacobians_only_columns_on_the_way(hyl: Path) -> None:
    text = (hyl / "include/hyl/transforms.h").read_text(encoding="utf-8")
    pairs = [("slider", "base"), ("hip", "slider"), ("leg", "hip"), ("lowerleg", "leg"), *TRANSFORMS]
    assert re.findall(r"    homogeneous::(\w+) \w+;", text) == [f"fr_{base}_X_fr_{target}" for base, target in pairs]
    text = (hyl / "include/hyl/jacobians.h").read_text(encoding="utf-8")
    assert "class fr_foot_J_fr_hip : public Matrix<6, 2>" in text
    assert "std::array<int, 2> joints{{2, 3}}" in text
    # of the way between two frames nothing else is read
    assert set(re.findall(r"q\[(\d)\]", function(text, "fr_foot_J_fr_hip"))) == {"3", "2"}


DRIVER = """
#include "hyl/traits.h"
#include <cstdio>

using namespace hyl;

static void show(const char *name, const double *x, int size)
{
    std::printf("%s", name);
    for (int i = 0; i < size; ++i) std::printf(" %.17g", x[i]);
    std::printf("\\n");
}

template <typename T>
static void show(const char *name, const T &x) { show(name, x.data(), static_cast<int>(sizeof(x) / sizeof(double))); }

int main()
{
    const std::array<double, 4> q{{0.1, 0.2, 0.3, 0.4}}, other{{-0.2, 0.5, -0.4, 0.9}}, v{{0.7, -1.1, 0.5, 2.0}},
        a{{1.3, 0.4, -0.8, 0.2}};
    std::array<double, 4> tau{}, found{};

    // a matrix keeps its constants, even wrong ones
    homogeneous::fr_base_X_fr_foot X;
    X(q);
    show("X", X);
    X(3, 3) = 7.0, X(0, 2) = 0.5, X(0, 0) = 99.0;
    X.update(other);
    show("corrupt", X);
    show("other", homogeneous::fr_base_X_fr_foot()(other));
    show("motion", motion::fr_leg_X_fr_foot()(q));
    show("J", jacobians::fr_base_J_fr_foot()(q));
    show("back", jacobians::fr_foot_J_fr_hip()(q));

    // with q and without, and two objects that know nothing of each other
    InertiaProperties inertia;
    InverseDynamics first(inertia), second(inertia);
    second.setJointStatus(other);
    first.id(q, v, a, tau);
    show("id", tau);
    second.id(v, a, tau);
    show("id other", tau);
    first.id(v, a, tau);
    show("id stale", tau);
    first.G_terms(tau);
    show("G", tau);
    first.C_terms(v, tau);
    show("C", tau);
    second.G_terms(q, tau);
    show("G again", tau);

    // forces on links
    ExtForces fext;
    fext[Link::lowerleg] = {{1, 2, 3, 4, 5, 6}};
    first.id(q, v, a, fext, tau);
    show("one force", tau);
    fext[Link::hip] = {{-3, 1, 4, -1, 5, -9}};
    fext[Link::foot] = {{2, 7, -1, 8, -2, 8}};
    first.id(v, a, fext, tau);
    show("all forces", tau);

    ForwardDynamics forward(inertia);
    first.id(q, v, a, tau);
    forward.fd(q, v, tau, found);
    show("fd", found);
    first.id(q, v, a, fext, tau);
    forward.fd(v, tau, fext, found);
    show("fd forces", found);
    JSIM jsim(inertia);
    show("H", jsim(q).data(), 16);
    show("L", jsim.updateL(q).L());
    show("inverse", jsim.updateInverse(q).inverse());

    // another load, another planet
    inertia.setMass(Link::lowerleg, 2.5);
    inertia.setCom(Link::lowerleg, {{0.2, 0.01, -0.03}});
    inertia.setTensor(Link::lowerleg, {{0.01, 0.001, 0.002, 0.03, 0.003, 0.025}});
    first.gravity = {{0.5, 0, -1.62}};
    first.id(v, a, tau);
    show("loaded", tau);
    forward.gravity = first.gravity;
    forward.fd(q, v, tau, found);
    show("fd loaded", found);
    const double m[] = {inertia.mass(Link::lowerleg), inertia.com(Link::hip)[0], inertia.tensor(Link::leg)[5]};
    show("kept", m, 3);
    static_assert(q_index(Joint::HFE) == 2 && v_index(Joint::KFE) == 3 && NQ == 4 && LINKS == 5, "sizes");
    return 0;
}
"""


@pytest.fixture(scope="module")
def numbers(hyl: Path) -> dict[str, np.ndarray]:
    """What the classes say, by name."""
    main = hyl / "main.cpp"
    main.write_text(DRIVER, encoding="utf-8")
    lines = [line.rpartition("$") for line in said(built(main, f"-I{hyl / 'include'}")).splitlines()]
    found = {}
    for _, _, line in lines:
        words = line.split()
        count = next(k for k, word in enumerate(words) if re.fullmatch(r"[-\d.e+]+|nan|inf", word))
        found[" ".join(words[:count])] = np.array(words[count:], float)
    return found


Q, OTHER, V, A = np.array([HYL, (-0.2, 0.5, -0.4, 0.9), (0.7, -1.1, 0.5, 2.0), (1.3, 0.4, -0.8, 0.2)])
LOWERLEG, HIP, FOOT = (1, 2, 3, 4, 5, 6), (-3, 1, 4, -1, 5, -9), (2, 7, -1, 8, -2, 8)


@needs_compiler
@row("robcogen", 17)
def test_constants_are_written_once_and_the_rest_with_every_update(numbers: dict[str, np.ndarray]) -> None:
    corrupt, other = numbers["corrupt"].reshape(4, 4), numbers["other"].reshape(4, 4)
    assert corrupt[3, 3] == 7.0
    assert corrupt[0, 2] == 0.5
    corrupt[3, 3], corrupt[0, 2] = 1.0, 0.0
    assert np.array_equal(corrupt, other)
    assert np.allclose(other, mc.transform(mc.load("hyl"), "base", "foot").run(OTHER).homogeneous, rtol=0, atol=1e-15)


@needs_compiler
@row("robcogen", 21, 35)
def test_classes_give_the_numbers_of_python(numbers: dict[str, np.ndarray]) -> None:
    robot = mc.load("hyl")
    expected = {
        "X": mc.transform(robot, "base", "foot").run(HYL).homogeneous,
        "motion": mc.transform(robot, "leg", "foot").run(HYL).motion,
        "J": mc.jacobian(robot, "foot").run(HYL),
        "back": mc.jacobian(robot, "hip", wrt="foot", as_seen_by="foot").run(HYL)[:, 2:],
        "id": mc.inverse_dynamics(robot).run(Q, V, A),
        "id other": mc.inverse_dynamics(robot).run(OTHER, V, A),
        "G": mc.gravity_forces(robot).run(Q),
        "G again": mc.gravity_forces(robot).run(Q),
        "C": mc.bias_forces(robot, gravity=(0, 0, 0)).run(Q, V),
        "fd": A,
        "fd forces": A,
        "H": mc.mass_matrix(robot).run(Q),
        "L": mc.mass_matrix_factor(robot).run(Q),
        "inverse": np.linalg.inv(mc.mass_matrix(robot).run(Q)),
    }
    for name, values in expected.items():
        assert np.abs(numbers[name] - np.ravel(values)).max() < 1e-12 * max(1, np.abs(values).max()), name
    # G_terms is +G: tau = H qdd + C + G
    H = numbers["H"].reshape(4, 4)
    assert np.allclose(H @ A + numbers["C"] + numbers["G"], numbers["id"], rtol=0, atol=1e-12)


@needs_compiler
@row("robcogen", 25)
def test_without_q_the_one_taken_over_last_counts(numbers: dict[str, np.ndarray]) -> None:
    """Each overload with q takes it over; witness: Pinocchio on the same file."""
    robot = mc.load("hyl")
    world = Oracle(robot_file("hyl"), robot)
    for name, q in (("id", Q), ("id other", OTHER)):
        assert error(numbers[name], world.inverse_dynamics(q, V, A)) < 1e-12
    assert np.array_equal(numbers["id stale"], numbers["id"])


@needs_compiler
@row("robcogen", 26)
def test_forces_change_torques_by_their_jacobians(numbers: dict[str, np.ndarray]) -> None:
    robot = mc.load("hyl")

    def pull(link: str, force: tuple[float, ...]) -> np.ndarray:
        return mc.jacobian(robot, link, as_seen_by=link).run(Q).T @ np.array(force)

    assert np.allclose(numbers["one force"] - numbers["id"], -pull("lowerleg", LOWERLEG), rtol=0, atol=1e-12)
    together = pull("lowerleg", LOWERLEG) + pull("hip", HIP) + pull("foot", FOOT)
    assert np.allclose(numbers["all forces"] - numbers["id"], -together, rtol=0, atol=1e-12)


LOADED = ((0.01, 0.001, 0.002), (0.001, 0.03, 0.003), (0.002, 0.003, 0.025))


@needs_compiler
@row("robcogen", 27)
def test_another_load_needs_no_other_code(numbers: dict[str, np.ndarray]) -> None:
    robot = mc.load("hyl")
    ten = mc.inertial(2.5, (0.2, 0.01, -0.03), LOADED)
    loaded = mc.inverse_dynamics(robot, parameters=["lowerleg.inertial"], gravity=(0.5, 0, -1.62)).run(Q, V, A, ten)
    assert np.allclose(numbers["loaded"], loaded, rtol=0, atol=1e-12)
    assert np.allclose(numbers["fd loaded"], A, rtol=0, atol=1e-11)
    hip, leg = (next(link for link in robot.links if link.name == name) for name in ("hip", "leg"))
    assert np.array_equal(numbers["kept"], [2.5, hip.com[0], leg.inertia[2, 2]])


COUNTING = """
#include "hyl/traits.h"
#include <cstdio>
#include <cstdlib>

static volatile long allocations = 0;  // compilers know what malloc does not change
extern "C" void *__libc_malloc(std::size_t);
extern "C" void *malloc(std::size_t size) { allocations = allocations + 1; return __libc_malloc(size); }

int main()
{
    hyl::InertiaProperties inertia;
    hyl::InverseDynamics inverse(inertia);
    hyl::ForwardDynamics forward(inertia);
    hyl::JSIM jsim(inertia);
    hyl::Transforms transforms;
    hyl::ExtForces fext;
    std::array<double, 4> q{{0.1, 0.2, 0.3, 0.4}}, v{{1, 2, 3, 4}}, a{{4, 3, 2, 1}}, tau{};
    void *volatile one = std::malloc(1);
    std::free(one);
    const long before = allocations;
    for (int i = 0; i < 1000000; ++i) {
        q[3] = i * 1e-6;
        inverse.id(q, v, a, tau);
        inertia.setMass(hyl::Link::foot, i * 1e-6);
        if (i % 16) continue;
        inverse.id(v, a, fext, tau);
        forward.fd(q, v, tau, a);
        jsim.updateInverse(q);
        transforms.update(q);
    }
    std::printf("%ld %ld %g\\n", allocations - before, before, tau[0]);
    return 0;
}
"""


@needs_compiler
@on_linux
@row("robcogen", 38)
def test_a_million_calls_allocate_nothing(hyl: Path) -> None:
    main = hyl / "counting.cpp"
    main.write_text(COUNTING, encoding="utf-8")
    inside, before, tau = said(built(main, f"-I{hyl / 'include'}")).split()
    assert inside == "0"
    assert int(before) >= 1  # the count counts
    assert np.isfinite(float(tau))


@needs_compiler
def test_a_robot_checks_itself(hyl: Path) -> None:
    for compiler in COMPILERS:
        line = said(built(hyl / "hyl_test.cpp", f"-I{hyl / 'include'}", compiler=compiler))
        assert re.fullmatch(r"hyl: 3 states, largest relative error \S+\n", line)


EIGEN_MAIN = """
#include "hyl_jacobian.hpp"
#include "hyl_inverse_dynamics.hpp"
#include "hyl/traits.h"
#include <cstdio>
#include <iostream>

int main()
{
    Eigen::Vector4d q(0.1, 0.2, 0.3, 0.4), v(1, 2, 3, 4), tau, again;
    Eigen::Matrix<double, 6, 4> J;
    Eigen::Matrix<double, 4, 3> states;
    hyl::jacobian(q, J);
    hyl::inverse_dynamics(q, v, v, tau);
    hyl::inverse_dynamics(q, v, v, states.col(1));
    std::array<double, 24> rows;
    std::array<double, 4> plain{{0.1, 0.2, 0.3, 0.4}};
    hyl::jacobian(plain, rows);
    double worst = (states.col(1) - tau).cwiseAbs().maxCoeff();
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j) worst = std::max(worst, std::abs(J(i, j) - rows[4 * i + j]));

    hyl::Jacobians jacobians;
    worst = std::max(worst, (jacobians.fr_base_J_fr_foot(q).eigen() - J).cwiseAbs().maxCoeff());
    hyl::InertiaProperties inertia;
    hyl::InverseDynamics inverse(inertia);
    Eigen::Map<const Eigen::Vector4d> seen(plain.data());
    Eigen::Ref<Eigen::Vector4d> there(again);
    inverse.id(seen, v, v, there);
    worst = std::max(worst, (again - tau).cwiseAbs().maxCoeff());
    hyl::Transforms transforms;
    transforms.update(q);
    const Eigen::Matrix4d X = transforms.homogeneous.fr_base_X_fr_foot.eigen();
    std::printf("%.17g %.17g\\n", worst, X(0, 3));
    return 0;
}
"""


@needs_compiler
@needs_eigen
@row("robcogen", 35)
def test_eigen_goes_in_and_out_everywhere(hyl: Path) -> None:
    mc.jacobian(mc.load("hyl"), "foot").emit("cpp", hyl / "one")
    mc.inverse_dynamics(mc.load("hyl")).emit("cpp", hyl / "one")
    main = hyl / "with_eigen.cpp"
    main.write_text(EIGEN_MAIN, encoding="utf-8")
    flags = [f"-I{hyl / 'one'}", f"-I{hyl / 'include'}", f"-isystem{EIGEN}"]
    worst, x = map(float, said(built(main, *flags, "-O0")).split())
    assert worst < 1e-13
    assert abs(x + 0.3160239091) < 1e-9


# ---------------------------------------------------------------- files

GENERATE = """
import motionc as mc
robot = mc.load("planar2")
mc.inverse_dynamics(robot).emit("cpp", folder)
mc.emit_robot(robot, folder + "/robot", transforms=[("base", "tip")], jacobians=[("base", "tip")])
"""


@row("robcogen", 39)
@pytest.mark.usefixtures("in_best_order")
def test_every_process_writes_the_same_bytes(tmp_path: Path) -> None:
    source = str(Path(mc.__file__).parents[1])
    environment = os.environ | {"PYTHONHASHSEED": "4242", "PYTHONPATH": source}
    command = [sys.executable, "-c", f"folder = {str(tmp_path / 'there')!r}{GENERATE}"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    exec(GENERATE, {"folder": str(tmp_path / "here")})
    here, there = (
        {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
        for folder in (tmp_path / "here", tmp_path / "there")
    )
    assert here == there
    assert len(here) == 3 + 8 + 2


@needs_compiler
def test_no_name_reaches_source_text_unescaped(tmp_path: Path) -> None:
    names = ['a;system("x")//*/ int evil; /*', "größe", "std", "a\\\n??/", "link 1", "link_1"]
    places = (Attachment("here", Role.JOINT), Attachment("there", Role.JOINT, mc.placed((0.1, 0, 0))))
    links = [Segment(name, Link.rigid(name, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), places) for name in names]
    base, joints = Segment("base", Link.rigid("base"), places), list[Joint]()
    for segment, before in zip(links, [base, *links], strict=False):
        joints.append(Joint(segment.name, JointType.REVOLUTE, (segment, "here"), (before, "there")))
    robot = Robot(KinematicChain(names[0], tuple(joints)))
    paths = mc.emit_robot(robot, tmp_path, jacobians=[("base", "std"), ("link 1", "größe"), ("link_1", "größe")])
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*\.(h|cpp|txt)", path.name) for path in paths)
    for path in paths[:-1]:
        text = path.read_text(encoding="utf-8")
        assert text.count("/*") == text.count("*/")
        assert "\\" not in text
    built(paths[-2], f"-I{tmp_path / 'include'}", "-fsyntax-only")


def test_what_cannot_be_generated_is_said(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match="transform, frame: there is no frame 'top'"):
        mc.emit_robot(robot, tmp_path, transforms=[("base", "top")])
    with pytest.raises(mc.Error, match=r"jacobians: a pair='base'; give pairs \(wrt, frame\)"):
        mc.emit_robot(robot, tmp_path, jacobians=["base"])
    with pytest.raises(mc.Error, match="has no movable joint"):
        mc.emit_robot(mc.load("planar2", fixed=["shoulder", "elbow"]), tmp_path)
    assert not list(tmp_path.iterdir())
    files = mc.emit_robot(robot, tmp_path, dynamics=False)
    assert [path.name for path in files] == [
        "declarations.h", "transforms.h", "jacobians.h", "traits.h", "planar2_test.cpp", "CMakeLists.txt",
    ]  # fmt: skip
