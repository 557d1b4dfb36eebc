"""The tree builder: what it says of a text and where, and every way in which it refuses one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionc.errors import Error
from motionc.formats import xml_tree
from motionc.formats.xml_tree import Element, ReadError, parse_xml

ROBOT = """<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://x">
  <link name="base">one<!-- a comment -->
    <inertial><mass value="1"/></inertial>two</link>
  <größe/><a>&lt;&#65;<![CDATA[<b>]]></a>
</robot>
"""


def refusal(source: Path | str | bytes, name: str = "") -> ReadError:
    with pytest.raises(ReadError) as caught:
        parse_xml(source, name)
    assert caught.value.message
    assert caught.value.remedy
    return caught.value


def walk(root: Element) -> list[Element]:
    found = [root]
    for element in found:
        found += element.children
    return found


# ---------------------------------------------------------------- what it says


def test_every_element_knows_its_path_line_and_column():
    places = {e.place.element: (e.place.line, e.place.column) for e in walk(parse_xml(ROBOT))}
    assert places == {
        "robot": (2, 1),
        "robot/link[base]": (3, 3),
        "robot/link[base]/inertial": (4, 5),
        "robot/link[base]/inertial/mass": (4, 15),
        "robot/größe": (5, 3),
        "robot/a": (5, 11),
    }


def test_text_attributes_and_children_are_kept_in_order():
    root = parse_xml(ROBOT)
    assert root.attributes == {"name": "r", "xmlns:xacro": "http://x"}
    assert [child.tag for child in root.children] == ["link", "größe", "a"]
    assert root.all("link")[0].text.split() == ["one", "two"]
    assert root.all("a")[0].text == "<A<b>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "cp1252", "utf-8-sig"])
def test_declared_encodings_are_read_with_columns_in_characters(encoding: str):
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<r><a n="üü"/><b/></r>'
    root = parse_xml(text.encode(encoding))
    assert root.children[0].attributes == {"n": "üü"}
    assert root.children[1].place.column == 15


@pytest.mark.parametrize("start", ["", "\ufeff", '<?xml version="1.0" encoding="utf-16"?>'])
def test_text_that_is_decoded_already_is_read_whatever_it_declares(start: str):
    assert parse_xml(start + "<r n='ü𝄞'/>").attributes == {"n": "ü𝄞"}


def test_a_path_is_a_file_and_names_itself(tmp_path: Path):
    file = tmp_path / "robot.urdf"
    file.write_text(ROBOT, "utf-8")
    assert parse_xml(file).children[0].place.file == str(file)
    assert parse_xml(ROBOT, "mine").place.file == "mine"
    assert str(parse_xml(ROBOT).place) == "<text>:2:1: robot"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_for_every_line_ending(newline: str):
    assert parse_xml(newline.join(["<r>", "", " <a/>", "</r>"]).encode()).children[0].place.line == 3


# ---------------------------------------------------------------- what it refuses

BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="&c;"/>"""
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<r>&x;</r>'


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "cut off: the text ends too early"),
        ("   \n ", 2, 2, "cut off: the text ends too early"),
        ("<r>\n <a>\n", 3, 1, "cut off: the text ends too early, inside <a> opened at line 2"),
        ("<r>\n <a>\n<b x='1", 3, 1, "cut off: the text ends before what begins here is closed, inside <a>"),
        ("<r>\n <a/><!-- never closed </r>", 2, 6, "cut off: the text ends before what begins here is closed"),
        ("<r>\n <a></b></r>", 2, 7, "mismatched tag, inside <a> opened at line 2"),
        ("<r a='1' a='2'/>", 1, 10, "duplicate attribute"),
        ("<r>\n&nbsp;</r>", 2, 1, "undefined entity"),
        ("<r a=1/>", 1, 6, "not well-formed (invalid token)"),
        ("<r/>\n<r/>", 2, 1, "junk after document element"),
        ("<r>\x00</r>", 1, 4, "not well-formed (invalid token)"),
        (BILLION_LAUGHS, 2, 16, "<!DOCTYPE 'lolz'>: document types are refused"),
        (EXTERNAL, 1, 13, "<!DOCTYPE 'r'>: document types are refused"),
        ("<!DOCTYPE r SYSTEM 'http://x/y.dtd'><r/>", 1, 36, "document types are refused"),
        ("<r>\n <?php x?></r>", 2, 2, "<?'php' …?>: processing instructions are refused"),
        ("<?xml-stylesheet href='x'?><r/>", 1, 1, "processing instructions are refused"),
        ("<r>\nab\udc80</r>", 2, 3, "a lone surrogate is no character"),
    ],
)
def test_a_broken_text_is_refused_with_its_place(text: str, line: int, column: int, said: str):
    error = refusal(text, "mine")
    assert (error.file, error.line, error.column) == ("mine", line, column)
    assert said in error.message
    assert str(error).startswith(f"mine:{line}:{column}: ")
    assert error.remedy in str(error)


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"<r>\n  \xff</r>", 2, 3),
        (b"<r>\n<a n='\xc3'/></r>", 2, 7),
        ("<r>\n<a/>".encode("utf-16")[:-1], 2, 1),
        (b"<?xml version='1.0' encoding='klingon'?>\n<r/>", 1, 31),
        (b"<?xml version='1.0' encoding='shift_jis'?>\n<r/>", 1, 31),
        (b"<?xml version='1.0' encoding='rot13'?>\n<r/>", 1, 31),
    ],
)
def test_bytes_that_are_no_text_are_refused_with_their_place(data: bytes, line: int, column: int):
    error = refusal(data)
    assert error.line == line
    assert abs(error.column - column) <= 1 or line == 1  # where within the declaration is expat's affair


