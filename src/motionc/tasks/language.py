"""What does a task say as text? The language of the modified task frame formalism, as the tree that documents have.

`language.tx` is its grammar. This module says which key of a document each line is; whether values may stand there is
the affair of `layout`, which reads YAML and JSON by the same table. Frames that are named again before an axis
(`T X: …`) are compared with those of the header.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from motionc.formats.located import Node, inside
from motionc.formats.textx_tree import parse_language
from motionc.tasks.language_body import Body, Filled, Words

GRAMMAR = Path(__file__).with_name("language.tx")
WORDS = {
    "NameWord": "a name",
    "AxisWord": "an axis (X, Y, Z, aX, aY, aZ)",
    "ForceWord": "a force (F_X, F_Y, F_Z)",
    "FreeWords": "'no specification'",
    "ToleranceWord": "a tolerance (velocity-tolerance, position-tube, …)",
    "AmountWords": "a number with its unit",
    "UnitWord": "a unit",
    "EOF": "the end",
}
"""What words of the grammar are called in sentences."""


def tree(text: str, file: str) -> Node:
    """The document that a text is."""
    parsed = parse_language(GRAMMAR, text, file, "task", WORDS)
    return _Reader(parsed).document()


class _Reader(Words):
    """Makes the document of what the grammar found."""

    # ---------------------------------------------------------------- header

    def document(self) -> Node:
        root = self.parsed.root
        document = Filled(self.place(root, "task"))
        if root.name:
            document.put("task", self.words(root.name, "task/task"))
        if root.body:
            self.task(document, [root.header], root.body)
            return document.node
        phases = list[Node]()
        for phase in root.phases:
            one = Filled(self.place(phase, inside("task/phases", len(phases))))
            one.put("task", self.words(phase.name, inside(one.place.element, "task")))
            self.task(one, [phase.header, root.header], phase.body)
            phases.append(one.node)
        document.put("phases", Node(phases, self.place(root.phases[0], "task/phases")))
        return document.node

    def task(self, one: Filled, headers: Iterable[Any], body: Any) -> None:
        """A task under the nearest header that says something, and what its body asks."""
        for header in headers:
            said = Filled(one.place)
            for item in header:
                key, node = self.header_item(item, one.place.element, through=body.sections is not None)
                said.put(key, node)
            for key, node in said.value.items():
                if key not in one.value:
                    one.put(key, node)
        names = {key: _name(one.value.get(key)) for key in ("frame", "force_frame")}
        Body(self, one, names["frame"], names["force_frame"]).read(body)

    def header_item(self, item: Any, path: str, *, through: bool) -> tuple[str, Node]:
        match type(item).__name__:
            case "Tool":
                return "tool", self.words(item.name, inside(path, "tool"))
            case "ForceFrame":
                return "force_frame", self.words(item.name, inside(path, "force_frame"))
            case _:
                return "frame", self.frame(item, inside(path, "frame"), through=through)

    def frame(self, item: Any, path: str, *, through: bool) -> Node:
        frame = Filled(self.place(item, path))
        frame.put("name", self.words(item.name, inside(path, "name")))
        if item.wrt:
            frame.put("wrt", self.words(item.wrt, inside(path, "wrt")))
        poses = [self.pose(pose, inside(path, "pose")) for pose in item.poses]
        if through and poses:
            frame.put("poses", Node(poses, poses[0].place))
        elif poses:
            for pose in poses:
                frame.put("pose", pose, "where it is")
        return frame.node

    def pose(self, item: Any, path: str) -> Node:
        pose = Filled(self.place(item, path))
        unit = item.unit.text.strip("[]") if item.unit else ""
        entries = [self.words(entry, inside(path, "at"), unit) for entry in item.at]
        pose.put("at", Node(entries, self.place(item.at[0], inside(path, "at"))))
        if item.rows:
            rows = [
                Node([self.words(entry, inside(path, "rows")) for entry in row.entries], self.place(row, path))
                for row in item.rows
            ]
            pose.put("rows", Node(rows, rows[0].place))
        return pose.node


def _name(node: Node | None) -> str:
    """The name of a frame, however it is said."""
    return "" if node is None else node.words or (node.entries["name"].words if "name" in node.entries else "")
