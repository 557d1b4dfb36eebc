"""Rooms and modules: who imports whom. The contracts between rooms are in pyproject.toml; make lint checks them."""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Neither do packages, by way of what they hold; imports for types alone do not count."""
    graph = grimp.build_graph("motionc", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 100
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))