def test_a_path_given_as_a_string_is_told_to_become_a_path():
    assert "pathlib.Path" in refusal("robots/panda.urdf").remedy


def test_what_is_no_readable_file_is_refused(tmp_path: Path):
    assert "cannot be read" in refusal(tmp_path / "nowhere.urdf").message
    assert "not a regular file" in refusal(tmp_path).message
    assert "not a regular file" in refusal(Path("/dev/zero")).message
    assert "cannot be read" in refusal(tmp_path / "a\x00b").message
    assert refusal(tmp_path).file == str(tmp_path)


def test_size_depth_and_count_are_bounded(monkeypatch: pytest.MonkeyPatch):
    deep = 199
    assert parse_xml("<a>" * deep + "<a/>" + "</a>" * deep)
    error = refusal("<a>" * 100_000)
    assert (error.line, error.column) == (1, 601)
    assert "more than 200 deep" in error.message
    monkeypatch.setattr(xml_tree, "LARGEST_COUNT", 3)
    assert "more than 3 elements" in refusal("<r><a/><a/>\n<a/></r>").message
    monkeypatch.setattr(xml_tree, "LARGEST_FILE", 10)
    assert "larger than 10 bytes" in refusal("<r></r>" + " " * 4).message


def test_paths_stay_short_however_long_the_names():
    leaf = parse_xml(f"<r><a name='{'x' * 10_000}'><b/></a></r>").children[0].children[0]
    assert len(leaf.place.element) <= xml_tree.LONGEST_PATH + 1
    assert leaf.place.element.endswith("xxx]/b")


def test_an_error_is_one_of_ours():
    assert issubclass(ReadError, Error)


@given(st.binary(max_size=60), st.integers(0, len(ROBOT)))
def test_any_bytes_give_a_tree_or_a_located_error(noise: bytes, where: int):
    data = ROBOT.encode()
    outcome = parsed(data[:where] + noise + data[where:])
    assert isinstance(outcome, Element) or (outcome.line >= 1 and outcome.column >= 1)


def parsed(data: bytes) -> Element | ReadError:
    try:
        return parse_xml(data)
    except ReadError as error:
        return error
