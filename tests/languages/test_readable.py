"""Emitted code can be read: values are called by link and quantity, which is true of them, and costs nothing."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio
import pytest

import motionc as mc
from hostile_names import NAMES, built
from motionc.program.evaluate import values_of
from motionc.program.origins import NOWHERE
from motionc.program.passes import optimise
from motionc.program.passes.multiply_add import chained
from motionc.program.passes.order import scheduled
from motionc.program.program import Program
from motionc.program.split import Part, parts
from motionc.sweeps.origins import _Lookup
from motionc.targets import TARGETS

LWR = mc.load("lwr4")
QUESTIONS: dict[str, mc.Computation] = {
    "inverse": mc.inverse_dynamics(LWR),
    "forward": mc.forward_dynamics(mc.load("planar3")),
    "rows": mc.constrained_dynamics(mc.load("planar3"), [mc.Constraint("tip", "xy")]),
    "derivative": mc.forward_dynamics(mc.load("planar2")).derivative("a", "q"),
    "product": mc.inverse_dynamics(mc.load("planar2")).vjp("tau", "q"),
}
NAMED = r"\b(?:minus_)?(?:link_\d+|world)_[A-Za-z]\w*"


def short(program: Program, *_: object) -> tuple[Part, ...]:
    """In functions of a few instructions."""
    return parts(program, 100)


def named(computation: mc.Computation) -> Program:
    return computation.solver.readable(computation.program)


def stripped(text: str, target: str) -> str:
    """A text without comments, its values called by the order in which they come."""
    comments = {"python": r'^ *#.*\n|"""[\s\S]*?"""', "matlab": r"^ *%.*\n| \.\.\.$"}
    comments = comments.get(target, r"[ \t]*/\*[\s\S]*?\*/\n?")
    bare = re.sub(r"\n+", "\n", re.sub(comments, "", text, flags=re.MULTILINE))
    seen: dict[str, str] = {}
    bare = re.sub(rf"{NAMED}|\bt\d+\b", lambda found: seen.setdefault(found[0], f"v{len(seen)}"), bare)
    return re.sub(r"\s+", " ", bare)  # lines are broken elsewhere


@pytest.mark.parametrize("question", QUESTIONS)
def test_without_its_names_code_is_what_it_is_without_names(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if question == "rows":  # in several functions
        for target in ("c", "c_simd", "cuda"):
            monkeypatch.setattr(f"motionc.targets.{target}.in_functions", short)
    plain, told = QUESTIONS[question].program, named(QUESTIONS[question])
    assert (told.instructions, told.results, told.operations) == (plain.instructions, plain.results, plain.operations)
    assert told == plain
    assert told.origins.values
    for target in TARGETS:
        with_names, without = (TARGETS[target](program, "f", "double", ()) for program in (told, plain))
        for file in with_names:
            assert stripped(with_names[file], target) == stripped(without[file], target), (target, file)
        both = "".join(with_names.values()), "".join(without.values())
        assert re.search(NAMED, both[0])
        assert not re.search(NAMED, both[1])  # what is built has none


def test_names_ride_beside_the_program_through_every_pass() -> None:
    told = named(QUESTIONS["inverse"])
    for moved in (optimise(told), chained(told), scheduled(told), chained(optimise(told))):
        assert moved == replace(moved, origins=NOWHERE)
        given = {port.name: port.space.draw(np.random.default_rng(3)) for port in told.inputs}
        before, after = values_of(told, given), values_of(moved, given)
        numbers = {origin.name: before[value] for value, origin in told.origins.values.items()}
        kept = {origin.name: after[value] for value, origin in moved.origins.values.items()}
        assert len(kept) > 0.7 * len(numbers)  # chains dissolve some sums
        assert all(abs(numbers[name] - number) < 1e-12 * max(1, abs(number)) for name, number in kept.items())


def test_a_twist_of_that_name_is_pinocchios_twist_of_that_link() -> None:
    """ω and n of every link, in the frame of its joint: Pinocchio has them in the frames of the file."""
    robot = mc.load("ur5")
    told = named(mc.inverse_dynamics(robot, gravity=(0, 0, 0)))
    (path,) = (robot.file for robot in mc.robots() if robot.name == "ur5")
    model = pinocchio.buildModelFromUrdf(str(path))
    model.gravity.setZero()
    data, rng = model.createData(), np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 6))
    numbers = values_of(told, {"q": q, "v": v, "a": a})
    values = {origin.name: numbers[value] for value, origin in told.origins.values.items()}
    pinocchio.rnea(model, data, q, v, a)
    compared = 0
    for k in range(1, 7):
        # where the file's frame is in ours: on the same axis, at the place that costs least
        there = np.asarray(robot.mechanism.frames[f"joint:{model.names[k]}"][1].matrix, float)
        moment = data.f[k].angular + np.cross(there[:3, :3].T @ there[:3, 3], data.f[k].linear)
        turned = [there[:3, :3] @ three for three in (data.v[k].angular, moment)]
        for quantity, three in zip(("twist_w", "wrench_n"), turned, strict=True):
            for axis, expected in zip("xyz", three, strict=True):
                for sign, name in ((1, f"link_{k}_{quantity}{axis}"), (-1, f"minus_link_{k}_{quantity}{axis}")):
                    if name in values:
                        compared += 1
                        assert abs(sign * values[name] - expected) < 1e-10, name
    assert compared >= 20


def by_articulated_bodies(robot: mc.Robot) -> mc.Computation:
    """Forward dynamics as robots of long branches have it."""
    return mc.solve(robot, mc.schedules.FORWARD_DYNAMICS, outputs={"a": "accelerations"})


def test_any_quantity_of_any_link_is_found_in_emitted_c() -> None:
    """What Featherstone's reader looks for: V, A, I^A, U, D, p^A, f; as a value, an input, a constant, or listed."""
    text = by_articulated_bodies(LWR).sources("c", "lwr4_forward_dynamics")["lwr4_forward_dynamics.c"]
    listed: dict[str, str] = {}
    link = quantity = ""
    for line in text[text.index("Where to find what") : text.index("void lwr4")].splitlines():
        if found := re.match(r" \* (link_\d+): (.*), moved by joint (\S+) \(q\[", line):
            link = found[1]
        elif found := re.match(r" \*   (\w+): (.*)", line):
            quantity = f"{link}.{found[1]}"
            listed[quantity] = found[2]
        elif link and line.startswith(" *     "):
            listed[quantity] += line[6:]
    for number in range(1, 8):
        for quantity in ("pose", "twist", "bias_acceleration", "projector", "inertia", "bias", "acceleration"):
            assert f"link_{number}.{quantity}" in listed, (number, quantity)
        assert f"const double link_{number}_joint_acceleration = " in text
        assert f"link_{number}_projector_D = " in text or "D" in listed[f"link_{number}.projector"]
    assert "const double link_3_twist_wx = " in text
    for equation in ("V_i = X V_p + S v_i", "U = H^A S, D = S^T U + d", "H^A_p += X^T H^a X", "a_i = D^-1 u_i"):
        assert f": {equation}" in text
    assert re.search(r"/\* link_6 bias, inward: H\^A_p [^\n]*\n[^/]*link_6_bias_nx = ", text)
    assert re.search(r"/\* link_6 bias, outward: A_b = [^\n]*\n[^/]*link_6_bias_before_n[xyz] = ", text)
    assert listed["link_1.twist"] == "wx, wy, vx, vy, vz = 0; wz = v[0]"


