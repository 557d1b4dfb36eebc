"""What is a kernel? A small dense solve with a name: plain loops over scalars, how they change, what they cost.

A kernel has fixed bounds, reads and writes nothing else, and does the same steps whatever its numbers are: `select`
is no branch. A search alone may end before its bound (`holds`). Other languages hold the same loops and are tested
against this definition. Running it on counters says what it costs: a search's, one step with nothing found.
"""

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from motionc.program.kernels.scalars import Policy, Rows, Scalar, Tally

Array = np.ndarray[Any, np.dtype[np.float64]]
Define = Callable[[Rows, list[Scalar], Policy], tuple[list[Scalar], ...]]

RANK_TOLERANCE = 1e-12
"""A pivot below this share of its row's own diagonal entry counts as zero: the row depends on those before it."""


class Call(NamedTuple):
    """Which kernel on how many rows: `blocks` of them, in order of priority; `tolerance` for rank, if not the usual.
    No more than `most` rows count, where that is said, and `weights` are in the rows already, where there are any.
    Where it is not `conditioned`, nobody asks for its last output, how far rows are from depending on each other: the
    one that depends on the order in which they are taken.

    Kernels along a tree have a `pattern`, which says how rows hang together, and so many `columns`; to others it says
    what their rows are. The bits of `empty` say which of the numbers beside the matrix are always 0, where that is of
    use.
    """

    kernel: str
    blocks: tuple[int, ...]
    tolerance: float | None = None
    pattern: tuple[int, ...] = ()
    columns: int = 1
    most: int | None = None
    weights: tuple[float, ...] = ()
    conditioned: bool = True
    empty: int = 0

    @property
    def size(self) -> int:
        return sum(self.blocks)

    @property
    def inputs(self) -> int:
        """How many numbers it takes."""
        return self.matrix + self.size * KERNELS[self.kernel].right * self.columns

    @property
    def matrix(self) -> int:
        """How many of them are its matrix, row by row; those beside it come after."""
        kernel = KERNELS[self.kernel]
        return (
            on_ways(self.pattern) if kernel.takes_ways else self.size * (self.size if kernel.square else self.columns)
        )

    @property
    def width(self) -> int:
        """How many numbers a row of its matrix has; where it has those on ways alone, all of them are one row."""
        kernel = KERNELS[self.kernel]
        return self.matrix if kernel.takes_ways else self.size if kernel.across else self.matrix // self.size

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each of its outputs has: the first is as wide as there are columns."""
        kernel = KERNELS[self.kernel]
        if kernel.gives_ways:
            return (on_ways(self.pattern),)
        answer, *others = kernel.sizes(self.size)
        return answer * (self.columns if kernel.square else 1), *others

    @property
    def outputs(self) -> int:
        """How many numbers it gives."""
        return sum(self.sizes)

    @property
    def policy(self) -> Policy:
        """What a kernel that ranks rows is told beside its numbers."""
        kernel = KERNELS[self.kernel]
        tolerance = kernel.usual if self.tolerance is None else self.tolerance
        return Policy(self.blocks, tolerance, self.size if self.most is None else self.most, self.weights)

    def asked(self, outputs: Container[int], zeros: Sequence[bool]) -> "Call":
        """The same where these of its outputs are asked for, and so many numbers beside the matrix are always 0; fewer
        rows than there are say what they do anyway.
        """
        free = KERNELS[self.kernel].orders and self.most is None
        empty = sum(1 << k for k, zero in enumerate(zeros) if zero) if KERNELS[self.kernel].sparse else 0
        return self._replace(conditioned=not free or self.outputs - 1 in outputs, empty=empty)

    def complete(self) -> "Call":
        """The same that gives all it can of all it may be given."""
        return self._replace(conditioned=True, empty=0)

    def define(self, matrix: Rows, right: list[Scalar]) -> tuple[list[Scalar], ...]:
        kernel = KERNELS[self.kernel]
        if self.empty:
            right = [0.0 if self.empty >> k & 1 else value for k, value in enumerate(right)]
        if kernel.along is not None:
            entries = iter(kernel.along(matrix, right, self.pattern, self.columns))
            return tuple([next(entries) for _ in range(size)] for size in self.sizes)
        return kernel.define(matrix, right, self.policy)

    def run(self, values: list[Scalar]) -> list[Scalar]:
        """All that it gives, from all that it takes: the matrix row by row, then what stands beside it."""
        rows = [values[i : i + self.width] for i in range(0, self.matrix, self.width)]
        return [value for output in self.define(rows, values[self.matrix :]) for value in output]

    def operations(self) -> Counter[str]:
        """Arithmetic by kind, counted by running the definition."""
        return Counter(_counted(self)[0])

    @property
    def zeros(self) -> frozenset[int]:
        """Which of the numbers it gives are 0 whatever it takes."""
        return _counted(self)[1]


# ---------------------------------------------------------------- how it changes


class Writer(Protocol):
    """What rules write on (program/build.py)."""

    def value(self, of: Scalar) -> Any: ...

    def call(self, call: Call, *arguments: Any) -> Sequence[Any]: ...


Through = Callable[[Sequence[Scalar]], list[Scalar]]
"""Changes of values computed from what a kernel takes, while what it gives stands still."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call in a program: which kernel, what it takes and what it gives; and how the writer differentiates."""

    writer: Writer
    call: Call
    given: list[Scalar]
    found: list[Scalar]
    through: Through

    def split(self, arguments: Sequence[Scalar]) -> tuple[Any, Any]:
        """A matrix, symmetric, read off its upper half, and what stands beside it."""
        m = self.call.size
        matrix = np.empty((m, m), object)
        for i in range(m):
            for j in range(i, m):
                matrix[i, j] = matrix[j, i] = arguments[i * m + j]
        return matrix, np.array([*arguments[m * m :]], object)


