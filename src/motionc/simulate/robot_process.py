"""The process of a simulated robot: what it is comes in by a pipe, and it ends where that is closed."""

import json
import pickle
import signal
import sys
from threading import Event, Thread
from typing import BinaryIO

from motionc.errors import Error
from motionc.simulate.serving import serve


def main(said: BinaryIO, saying: BinaryIO) -> None:
    """The robot's process: what it is comes in by a pipe, and it ends where that is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started it, and closes the pipe
    robot, interface = pickle.loads(said.read(int.from_bytes(said.read(8), "little")))
    gone = Event()

    def wait() -> None:
        said.read(1)
        gone.set()

    def say(what: dict[str, str]) -> None:
        saying.write(json.dumps(what).encode() + b"\n")
        saying.flush()

    Thread(target=wait, daemon=True).start()
    try:
        serve(robot, interface, until=gone.is_set, ready=lambda address: say({"address": address}))
    except Error as error:
        say({"refused": str(error)})
        raise SystemExit(1) from None


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