def test_names_of_strangers_stand_in_no_identifier() -> None:
    some = [NAMES[0], *NAMES[-22:-17]]
    hostile = mc.inverse_dynamics(built(NAMES[0], some))
    plain = mc.inverse_dynamics(built("robot", [f"n{k}" for k in range(len(some))]))
    for target in TARGETS:
        one, other = (next(iter(each.sources(target, "f").values())) for each in (hostile, plain))
        assert stripped(one, target) == stripped(other, target), target


def test_headings_of_strangers_stay_in_comments() -> None:
    """Whoever writes an operation writes its equation, and may call quantities as he likes."""
    evil = '*/ int evil; /* """ \\'

    @mc.operation(mc.OUTWARD, needs=["twist"], gives=["*/ q"], equation=evil + "\nint evil;")
    def momenta(joint: Any, parent: Any, child: Any) -> None:
        child["*/ q"] = joint.inertia @ child.twist

    schedule = mc.schedules.INVERSE_DYNAMICS + mc.sweep(momenta)
    asked = mc.solve(mc.load("planar2"), schedule, outputs={"w": mc.Output("*/ q", "forearm")})
    for target in TARGETS:
        # in C the source, which stands behind its header
        texts = [*asked.sources(target, "f").values()]
        text = texts[1 if target in ("c", "c_simd") else 0]
        assert "evil" in text or target in ("cuda", "maxima")
        assert "evil" not in stripped(text, target), target


