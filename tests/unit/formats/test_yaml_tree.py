"""YAML and JSON as located trees: every entry has its place, and what strangers hide in a file is refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionc as mc
from motionc.formats import yaml_tree
from motionc.formats.yaml_tree import parse_json, parse_yaml, to_json, to_yaml

DATA = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=3),
    ),
    max_leaves=8,
)


def plain(node: Any) -> Any:
    if isinstance(node.value, list):
        return [plain(entry) for entry in node.value]
    return {key: plain(entry) for key, entry in node.value.items()} if isinstance(node.value, dict) else node.value


@given(DATA)
@settings(max_examples=80, deadline=None)
def test_data_reads_back_from_yaml_and_json(data: Any) -> None:
    assert plain(parse_yaml(to_yaml(data))) == data
    assert plain(parse_json(to_json(data))) == data
    assert plain(parse_json(json.dumps(data, indent="\t"))) == data


def test_every_entry_and_key_has_its_line_and_column() -> None:
    tree = parse_yaml("a:\n  - b: 1 m\n    c: [x, y]\n", "file.yaml")
    words = tree.at("a", 0, "c", 1)
    assert words is not None
    assert str(words.place) == "file.yaml:3:12: document/a[1]/c[2]"
    assert str(tree.at("a", 0).keys["c"]) == "file.yaml:3:5: document/a[1]/c"
    assert tree.at("a", 7) is tree.at("b") is tree.at("a", 0, "b", "x") is None


def test_words_stay_words() -> None:
    tree = parse_yaml("{a: yes, b: 0x10, c: 1e3, d: null, e: 2026-11-16, f: ~, g: .inf}")
    assert plain(tree) == {"a": "yes", "b": "0x10", "c": "1e3", "d": "null", "e": "2026-11-16", "f": "~", "g": ".inf"}


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        (BOMB, 1, 4, "anchors and aliases"),
        ("a: *b", 1, 4, "anchors and aliases"),
        ("a: !!python/object:os.system x", 1, 4, "the tag"),
        ("a: 1\nb: 2\na: 3", 3, 1, "'a' stands in line 1 already"),
        ("a: 1\n---\nb: 2", 2, 1, "a second document"),
        ("? [a, b]\n: 1", 1, 3, "a key is a list or a mapping"),
        ("a:\n\t- b", 2, 1, "not well-formed"),
        ("a: [1, 2", 1, 9, "not well-formed"),
        ("a: b\x00", 1, 5, "a character that YAML does not take"),
        ("[" * 40 + "]" * 40, 1, 33, "nested more than 32 deep"),
        ("", 0, 0, "it is empty"),
        ("# nothing", 0, 0, "it is empty"),
    ],
)
def test_what_is_hidden_or_broken_is_refused_at_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(mc.ReadError) as refusal:
        parse_yaml(text)
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert words in refusal.value.message
    assert refusal.value.remedy


def test_a_file_is_no_larger_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mc.ReadError, match="larger than 1048576 bytes"):
        parse_yaml("a" * (2**20 + 1))
    monkeypatch.setattr(yaml_tree, "LARGEST_COUNT", 10)
    with pytest.raises(mc.ReadError, match="more than 10 entries"):
        parse_yaml("[" + "a, " * 20 + "]")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("{a: 1}", 1, 2), ('{"a": 1,}', 1, 9), ('{"a": 1\n"b": 2}', 2, 1), ("", 1, 1), ("[" * 100_000, 0, 0)],
)
def test_what_is_yaml_and_no_json_is_refused_as_json(text: str, line: int, column: int) -> None:
    with pytest.raises(mc.ReadError) as refusal:
        parse_json(text)
    if len(text) < 100:
        assert (refusal.value.line, refusal.value.column) == (line, column)


def test_characters_beyond_the_first_plane_come_through_escapes_and_halves_do_not() -> None:
    assert parse_json('["\\ud83e\\udd16"]').items[0].words == "🤖"
    with pytest.raises(mc.ReadError, match="a lone surrogate"):
        parse_json('["\\ud83e"]')


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_tree_or_refused(text: str) -> None:
    for parse in (parse_yaml, parse_json):
        try:
            assert parse(text).place
        except mc.ReadError as refusal:
            said = refusal
            assert_told(said)


def assert_told(refusal: mc.ReadError) -> None:
    assert refusal.message
    assert refusal.remedy
