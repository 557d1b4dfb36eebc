"""Rooms and modules: who imports whom. The contracts between rooms are in pyproject.toml; make lint checks them."""

from graphlib import CycleError, TopologicalSorter
from pkgutil import iter_modules
from types import ModuleType

import grimp
import pytest

import motionc as mc


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Neither do packages, by way of what they hold; imports for types alone do not count."""
    graph = grimp.build_graph("motionc", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 100
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))


@pytest.mark.parametrize("room", [mc.simulate, mc.view], ids=["simulate", "view"])
def test_no_module_hides_a_public_function_of_its_name(room: ModuleType) -> None:
    """Whoever imports a module after its room sets an attribute of the room, in place of a function called so."""
    modules = {module.name for module in iter_modules(room.__path__)}
    assert modules & {*room.__all__} <= {"judges"}  # which is the module itself
