"""State that is carried from call to call: `state = f.start()`, then `out = f(…, state=state)` and `out.state`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.program.port import Port, State, states_of
from motionc.runtime.results import Results, record_type

Array = np.ndarray[Any, np.dtype[Any]]


def first_state(name: str, ports: Sequence[Port], dtype: Any, states: int | None = None) -> Results:
    """What all state is at the start, by name; of so many states where they are said."""
    carried = states_of(ports)
    if not carried:
        raise Error(f"{name} carries no state from call to call: it has no start")
    many = () if states is None else (checked.whole(f"{name}: start: states", states, 0, "say how many states"),)
    values = [np.broadcast_to(_start(port, dtype), (*many, *port.shape)).copy() for port in carried]
    return record_type(carried, lambda _: [], None if states is None else 0, inner=True)(values)


def _start(port: State, dtype: Any) -> Array:
    return np.array(port.start, dtype).reshape(port.shape)


def named_state(name: str, ports: Sequence[Port], named: Mapping[str, Any]) -> dict[str, Any]:
    """Named arguments, a record of state among them as what it holds."""
    known = [port.name for port in states_of(ports)]
    if "state" not in named or not known or any(port.name == "state" for port in ports):
        return dict(named)
    state, others = named["state"], {key: value for key, value in named.items() if key != "state"}
    items = getattr(state, "items", None)
    if items is None:
        raise checked.refusal(f"{name}: state", state, f"give a record of {', '.join(known)}: {name}.start()")
    given = dict(items())
    for key in given:
        if key not in known:
            raise Error(f"{name}: state has {key!r}, which is not carried{suggestion(str(key), known)}")
        if key in others:
            raise Error(f"{name}: {key} is given twice, in state and by itself")
    return others | given
