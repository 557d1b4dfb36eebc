"""Parts of long programs: slots of what kernels give and take, and where cuts fall."""

from motionc.program import Instruction, Program
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.split import MANY, Part, parts, slots
from motionc.sweeps import Port


def whole(steps: list[Instruction], results: tuple[int, ...]) -> Program:
    """A program of four inputs."""
    ports = (Port("x", (4,), "1", "in"),), (Port("y", (len(results),), "1", "out"),)
    return Program("p", "y = f(x)", *ports, tuple(steps), (results,))


def chain(calls: int, late: int) -> Program:
    """Solves, each of what the one before it gives; the first `late` numbers of each are used at the end, too."""
    steps, waiting = [Instruction("input", (), (0, k)) for k in range(4)], list[int]()
    given = list(range(4))
    for _ in range(calls):
        solve = LDLT_SOLVE.call(4)
        steps.append(Instruction("call", tuple((given * 5)[: solve.inputs]), solve))
        call = len(steps) - 1
        steps += [Instruction("pick", (call,), k) for k in range(solve.outputs)]
        given = list(range(call + 1, call + 5))
        waiting += given[:late]
        # what is done in between is more than one part
        for k in range(12):
            steps.append(Instruction("add", (given[k % 4], given[(k + 1) % 4])))
            given[k % 4] = len(steps) - 1
    for value in waiting:
        steps.append(Instruction("mul", (value, given[0])))
        given[0] = len(steps) - 1
    return whole(steps, tuple(given))


def expect_all_there(program: Program, cut: tuple[Part, ...]) -> None:
    """Each slot holds what is to be read there; what a part gives to others, and what is written for a kernel, is in no
    slot that it reads.
    """
    holds, steps = dict[int, int](), program.instructions
    for part in cut:
        assert all(holds[slot] == value for value, slot in part.needs.items())
        assert not set(part.needs.values()) & {slot for own in part.arrays.values() for slot in own}
        for i in part.steps:
            known = (arg in part.steps or arg in part.needs or steps[arg].op == "input" for arg in steps[i].args)
            assert all(known)
        # of what a kernel takes, each number is in its place already, or is written there and nowhere else
        given = {*part.gives.values(), *(slot for own in part.arrays.values() for slot in own)}
        for call, own in part.tables.items():
            assert call in part.steps
            assert len(own) == len(steps[call].args)
            assert not given & {*own}
            taken = dict(zip(own, steps[call].args, strict=True))
            assert all(taken.get(slot, value) == value for value, slot in part.needs.items())
            given |= {*own}
            holds |= taken
        # a kernel writes all that it gives
        holds |= {slot: -1 for own in part.arrays.values() for slot in own}
        holds |= {slot: value for value, slot in part.gives.items()}


def test_what_a_kernel_gives_stays_until_the_last_of_it_is_read() -> None:
    for late in range(5):
        program = chain(12, late)
        cut = parts(program, 8)
        assert sum(len(part.arrays) for part in cut) == 12
        expect_all_there(program, cut)


def test_what_kernels_gave_makes_room_for_what_others_give() -> None:
    assert slots(parts(chain(40, 0), 8)) == slots(parts(chain(10, 0), 8))


def test_what_a_kernel_takes_from_earlier_parts_is_handed_over_where_it_takes_it() -> None:
    solve = LDLT_SOLVE.call(12)
    steps = [Instruction("input", (), (0, k)) for k in range(4)]
    steps += [Instruction("mul", (k % 4, k % 3)) for k in range(solve.inputs)]
    steps.append(Instruction("call", tuple(range(4, len(steps))), solve))
    call = len(steps) - 1
    steps += [Instruction("pick", (call,), k) for k in range(solve.outputs)]
    program = whole(steps, tuple(range(call + 1, len(steps))))
    cut = parts(program, 40)
    (table,) = cut[-1].tables.values()
    assert len(table) == solve.inputs
    handed = {value: slot for part in cut for value, slot in part.gives.items()}
    assert len(handed) > 100
    assert all(slot == table[value - 4] for value, slot in handed.items())
    expect_all_there(program, cut)


def test_what_kernels_take_is_written_over_nothing_that_is_read_later() -> None:
    """Solves that take products of earlier parts, numbers of the solve before, and inputs; some are used at the end."""
    steps, waiting = [Instruction("input", (), (0, k)) for k in range(4)], list[int]()
    solve, given = LDLT_SOLVE.call(14), list(range(4))
    for calls in range(6):
        first = len(steps)
        steps += [Instruction("mul", (given[k % 4], given[k % 3])) for k in range(MANY + 7 * calls)]
        takes = [*range(first, len(steps)), *given, *(k % 4 for k in range(solve.inputs))][: solve.inputs]
        waiting += [first + 3, first + 50, given[1]]
        steps.append(Instruction("call", tuple(takes), solve))
        call = len(steps) - 1
        steps += [Instruction("pick", (call,), k) for k in range(solve.outputs)]
        given = list(range(call + 1, call + 5))
    for value in waiting:
        steps.append(Instruction("mul", (value, given[0])))
        given[0] = len(steps) - 1
    program = whole(steps, tuple(given))
    for limit in (20, 45, 80):
        cut = parts(program, limit)
        assert sum(len(part.tables) for part in cut) == 6
        expect_all_there(program, cut)


def test_cuts_fall_where_few_values_cross() -> None:
    """Squares that become one sum, and powers of it that become one."""
    steps = [Instruction("input", (), (0, k)) for k in range(4)]
    for _ in range(3):
        last = len(steps) - 1
        steps += [Instruction("mul", (last, k % 4)) for k in range(10)]
        total = last + 1
        for k in range(9):
            steps.append(Instruction("add", (total, last + 2 + k)))
            total = len(steps) - 1
    program = whole(steps, (len(steps) - 1,))
    cut = parts(program, 30)
    assert len(cut) == 3
    assert [len(part.gives) for part in cut] == [1, 1, 0]
