"""What a text says at a place: the line, bounded and visible, and the caret under the right character."""

from typing import Any

import pytest

from motionc.model import Finding, Findings, Place
from motionc.model.quotes import BEFORE, LONGEST, Quote, Source


def quoted(text: str, line: int, column: int) -> tuple[str, str]:
    """The text of a quote, and the character above its caret."""
    quote = Source(text).quote(line, column)
    assert quote is not None
    return quote.text, quote.text[quote.caret : quote.caret + 1]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_end_as_xml_ends_them_and_indentation_is_left_out(end: str):
    text = end.join(["one", "  \t two x three", "four\u2028five"])
    assert quoted(text, 2, 5) == ("two x three", "t")
    assert quoted(text, 2, 9) == ("two x three", "x")
    assert quoted(text, 3, 5) == ("four\\u2028five", "\\")


def test_tabs_and_control_characters_are_visible_and_the_caret_stays_below():
    assert quoted("a\tb\x1b[2Jx\x00", 1, 8) == ("a→b\\x1b[2Jx\\x00", "x")
    assert quoted("a\u202ex", 1, 3) == ("a\\u202ex", "x")


def test_wide_and_combining_characters_take_the_columns_a_terminal_gives_them():
    quote = Source("漢字e\u0301x").quote(1, 5)
    assert quote == Quote("漢字e\u0301x", 5)


@pytest.mark.parametrize("column", [1, 30, 5_000, 9_999, 10_000])
def test_a_long_line_is_cut_around_the_caret(column: int):
    line = "".join(chr(ord("a") + k % 26) for k in range(10_000))
    text, above = quoted(f"first\n{line}\nlast", 2, column)
    assert above == line[column - 1]
    assert len(text) <= LONGEST + 2
    assert text.startswith("…") is (column > BEFORE + 1)
    assert text.endswith("…") is (column < 9_900)


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (3, 1), (9, 1), (1, 5), (-1, 1), (2, 1)])
def test_where_a_text_says_nothing_there_is_no_quote(place: tuple[int, int]):
    assert Source("abc\n   ").quote(*place) is None


def test_the_end_of_a_line_can_be_meant():
    assert Source("abc").quote(1, 4) == Quote("abc", 3)
    assert Source("").quote(1, 1) is None


def test_a_finding_shows_its_line_between_what_is_wrong_and_what_to_do():
    finding = Finding.error("Xx1", Place("robot/link[a]", "r.urdf", 7, 4), "said", "do")
    text = Source("x\n" * 6 + "<a><b/>")
    (shown,) = Findings((finding,)).quoting(lambda place: (place, text.quote(place.line, place.column)))
    assert str(finding) == "r.urdf:7:4: robot/link[a]: error Xx1: said\n  remedy: do"
    assert str(shown).splitlines()[1:3] == ["    7 | <a><b/>", "      |    ^"]
    assert [line for line in str(shown).splitlines() if "|" not in line] == str(finding).splitlines()


def test_an_attribute_is_found_wherever_its_element_goes_on():
    text = Source("<a>\n  <b one='1'\r\n\ttwo = \"x > 'y'\" three='3'/></a>")
    assert text.attribute(2, 3, "one") == (2, 6)
    assert text.attribute(2, 3, "two") == (3, 2)
    assert text.attribute(2, 3, "three") == (3, 18)
    # what is not there is where the element is
    for line, column, name in ((2, 3, "four"), (2, 3, ""), (1, 1, "one"), (9, 1, "one"), (0, 0, "one")):
        assert text.attribute(line, column, name) == (line, column)


class Watched(str):
    """A text that counts what is taken out of it."""

    taken = 0

    def __getitem__(self, key: Any) -> str:
        found = super().__getitem__(key)
        Watched.taken += len(found)
        return found


def test_a_quote_takes_no_more_of_a_line_than_it_shows():
    """A file of one line has as many findings as it is long: what each of them costs must not grow with the line."""
    text = Source(Watched("<a " + " ".join(f"x{k}='1'" for k in range(1000)) + "/>"))
    Watched.taken = 0
    for k in range(1000):
        assert text.quote(*text.attribute(1, 1, f"x{k}")) is not None
    assert Watched.taken < 1000 * 2 * LONGEST


def test_a_line_that_fits_is_shown_whole():
    line = "  <limit lower='1' upper='2' velocity='3' effort='4' jerk='5'/>"
    quote = Source(line).quote(1, line.index("jerk") + 1)
    assert quote == Quote(line.strip(), line.strip().index("jerk"))
