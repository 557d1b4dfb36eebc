"""Reports: how large the page of 3 s is for each shipped robot, with its replay; the same bytes twice; no request.

Each robot does what it can: floating ones are dropped, others pushed. Chromium opens one page from its file.
"""

import re
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import Absent
from motionc.simulate.doings import carried_out, doing

LARGEST = 2e6
"""Bytes of a report."""
SECONDS = 3.0


def figures() -> Iterator[str]:
    """A line a robot, then what a browser asks for."""
    for needed in ("matplotlib", "viser"):
        if find_spec(needed) is None:
            raise Absent(f"{needed} is not installed; pip install 'motionc[report,view]'")
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for each in mc.robots():
            yield _size(each.name, place)
        yield _again(place)
        yield _requests(place / "hyq.html")


def _report(name: str, place: Path) -> tuple[Path, float]:
    robot = mc.load(name)
    done = doing(robot, "drop" if robot.floating else "push")
    run = carried_out(done, SECONDS).run
    begin = time.perf_counter()
    path = mc.view.report(run, place / f"{name}.html", said=done.chosen)
    return path, time.perf_counter() - begin


def _size(name: str, place: Path) -> str:
    path, seconds = _report(name, place)
    size, plots = path.stat().st_size, path.read_text().count("<svg ")
    fits = f"(wanted < {LARGEST / 1e6:g}) {verdict(size < LARGEST)}"
    return f"  {name + ', 3 s: report':<40} {size / 1e6:8.2f} MB   {fits}, {plots} plots, {seconds:.1f} s"


def _again(place: Path) -> str:
    first = (place / "hyq.html").read_bytes()
    same = _report("hyq", place)[0].read_bytes() == first
    return f"  {'hyq: a second report is the same bytes':<40} {'yes' if same else 'no':>8}      {verdict(same)}"


def _requests(path: Path) -> str:
    """What the page asks for, in Chromium where there is one; else what its text points at."""
    title = "hyq: requests beside the file itself"
    if find_spec("playwright") is None:
        outside = re.findall(r'(?:src|href)="(?!data:|#)([^"]*)"', path.read_text())
        return f"  {title:<40} {len(outside):8}      {verdict(not outside)}, by its text: playwright is not installed"
    from playwright.sync_api import sync_playwright

    asked, errors = list[str](), list[str]()
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        page.frame_locator("iframe").locator("canvas").first.wait_for(timeout=60_000)
        browser.close()
    outside = [url for url in asked if url != path.as_uri() and not url.startswith(("data:", "blob:", "about:"))]
    return f"  {title:<40} {len(outside):8}      {verdict(not (outside or errors))}, {len(errors)} errors in Chromium"
