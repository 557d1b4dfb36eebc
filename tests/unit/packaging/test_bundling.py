"""Bundles run where motionc is not, in every way they have, and are the same for the same input."""

import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc.program.names import robot_word
from motionc.runtime.loops import LoopComputation
from tiers import needs_compiler

SITE = Path(np.__file__).parents[1]


@cache
def asked() -> tuple[mc.Computation, mc.Computation]:
    """One output and several, with and without a kernel."""
    robot = mc.load("planar2")
    return mc.inverse_dynamics(robot), mc.constrained_dynamics(robot, [mc.Constraint("tip", "xy")])


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mc.bundle(asked(), tmp_path_factory.mktemp("bundle"), name="arm", licence="ours, `quoted`\nand 'so on'")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place from which NumPy can be imported, and neither motionc nor CasADi."""
    folder = tmp_path_factory.mktemp("site")
    for entry in SITE.glob("numpy*"):
        (folder / entry.name).symlink_to(entry)
    return folder


def alone(code: str, site: Path, *places: Path, way: str = "") -> str:
    """What a fresh Python prints that sees these places and nothing else; it must not see us."""
    guard = "import importlib.util as u\nassert not u.find_spec('motionc') and not u.find_spec('casadi')\n"
    paths = f"import sys; sys.path[:0] = {[str(place) for place in (*places, site)]!r}\n"
    environment = {"MOTIONC_WAY": way, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", paths + guard + code], capture_output=True, text=True, env=environment
    )
    assert not done.returncode, done.stderr
    return done.stdout


CALL = """
import json
import numpy as np, arm
x = json.loads({given!r})
one = arm.constrained_dynamics(*map(np.array, x))
many = arm.constrained_dynamics(*(np.array([v, v]) for v in x[:3]), x[3])
assert np.allclose(many.a, [one.a, one.a], rtol=0, atol=1e-12)
print(json.dumps([np.ravel(v).tolist() for v in one] + [arm._constrained_dynamics.way, arm.self_test()]))
"""


REFUSED = """
import numpy as np, arm
for value in (None, [1j, 2], np.ma.array([1.0, 2.0], mask=[False, True]), ["a", "b"], [None, 1.0]):
    try:
        arm.inverse_dynamics(value, [0, 0], [0, 0])
    except TypeError as error:
        assert str(error).startswith("q must be real numbers that end in shape (2,), not "), error
    else:
        raise AssertionError(value)
one, two = np.zeros(2), np.zeros((3, 2))
for states in (one, two):
    rank = arm.constrained_dynamics(states, one, one, one).rank
    assert np.asarray(rank).dtype == np.int64 and np.shape(rank) == states.shape[:-1], rank
"""


@pytest.mark.parametrize("way", ["glued", "compiled", "numpy"])
def test_what_is_no_number_is_refused_and_counts_are_integers(way: str, package: Path, site: Path) -> None:
    if way != "numpy" and not (package / "lib").is_dir():
        pytest.skip("no C compiler on this machine")
    alone(REFUSED, site, package.parent, way=way)


@pytest.mark.parametrize("way", ["glued", "compiled", "numpy"])
def test_it_computes_the_same_without_motionc(way: str, package: Path, site: Path) -> None:
    if way != "numpy" and not (package / "lib").is_dir():
        pytest.skip("no C compiler on this machine")
    rng, computation = np.random.default_rng(1), asked()[1]
    given = [rng.uniform(-1, 1, port.shape) for port in computation.inputs]
    *found, used, error = json.loads(
        alone(CALL.format(given=json.dumps([x.tolist() for x in given])), site, package.parent, way=way)
    )
    assert used == way
    assert error < 1e-12
    for value, expected in zip(found, computation(*given), strict=True):
        assert np.allclose(value, np.ravel(expected), rtol=1e-10, atol=1e-12)


@needs_compiler
def test_the_best_way_is_chosen_and_lists_and_wrong_shapes_are_understood(package: Path, site: Path) -> None:
    code = """
import arm
print(arm._inverse_dynamics.way, arm.inverse_dynamics([0, 0], [0, 1], [1, 0]).shape)
try:
    arm.inverse_dynamics([0, 0, 0], [0, 1], [1, 0])
except ValueError as error:
    print(error)
"""
    assert alone(code, site, package.parent) == "glued (2,)\nq has shape (3,); it must end in (2,)\n"


def test_a_library_of_another_machine_is_left_alone(package: Path, site: Path, tmp_path: Path) -> None:
    shutil.copytree(package, tmp_path / "arm")
    (tmp_path / "arm" / "lib").mkdir(exist_ok=True)
    for item in ("inverse_dynamics", "constrained_dynamics"):
        (tmp_path / "arm" / "lib" / f"{item}.so").write_bytes(b"not of this machine")
    assert (
        alone("import arm; print(arm._inverse_dynamics.way, arm.self_test() < 1e-9)", site, tmp_path) == "numpy True\n"
    )


def test_a_wrong_number_is_found_by_the_self_test(package: Path, site: Path, tmp_path: Path) -> None:
    shutil.copytree(package, tmp_path / "arm")
    module = tmp_path / "arm" / "fallback" / "inverse_dynamics.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(re.sub(r"= (t\d+) \+ (t\d+)\n", r"= \1 - \2\n", text, count=1), encoding="utf-8")
    code = """
