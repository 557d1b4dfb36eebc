"""Tables of kinds: what a document may say, read with its place, written back, and as a schema."""

from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest

import motionc as mc
from motionc.formats.records import Amount, Choice, Key, Number, Record, Several, Whole, Words
from motionc.formats.yaml_tree import parse_yaml
from motionc.geometry.units import Quantity


@dataclass(frozen=True)
class Box:
    size: float
    name: str = ""

    def __post_init__(self) -> None:
        if self.size > 1:
            raise TooLarge("it is too large; take a smaller one")


class TooLarge(mc.Error):
    about = ("size",)


LENGTH = Amount(Quantity.LENGTH, positive=True)
BOX = Record("a box", Box, {"side": Key(LENGTH, "size", needed=True), "name": Key(Words())})
SHELF = Record(
    "a shelf",
    dict,
    {
        "boxes": Key(Several(Choice("what stands on it", (BOX, Words(("nothing",))))), needed=True),
        "levels": Key(Whole(1)),
        "color": Key(Several(Number(), 3)),
    },
)
GOOD = "boxes: [{side: 30 cm, name: a}, nothing]\nlevels: 2\ncolor: [0, 0.5, 1]\n"


def test_a_document_becomes_values_and_data_again() -> None:
    value = SHELF.read(parse_yaml(GOOD))
    assert value == {"boxes": (Box(0.3, "a"), "nothing"), "levels": 2, "color": (0.0, 0.5, 1.0)}
    data = SHELF.plain(value)
    assert data == {"boxes": [{"side": "0.3 m", "name": "a"}, "nothing"], "levels": 2, "color": [0.0, 0.5, 1.0]}
    jsonschema.Draft202012Validator.check_schema(SHELF.schema)
    jsonschema.validate(data, SHELF.schema)


@pytest.mark.parametrize(
    ("old", "new", "column", "message", "remedy"),
    [
        ("30 cm", "30 kg", 16, "Length cannot be given in kilogram", "use meter"),
        ("30 cm", "-3 cm", 16, "'-3 cm' is not more than nothing", "0.5 m"),
        ("30 cm", "[3 cm]", 16, "a list where a Length is wanted", "0.5 m"),
        ("side: 30 cm, ", "", 9, "a mapping of name where what stands on it is wanted", "{side: …} or a word"),
        ("side", "sid", 9, "did you mean side?", "{side: …}"),
        ("name", "nam", 23, "there is no 'nam' in a box; did you mean name?", "correct it"),
        ("30 cm", "2 m", 10, "it is too large", "take a smaller one"),
        ("nothing", "something", 33, "'something' is none of these; did you mean nothing?", "say nothing"),
        ("[{", "{", 8, "", ""),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(old: str, new: str, column: int, message: str, remedy: str) -> None:
    with pytest.raises(mc.ReadError) as refusal:
        SHELF.read(parse_yaml(GOOD.replace(old, new, 1)))
    if message:
        assert (refusal.value.line, refusal.value.column) == (1, column)
        assert message in refusal.value.message
        assert remedy in refusal.value.remedy


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("levels: 0", "0 is less than 1"),
        ("levels: 1.5", "'1.5' where a whole number is wanted"),
        ("levels: ²", "'²' where a whole number is wanted"),
        ("color: [0, 1]", "2 entries where 3 are wanted"),
        ("color: red", "'red' where a list is wanted"),
        ("color: [0, 1, red]", "'red' is no Dimensionless"),
    ],
)
def test_numbers_and_lists_are_what_they_must_be(line: str, message: str) -> None:
    with pytest.raises(mc.ReadError, match=message):
        SHELF.read(parse_yaml(f"boxes: []\n{line}"))


def invalid(data: Any) -> bool:
    return not jsonschema.Draft202012Validator(SHELF.schema).is_valid(data)


def test_the_schema_knows_units_keys_and_counts() -> None:
    assert invalid({"boxes": [{"side": "30 kg"}]})
    assert invalid({"boxes": [{"side": 0.3}]})
    assert invalid({"boxes": [{"sid": "1 m"}]})
    assert invalid({"levels": 1})
    assert invalid({"boxes": [], "levels": 0})
    assert invalid({"boxes": [], "color": [1, 2]})
    assert not invalid({"boxes": [{"side": "3e-1 meter"}]})
