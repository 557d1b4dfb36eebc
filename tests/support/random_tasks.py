"""Tasks of every kind with any numbers and names, for properties that hold of all of them."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from motionc.geometry.lie import rotation_exp
from motionc.tasks import (
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Hold,
    Moment,
    Monitor,
    Move,
    Orientation,
    Override,
    Path,
    Phases,
    Sine,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.bands import SIGNALS

SIZES = st.floats(1e-9, 1e9)
NUMBERS = st.floats(-1e9, 1e9).map(lambda number: number + 0.0)
NAMES = st.one_of(
    st.sampled_from(["T", "T_k", "link_7", "joint:a", "X", "F_X", "goal", "or", "until", 'a"b\\c', "on", "1", "null"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
)
SPEEDS = st.builds(Speed, SIZES, SIZES)
PROFILES = st.builds(Speed, st.builds(Sine, SIZES, st.just(0.0), NUMBERS), SIZES)
TUBES = st.builds(Tube, SIZES)
FORCES = st.builds(Force, NUMBERS, SIZES)
MOMENTS = st.builds(Moment, NUMBERS, SIZES)
TURNS = st.builds(Orientation, st.floats(1e-9, math.pi))
MONITORS = st.lists(
    st.builds(Monitor, st.sampled_from(sorted(SIGNALS)), SIZES, then=st.sampled_from(["stop", "tell"])),
    max_size=3,
    unique_by=lambda one: (one.signal, one.then),
)


@st.composite
def poses(draw: Any) -> Any:
    pose = np.eye(4)
    pose[:3, :3] = rotation_exp(draw(st.tuples(*[st.floats(-3, 3)] * 3)))
    pose[:3, 3] = draw(st.tuples(*[st.floats(-9, 9)] * 3))
    return pose


def maybe(strategy: Any) -> Any:
    return st.one_of(st.none(), strategy)


@st.composite
def moves(draw: Any) -> Move:
    tool, frame, wrt, pad = draw(st.lists(NAMES, min_size=4, max_size=4, unique=True))
    x = draw(maybe(st.one_of(SPEEDS, PROFILES)))
    y, z = draw(maybe(st.one_of(TUBES, FORCES))), draw(maybe(st.one_of(TUBES, FORCES)))
    about: dict[str, Any] = {"orientation": draw(TURNS)}
    if draw(st.booleans()):
        about = {"ax": draw(maybe(MOMENTS)), "ay": draw(maybe(MOMENTS))}
        about["az"] = draw(maybe(st.one_of(MOMENTS, st.builds(Angle, NUMBERS, SIZES))))
    if all(band is None for band in (x, y, z, *about.values())):
        y = draw(TUBES)
    presses = any(isinstance(band, Force | Moment) for band in (y, z, *about.values()))
    before: dict[str, Any] = {}
    if isinstance(z, Force) and draw(st.booleans()):
        before["approach"] = draw(st.builds(Approach, SPEEDS, SIZES))
        if any(isinstance(band, Moment) for band in about.values()):
            before["align"] = draw(st.builds(lambda held, more: Align(held, held * 2 + more), SIZES, SIZES))
    until: list[Any] = [draw(st.builds(Timeout, SIZES))] if draw(st.booleans()) else []
    until += [draw(st.builds(Goal, SIZES))] if x is not None and draw(st.booleans()) else []
    free = [axis for axis, band in (("x", x), ("y", y), ("z", z)) if not isinstance(band, Force)]
    until += [draw(st.builds(Contact, SIZES, along=st.just("".join(free))))] if draw(st.booleans()) else []
    return Move(
        *(tool, frame),
        wrt=wrt,
        force_frame=pad if presses else "",
        **{"x": x, "y": y, "z": z, **about, **before},
        until=draw(st.permutations(until)),
        monitors=draw(MONITORS),
        pose=draw(maybe(poses())),
        name=draw(st.one_of(st.just(""), NAMES)),
    )


@st.composite
def paths(draw: Any) -> Path:
    move = draw(moves().filter(lambda move: move.x is not None))
    until = [stop for stop in move.until if not isinstance(stop, Goal)]
    move = replace(move, until=[*until, draw(st.builds(Goal, SIZES))], pose=None)
    sections = draw(st.integers(1, 4))
    told = draw(st.lists(st.integers(1, sections), unique=True, max_size=2))
    overrides = [Override(at, x=draw(SPEEDS), goal=draw(maybe(st.builds(Goal, SIZES)))) for at in told]
    return Path(
        *(move, sections),
        last=draw(maybe(st.builds(Goal, SIZES))),
        overrides=overrides,
        poses=draw(st.one_of(st.just([]), st.lists(poses(), min_size=sections, max_size=sections))),
        name=draw(st.one_of(st.just(""), NAMES)),
    )


@st.composite
def holds(draw: Any) -> Hold:
    tool, frame, wrt = draw(st.lists(NAMES, min_size=3, max_size=3, unique=True))
    until = [draw(st.builds(Timeout, SIZES))] if draw(st.booleans()) else []
    return Hold(
        *(tool, frame),
        wrt=wrt,
        position=draw(TUBES),
        orientation=draw(TURNS),
        until=until,
        monitors=draw(MONITORS),
        pose=draw(maybe(poses())),
        name=draw(st.one_of(st.just(""), NAMES)),
    )


@st.composite
def phases(draw: Any) -> Phases:
    tasks = draw(st.lists(st.one_of(moves(), paths(), holds()), min_size=1, max_size=3))
    names = draw(st.lists(NAMES, min_size=len(tasks), max_size=len(tasks), unique=True))
    named = [replace(task, name=name) for task, name in zip(tasks, names, strict=True)]
    return Phases(named, name=draw(st.one_of(st.just(""), NAMES)))


TASKS = st.one_of(moves(), paths(), holds(), phases())
