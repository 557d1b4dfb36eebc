"""What does an XML text say, and where: a tree of elements, each with its line and column.

Built on the standard library's expat. Robot files come from strangers: document types (so entities too) and processing
instructions are refused, and size, depth and count are bounded. Knows nothing of robots.
"""

import errno
import re
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from xml.parsers import expat

from motionc.errors import Error
from motionc.model.findings import Place
from motionc.model.quotes import Quote

__all__ = ["Element", "NoSuchFile", "ReadError", "in_quotes", "parse_xml", "quoted", "to_xml"]

LARGEST_FILE = 64 * 2**20  # bytes
LARGEST_DEPTH = 200
LARGEST_COUNT = 2_000_000  # elements
LONGEST_PATH = 500  # characters; the end is kept

_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BEFORE = re.compile(r"\A[\ufeff\s]+(<\?xml\s[^<>]*\?>)?")  # where XML has a declaration, nothing may be in front of it
_WHITE = {ord(letter): f"&#{ord(letter)};" for letter in "\t\n\r"}
_CUT_OFF = {
    expat.errors.XML_ERROR_NO_ELEMENTS: "it is cut off: the text ends too early",
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: "it is cut off: the text ends before what begins here is closed",
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION: "it is cut off: the text ends before what begins here is closed",
    expat.errors.XML_ERROR_PARTIAL_CHAR: "it is cut off: the text ends in the middle of a character",
}
_RESTORE = "restore the missing end (copy or save the file again), or close what was left open"
_REMEDIES = {
    expat.errors.XML_ERROR_TAG_MISMATCH: "close every element with its own name, innermost first",
    expat.errors.XML_ERROR_UNDEFINED_ENTITY: "write the character itself, or &amp; &lt; &gt; &quot; &apos; or &#…;",
    expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE: "keep one of the two attributes",
}
_REMEDY = "write & as &amp; and < as &lt;, quote every attribute, and save the file in the encoding it declares (UTF-8)"


class ReadError(Error):
    """A text that cannot be read: where (`file`, `line` and `column` from 1, 0 for no place), why, and what to do."""

    quote: Quote | None = None
    """What stands there, where it is known."""

    def __init__(self, place: Place, message: str, remedy: str) -> None:
        self.place, self.message, self.remedy = place, message, remedy
        super().__init__(place, message, remedy)

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def column(self) -> int:
        return self.place.column

    def __str__(self) -> str:
        quote = f"\n{self.quote.under(self.line)}" if self.quote else ""
        return f"{self.place}: {self.message}{quote}\n  remedy: {self.remedy}"


class NoSuchFile(ReadError, FileNotFoundError):
    """A file that is not there: whoever catches FileNotFoundError catches it too."""

    def __init__(self, place: Place, message: str, remedy: str) -> None:
        super().__init__(place, message, remedy)
        self.errno, self.strerror, self.filename = errno.ENOENT, message, place.file


@dataclass(slots=True, eq=False)
class Element:
    """One element; its place says the path from the root (`robot/link[base]/inertial`), file, line and column."""

    tag: str
    attributes: dict[str, str]
    place: Place
    text: str = ""
    children: list["Element"] = field(default_factory=list["Element"])

    def all(self, tag: str) -> list["Element"]:
        """The children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def at(self, attribute: str = "") -> Place:
        """Where it is, or where an attribute of it is."""
        return replace(self.place, attribute=attribute) if attribute in self.attributes else self.place

    def error(self, message: str, remedy: str, attribute: str = "") -> ReadError:
        """What to raise about this element, or about an attribute of it."""
        return ReadError(self.at(attribute), message, remedy)


def to_xml(element: Element) -> str:
    """An element as text that reads back as the same element."""
    attributes = "".join(f" {name}={in_quotes(value)}" for name, value in element.attributes.items())
    inside = escape(element.text, quote=False) + "".join(map(to_xml, element.children))
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>" if inside else f"<{element.tag}{attributes}/>"


def in_quotes(value: str) -> str:
    """The value of an attribute as XML writes it; line ends and tabs in it stay what they are.

    Control characters, which no reader of XML takes in any spelling, are refused.
    """
    if found := _NO_CHARACTER.search(value):
        raise Error(f"{quoted(value)} holds {found[0]!r}, which XML cannot; rename it")
    return '"' + escape(value).translate(_WHITE) + '"'


def quoted(text: str) -> str:
    """A text from a file as it may stand in a message: in quotes, escaped, not too long.

    >>> print(quoted("1,5"), quoted("x" * 100))
    '1,5' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    return repr(text if len(text) <= 60 else text[:60] + "…")


