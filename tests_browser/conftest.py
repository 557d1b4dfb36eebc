"""A real browser: Debian's Chromium without a window, driven by Playwright; whoever has none is told so.

Pages are drawn in software, at half their size; MOTIONC_SCALE=1 draws them whole, and leaves screenshots.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import motionc as mc

NEEDED = "Chromium is needed (apt-get install chromium), and pip install playwright 'motionc[view]'"
PATIENCE = 120_000
"""Milliseconds; other processes may have the processors."""
SCALE = float(os.environ.get("MOTIONC_SCALE", "0.5"))
SIZE = {"width": 1100, "height": 700}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    pytest.importorskip("viser", reason=NEEDED)
    sync_api: Any = pytest.importorskip("playwright.sync_api", reason=NEEDED)
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip(NEEDED)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visit:
    """A page that was opened, and what it said and asked for meanwhile."""

    def __init__(self, page: Any, url: str, shows: str = "canvas") -> None:
        self.page, self.url = page, url
        self.errors, self.requests = list[str](), list[str]()
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.set_default_timeout(PATIENCE)
        page.goto(url)
        page.wait_for_selector(shows)

    def until(self, holds: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait while the page goes on."""
        for _ in range(int(seconds * 20)):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it did not come to pass")

    def settle(self) -> None:
        """Until the scene is there and stands still; the notice of software rendering is put away."""
        notices = "document.querySelectorAll('.mantine-Notification-closeButton')"
        seen = [b""]

        def still() -> bool:
            self.page.wait_for_timeout(500)
            self.page.evaluate(f"{notices}.forEach(each => each.click())")
            seen.append(self.scene())
            return seen[-1] == seen[-2]

        self.page.wait_for_timeout(1500)
        self.until(still)

    def scene(self) -> bytes:
        """The scene as it is seen, without the panel."""
        return self.page.locator("canvas").first.screenshot(timeout=90_000)

    def picture(self, name: str) -> None:
        """A screenshot in build/browser, to be looked at; none of pages that are drawn smaller than they are."""
        if SCALE >= 1:
            self.settle()
            place = Path("build/browser") / f"{name}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=place, timeout=90_000)

    def strangers(self) -> list[str]:
        """Requests to anybody but the page's own address."""
        own = self.url.split("://")[1].split("/")[0]
        return [
            url
            for url in self.requests
            if not url.startswith(("data:", "blob:")) and url.split("://")[1][: len(own)] != own
        ]


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    context = chromium.new_context(viewport=SIZE, device_scale_factor=SCALE)
    yield lambda *arguments: Visit(context.new_page(), *arguments)
    context.close()


@pytest.fixture(scope="session")
def fallen() -> Any:
    """A quadruped dropped on the ground, half a second of it."""
    from motionc.simulate.doings import carried_out, doing

    return carried_out(doing(mc.load("hyq"), "drop"), 0.5).run
