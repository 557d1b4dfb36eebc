"""Scripts run as a user's would be, in a process of their own, that need not wait for imports.

The standard library's fork server has imported motionc once; each script runs in a fresh fork of it.
"""

import multiprocessing
import os
import sys
import traceback
from pathlib import Path

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["motionc.computations.loading", "motionc.packaging.bundling"])


def printed(source: str, name: str, folder: Path, seconds: int = 300) -> str:
    """What a script prints that runs in a folder and ends well."""
    said, complained = folder / ".said", folder / ".complained"
    process = _processes.Process(target=_run, args=(source, name, folder, said, complained))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        raise AssertionError(f"{name} did not end in {seconds} s")
    assert process.exitcode == 0, f"{name}\n{complained.read_text(encoding='utf-8')}"
    return said.read_text(encoding="utf-8")


def _run(source: str, name: str, folder: Path, *streams: Path) -> None:
    for number, file in enumerate(streams, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(folder)
    sys.argv = [name]
    try:
        exec(compile(source, name, "exec"), {"__name__": "__main__", "__file__": name})
        status = 0
    except SystemExit as end:
        status = int(bool(end.code))
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.exit(status)
