"""Findings and errors about a file show the line; a file that is gone or has changed by then does no harm."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from motionc.formats import ReadError, read_dh, read_mjcf, read_urdf
from motionc.formats.document import Document
from motionc.formats.quoting import quoting

HINGE = '<joint name="j" type="hinge"><parent link="ä"/><child link="b"/></joint>'
TYPE = HINGE.index("type")
TEXT = f'<robot name="r"><link name="ä"/><link name="b"/>\n\t{HINGE}\n</robot>'
WELD = HINGE.replace("hinge", "fixed")
PARALLEL = TEXT.replace(HINGE, WELD + "\n" + WELD.replace('"j"', '"k"'))


def caret(quote) -> str:
    """The text from the caret on."""
    assert quote is not None
    return quote.text[quote.caret :]


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        ("<?xml version='1.0' encoding='latin-1'?>" + TEXT).encode("latin-1"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16").replace(b"\n\x00", b"\r\x00\n\x00"),
    ],
    ids=["text", "utf-8", "byte order mark", "latin-1", "utf-16", "carriage returns"],
)
def test_the_caret_stands_below_the_attribute_in_every_encoding(data: str | bytes):
    with pytest.raises(ReadError) as caught:
        read_urdf(data)
    assert caret(caught.value.quote) == HINGE[TYPE:]
    assert str(caught.value).splitlines()[1:3] == [f"    2 | {HINGE}", f"      | {' ' * TYPE}^"]


@pytest.mark.parametrize(
    "data", [b"<robot>\n \xff\xfe <a", b"<?xml version='1.0' encoding='no-such'?><robot/>", b"<a>\n"]
)
def test_bytes_that_are_no_text_are_quoted_as_far_as_they_go(data: bytes):
    with pytest.raises(ReadError) as caught:
        read_urdf(data)
    assert caught.value.message in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text", "there"),
    [
        (read_dh, "a, alpha, d\n0, 0, 0.3\n0, -pix/2, 0\n", "-pix/2, 0"),
        (
            read_mjcf,
            "<mujoco><worldbody><body>\n <joint axis='0 0 0'/><geom size='1'/></body></worldbody></mujoco>",
            "<joint",
        ),
    ],
)
def test_every_reader_quotes(read: Callable[[str], Document], text: str, there: str):
    with pytest.raises(ReadError) as caught:
        read(text)
    assert caret(caught.value.quote).startswith(there)


def test_findings_of_a_file_are_quoted(tmp_path: Path):
    path = tmp_path / "r.urdf"
    path.write_text(PARALLEL, encoding="utf-8")
    findings = mc.check(path)
    assert caret(findings.of_rule("Kc7")[0].quote).startswith('<joint name="k"')
    assert all(finding.quote is not None for finding in findings)


@pytest.mark.parametrize("text", [None, "", "\n" * 9, "<robot>"])
def test_a_file_that_is_gone_or_has_changed_is_not_quoted(text: str | None, tmp_path: Path):
    """The reader returns; before anything is quoted, the file goes away or becomes another."""
    path = tmp_path / "r.urdf"
    path.write_text(PARALLEL, encoding="utf-8")

    def read() -> Document:
        document = read_urdf(PARALLEL, str(path))
        fresh = tuple(mc.Finding(f.rule, f.severity, f.place, f.message, f.remedy) for f in document.findings)
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        return Document(document.chain, document.fates, mc.Findings(fresh))

    findings = quoting(path, "", read).findings
    assert not findings.ok
    assert all(finding.quote is None for finding in findings)
    assert "|" not in str(findings)


def test_the_terminal_shows_line_and_caret_and_json_the_same_fields(tmp_path: Path):
    path = tmp_path / "r.urdf"
    path.write_text(TEXT, encoding="utf-8")
    shown = CliRunner().invoke(app, ["check", str(path)]).stdout
    lines = shown.splitlines()
    assert lines[0].startswith(f"{path}:2:{TYPE + 2}: robot/joint[j]: error Read: URDF has no joint type 'hinge'")
    assert lines[1:3] == [f"    2 | {HINGE}", f"      | {' ' * TYPE}^"]
    assert "use one of: revolute" in lines[3]

    (finding,) = json.loads(CliRunner().invoke(app, ["check", str(path), "--json"]).stdout)
    place = {"element": "robot/joint[j]", "file": str(path), "line": 2, "column": TYPE + 2, "attribute": "type"}
    assert finding["place"] == place
    assert finding["quote"] == {"text": HINGE, "caret": TYPE}
    assert (finding["rule"], finding["severity"]) == ("Read", "error")
    assert finding["message"] in shown
    assert finding["remedy"] in shown
