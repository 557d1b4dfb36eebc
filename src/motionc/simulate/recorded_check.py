"""Is a recording whole, and does it make sense? Every fault in a sentence."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motionc.errors import Error
from motionc.simulate.mcap_records import index_faults
from motionc.simulate.recorded_file import opened
from motionc.simulate.recording import Recording
from motionc.simulate.tubes import known


def faults(path: Path) -> list[str]:
    """What is wrong with a file: damage, a missing end, an index that does not fit, a model that is none."""
    contents = opened(path)
    try:
        recording = Recording.open(path)
    except Error as error:
        return [str(error)]
    index = index_faults(contents) if contents.whole else ()
    return [*recording.notes, *index, *_nonsense(recording)]


def _nonsense(recording: Recording) -> Iterator[str]:
    if recording.model is not None:
        try:
            robot = recording.robot()
        except Error as error:
            yield str(error)
        else:
            for tube in recording.tubes:
                if not known(tube, recording, robot):
                    yield f"{tube.called}: {robot.name} has no such frames, or its pose was not recorded as 4×4"
            for name, size in (("q", robot.nq), ("v", robot.nv)):
                if name in recording.signals and recording[name].shape != (size,):
                    yield f"{name} has rows of shape {recording[name].shape}, but {robot.name}'s are ({size},)"
    for signal in recording.signals.values():
        finite = np.asarray(np.isfinite(signal.flat).all(axis=1))
        if not np.all(finite):
            first = float(signal.times[np.argmin(finite)])
            yield f"{signal.name} is not finite in {np.sum(~finite)} of {finite.size} rows, first at {first:g} s"
    spoken = [name for band in recording.bands for name in band.spoken]
    spoken += [name for one in recording.references for name in (one.signal, one.of)]
    spoken += [tube.pose for tube in recording.tubes if isinstance(tube.pose, str)]
    for name in dict.fromkeys(spoken):
        if name not in recording.signals:
            yield f"a band, a reference or a tube is of {name!r}, which is not recorded"
    met = {name for mode in recording.modes for name in mode.names}
    for name in dict.fromkeys(name for one in (*recording.bands, *recording.tubes) for name in one.during):
        if name not in met:
            yield f"a band or a tube holds during {name!r}, a mode that nothing was ever in"