Push = Callable[[Site, list[Scalar]], Sequence[Scalar]]
"""From where a kernel is called, and the changes of its arguments, to the changes of what it gives."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a kernel changes; which outputs have no derivative, and why; its transpose, where it is called on changes.

    Changes are linear in the changes they are made of, whatever else is written for them. Transposing them
    (derive/transpose.py) needs no rule of its own; only a kernel that is called on changes must say what its transpose
    is. Outputs that only count or choose (rank, sides, steps) do not change: their derivative is 0.
    """

    push: Push
    refused: Callable[[Call], dict[int, str]] = field(default=lambda _: {})
    transpose: Callable[[Writer, Call, list[Scalar], list[Scalar]], list[Scalar]] | None = None


def written_out(site: Site, _: list[Scalar]) -> Sequence[Scalar]:
    """A kernel whose steps have derivatives (+ − × ÷, roots of what is not 0): its own definition, instruction by
    instruction.
    """
    return site.through([site.writer.value(entry) for entry in site.call.run(list(site.given))])


# ---------------------------------------------------------------- which there are


def by_its_pattern(*_: Any) -> tuple[list[Scalar], ...]:
    """The `define` of a kernel that has `along`."""
    raise AssertionError("a kernel with a pattern is defined by `along`")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A named solve of an m×m system: `define` maps (matrix rows, right side, policy) to lists of outputs of these
    `sizes`, the first of which there is for each column. Rows of an earlier block are satisfied first, whatever later
    ones ask. `right` says how many numbers stand beside each row, `usual` what counts as dependent unless it is said;
    `rule` is its derivative. One that `orders` its rows gives the same for any order but for its last output, which
    says how far they are from depending on each other. One that is `sparse` leaves out what comes to nothing because
    numbers beside the matrix are always 0. Where it is no use to write it out instruction by instruction, `unwritten`
    says why, and what to do instead.

    A kernel along a tree, or one that is told by a pattern what its rows are, is defined by `along`, from (matrix rows,
    right side, pattern, columns); its matrix is as wide as it has columns where it is not `square`, and as high where
    what belongs to a row of the tree stands `across`, in a column. Where it takes, or gives, a matrix that has nothing
    but on ways to the root (`takes_ways`, `gives_ways`), that is what is on each row's way, from the root on, and then
    on its diagonal.
    """

    name: str
    meaning: str
    define: Define
    sizes: Callable[[int], tuple[int, ...]]
    rule: Rule
    right: int = 1
    usual: float = RANK_TOLERANCE
    blocks: tuple[int, ...] = ()
    tolerance: float | None = None
    along: Callable[[Rows, list[Scalar], tuple[int, ...], int], list[Scalar]] | None = None
    unwritten: str = ""
    square: bool = True
    across: bool = False
    takes_ways: bool = False
    gives_ways: bool = False
    pattern: tuple[int, ...] = ()
    columns: int = 1
    most: int | None = None
    weights: tuple[float, ...] = ()
    orders: bool = False
    sparse: bool = False

    def on_tree(self, pattern: tuple[int, ...], columns: int) -> "Kernel":
        """The same along a tree whose rows hang together so, for this many columns."""
        return replace(self, pattern=pattern, columns=columns)

    def with_policy(
        self,
        blocks: tuple[int, ...],
        tolerance: float | None,
        most: int | None = None,
        weights: Sequence[float] = (),
    ) -> "Kernel":
        """The same solve with rows in blocks, what counts as dependent, how many rows can be independent at most, and
        the weights that are in the rows.
        """
        own = () if all(weight == 1.0 for weight in weights) else tuple(map(float, weights))
        return replace(self, blocks=blocks, tolerance=tolerance, most=most, weights=own)

    def among(self, rows: Sequence[int]) -> "Kernel":
        """The same of some of the rows that it ranks, which are as many in the order of their blocks."""
        ends = list(accumulate(self.blocks))
        own = [sum(start <= row < end for row in rows) for start, end in pairwise((0, *ends))]
        weights = tuple(self.weights[row] for row in rows) if self.weights else ()
        return replace(self, blocks=tuple(size for size in own if size), weights=weights)

    def call(self, m: int) -> Call:
        """It, on m rows; one block unless said otherwise."""
        most = None if self.most is None or self.most >= m else self.most
        return Call(self.name, self.blocks or (m,), self.tolerance, self.pattern, self.columns, most, self.weights)

    def rows(self, shape: tuple[int, int]) -> int:
        """How many rows it has where its matrix is so large."""
        return len(self.pattern) if self.takes_ways else shape[self.across]

    def numpy(self, matrix: Array, right: Array | None = None) -> tuple[Array, ...]:
        """Run it on an (m, m) array and, where it takes a right side, an (m, k) one."""
        asked = [] if right is None else list(right.ravel())
        outputs = self.call(self.rows(matrix.shape)).define([list(row) for row in matrix], asked)
        return tuple(np.array(output, float).reshape(-1, 1) for output in outputs)

    @property
    def outputs(self) -> int:
        """How many arrays it returns."""
        return len(self.sizes(1))


KERNELS: dict[str, Kernel] = {}
"""Every kernel by its name."""


def register(kernel: Kernel) -> Kernel:
    """Let programs call it."""
    assert kernel.name not in KERNELS, f"there is a kernel {kernel.name} already"
    KERNELS[kernel.name] = kernel
    return kernel


@cache
def on_ways(parents: tuple[int, ...]) -> int:
    """How many entries a matrix has on rows' ways to the root and on its diagonal."""
    depth = list[int]()
    for before in parents:
        depth.append(0 if before < 0 else depth[before] + 1)
    return sum(depth) + len(depth)


@cache
def _counted(call: Call) -> tuple[dict[str, int], frozenset[int]]:
    """What its definition does on counters, and which of what it gives are none."""
    counts: Counter[str] = Counter()
    given = call.run([Tally(counts)] * call.inputs)
    return dict(counts), frozenset(k for k, value in enumerate(given) if value.__class__ is float and value == 0.0)
