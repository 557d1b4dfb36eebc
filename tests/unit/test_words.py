"""The field's words: what is public says first what it is, in its own words or in those of the glossary."""

import inspect
import re
from enum import Enum
from typing import Any

import pytest

import motionc as mc
from motionc import geometry
from motionc.computations import CATALOGUE
from repository import REPOSITORY

GLOSSARY = (REPOSITORY / "docs" / "inside" / "glossary.md").read_text(encoding="utf-8")
ENTRIES = [entry for line in re.findall(r"^\| \*\*(.+?)\*\* \|", GLOSSARY, re.MULTILINE) for entry in line.split(", ")]
RELATIONS = [name for name in geometry.__all__ if inspect.isclass(getattr(geometry, name))]
NAMES = sorted({*mc.__all__, *CATALOGUE} - {"__version__"})


def first_sentence(value: Any) -> str:
    said = inspect.getdoc(type(value) if isinstance(value, Enum) else value) or ""
    return re.split(r"(?<=[.:])\s", said)[0]


def words(name: str) -> set[str]:
    """The words a name is made of: `mass_matrix`, `JointForce`; short ones say nothing. Prose has a centre."""
    return {
        word.lower().replace("center", "centre") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name) if len(word) > 2
    }


def says(sentence: str, terms: set[str]) -> bool:
    """Whether one of the terms is in it, in whatever form."""
    return any(re.search(rf"\b{re.escape(term.rstrip('sy'))}", sentence, re.IGNORECASE) for term in terms)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_sentence_of_a_public_name_has_the_fields_term(name: str) -> None:
    sentence = first_sentence(getattr(mc, name))
    assert sentence
    assert says(sentence, words(name) | {entry.lower() for entry in ENTRIES}), sentence


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_computation_is_called_what_it_is_called(name: str) -> None:
    """The term itself, not a picture alone."""
    sentence = first_sentence(CATALOGUE[name])
    missing = {word for word in words(name) if not says(sentence, {word})}
    assert not missing or name == "solve", sentence


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_says_what_it_is(name: str) -> None:
    sentence = first_sentence(getattr(geometry, name))
    assert says(sentence, words(name) | {entry.lower() for entry in ENTRIES}), sentence


def test_a_word_has_one_entry() -> None:
    """But for those that say themselves that they have two meanings."""
    twice = {entry for entry in ENTRIES if ENTRIES.count(entry) > 1}
    assert len(ENTRIES) > 60
    assert twice == {"target"}