def test_a_port_called_like_a_value_keeps_its_name() -> None:
    """A link may be called so that an open parameter has the name of a twist."""
    robot = built("r", ["a", "b"])
    asked: Any = mc.forward_dynamics(robot, parameters=["b.mass"])
    port = asked.program.inputs[-1]
    told = named(asked)
    taken = next(origin.name for origin in told.origins.values.values())
    program = replace(told, inputs=(*told.inputs[:-1], replace(port, name=taken)))
    text = TARGETS["c"](program, "f", "double", ())["f.c"]
    assert f"const double {taken}_ = " in text
    assert f"const double *restrict {taken}," in text


def found_in(asked: mc.Computation) -> str:
    """The list in front of emitted C, a line a line."""
    text = asked.sources("c")[f"{asked.function_name}.c"]
    listed = text[text.index("Where to find what") : text.index("*/", text.index("Where to find what"))]
    return re.sub(r"\n \*     +", " ", listed)


def test_the_list_says_which_word_is_which_symbol() -> None:
    """In front of the code, and of every section, equations are those of what is done there."""
    listed = found_in(by_articulated_bodies(mc.load("planar3")))
    assert "bias (articulated wrench), inertia (articulated inertia): A_b = V x S v_i, F^A = V x* H V" in listed
    assert "locked_acceleration (spatial acceleration), joint_bias: A_locked = X A_p + A_b, u_i = tau_i" in listed
    listed = found_in(mc.constrained_dynamics(mc.load("planar3"), [mc.Constraint("tip", "xy")], prescribed=["joint_1"]))
    assert "joint_rows, unit_wrenches (wrench basis): z = S^T A, A_p += X^T (A - U D^-1 z)" in listed
    assert "  joint_force: tau_i, as given" in listed
    assert re.search(r"joint_force: A_i = A_locked, tau_i = S\^T \(F\^A \+ H\^A A_i\) \+ d a_i", listed)
    assert not re.search(r": (reach|relieve|pull|obey|tell|make)\n", listed)


def test_a_section_has_the_equation_of_what_is_done_at_its_joint() -> None:
    """A joint whose acceleration is given does not give way: its sections are not those of the others."""
    asked = mc.constrained_dynamics(mc.load("planar3"), mc.Constraint("tip", "x"), prescribed=["joint_2"])
    sections = named(asked).origins.sections
    assert "link_2 apparent_inertia, inward: H^a = H^A, F^a = F^A + H^A A_b" in sections
    assert any(said.startswith("link_3 apparent_inertia, inward: U = H^A S, D = S^T U") for said in sections)


def test_the_list_says_where_quantities_are_and_what_is_fixed_to_a_link() -> None:
    robot = mc.load("panda")
    listed = found_in(mc.gravity_forces(robot))
    assert "link_7: panda_link7, with panda_link8, panda_hand, panda_hand_tcp, moved by joint panda_joint7" in listed
    assert "moved by joint panda_joint3 (q[2:3], v[2:3]; as the file has it, at z = 0.316) on link_2" in listed
    for representation, words in (
        ("body", "on its joint's axis, which is z, there and turned about it so that constants vanish"),
        ("inertial", "on its joint's axis, there where constants vanish, in the axes of the world"),
        ("absolute", "are at the origin of the world, in its axes"),
    ):
        asked = mc.inverse_dynamics(robot, representation=representation)
        assert f"{words}\n" in found_in(asked)
    # where frames stay, because they were well placed, or because links' own frames matter more
    for asked in (mc.inverse_dynamics(mc.load("planar2")), mc.regressor(mc.load("ur5"))):
        assert "at the origin of its joint's frame, in the axes of that frame" in found_in(asked)


def test_what_is_alike_at_one_state_alone_is_not_the_same() -> None:
    """Two values meet in a number by chance; at two states none has."""
    lookup = _Lookup(np.array([[1.0, 1.0, 2.0], [3.0, 4.0, 3.0]]), [0, 1, 2])
    assert [lookup.find(1.0, 4.0), lookup.find(2.0, 3.0), lookup.find(2.0, 4.0)] == [1, 2, None]


def test_in_lanes_every_name_of_the_list_is_in_the_code_too() -> None:
    """Sines and cosines stand in an array there: a line below their call says which is which."""
    _, text = mc.mass_matrix(mc.load("panda")).sources("c_simd").values()
    listed, code = text[text.index("Where to find what") :].split("*/", 1)
    named = set(re.findall(NAMED, listed))
    assert "link_2_pose_R11" in named
    assert [name for name in named if not re.search(rf"\b{name}\b", code)] == []
