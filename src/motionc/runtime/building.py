"""Several computations built side by side, before they are called."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from motionc.errors import Error
from motionc.runtime.arrays.batch import workers
from motionc.runtime.build.progress import building_several


class Buildable(Protocol):
    """What can be built before it is called: a computation, or what repeats one."""

    def build(self, *, batch: bool = False) -> Any: ...


B = TypeVar("B", bound=Buildable)


def build(computations: Sequence[B], *, batch: bool = False, threads: int | None = None) -> list[B]:
    """Build several computations side by side, as many at once as there are cores; returns them.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> dynamics, masses = mc.build([mc.forward_dynamics(robot), mc.mass_matrix(robot)])

    Args:
        computations: what is to be built.
        batch: whether what batches run in is built, too.
        threads: how many compilers run at once; as many as this process has cores, unless said.
    """
    asked = list(computations)
    for number, one in enumerate(asked):
        if not callable(getattr(one, "build", None)):
            said = "such as mc.forward_dynamics(robot)"
            raise Error(f"build takes computations, {said}; entry {number} is a {type(one).__name__}")
    from concurrent.futures import ThreadPoolExecutor, as_completed  # not everybody builds several

    pool = ThreadPoolExecutor(workers("build", threads), thread_name_prefix="motionc")
    with building_several(len(asked)) as progress, pool:
        for _ in as_completed(built := [pool.submit(one.build, batch=batch) for one in asked]):
            progress.done += 1
    for done in built:
        done.result()
    return asked
