"""What `import motionc` brings along: nothing that takes long, and nothing that is an extra."""

import subprocess
import sys

import pytest

import motionc as mc

HEAVY = ("casadi", "scipy", "typer", "rich", "mujoco", "matplotlib", "xacro", "trimesh", "jax", "torch", "pinocchio")


def imported(code: str) -> set[str]:
    """The modules that a fresh interpreter has after some code."""
    said = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path = {sys.path!r}\n{code}\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(said.stdout.split())


def test_importing_brings_nothing_but_the_package() -> None:
    brought = imported("import motionc") - imported("import types, importlib, typing, pathlib")
    assert brought == {"motionc", "motionc.sources", "motionc.version"}


def test_a_program_is_traced_without_extras() -> None:
    """And without what only the command line needs."""
    code = "import motionc as mc\nmc.inverse_dynamics(mc.load('lwr4')).program"
    assert not imported(code) & set(HEAVY)


def test_a_task_is_made_without_what_reads_documents() -> None:
    """And a grammar is read where a text is."""
    made = imported("import motionc as mc\ntask = mc.tasks.Move('hand', 'T', y=mc.tasks.Tube(0.1))\nstr(task)")
    assert "motionc.tasks.documents" in made
    assert not made & {"yaml", "textx", "arpeggio", *HEAVY}
    assert "textx" in imported("import motionc as mc\nmc.tasks.read('uc2')")


def test_every_public_name_comes_when_it_is_asked_for() -> None:
    assert set(mc.__all__) <= set(dir(mc))
    for name in mc.__all__:
        assert getattr(mc, name) is not None, name
    namespace: dict[str, object] = {}
    exec("from motionc import *", namespace)
    assert set(mc.__all__) <= namespace.keys()


def test_completion_shows_what_is_public_alone() -> None:
    shown = {name for name in dir(mc) if not name.startswith("__")}
    assert shown == {name for name in mc.__all__ if not name.startswith("__")}


def test_the_list_of_robots_stays_a_function() -> None:
    """There is a module of the same name."""
    code = "import motionc as mc\nimport motionc.robots\nfrom motionc.robots import robots\nassert mc.robots is robots"
    assert "motionc.robots" in imported(code)


def test_who_asks_one_question_loads_one_solver_and_no_language() -> None:
    brought = imported("import motionc as mc\nmc.inverse_dynamics(mc.load('planar2'))")
    assert "motionc.solvers.inverse_dynamics" in brought
    others = ("bias_forces", "constrained_dynamics", "impact", "jacobian", "mass_matrix", "derivatives.computations")
    assert not brought & {f"motionc.solvers.{name}" for name in others}
    assert "motionc.runtime.loops" not in brought
    assert not brought & {f"motionc.targets.{name}" for name in ("c", "cpp", "cuda", "kernels", "matlab")}


def test_constructors_stay_functions() -> None:
    """There are modules of the same names."""
    code = """
from motionc.computations import block, inverse_kinematics, loop, together, wired
import motionc.computations.inverse_kinematics, motionc.computations.loop
from motionc.computations.together import together as own
import motionc as mc
assert together is own and mc.together is own and mc.computations.together is own
assert all(map(callable, (mc.block, mc.loop, mc.wired, block, loop, wired)))
assert mc.inverse_kinematics is inverse_kinematics is mc.computations.inverse_kinematics
assert mc.InverseKinematics is mc.computations.InverseKinematics
"""
    assert "motionc.solvers.inverse_kinematics" in imported(code)
    later = "import motionc.computations.loop\nimport motionc as mc\nassert callable(mc.loop)"
    assert "motionc.runtime.loops" in imported(later)
    assert set(mc.computations.__all__) <= set(dir(mc.computations))
    with pytest.raises(AttributeError, match="has no attribute 'inverse_dynamic'"):
        getattr(mc.computations, "inverse_dynamic")  # noqa: B009
