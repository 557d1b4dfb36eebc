"""A solver more is one file in solvers/ and three lines in computations/__init__.py: here the power of joints.

Both are those of docs/inside/how_to_add.md. They are written into a copy of the package, and everything else takes it:
public name, help, command line, three readings, pickles, identity, batches, derivatives, C.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc
from motionc.runtime.build import compiler
from oracle import oracle
from repository import REPOSITORY

ROBOT = "lwr4"
PAGE = (REPOSITORY / "docs" / "inside" / "how_to_add.md").read_text(encoding="utf-8")
FILE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
LINES = {
    "    from motionc.solvers.mass_matrix import MassMatrix\n": "    from motionc.solvers.joint_power import Power\n",
    '    "mass_matrix",\n': '    "joint_power",\n',
    "    mass_matrix = computes(MassMatrix)\n": "    joint_power = computes(Power)\n",
}
"""What is written into computations/__init__.py, and before which line."""

STATES = [np.random.default_rng(seed).uniform(-1, 1, (3, 7)) for seed in range(4)]

PROBE = """
import inspect, json, pickle, sys
import numpy as np
import motionc as mc
from motionc.cli.computations import known
from motionc.solvers.joint_power import JointForce, JointPower, JointVelocity

robot = mc.load("lwr4")
power = mc.joint_power(robot)
states = np.array(json.loads(sys.argv[1]))
one, *others = states
batch = power.batch(*np.moveaxis(states, 1, 0))
moved = power.derivative("power", ["v", "a"])(*one)
try:
    JointPower.of(JointForce(("one",)), JointVelocity(("other",)))
except mc.SemanticError as error:
    refused = str(error)
namespace = {}
exec("from motionc import *", namespace)
print(json.dumps({
    "home": mc.__file__,
    "refused": refused,
    "public": "joint_power" in mc.__all__ and "joint_power" in namespace and "joint_power" in dir(mc),
    "help": inspect.getdoc(mc.joint_power),
    "signature": str(inspect.signature(mc.joint_power)),
    "command line": "joint_power" in known(),
    "ports": [port.name for port in (*power.inputs, *power.outputs)],
    "called": [power(*state) for state in states],
    "run": [power.run(*state) for state in states],
    "pickled": pickle.loads(pickle.dumps(power))(*one),
    "batch": batch.tolist(),
    "dv": moved.dpower_dv.tolist(),
    "da": moved.dpower_da.tolist(),
    "identity": power.identity(),
    "again": mc.joint_power(mc.load("lwr4")).identity(),
    "moon": mc.joint_power(robot, gravity=(0, 0, -1.62)).identity(),
    "single": float(mc.joint_power(robot, precision="single")(*one)),
    "open": mc.joint_power(robot, parameters=["link_7.mass"]).inputs[-1].name,
}))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the solver in it."""
    folder = tmp_path_factory.mktemp("house")
    package = folder / "motionc"
    shutil.copytree(Path(motionc.__file__).parent, package)
    (package / "solvers" / "joint_power.py").write_text(FILE, encoding="utf-8")
    public = package / "computations" / "__init__.py"
    text = public.read_text(encoding="utf-8")
    for before, line in LINES.items():
        assert text.count(before) == 1
        text = text.replace(before, line + before)
    public.write_text(text, encoding="utf-8")
    return folder


def run(house: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(house), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=house, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def seen(house: Path) -> dict[str, Any]:
    """What a process sees that imports the copy."""
    seen = json.loads(run(house, "-c", PROBE, json.dumps([state.tolist() for state in STATES])))
    assert Path(seen["home"]).is_relative_to(house)
    return seen


def by_pinocchio(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
    return float(v @ oracle(ROBOT).inverse_dynamics(q, v, a))


def test_two_files_are_touched(house: Path) -> None:
    ours = Path(motionc.__file__).parent
    touched = {
        path.relative_to(house / "motionc").as_posix()
        for path in (house / "motionc").rglob("*.py")
        if not (same := ours / path.relative_to(house / "motionc")).is_file() or same.read_bytes() != path.read_bytes()
    }
    assert touched == {"solvers/joint_power.py", "computations/__init__.py"}
    assert len(LINES) == 3


def test_the_recipe_shows_these_lines() -> None:
    for line in LINES.values():
        assert f"    {line.strip()} " in PAGE


def test_it_has_a_public_name_help_and_a_signature(seen: dict[str, Any]) -> None:
    assert seen["public"]
    assert seen["help"].startswith("Joint power P = τᵀ v")
    assert seen["signature"].startswith("(robot: ")
    assert "gravity" in seen["signature"]
    assert seen["ports"] == ["q", "v", "a", "power"]
    assert seen["open"] == "link_7.mass"


def test_all_readings_say_what_pinocchio_says(seen: dict[str, Any]) -> None:
    expected = [by_pinocchio(*state) for state in STATES]
    for reading in ("called", "run", "batch"):
        np.testing.assert_allclose(seen[reading], expected, rtol=1e-12, atol=1e-12)
    assert seen["pickled"] == seen["called"][0]
    assert seen["single"] == pytest.approx(expected[0], rel=1e-4)


def test_its_derivative_is_that_of_pinocchio(seen: dict[str, Any]) -> None:
    """∂P/∂a = M v; ∂P/∂v by differences of Pinocchio's power."""
    q, v, a = STATES[0]
    columns = np.eye(7)
    by_a = [by_pinocchio(q, v, a + e) - by_pinocchio(q, v, a) for e in columns]
    by_v = [(by_pinocchio(q, v + 1e-5 * e, a) - by_pinocchio(q, v - 1e-5 * e, a)) / 2e-5 for e in columns]
    np.testing.assert_allclose(seen["da"], by_a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(seen["dv"], by_v, rtol=1e-7, atol=1e-7)


def test_it_has_an_identity(seen: dict[str, Any]) -> None:
    assert seen["identity"] == seen["again"] != seen["moon"]
    assert seen["identity"]


def test_the_command_line_writes_it_as_c_that_tests_itself(house: Path, seen: dict[str, Any], tmp_path: Path) -> None:
    assert seen["command line"]
    said = run(house, "-m", "motionc.cli", "generate", ROBOT, "--compute", "joint_power", "--out", str(tmp_path))
    assert "joint_power" in said
    header = (tmp_path / "lwr4_joint_power.h").read_text(encoding="utf-8")
    assert "power = tau^T v,  tau = M(q) a + h(q, v)" in header
    tool = compiler.find_compiler()
    if tool is None:
        pytest.skip("there is no C compiler on this machine")
    test = tmp_path / "test"
    source = tmp_path / "lwr4_joint_power.c"
    subprocess.run([*tool.command, "-DSELF_TEST", str(source), "-o", str(test), "-lm"], check=True, capture_output=True)
    assert subprocess.run([str(test)], check=False, capture_output=True).returncode == 0


def test_a_file_of_five_paragraphs_that_reads_like_ours() -> None:
    """Not longer than other solvers, and with the field's term in its first words."""
    assert FILE.startswith('"""Joint power')
    paragraphs = re.findall(r"^# -+ (.*)$", FILE, re.MULTILINE)
    assert paragraphs == ["quantities", "operations", "schedule", "the computation"]
    assert FILE.count("\n") < 120


def test_forces_and_rates_of_other_joints_are_no_power(seen: dict[str, Any]) -> None:
    """Its relation is one like others."""
    assert seen["refused"].startswith("JointForce(one) τᵀ q̇ JointVelocity(other)")
