"""`make acceptance`: a missed bar is a status, what is not there is said, and two versions are asked in turn."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import motionc as mc
from acceptance import __main__ as acceptance
from acceptance import honesty, versus
from repository import REPOSITORY


def asked(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["acceptance", *arguments])
    return acceptance.main()


def section(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """An issue 7 that has one section, which prints these lines."""

    def figures() -> Iterator[str]:
        for line in lines:
            if line == "broken":
                raise mc.Error("the scales are broken")
            yield line

    module = ModuleType("acceptance.weighed")
    module.figures = figures  # type: ignore[attr-defined]
    module.__spec__ = object()  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "acceptance.weighed", module)
    monkeypatch.setattr("acceptance.issue_7.SECTIONS", {"weighed": "Weights", "gone": "What is not there"})


@pytest.mark.parametrize(("arguments", "said"), [((), "no issue is named"), (("99",), "of issue 99 nothing is")])
def test_an_unknown_issue_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert asked(monkeypatch, *arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("line", "status"), [("wanted 1, is 1 ✓", 0), ("wanted 1, is 2 ✗", 1), ("broken", 2)])
def test_the_status_says_whether_bars_were_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, status: int
) -> None:
    section(monkeypatch, line)
    assert asked(monkeypatch, "7", "--only", "weighed") == status
    said = capsys.readouterr().out
    assert "## Weights" in said
    assert ("the scales are broken" if line == "broken" else line) in said


def test_a_section_that_is_not_there_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section(monkeypatch, "wanted 1, is 1 ✓")
    assert asked(monkeypatch, "7") == 2
    assert "not there: benchmarks/acceptance/gone.py" in capsys.readouterr().out


def test_an_unknown_section_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(monkeypatch, "7", "--only", "versos") == 2
    assert "no section versos; it has" in capsys.readouterr().err


# ---------------------------------------------------------------- versions


def test_both_are_asked_in_turn_and_the_least_counts() -> None:
    times, order = {"before": iter([3.0, 2.0, 4.0]), "now": iter([1.0, 5.0, 6.0])}, list[str]()

    def ask(name: str) -> float:
        order.append(name)
        return next(times[name])

    assert versus.interleaved(("before", "now"), ask, 3) == (2.0, 1.0)
    assert order == ["before", "now", "now", "before", "before", "now"]


@pytest.mark.parametrize(
    ("ratios", "said"),
    [
        ([1.0], "ratio 1.000   wanted ≤ 1.05 ✓"),
        ([1.2, 1.04], "ratio 1.200, 1.040   wanted ≤ 1.05 ✓"),
        ([1.2, 1.1, 1.3], "ratio 1.200, 1.100, 1.300   wanted ≤ 1.05 ✗"),
    ],
)
def test_a_ratio_is_missed_after_three_tries_all_of_them_told(ratios: list[float], said: str) -> None:
    left = iter(ratios)
    assert said in versus.line("a call", 1.05, "µs", lambda: (1.0, next(left)))
    assert not list(left)


def test_a_version_answers_from_its_own_tree(tmp_path: Path) -> None:
    version = versus.Version("now", REPOSITORY, tmp_path)
    with versus.processes((version, version)) as (one, other):
        for name in ("inverse_dynamics", "mass_matrix"):
            counts = [process.ask("operations", ["planar2", None, []], name) for process in (one, other)]
            assert counts == [sum(getattr(mc, name)(mc.load("planar2")).operations.values())] * 2
        assert one.ask("public").keys() == set(mc.__all__)


def test_a_version_whose_code_is_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty" / "src").mkdir(parents=True)
    with pytest.raises(mc.Error, match=r"is not the code in its tree|ended when it was asked where"):
        versus.Process(versus.Version("before", tmp_path / "empty", tmp_path))


def test_a_commit_that_git_does_not_know_is_a_sentence() -> None:
    with pytest.raises(mc.Error, match="git does not know no-such-commit"), versus.versions("no-such-commit"):
        pass


def test_what_is_broken_to_try_a_rows_test_is_there_once() -> None:
    found = honesty.breaks()
    assert len(found) > 100
    assert all(each.broken(REPOSITORY / "src" / "motionc") for each in found.values())