import arm
try:
    arm.self_test()
except RuntimeError as error:
    print(error)
"""
    assert re.fullmatch(r"inverse_dynamics is wrong: its relative error is \S+\n", alone(code, site, tmp_path))


@needs_compiler
def test_its_c_tests_itself(package: Path, tmp_path: Path) -> None:
    for source in sorted((package / "c").glob("*.c")):
        program = tmp_path / source.stem
        subprocess.run(["cc", "-DSELF_TEST", str(source), "-lm", "-o", str(program)], check=True)
        assert "largest relative error" in subprocess.run([program], check=True, capture_output=True, text=True).stdout


def test_the_manifest_says_what_is_inside(package: Path) -> None:
    manifest = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["robots"] == [{"name": "planar2", "nq": 2, "nv": 2, "joints": ["shoulder", "elbow"]}]
    inverse, constrained = manifest["computations"]
    assert [port["name"] for port in inverse["inputs"]] == ["q", "v", "a"]
    assert inverse["outputs"][0]["unit"] == "N m, N"
    assert sum(constrained["operations"].values()) == sum(asked()[1].operations.values())
    there = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert there - {"manifest.json"} == set(manifest["files"])
    for path, digest in manifest["files"].items():
        assert hashlib.sha256((package / path).read_bytes()).hexdigest() == digest
    assert "ours, 'quoted' and 'so on'" not in (package / "__init__.py").read_text(encoding="utf-8")


def test_a_wheel_is_the_same_every_time_and_its_record_is_right(tmp_path: Path) -> None:
    first, second = (mc.bundle(asked()[0], tmp_path / place, wheel=True, library=False) for place in "ab")
    assert re.fullmatch(r"planar2-1\.0\+[0-9a-f]{8}-py3-none-any\.whl", first.name)
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
        (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert [row[0] for row in rows] == names
        for path, digest, size in rows[:-1]:
            data = archive.read(path)
            assert digest == "sha256=" + urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert int(size) == len(data)
        assert rows[-1] == [record, "", ""]


@needs_compiler
@pytest.mark.skipif(find_spec("pip") is None, reason="this Python has no pip")
def test_pip_installs_a_wheel_that_runs_alone(site: Path, tmp_path: Path) -> None:
    wheel = mc.bundle(asked()[0], tmp_path, name="arm", wheel=True)
    assert re.fullmatch(r"arm-1\.0\+[0-9a-f]{8}-py3-none-(linux|macosx)_\w+\.whl", wheel.name)
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q", "--target"]
    subprocess.run([*install, str(tmp_path / "there"), str(wheel)], check=True, capture_output=True)
    printed = alone("import arm; print(arm._inverse_dynamics.way, arm.self_test() < 1e-9)", site, tmp_path / "there")
    assert printed == "glued True\n"


def test_single_precision_and_names_of_ones_own(tmp_path: Path, site: Path) -> None:
    robot = mc.load("planar2")
    named = {"to the tip": mc.jacobian(robot, "tip"), "lambda": mc.mass_matrix(robot, precision="single")}
    mc.bundle(named, tmp_path, name="two", library=False)
    code = "import two; print(two.to_the_tip([0, 0]).shape, two.lambda_([0, 0]).dtype, two.self_test() < 2e-3)"
    assert alone(code, site, tmp_path) == "(6, 2) float32 True\n"


@pytest.mark.parametrize("name", ["../up", "/tmp/x", "a b", "import", "numpy", "json", "é", "a" * 64])
def test_a_package_is_called_by_a_word_that_hides_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(mc.Error, match=r"a package (cannot be )?called"):
        mc.bundle(asked()[0], tmp_path, name=name, library=False)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_bundle_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "arm" / "notes.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(mc.Error, match="holds something that is no bundle"):
        mc.bundle(asked()[0], tmp_path, name="arm", library=False)
    assert mine.read_text() == "mine"
    (tmp_path / "link").symlink_to(tmp_path / "arm")
    with pytest.raises(mc.Error, match="no folder of its own"):
        mc.bundle(asked()[0], tmp_path, name="link", library=False)


def test_a_second_bundle_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    mc.bundle(asked(), tmp_path, name="arm", library=False)
    package = mc.bundle(asked()[0], tmp_path, name="arm", library=False)
    assert not [path for path in package.rglob("*") if "constrained" in path.name]


def test_a_manifest_cannot_make_us_remove_what_is_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    package = mc.bundle(asked()[0], tmp_path, name="arm", library=False)
    manifest = json.loads((package / "manifest.json").read_text())
    manifest["files"] |= {"../outside.txt": "", str(outside): ""}
    (package / "manifest.json").write_text(json.dumps(manifest))
    mc.bundle(asked()[0], tmp_path, name="arm", library=False)
    assert outside.read_text() == "mine"


def test_mistakes_are_sentences(tmp_path: Path) -> None:
    inverse = asked()[0]
    for given, said in (
        ([], "computations is empty; give one at least"),
        ([inverse, inverse], "would both be called"),
        (["x"], "not a str"),
    ):
        with pytest.raises(mc.Error, match=said):
            mc.bundle(given, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(mc.Error, match="cannot be written"):
        mc.bundle(inverse, tmp_path / "file", library=False)


def test_robots_whose_names_look_alike_in_c_do_not_overwrite_each_other() -> None:
    words = [robot_word(name) for name in ("a/b", "a.b", "a b", "_a", "a", "a_b", "1a", "r1a", "ä", "ö")]
    assert len({re.sub(r"[^0-9A-Za-z_]+", "_", word).strip("_") for word in words}) == len(words)
    assert robot_word("ur5_robot") == "ur5_robot"


# ---------------------------------------------------------------- state, blocks without a robot, loops


def low_pass(x, y):
    return {"y": y + 0.1 * (x - y)}


def follow(x, force, pull, kick):
    return {"x_next": 0.9 * x + 0.1 * force + pull + 0.01 * kick, "far": x[0] > 1.0}


@cache
def over_time() -> tuple[mc.Computation, LoopComputation]:
    """What carries state, and a loop with all that one may have; nothing of a robot."""
    pair = {"shape": (2,), "unit": "1", "meaning": "a pair"}
    smooth = mc.block("low_pass", low_pass, [mc.Port("x", **pair), mc.State("y", (2,), "1", "smooth", [0.25, 0.5])])
    names = ("x", "force", "pull", "kick")
    plant = mc.block(
        "plant",
        follow,
        [mc.Port(n, **pair) for n in names],
        [mc.Port("x_next", **pair), mc.Port("far", (), "1", "end")],
    )
    loop = mc.loop(
        {"filter": smooth, "plant": plant},
        feeds={"force": "filter.y"},
        feedback={"x": "x_next"},
        streamed=["pull"],
        drawn={"kick": "uniform"},
        log={"x": 2, "far": 1},
        until="far",
        rates={"filter": 3},
        name="follow",
    )
    return smooth, loop


OVER_TIME = """
import numpy as np, low_pass
state, sums = low_pass.low_pass_start(), []
for k in range(3):
    state = low_pass.LowPassState(low_pass.low_pass(np.ones(2), *state))
