"""An emitted file is enough to make its computation again: the same numbers, the same bytes; nothing is executed."""

import json
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc.computations import CATALOGUE
from motionc.computations.from_file import options_of
from motionc.model.digest import robot_digest
from motionc.runtime import provenance
from motionc.targets import TARGETS
from option_pairs import NEEDED, PAIRS, every_option

PLANAR = mc.load("planar2")
FORWARD = mc.forward_dynamics(PLANAR, gravity=(0, 0, -1.62), external_forces=[mc.Force("tip")])
QUESTIONS = {
    "forward": FORWARD,
    "by sweeps": FORWARD.derivative("a", "q"),
    "sparse": FORWARD.derivative("a", "q", sparse=True),
    "twice": FORWARD.jvp("a", ["q", "v"]).vjp("da", "tau"),
    "rows": mc.constrained_dynamics(
        PLANAR, [mc.Constraint("tip", np.eye(6)[:, 3:5]), mc.JointConstraint(["elbow"], level=2)], limits={"elbow": 3}
    ),
    "open": mc.inverse_dynamics(mc.load("planar3", fixed=["joint_2"]), parameters=["gravity"], precision="single"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_file_gives_the_same_bytes_and_numbers_again(question: str, tmp_path: Path) -> None:
    asked = QUESTIONS[question]
    target = sorted(TARGETS)[sorted(QUESTIONS).index(question)]
    path = asked.emit(target, tmp_path)[0]
    again = mc.from_file(path)
    assert again.options == asked.options
    assert again.sources(target) == asked.sources(target)
    given = [port.space.draw(np.random.default_rng(1)).reshape(port.shape) for port in asked.inputs]
    for one, other in zip(again.solver.run(*given).values(), asked.solver.run(*given).values(), strict=True):
        assert np.array_equal(one, other)


def test_contacts_and_surfaces_come_back(tmp_path: Path) -> None:
    touch, ball = mc.simulate, mc.simulate.Sphere(0.02)
    ground, rod = touch.HeightField([[0, 0.1], [0.1, 0.2]], 0.5, name="hills"), touch.Capsule(0.1, 0.2)
    contacts = [
        touch.Contact("tip", ground, shape=ball, restitution=0.5),
        touch.Contact("tip", touch.Solid(rod, point=(0, 0, 1)), law=touch.Compliant(1e3, exponent=1.5)),
        touch.Contact("tip", touch.Plane((0, 1, 1), (0, 0, -2)), shape=rod, name="shin"),
    ]
    asked = mc.step(PLANAR, 1e-3, contacts=contacts)
    again = mc.from_file(asked.emit("python", tmp_path)[0])
    assert again.options == asked.options
    assert again.sources("python") == asked.sources("python")
    assert np.array_equal(again.defaults["hills"], ground.heights)


def test_every_option_of_every_computation_comes_back(tmp_path: Path) -> None:
    """Each with a value that is not the usual one, as data in a block, and as options again."""
    program, tried = mc.energy(PLANAR).program, 0
    for name, option in every_option():
        if name == "solve" or option not in PAIRS.get(name, {}):
            continue
        _, value, *more = PAIRS[name][option]
        options = CATALOGUE[name](**NEEDED.get(name, {}) | (more[0] if more else {}) | {option: value})
        about = provenance.provenance(name, PLANAR, options, program)
        (text,) = provenance.with_provenance({"x.py": "pass\n"}, about).values()
        said = provenance.block("x.py", text)
        assert said is not None
        assert options_of(said) == options, (name, option)
        tried += 1
    assert tried > 100


def test_a_robot_of_a_file_is_looked_for_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arms").mkdir()
    file = tmp_path / "arms" / "own.urdf"
    file.write_text(mc.to_urdf(mc.load("planar3")).replace('"planar3"', '"own"'), encoding="utf-8")
    asked = mc.energy(mc.load(file, fixed={"joint_3": 0.5}))
    (path,) = asked.emit("python", tmp_path / "out")
    with pytest.raises(mc.Error, match=r"about 'own', which is not found here; give it"):
        mc.from_file(path)
    assert mc.from_file(path, robot=file).sources("python") == asked.sources("python")
    assert mc.from_file(path, robot=asked.robot).options == asked.options
    monkeypatch.chdir(tmp_path / "arms")
    assert mc.from_file(path).robot.held == {"joint_3": 0.5}
    for other in (mc.load("planar2"), mc.load(file)):
        with pytest.raises(mc.Error, match=f"is about own, and {other.name} as it is here is another robot"):
            mc.from_file(path, robot=other)
    file.write_text(file.read_text(encoding="utf-8").replace('mass value="', 'mass value="9'), encoding="utf-8")
    with pytest.raises(mc.Error, match="another robot"):
        mc.from_file(path)
    with_frame = mc.load("planar2").with_frame("tcp", "tip")
    (path,) = mc.energy(with_frame).emit("python", tmp_path)
    with pytest.raises(mc.Error, match="not found here; give it"):
        mc.from_file(path)
    assert mc.from_file(path, robot=with_frame).name == "energy"


def test_functions_of_your_own_are_no_data(tmp_path: Path) -> None:
    """They are told apart by their programs."""

    @mc.operation(mc.OUTWARD, gives=["depth"])
    def depths(joint, parent, child):  # type: ignore[no-untyped-def]
        child["depth"] = parent.get("depth", 0) + 1

    schedule = mc.schedules.INVERSE_DYNAMICS + mc.sweep(depths)
    asked = mc.solve(PLANAR, schedule, outputs={"tau": "joint_force"})
    (path,) = asked.emit("python", tmp_path)
    with pytest.raises(mc.Error, match=r"functions of your own; make it again by mc\.solve"):
        mc.from_file(path)
    asked.emit("python", tmp_path)

    @mc.operation(mc.OUTWARD, needs=["joint_force"], gives=["joint_force"])
    def twice(joint, parent, child):  # type: ignore[no-untyped-def]
        child.joint_force = child.joint_force + child.joint_force

    other = mc.solve(PLANAR, mc.schedules.INVERSE_DYNAMICS + mc.sweep(twice), outputs={"tau": "joint_force"})
    with pytest.raises(mc.Error, match="another question"):
        other.emit("python", tmp_path)


def test_a_loop_of_the_catalogue_is_made_again(tmp_path: Path) -> None:
    parts = {"ask": mc.inverse_dynamics(PLANAR), "move": mc.step(PLANAR, 1e-3)}
    asked = mc.loop(
        parts, feedback={"q": "q_next", "v": "v_next"}, held=["a"], log={"tau": 2}, rates={"ask": 3}, name="moving"
    )
    header, _ = asked.emit("c", tmp_path)
    again = mc.from_file(header)
    assert again.source.identity() == asked.source.identity()
    assert again.sources("matlab") == asked.sources("matlab")
    asked.emit("c", tmp_path)
    other = mc.loop(parts, feedback={"q": "q_next", "v": "v_next"}, streamed=["a"], rates={"ask": 3}, name="moving")
    with pytest.raises(mc.Error, match=r"answers another question: moving of planar2, course\.held=\['a'\]"):
        other.emit("c", tmp_path)


def test_a_loop_of_code_of_your_own_is_no_data(tmp_path: Path) -> None:
    ports = [mc.Port("x", (), "1", "a number")], [mc.Port("y", (), "1", "a number")]
    twice = mc.block("twice", lambda x: {"y": 2.0 * x}, *ports)
    (path,) = mc.loop([twice], feedback={"x": "y"}).emit("python", tmp_path)
    with pytest.raises(mc.Error, match=r"parts that are known by their code alone; make it again by mc\.loop"):
        mc.from_file(path)
    with pytest.raises(mc.Error, match=r"twice.*answers another question: twice; this is other"):
        mc.loop([twice], feedback={"x": "y"}, name="other").emit("python", tmp_path, prefix="twice")


# ---------------------------------------------------------------- strangers' blocks


def forged(tmp_path: Path, **changes: object) -> Path:
    """A file with a block that somebody else wrote, as carefully as we do."""
    about = provenance.provenance(FORWARD.name, FORWARD.robot, FORWARD.options, FORWARD.program) | changes
    path = tmp_path / "forged.py"
    path.write_text(next(iter(provenance.with_provenance({"forged.py": "pass\n"}, about).values())), encoding="utf-8")
    return path


HOSTILE: dict[str, dict[str, object]] = {
    "no options": {"asks": "Robot"},
    "a module": {"asks": "os.system"},
    "a record of nobody": {"arguments": {"external_forces": [{"Popen": {"args": "x"}}]}},
    "options as a force": {"arguments": {"external_forces": [{"Derivative": {"source": 1}}]}},
    "a private field": {"arguments": {"__class__": 1}},
    "words for numbers": {"arguments": {"gravity": "down"}},
    "nested": {"arguments": {"gravity": json.loads("[" * 60 + "]" * 60)}},
    "a list": {"arguments": [1, 2]},
    "unhashable": {"arguments": {"gravity": {"map": [[{"map": []}, 1]]}}},
    "no robot": {"robot": None},
    "a path": {"robot": {"name": "x", "source": "../../../etc/passwd.urdf", "digest": ""}},
    "a device": {"robot": {"name": "x", "source": "/dev/zero", "digest": ""}},
    "odd loading": {"robot": {"name": "x", "source": "planar2", "mimic": 3, "held": {"elbow": "x"}, "digest": ""}},
    "no loop": {"asks": "Loop", "arguments": 3},
    "a loop of nothing": {"asks": "Loop", "arguments": {"name": "x", "parts": {}, "feeds": {}, "course": {}}},
    "a loop of words": {
        "asks": "Loop",
        "arguments": {"name": 3, "parts": {"a": "b"}, "feeds": {"a": 1}, "course": {"period": "x"}},
    },
    "a loop of another robot": {
        "asks": "Loop",
        "arguments": {"name": "x", "parts": {"a": {"asks": "Energy"}}, "feeds": {}, "course": {}},
    },
    "a loop run by words": {
        "asks": "Loop",
        "arguments": {
            "name": "x",
            "parts": {"a": {"asks": "Energy", "arguments": {}, "defaults": {}, "robot": robot_digest(PLANAR)}},
            "feeds": {"q": ["v"]},
            "course": {"period": [], "held": {"q": 3}, "log": 7, "steps": 3},
        },
    },
    "derived": {
        "asks": "Derivative",
        "arguments": {"source": 3, "kind": "jvp", "of": ["a"], "wrt": ["q"]},
        "defaults": {},
    },
}


@pytest.mark.parametrize("case", HOSTILE)
def test_blocks_of_strangers_get_one_sentence(case: str, tmp_path: Path) -> None:
    with pytest.raises(mc.Error) as refused:
        mc.from_file(forged(tmp_path, **HOSTILE[case]))
    assert len(str(refused.value)) < 600 + len(str(tmp_path))
    assert "\n" not in str(refused.value)


def test_edited_huge_and_foreign_files_get_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = FORWARD.emit("python", tmp_path)
    text = path.read_text(encoding="utf-8")
    for edited in (
        text.replace("-1.62", "-1.63"),
        text.replace('"motionc"', '"motionc'),
        text.replace("{", "{" * 100_000, 1).replace('"arguments": ', '"arguments": ' + "[" * 100_000, 1),
        text.replace('"gravity": [', f'"gravity": [{"9" * 10_000}, ', 1),
    ):
        path.write_text(edited, encoding="utf-8")
        with pytest.raises(mc.Error, match=r"was changed since it was written|says nothing of what it is"):
            mc.from_file(path)
    path.write_text("print('hello')\n", encoding="utf-8")
    with pytest.raises(mc.Error, match="says nothing of what it is"):
        mc.from_file(path)
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(provenance, "LARGEST_BLOCK", 100)
    with pytest.raises(mc.Error, match="was changed"):
        mc.from_file(path)
    monkeypatch.setattr(provenance, "LARGEST_FILE", 100)
    with pytest.raises(mc.Error, match="cannot be read"):
        mc.from_file(path)
    for nothing in (tmp_path, tmp_path / "none.c", "x\0", 3):
        with pytest.raises(mc.Error):
            mc.from_file(nothing)  # type: ignore[arg-type]