def parse_xml(source: Path | str | bytes, name: str = "") -> Element:
    """The root element of a file (a Path) or of a text (str or bytes); `name` is what messages call a text.

    >>> robot = parse_xml("<robot>\\n  <link name='base'/>\\n</robot>")
    >>> print(robot.children[0].place)
    <text>:2:3: robot/link[base]
    """
    file = str(source) if isinstance(source, Path) else name or "<text>"
    data = _bytes(source, file)

    # an encoding given here overrules the one a decoded text may still declare
    parser = expat.ParserCreate("utf-8" if isinstance(source, str) else None)
    tree = _Tree(parser, file)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as broken:
        said, inside = expat.ErrorString(broken.code) or "", ""
        if tree.open:
            innermost = tree.open[-1][0]
            inside = f", inside <{innermost.tag[:60]}> opened at line {innermost.place.line}"
        remedy = _RESTORE if said in _CUT_OFF else _REMEDIES.get(said, _REMEDY)
        if isinstance(source, str) and "<" not in source:
            remedy = "this is read as XML text; to read a file, pass a pathlib.Path"
        place = Place(tree.path or "XML", file, broken.lineno, broken.offset + 1)
        raise ReadError(place, f"{_CUT_OFF.get(said, f'not well-formed: {said}')}{inside}", remedy) from broken
    except ReadError:
        raise
    except (LookupError, ValueError) as unknown:
        raise ReadError(tree.place("XML"), f"the declared encoding cannot be read: {unknown}", _REMEDY) from unknown
    assert tree.root is not None
    return tree.root


def _bytes(source: Path | str | bytes, file: str) -> bytes:
    """The bytes to parse, no more than are allowed."""
    try:
        if isinstance(source, Path):
            if source.exists() and not source.is_file():
                raise ReadError(Place("XML", file), "not a regular file", "name a file")
            with source.open("rb") as stream:
                data = stream.read(LARGEST_FILE + 1)
        else:
            data = _BEFORE.sub(_blank, source).encode() if isinstance(source, str) else source
    except ReadError:
        raise
    except (OSError, ValueError) as failure:
        if isinstance(failure, UnicodeEncodeError):
            before = str(source)[: failure.start]
            place = Place("XML", file, before.count("\n") + 1, len(before) - before.rfind("\n"))
            raise ReadError(place, "a lone surrogate is no character", "remove it; decode the text again") from failure
        raise ReadError(Place("XML", file), f"cannot be read: {failure}", "check path and permissions") from failure
    if len(data) > LARGEST_FILE:
        raise ReadError(Place("XML", file), f"larger than {LARGEST_FILE} bytes", "split the model, or remove meshes")
    return data


def _blank(before: re.Match[str]) -> str:
    """What stands before the root element of a text as white space of as many lines."""
    return re.sub(r"[^\n]", " ", before[0])


class _Tree:
    """Builds the tree from expat's events; `open` holds the elements not yet closed, each with its pieces of text."""

    def __init__(self, parser: expat.XMLParserType, file: str) -> None:
        self.parser, self.file, self.count = parser, file, 0
        self.root: Element | None = None
        self.open: list[tuple[Element, list[str]]] = []
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.document_type
        parser.ProcessingInstructionHandler = self.instruction

    @property
    def path(self) -> str:
        return self.open[-1][0].place.element if self.open else ""

    def place(self, path: str) -> Place:
        return Place(path, self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        path = f"{self.path}/{tag}" if self.open else tag
        if self.open and (name := attributes.get("name")):
            path = f"{path}[{name}]"
        if len(path) > LONGEST_PATH:
            path = "…" + path[-LONGEST_PATH:]
        element = Element(tag, attributes, self.place(path))

        self.count += 1
        if len(self.open) >= LARGEST_DEPTH:
            raise element.error(f"elements are nested more than {LARGEST_DEPTH} deep", "flatten the file")
        if self.count > LARGEST_COUNT:
            raise element.error(f"more than {LARGEST_COUNT} elements", "split the model")

        if self.open:
            self.open[-1][0].children.append(element)
        else:
            self.root = element
        self.open.append((element, []))

    def end(self, tag: str) -> None:
        element, pieces = self.open.pop()
        element.text = "".join(pieces)

    def characters(self, data: str) -> None:
        self.open[-1][1].append(data)

    def document_type(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        remedy = "remove the <!DOCTYPE …> with all its entities, and write the characters themselves"
        raise ReadError(self.place("XML"), f"<!DOCTYPE {quoted(name)}>: document types are refused", remedy)

    def instruction(self, target: str, data: str) -> None:
        message = f"<?{quoted(target)} …?>: processing instructions are refused"
        raise ReadError(self.place(self.path or "XML"), message, "remove it; only <?xml …?> may open the file")
