"""Reports: one page that needs nothing else, the same bytes every time, whatever happened and things are called."""

import base64
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from hostile_names import NAMES, built
from motionc import simulate as sim
from motionc.simulate.declarations import Band, Mark, Mode, Reference
from motionc.simulate.recording import model_of
from motionc.simulate.signals import Signal

pytest.importorskip("matplotlib")

EVIL = '<script>alert("x")</script>'
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "p", "span", "section", "table"),
    *(
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "img",
        "svg",
        "defs",
        "g",
        "path",
        "text",
        "use",
        "clippath",
        "rect",
    ),
}


class Page(HTMLParser):
    """Tags, what they point at, and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.words = set[str](), list[tuple[str, str]](), ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data


def pages(path: Path) -> Page:
    page = Page(path.read_text())
    assert page.tags <= TAGS, page.tags - TAGS
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "xlink:href", "srcset", "action"):
            assert value.startswith(("data:", "#")), value
        assert "url(" not in value or "url(#" in value
    assert {name for name, value in page.attributes if "://" in value} <= {"xmlns", "xmlns:xlink"}
    return page


@pytest.fixture(scope="module")
def planar() -> sim.Loop:
    plant = sim.Plant(mc.load("planar2"), pushes=[sim.Push("joint:elbow", (5.0, 0.0, 0.0), start=0.2, seconds=0.1)])
    return sim.closed(plant, mc.control.pd(plant.robot, 60.0, 5.0))


@pytest.fixture(scope="module")
def run(planar: sim.Loop) -> sim.Run:
    return planar(planar.plant.start([0.3, 0.1]), target=[0.5, 0.2], seconds=0.5)


CHECKS = [("no slip", True), ("creep", 0.1, 1.0), mc.view.Check("height", 0.2, 0.5, at="least", unit="m")]


@pytest.fixture(scope="module")
def reported(run: sim.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "run.html"
    return mc.view.report(run, path, checks=CHECKS, said={"why": "to see it"}, replay=False)


def test_a_page_has_all_of_a_run_and_fetches_nothing(reported: Path) -> None:
    page, path = pages(reported), reported
    for words in (
        "planar2: report of a run",
        "Timeline",
        "Joint positions",
        "Joint velocities",
        "Motor forces",
        "Energy",
    ):
        assert words in page.words
    for words in ("to see it", "push on joint:elbow", "shoulder", "target", f"{mc.__version__}", "What came of it"):
        assert words in page.words
    assert page.words.count("✓ passed") + page.words.count("✗ failed") == len(re.findall("<td><span", path.read_text()))
    assert "≥ 0.5 m✗ failed" in re.sub(r"\s+", " ", page.words)
    (png,) = (value for name, value in page.attributes if name == "src")
    assert base64.b64decode(png.partition(",")[2]).startswith(b"\x89PNG")
    assert "default-src 'unsafe-inline'" in path.read_text()  # a browser may load what is in the file, and no more


def test_one_check_that_fails_is_seen_at_the_top(run: sim.Run, reported: Path, tmp_path: Path) -> None:
    def badge(path: Path) -> str:
        return re.findall(r'<span class="verdict (\w+) badge">', path.read_text())[0]

    good = mc.view.report(run, tmp_path / "good.html", checks=CHECKS[:2], pictures=False, replay=False)
    assert [badge(reported), badge(good)] == ["failed", "passed"]


def test_tubes_are_checked_in_a_report(tmp_path: Path) -> None:
    robot, times = mc.load("planar2"), np.linspace(0.0, 1.0, 11)
    ahead = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0.8], [0, 0, 1, 0], [0, 0, 0, 1]])
    kept = sim.Recording(
        signals=[sim.Signal("q", times, np.stack([times, 0 * times], axis=1))],
        model=sim.recording.model_of(robot),
        tubes=[sim.Tube("tip", ahead, 0.1, 1.0, name="way in")],
    )
    said = pages(mc.view.report(kept, tmp_path / "x.html", pictures=False, replay=False)).words
    assert "tip stays in way in: beyond its walls" in said
    assert "✗ failed" in said
    assert "inside from 0 s on, left at 0.2 s" in said


def test_the_same_run_gives_the_same_bytes_whatever_matplotlib_is_set_to(
    run: sim.Run, reported: Path, tmp_path: Path
) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 20, "svg.fonttype": "path", "axes.grid": False, "text.usetex": True}):
        again = mc.view.report(run, tmp_path / "b.html", checks=CHECKS, said={"why": "to see it"}, replay=False)
        assert mpl.rcParams["font.size"] == 20
    assert again.read_bytes() == reported.read_bytes()


def test_a_recording_from_a_file_is_reported_as_the_run_is(run: sim.Run, reported: Path, tmp_path: Path) -> None:
    recording = sim.Recording.open(run.save(tmp_path / "run.mcap"))
    other = mc.view.report(recording, tmp_path / "x.html", replay=False)
    figures = [re.findall(r"<figure>.*?</figure>", path.read_text(), re.S) for path in (reported, other)]
    assert len(figures[0]) == 6
    assert figures[0] == figures[1]


def test_lanes_have_a_report_each(planar: sim.Loop, tmp_path: Path) -> None:
    starts = {"q": np.array([[0.3, 0.1], [0.6, 0.1]]), "v": np.zeros((2, 2))}
    many = planar.batch(starts, target=[0.5, 0.2], steps=50)
    page = pages(mc.view.report(many, tmp_path / "x.html", lane=1, pictures=False, replay=False))
    assert "1 of 2, counted from 0" in page.words
    assert "median" in page.words
    with pytest.raises(mc.Error, match="lane=2; the run has 2"):
        mc.view.report(many, tmp_path / "x.html", lane=2)


def test_a_run_that_diverged_says_when(planar: sim.Loop, tmp_path: Path) -> None:
    plant = planar.plant
    loop = sim.closed(plant, mc.control.pd(plant.robot, 1e7, 1e5), log=["q", "v", "motor_force"])
    wild = loop(plant.start([0.3, 0.1]), target=[0.5, 0.2], steps=600)
    assert not wild.finite
    page = pages(mc.view.report(wild, tmp_path / "x.html", replay=True))
    assert f"stopped being finite after {wild.turns * plant.dt:.4g} s" in page.words
    assert "all numbers stay finiteno✗ failed" in page.words.replace("\n", "")


def test_a_recording_of_nothing_but_q(tmp_path: Path) -> None:
    q = Signal("q", [0.0, 0.1, 0.2], [[0.1, 0.2], [0.3, np.nan], [0.2, 0.1]])
    page = pages(mc.view.report(sim.Recording(signals=[q]), tmp_path / "x.html", replay=True))
    assert "a recording: report of a run" in page.words
    assert "Joint positions" in page.words
    assert "stopped being finite after 0.1 s" in page.words
    pages(mc.view.report(sim.Recording(), tmp_path / "none.html"))
    with pytest.raises(mc.Error, match="nothing was recorded"):
        mc.view.plots(sim.Recording(), tmp_path)


def test_a_task_keeps_its_lines_and_nothing_of_it_is_markup(tmp_path: Path) -> None:
    told = sim.Recording(signals=[Signal("x", [0.0], [0.0])], task="task a\n  <b>x</b>\x1b\n")
    page = mc.view.report(told, tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<pre>task a\n  &lt;b&gt;x&lt;/b&gt;\\x1b</pre>" in page


def test_names_with_markup_are_words_everywhere(tmp_path: Path) -> None:
    robot = built(EVIL, [EVIL + name for name in NAMES[11:20]])
    times, rows = np.linspace(0, 1, 9), np.linspace(0, 1, 9)[:, np.newaxis] * np.linspace(0.5, 1, robot.nq)
    strange = [EVIL, "$\\frac{1}{0}$", "\x1b[2J", "a & b", "</svg>"]
    signals = [
        Signal("q", times, rows, "rad"),
        *(Signal(name, times, rows[:, :2], name, (name, f"{name} 2"), name) for name in strange),
        Signal("aim" + EVIL, times, rows, "rad"),
    ]
    recording = sim.Recording(
        signals=signals,
        model=model_of(robot),
        versions=dict.fromkeys(strange, EVIL),
        task=EVIL,
        marks=[Mark(0.1 * k, name) for k, name in enumerate(strange)],
        modes=[Mode((0.0, 0.5), (EVIL, "$x"), EVIL)],
        bands=[Band("q", 0.1, 0.6, EVIL)],
        references=[Reference("aim" + EVIL, of="q")],
    )
    checks = [(name, True) for name in strange]
    said = dict.fromkeys(strange, EVIL)
    path = mc.view.report(recording, tmp_path / "x.html", checks=checks, said=said, pictures=False, replay=False)
    page = pages(path)
    assert EVIL.lower() not in path.read_text().lower()
    assert page.words.count(EVIL) > 15
    assert "$\\frac{1}{0}$" in page.words
    assert "\x1b" not in page.words


def test_a_quadruped_for_three_seconds_is_small(tmp_path: Path) -> None:
    """Noise is the worst that plots can be given."""
    robot, rng, times = mc.load("hyq"), np.random.default_rng(0), np.arange(3000) * 1e-3
    sizes = {"q": (robot.nq,), "motor_force": (robot.nv,), "contact_force": (4, 3)}
    signals = [Signal(name, times, rng.normal(size=(3000, *size))) for name, size in sizes.items()]
    path = mc.view.report(
        sim.Recording(signals=signals, model=model_of(robot)), tmp_path / "x.html", pictures=False, replay=False
    )
    assert path.stat().st_size < 0.8e6


def test_a_replay_is_a_page_in_the_page(run: sim.Run, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    path = mc.view.report(
        sim.Recording(signals=[sim.Recording.of(run)["q"]], model=model_of(run.plant.robot)),
        tmp_path / "x.html",
        pictures=False,
    )
    page = Page(path.read_text())
    (inner,) = (value for name, value in page.attributes if name == "srcdoc")
    assert "iframe" in page.tags
    assert "script" not in page.tags
    assert inner.startswith("<!doctype html>")
    assert inner.rstrip().endswith("</html>")
    assert path.stat().st_size < 1.2e6


def test_without_matplotlib_it_names_what_to_install(
    run: sim.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(mc.Error, match=r'pip install "motionc\[report\]"'):
        mc.view.report(run, tmp_path / "x.html", pictures=False, replay=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("give what a closed loop returned", {"what": 3}),
        ("ends in .html", {"path": "x.pdf"}),
        ('give \\("no slip"', {"checks": [3]}),
        ('give \\("no slip"', {"checks": "no slip"}),
        ("give a number", {"checks": [("creep", "fast", 1.0)]}),
        ("or a number and its limit", {"checks": [("creep", 1.0)]}),
        ("yes and no have none", {"checks": [("creep", True, 1.0)]}),
        ("give {name: words}", {"said": 3}),
        ("pictures", {"pictures": 3}),
        ("replay", {"replay": 3}),
    ],
)
def test_nonsense_gets_a_sentence(run: sim.Run, tmp_path: Path, words: str, given: dict) -> None:
    good = {"what": run, "path": tmp_path / "x.html", "checks": ()}
    with pytest.raises(mc.Error, match=words):
        mc.view.report(**good | given)
    assert not list(tmp_path.iterdir())
