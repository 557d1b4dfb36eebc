"""Which files does an MJCF model name? Those within folders allowed; what is included stands in its place."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from motionc.formats.xml_tree import LARGEST_COUNT, LARGEST_FILE, Element, parse_xml, quoted

LARGEST_MESHES = 256 * 2**20  # bytes, all together
LARGEST_DEPTH = 400  # with includes; MuJoCo's own parser stops at 500


class Files:
    """The files a model may name: those within its own folder and the roots given."""

    def __init__(self, model: Path | None, roots: Iterable[Path | str]) -> None:
        own = [] if model is None else [model.parent]
        self.roots = [Path(root).resolve() for root in (*own, *roots)]
        self.included = set[Path]() if model is None else {model.resolve()}
        self.size = 0

    def find(self, element: Element, file: str) -> Path:
        """The regular file an element names, with all links followed."""
        outside = not self.roots
        for root in self.roots:
            try:
                path = (root / file).resolve()
                found = path.is_file()
            except (OSError, ValueError, RuntimeError):
                raise element.error(f"{quoted(file)} is no path", "name a file") from None
            allowed = any(path.is_relative_to(folder) for folder in self.roots)
            if found and allowed:
                return path
            outside = outside or not allowed
        remedy = "move it into the model's folder, or allow its folder: read_mjcf(…, roots=[…])"
        if outside:
            raise element.error(f"file {quoted(file)} is outside the model's folder; it is not read", remedy)
        raise element.error(f"there is no file {quoted(file)} in the model's folder", remedy)

    def read(self, element: Element, path: Path) -> bytes:
        try:
            with path.open("rb") as stream:
                data = stream.read(LARGEST_FILE + 1)
        except OSError as failure:
            raise element.error(f"{quoted(path.name)} cannot be read: {failure}", "check its permissions") from failure
        self.size += len(data)
        if len(data) > LARGEST_FILE or self.size > LARGEST_MESHES:
            raise element.error("the meshes are too large", "give bodies an <inertial>: then their meshes are not read")
        return data


def expand(root: Element, files: Files) -> None:
    """Hang the root element of each included file below its <include>."""
    pending, count = [(root, 1)], 0
    while pending:
        element, depth = pending.pop()
        count += 1
        if depth > LARGEST_DEPTH or count > LARGEST_COUNT:
            raise element.error("with what it includes, the model is too deep or too large", "flatten or split it")
        if element.tag == "include":
            if not (file := element.attributes.get("file", "").strip()):
                raise element.error("<include> names no file", 'add file="…"')
            path = files.find(element, file)
            if path in files.included:
                raise element.error(f"file {quoted(file)} is included already", "include each file once")
            files.included.add(path)
            element.children = [parse_xml(path)]
        pending += [(child, depth + 1) for child in reversed(element.children)]


def parts(element: Element) -> Iterator[Element]:
    """The children of an element, those of included files in place of each <include>."""
    for child in element.children:
        if child.tag == "include":
            yield from parts(child.children[0])
        else:
            yield child


def own_parts(body: Element) -> Iterator[Element]:
    """What belongs to a body, in its frames too, but not to the bodies in it."""
    for part in parts(body):
        yield part
        if part.tag in ("frame", "replicate"):
            yield from own_parts(part)
