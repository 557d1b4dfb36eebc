"""In which order? One in which few values have to leave registers before they are used again.

What stays one: a call and its picks, sine and cosine of one angle. Three readings take turns, each starting from the
order the one before it left: from the inputs on, what ends the most lives first; each instruction that ends no life
right before its first use; from the outputs back, what starts the fewest. They start from the order as it is and,
unless the program is long, from one in which of all that a value needs the longest chain comes first. The best order on
the way is taken: the one in which values are stored and loaded least by whoever keeps, in so many registers, those that
are needed next. Nothing depends on chance, and time grows little faster than the program.

    a = x*x   b = y*y   c = z*z   y0 = a + b   y1 = y0 + c      three alive at most
    a = x*x   b = y*y   y0 = a + b   c = z*z   y1 = y0 + c      two
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain

import numpy as np

from motionc.program.instructions import FREE, TURN
from motionc.program.program import Instruction, Program
from motionc.program.sizes import LONG

ROUNDS = 1
"""How often the readings are done: a second round finds nothing that pays."""
REGISTERS = 28
"""How many values stay at hand: of 32 registers of a processor some hold constants and what is under way."""

UNCOUNTED = FREE | {"call"}
"""What takes no register: what is stated anew at every use, and a call, whose picks are counted instead."""


def scheduled(program: Program) -> Program:
    """The same instructions in an order that keeps few values alive; constants and inputs come where they are used."""
    units = _Units(program.instructions)
    best = written = list(range(len(units.members)))
    if not ROUNDS:
        return program
    least, starts = units.cost(written), [written, *([_deepest_first(units)] if len(written) < LONG else [])]
    for order in starts:
        for reading in (None, *(_from_inputs, _late, _from_outputs) * ROUNDS):
            order = order if reading is None else reading(units, order)
            # what ends lives first is a start for the others alone
            if reading is not _from_inputs and (cost := units.cost(order)) < least:
                best, least = order, cost
    return reordered(program, [i for unit in best for i in units.members[unit]])


def alive(steps: Sequence[Instruction]) -> list[int]:
    """How many values wait for a later instruction, behind each one. Outputs are written at once, and wait no more."""
    last = list(range(len(steps)))
    for i, step in enumerate(steps):
        for arg in step.args:
            last[arg] = i
    change = [0] * (len(steps) + 1)
    for i, step in enumerate(steps):
        if step.op not in UNCOUNTED:
            change[i] += 1
            change[last[i]] -= 1
    return list(accumulate(change[: len(steps)]))


def reordered(program: Program, order: Sequence[int]) -> Program:
    """The program in another order of its computing instructions; what is free stands where it is first needed."""
    steps, new, placed = program.instructions, [-1] * len(program.instructions), list[Instruction]()

    def place(values: Sequence[int]) -> None:
        for i in values:
            if new[i] < 0:
                new[i] = len(placed)
                placed.append(Instruction(steps[i].op, tuple([new[arg] for arg in steps[i].args]), steps[i].data))

    for i in order:
        place(steps[i].args)
        place((i,))
    for port in program.results:
        place(port)
    return program.moved(placed, new)


class _Units:
    """The program as units that stay together, and the values between them."""

    def __init__(self, steps: Sequence[Instruction]) -> None:
        unit, turn = [-1] * len(steps), dict[int, int]()
        self.members: list[list[int]] = []
        for i, step in enumerate(steps):
            if step.op in FREE:
                continue
            if step.op == "pick":
                unit[i] = unit[step.args[0]]
            elif step.op in TURN:
                unit[i] = turn.setdefault(step.args[0], len(self.members))
            else:
                unit[i] = len(self.members)
            if unit[i] == len(self.members):
                self.members.append([])
            self.members[unit[i]].append(i)

        # values by the order of their makers; args, makes: which values a unit needs and hands on
        users: list[list[int]] = [[] for _ in steps]
        for i, step in enumerate(steps):
            for arg in step.args:
                if unit[arg] not in (-1, unit[i]) and (not users[arg] or users[arg][-1] != unit[i]):
                    users[arg].append(unit[i])
        self.args: list[list[int]] = [[] for _ in self.members]
        self.makes: list[list[int]] = [[] for _ in self.members]
        self.users: list[list[int]] = []
        self.maker: list[int] = []
        for i, several in enumerate(users):
            if several:
                several = sorted(set(several)) if len(several) > 1 else several
                value = len(self.users)
                self.users.append(several)
                self.maker.append(unit[i])
                self.makes[unit[i]].append(value)
                for user in several:
                    self.args[user].append(value)
        self.calls = {unit for unit, members in enumerate(self.members) if steps[members[0]].op == "call"}
        # the same in arrays: users one value after the other, and where those of each value start
        self._makers, self._users = np.array(self.maker, int), np.array([*chain(*self.users)], int)
        self._starts = np.cumsum([0, *map(len, self.users[:-1])])

    def cost(self, order: list[int]) -> tuple[int, int]:
        """How often values are stored and loaded, and the sum of how many are alive over the whole order."""
        return self._spilled(order), self._alive(order)

    def _alive(self, order: list[int]) -> int:
        if not self.users:
            return 0
        place = np.empty(len(order), int)
        place[order] = np.arange(len(order))
        last = np.maximum.reduceat(place[self._users], self._starts)
        return int(np.sum(last - place[self._makers]))

    def _spilled(self, order: list[int]) -> int:
        """Values that leave registers before their last use, and how often they are read then: the one that is needed
        last leaves first. What kernels give and take is in memory anyway.
        """
        place = [0] * len(order)
        for k, unit in enumerate(order):
            place[unit] = k
        calls = self.calls
        # of each value when it is used, the last first
        uses = [sorted([place[user] for user in users if user not in calls], reverse=True) for users in self.users]
        held, waiting, away, moved = set[int](), list[tuple[int, int]](), set[int](), 0
        for unit in order:
            if unit in calls:
                away.update(self.makes[unit])
                continue
            for value in self.args[unit]:
                if value not in held:
                    moved += 1
                uses[value].pop()
            for value in (*self.args[unit], *self.makes[unit]):
                if uses[value]:
                    held.add(value)
                    heappush(waiting, (-uses[value][-1], value))
                else:
                    held.discard(value)
            while len(held) > REGISTERS:
                when, value = heappop(waiting)
                if value in held and uses[value][-1] == -when:
                    held.discard(value)
                    if value not in away:
                        away.add(value)
                        moved += 1
        return moved


def _deepest_first(units: _Units) -> list[int]:
    """From what nobody needs back, each unit right behind what it needs, the longest chain first."""
    depth = [0] * len(units.members)
    needs = [sorted({units.maker[value] for value in args}) for args in units.args]
    for unit, makers in enumerate(needs):
        depth[unit] = 1 + max([depth[maker] for maker in makers], default=0)
    done, order = [False] * len(depth), list[int]()
    stack = [unit for unit in reversed(range(len(depth))) if not any(units.users[value] for value in units.makes[unit])]
    while stack:
        unit = stack[-1]
        waiting = [maker for maker in needs[unit] if not done[maker]]
        if waiting:
            stack += sorted(waiting, key=lambda maker: depth[maker])
            continue
        stack.pop()
        if not done[unit]:
            done[unit] = True
            order.append(unit)
    return order


def _from_inputs(units: _Units, before: list[int]) -> list[int]:
    """Next comes who leaves the fewest values alive: those it makes, less those it is the last to use."""
    size, rank = len(before), [0] * len(before)
    for k, unit in enumerate(before):
        rank[unit] = k
    left = [len(users) for users in units.users]
    waiting = [len(args) for args in units.args]
    grows = [len(makes) for makes in units.makes]
    for users in units.users:
        if len(users) == 1:
            grows[users[0]] -= 1
    ready = [grows[unit] * size + rank[unit] for unit in before if not waiting[unit]]
    heapify(ready)
    done, order = [False] * size, list[int]()
    while ready:
        growth, place = divmod(heappop(ready), size)
        unit = before[place]
        if done[unit] or growth != grows[unit]:
            continue
        done[unit] = True
        order.append(unit)
        for value in units.args[unit]:
            left[value] -= 1
            if left[value] == 1:
                other = next(user for user in units.users[value] if not done[user])
                grows[other] -= 1
                if not waiting[other]:
                    heappush(ready, grows[other] * size + rank[other])
        for value in units.makes[unit]:
            for user in units.users[value]:
                waiting[user] -= 1
                if not waiting[user]:
                    heappush(ready, grows[user] * size + rank[user])
    return order


def _late(units: _Units, before: list[int]) -> list[int]:
    """Who is the last to use nothing comes right before its first user."""
    place, last = [0] * len(before), [0] * len(units.users)
    for k, unit in enumerate(before):
        place[unit] = k
        for value in units.args[unit]:
            last[value] = k
    late = list(place)
    for unit in reversed(before):
        if units.makes[unit] and place[unit] not in [last[value] for value in units.args[unit]]:
            late[unit] = min([late[user] for value in units.makes[unit] for user in units.users[value]])
    size = len(before)
    return sorted(before, key=[late[unit] * size + place[unit] for unit in range(size)].__getitem__)


def _from_outputs(units: _Units, before: list[int]) -> list[int]:
    """The same from the end: next, before all placed so far, comes who needs the fewest values not alive yet."""
    size, rank = len(before), [0] * len(before)
    for k, unit in enumerate(before):
        rank[unit] = size - 1 - k
    alive = [False] * len(units.users)
    waiting = [sum([len(units.users[value]) for value in makes]) for makes in units.makes]
    grows = [len(args) - len(makes) for args, makes in zip(units.args, units.makes, strict=True)]
    ready = [grows[unit] * size + rank[unit] for unit in before if not waiting[unit]]
    heapify(ready)
    done, order = [False] * size, list[int]()
    while ready:
        growth, place = divmod(heappop(ready), size)
        unit = before[size - 1 - place]
        if done[unit] or growth != grows[unit]:
            continue
        done[unit] = True
        order.append(unit)
        for value in units.args[unit]:
            if not alive[value]:
                alive[value] = True
                for user in units.users[value]:
                    grows[user] -= 1
                    if not waiting[user] and not done[user]:
                        heappush(ready, grows[user] * size + rank[user])
            maker = units.maker[value]
            waiting[maker] -= 1
            if not waiting[maker]:
                heappush(ready, grows[maker] * size + rank[maker])
    return order[::-1]