print(state.y.tolist())
pull = np.linspace(0.0, 0.2, 3 * 9 * 2).reshape(3, 9, 2)
run = low_pass.follow(steps=9, x=np.zeros(2), pull=pull, seed=4, lane=2)
print(*(np.asarray(part, float).ravel().tolist() for part in run), sep="\\n")
print(low_pass.self_test() < 1e-9)
"""


@needs_compiler
def test_state_and_loops_run_without_motionc(site: Path, tmp_path: Path) -> None:
    smooth, loop = over_time()
    folder = mc.bundle(over_time(), tmp_path)
    assert folder.name == "low_pass"
    state = smooth.start()
    for _ in range(3):
        state = {"y": smooth([1.0, 1.0], state=state)}
    pull = np.linspace(0.0, 0.2, 54).reshape(3, 9, 2)
    run = loop.batch(x=np.zeros(2), pull=pull, steps=9, seed=4, lane=2)
    assert run.turns.tolist() != [9, 9, 9]
    for way in ("compiled", "numpy"):
        first, *told, right = alone(OVER_TIME, site, tmp_path, way=way).splitlines()
        assert json.loads(first) == pytest.approx(state["y"].tolist())
        for line, known in zip(told, run, strict=True):
            np.testing.assert_allclose(json.loads(line), np.asarray(known, float).ravel(), rtol=1e-12)
        assert right == "True"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["robots"] == []
    assert [one["robot"] for one in manifest["computations"]] == [None, None]
    assert manifest["computations"][0]["inputs"][1]["start"] == [0.25, 0.5]
    assert [one["start"] for one in manifest["computations"][1]["states"]] == [None, [0.25, 0.5]]
    assert "low_pass_low_pass_step(low_pass_low_pass_state *state" in (folder / "c" / "low_pass_low_pass.h").read_text()
    alone_loop = mc.bundle(loop, tmp_path, name="alone", library=False)
    assert "alone_follow_run(&state, 10, pull, x_log, far_log);" in (alone_loop / "README.md").read_text()


def test_a_start_does_not_hide_another_function(tmp_path: Path) -> None:
    smooth, _ = over_time()
    with pytest.raises(mc.Error, match="two things would both be called low_pass_start"):
        mc.bundle({"low_pass": smooth, "low_pass_start": mc.energy(mc.load("planar2"))}, tmp_path)
