"""Every public computation, in every shape of a call, gives what its sweeps give: in the best tier, and in each of the
others by `make test-tiers`."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import motionc as mc
from catalogue import recipes
from motionc.runtime.samples import trials
from oracle import error

pytestmark = pytest.mark.calls

STATES = 5
NAMES = list(recipes(mc.load("planar2")))


@cache
def computations() -> dict[str, Callable[[], mc.Computation]]:
    return recipes(mc.load("hyl"))


@pytest.mark.parametrize("name", NAMES)
def test_every_shape_of_a_call_gives_what_the_sweeps_give(name: str) -> None:
    asked = computations()[name]()
    states = [
        [np.reshape(value, port.shape) for value, port in zip(trial.inputs, asked.inputs, strict=True)]
        for trial in trials(asked.program, STATES)
    ]
    ports = [port.name for port in asked.inputs]
    for state in states[:2]:
        expected = [asked.solver.run(*state)[port.name] for port in asked.outputs]
        for found in (
            asked(*state),
            asked(**dict(zip(ports, state, strict=True))),
            asked(*state[:1], **dict(zip(ports[1:], state[1:], strict=True))),
            asked(*(value.tolist() for value in state)),
            asked(*(np.array(value, order="F") for value in state)),
            asked.run(*state),
        ):
            agree(asked, listed(asked, found), expected)
    stacks = [np.array(values) for values in zip(*states, strict=True)]
    every = [np.array(values) for values in zip(*(listed(asked, asked(*state)) for state in states), strict=True)]
    for found in (asked.batch(*stacks), asked.batch(*(np.asfortranarray(stack) for stack in stacks))):
        agree(asked, listed(asked, found), every)
    # what all states have in common is given once
    one = asked.batch(*stacks[:1], *states[0][1:])
    agree(asked, [np.asarray(value)[0] for value in listed(asked, one)], listed(asked, asked(*states[0])))


def listed(asked: mc.Computation, found: Any) -> list[Any]:
    return [found] if len(asked.outputs) == 1 else list(found)


def agree(asked: mc.Computation, found: list[Any], expected: list[Any]) -> None:
    for port, ours, theirs in zip(asked.outputs, found, expected, strict=True):
        assert error(ours, theirs) < 1e-9, port.name
