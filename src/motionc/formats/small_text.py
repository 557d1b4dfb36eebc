"""What does a small document say: a table, a task, an experiment? Its text, in UTF-8 and bounded."""

from pathlib import Path

from motionc.formats.xml_tree import NoSuchFile, ReadError
from motionc.model.findings import Place

LARGEST_FILE = 2**20  # bytes


def text_of(source: Path | str | bytes, file: str, what: str, largest: int = LARGEST_FILE) -> str:
    """The text of a file (a Path), or a text itself; `file` and `what` are what messages call it.

    >>> text_of(b"a: 1", "<text>", "task")
    'a: 1'
    """
    place = Place(what, file)
    try:
        data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        if isinstance(data, Path):
            if data.exists() and not data.is_file():
                raise ReadError(place, "not a regular file", "name a file")
            with data.open("rb") as stream:
                data = stream.read(largest + 1)
        if len(data) > largest:
            raise ReadError(place, f"larger than {largest} bytes", f"no {what} is that long; check what it is")
        return data.decode("utf-8-sig")
    except FileNotFoundError as failure:
        raise NoSuchFile(place, "there is no such file", "check its path") from failure
    except OSError as failure:
        raise ReadError(place, f"cannot be read: {failure}", "check path and permissions") from failure
    except UnicodeDecodeError as failure:
        raise ReadError(place, "not a text in UTF-8", "save it in that encoding") from failure
