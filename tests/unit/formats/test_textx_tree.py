"""Languages of ours: what their grammar found has its line and column, and what it did not find is told in words."""

from pathlib import Path

import pytest

import motionc as mc
from motionc.formats.textx_tree import parse_language

GRAMMAR = "Greeting: 'hello' names+=Name[','] '!'; Name: text=NameWord; NameWord: /[a-z]+/;"


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    file = tmp_path / "greeting.tx"
    file.write_text(GRAMMAR)
    return file


def test_every_object_has_its_place(grammar: Path) -> None:
    parsed = parse_language(grammar, "hello ada,\n  bob !", "<text>", "greeting", {})
    second = parsed.root.names[1]
    assert (second.text, str(parsed.place(second, "greeting/name"))) == ("bob", "<text>:2:3: greeting/name")


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "remedy"),
    [
        ("helo ada!", 1, 1, "'helo' where 'hello' is expected", "did you mean hello?"),
        ("hello ada,\n 7!", 2, 2, "'7' where a name is expected", "write it there"),
        ("hello ada", 1, 10, "the end of the line where ',' or '!' is expected", "write it there"),
        ("", 1, 1, "nothing where 'hello' is expected", "write it there"),
    ],
)
def test_what_is_no_sentence_is_refused_with_what_was_expected(
    grammar: Path, text: str, line: int, column: int, message: str, remedy: str
) -> None:
    with pytest.raises(mc.ReadError) as refusal:
        parse_language(grammar, text, "<text>", "greeting", {"NameWord": "a name"})
    assert (refusal.value.line, refusal.value.column, refusal.value.message) == (line, column, message)
    assert remedy in refusal.value.remedy
