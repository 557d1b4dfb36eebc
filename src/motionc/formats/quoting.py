"""Every finding and error about a text says what stands at its place: the text is at hand when it is read."""

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from motionc.formats.document import Document
from motionc.formats.xml_tree import LARGEST_FILE, ReadError
from motionc.model.findings import Place
from motionc.model.quotes import Quote, Source

_DECLARED = re.compile(rb"""^<\?xml[^>]{0,200}encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def quoting(source: Path | str | bytes, name: str, read: Callable[[], Document]) -> Document:
    """Read, then quote. A file's places may be in others it includes; a text (`name` in messages) is all there is."""

    @cache
    def text(file: str) -> Source:
        if isinstance(source, Path):
            return Source(_content(Path(file)))
        return Source(_decoded(source)) if file == (name or "<text>") else Source("")

    def quote(place: Place) -> tuple[Place, Quote | None]:
        if not place.line:
            return place, None
        line, column = text(place.file).attribute(place.line, place.column, place.attribute)
        return replace(place, line=line, column=column), text(place.file).quote(line, column)

    try:
        document = read()
    except ReadError as error:
        error.place, said = quote(error.place)
        error.quote = error.quote or said
        raise
    return replace(document, findings=document.findings.quoting(quote)) if document.findings else document


def _content(path: Path) -> str:
    """The text of a file; nothing where it is no longer there."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return _decoded(stream.read(LARGEST_FILE))
    except (OSError, ValueError):
        return ""


def _decoded(data: str | bytes) -> str:
    """The text as expat counts it: a byte order mark takes a column, and is shown as a space."""
    if isinstance(data, str):
        return data
    declared = _DECLARED.match(data)
    encoding = declared.group(1).decode() if declared else "utf-8"
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            encoding = name
    try:
        text = data.decode(encoding, errors="replace")
    except LookupError:
        text = data.decode("utf-8", errors="replace")
    return " " + text[1:] if text.startswith("\ufeff") else text
