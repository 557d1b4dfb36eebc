"""What an author of a solver gets wrong is a sentence, where it is made."""

from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from motionc.computations.catalogue import Catalogue
from motionc.computations.making import computes
from motionc.geometry import SemanticError
from motionc.program.port import Port
from motionc.sweeps import ROOT, operation, sweep
from motionc.sweeps.options import Options


@operation(ROOT, gives=["x"])
def reads_a_typo(graph, problem) -> None:
    graph.world["x"] = problem.rows("stifness", slice(0, 1))


@operation(ROOT, gives=["x"])
def reads_too_far(graph, problem) -> None:
    graph.world["x"] = problem.rows("v", slice(1, 9))


@operation(ROOT, gives=["height"])
def forgets_the_slot(graph, problem) -> None:
    graph.world.height = 1.0


def with_step(step) -> mc.Computation:
    solver = mc.energy(mc.load("planar2")).solver
    return mc.Computation(replace(solver, schedule=solver.schedule + sweep(step)))


def test_an_input_that_nobody_gives_is_refused_when_it_is_made() -> None:
    with pytest.raises(mc.Error, match="reads 'stifness', which is neither an input nor a constant"):
        with_step(reads_a_typo)


def test_entries_beyond_a_port_are_refused() -> None:
    with pytest.raises(mc.Error, match="entries 1 to 9 of 'v' are asked for, which has 2"):
        with_step(reads_too_far).run(np.zeros(2), np.zeros(2))


def test_a_quantity_without_a_slot_is_refused() -> None:
    with pytest.raises(SemanticError, match="no state has a slot 'height'"):
        with_step(forgets_the_slot)


def test_an_output_of_another_size_than_its_port_is_refused() -> None:
    solver = mc.energy(mc.load("planar2")).solver
    wrong = (Port("kinetic", (2,), "J", "twice"), *solver.outputs[1:])
    with pytest.raises(mc.Error, match="output kinetic has 1 entries, its port 2"):
        mc.Computation(replace(solver, outputs=wrong))(np.zeros(2), np.zeros(2))


def test_a_computation_has_a_name_of_its_own() -> None:
    with pytest.raises(mc.Error, match="Options is called nothing: give it a name of its own"):
        computes(Options)
    with pytest.raises(mc.Error, match=r"no options in solvers\.energy are called 'power': give them the name"):
        Catalogue(["power"], {"power": "solvers.energy"})["power"]


@pytest.mark.parametrize("frame", [7, [], None])
def test_what_is_no_name_of_a_frame_is_a_sentence(frame: object) -> None:
    with pytest.raises(mc.Error, match=r"jacobian: frame.*; give the name of a frame"):
        mc.jacobian(mc.load("planar2"), frame)


@pytest.mark.parametrize("make", [mc.jacobian, mc.jacobian_rate, mc.frame_motion, mc.inverse_velocity])
def test_what_is_no_point_is_a_sentence(make) -> None:
    with pytest.raises(mc.Error, match="give three finite coordinates"):
        make(mc.load("planar2"), "tip", point=3)
