"""Several computations built side by side, before they are called."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from motionc import checked
from motionc.errors import WrongType
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
    wanted = "give a list of computations, such as [mc.forward_dynamics(robot)]"
    asked = [*checked.several("build: computations", computations, wanted)]
    for one in asked:
        if isinstance(one, type) or not callable(getattr(one, "build", None)):
            raise checked.refusal("build: computations", one, wanted, kind=WrongType)
    checked.flag("build: batch", batch)
    from concurrent.futures import ThreadPoolExecutor, as_completed  # not everybody builds several

    pool = ThreadPoolExecutor(workers("build", threads), thread_name_prefix="motionc")
    with building_several(len(asked)) as progress, pool:
        for _ in as_completed(built := [pool.submit(one.build, batch=batch) for one in asked]):
            progress.done += 1
    for done in built:
        done.result()
    return asked
