"""`motionc view` as a process: a port in use, a client that vanishes, Ctrl-C; and what it refuses."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app

pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")
RUN = CliRunner()


def test_a_page_is_served_until_ctrl_c(tmp_path: Path) -> None:
    signals = [mc.simulate.Signal("q", [0.0, 0.1], [[0.0, 0.0], [0.1, 0.2]])]
    forces = mc.simulate.Signal("contact_force", [0.0, 0.1], np.zeros((2, 1, 3)))
    mc.simulate.Recording(signals=[*signals, forces]).save(tmp_path / "run.mcap")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        words = ["view", "planar2", "--recording", str(tmp_path / "run.mcap"), "--no-open", "--port", str(port)]
        # whoever runs tests in the background may have told them to ignore Ctrl-C
        code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        code += "from motionc.cli.main import main; sys.exit(main())"
        pipe = subprocess.PIPE
        process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=pipe, stderr=pipe, text=True)
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            line = process.stdout.readline()
            (url,) = re.findall(r"planar2: (http://127\.0\.0\.1:\d+/)", line)
            served = int(url.rsplit(":", 1)[1].strip("/"))
            assert served > port
            with urllib.request.urlopen(url, timeout=20) as page:
                assert page.status == 200
            # somebody who connects, and is gone
            with socket.create_connection(("127.0.0.1", served)) as visitor:
                visitor.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n")
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
            assert "log contact_point beside contact_force" in process.stderr.read()
        finally:
            process.kill()
            process.communicate()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", served), timeout=5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.mcap"], "cannot be read"),
        (["planar2", "--frame", "nowhere"], "has no frame 'nowhere'"),
        (["planar2", "--constraint", "nowhere: x"], "has no frame 'nowhere'"),
        (["planar2", "--host", "192.0.2.1"], "nothing can listen"),
    ],
)
def test_what_cannot_be_shown_gets_one_sentence(words: list[str], said: str) -> None:
    result = RUN.invoke(app, ["view", *words, "--no-open", "--port", "0"])
    assert isinstance(result.exception, mc.Error)
    assert said in str(result.exception)
