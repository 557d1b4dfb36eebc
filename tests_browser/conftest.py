"""A real browser: Debian's Chromium without a window, driven by Playwright; whoever has none is told so."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import motionc as mc

NEEDED = "Chromium is needed (apt-get install chromium), and pip install playwright 'motionc[view]'"
PATIENCE = 120_000
"""Milliseconds; pages are drawn in software here."""


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

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.errors, self.requests = list[str](), list[str]()
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.set_default_timeout(PATIENCE)
        page.goto(url)
        page.wait_for_selector("canvas")

    def settle(self, seconds: float = 3.0) -> None:
        """Until scenes have faded in; the notice of software rendering is put away."""
        self.page.wait_for_timeout(1000 * seconds)
        self.page.evaluate(
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach(each => each.click())"
        )
        self.page.wait_for_timeout(500)

    def picture(self, name: str) -> Path:
        """A screenshot in build/browser, to be looked at."""
        place = Path("build/browser") / f"{name}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=place, timeout=90_000)
        return place

    def strangers(self) -> list[str]:
        """Requests to anybody but the page's own address."""
        own = self.url.split("://")[1].split("/")[0]
        return [
            url
            for url in self.requests
            if not url.startswith(("data:", "blob:")) and url.split("://")[1][: len(own)] != own
        ]


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[[str], Visit]]:
    context = chromium.new_context(viewport={"width": 960, "height": 600})
    yield lambda url: Visit(context.new_page(), url)
    context.close()


@pytest.fixture(scope="session")
def fallen() -> Any:
    """A quadruped dropped on the ground, one second of it."""
    from motionc.simulate.doings import carried_out, doing

    return carried_out(doing(mc.load("hyq"), "drop"), 1.0).run
