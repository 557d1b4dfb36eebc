"""What does the body of a task say as text: directions, ends, and what stands besides? As entries of a document."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from motionc.errors import suggestion
from motionc.formats.located import Node, inside
from motionc.formats.textx_tree import Parsed
from motionc.formats.xml_tree import ReadError, quoted
from motionc.model.findings import Place
from motionc.tasks.text import AXES, TURNS

BANDS = {
    ("velocity", "velocity-tolerance"): ("velocity", "velocity", "tolerance"),
    ("position", "position-tube"): ("tube", "position", "tube"),
    ("force", "force-tolerance"): ("force", "force", "tolerance"),
    ("moment", "moment-tolerance"): ("moment", "moment", "tolerance"),
    ("angle", "orientation-tube"): ("angle", "angle", "tolerance"),
    ("", "position-tube"): ("tube", "position", "tube"),
    ("", "force-tolerance"): ("force", "force", "tolerance"),
    ("", "moment-tolerance"): ("moment", "moment", "tolerance"),
    ("", "orientation-tube"): ("orientation", "angle", "tube"),
}
"""What is asked, and under which keys its value and tolerance stand, by the words before them."""
TOLERANCES = {
    "velocity": "velocity-tolerance", "position": "position-tube", "force": "force-tolerance",
    "moment": "moment-tolerance", "angle": "orientation-tube", "": "orientation-tube or moment-tolerance",
}  # fmt: skip
MAY = {
    "X": ("velocity",), "Y": ("tube", "force"), "Z": ("tube", "force"),
    "aX": ("moment", "orientation"), "aY": ("moment", "orientation"), "aZ": ("moment", "orientation", "angle"),
}  # fmt: skip
"""What may be asked of each axis."""
SPELT = {
    "velocity": "velocity …, velocity-tolerance …", "tube": "0 m, position-tube …",
    "force": "force …, force-tolerance …", "moment": "0 Nm, moment-tolerance …",
    "orientation": "0 rad, orientation-tube …", "angle": "angle …, orientation-tube …",
}  # fmt: skip


@dataclass
class Filled:
    """A mapping that is being filled; what is there twice is refused."""

    place: Place
    value: dict[str, Node] = field(default_factory=dict[str, Node])
    keys: dict[str, Place] = field(default_factory=dict[str, Place])

    def put(self, key: str, node: Node, said: str = "") -> None:
        if key in self.value:
            message = f"{said or key} is said in line {self.keys[key].line} already"
            raise ReadError(node.place, message, "keep one of the two: what is asked of it is one thing")
        self.value[key], self.keys[key] = node, node.place

    @property
    def node(self) -> Node:
        return Node(self.value, self.place, self.keys)


@dataclass(frozen=True)
class Words:
    """Words of a text with their places."""

    parsed: Parsed

    def place(self, thing: Any, element: str) -> Place:
        return self.parsed.place(thing, element)

    def words(self, thing: Any, element: str, unit: str = "") -> Node:
        """A name without its quotes, or a number with its unit without its brackets."""
        text: str = thing.text
        place = self.place(thing, element)
        if not text.startswith('"'):
            return Node(f"{text} {unit}" if unit else text.replace("[", " ").replace("]", ""), place)
        try:
            return Node(str(json.loads(text, strict=False)), place)
        except ValueError as error:
            raise ReadError(place, f"{quoted(text)} is no name in quotes", 'write \\" for " and \\\\ for \\') from error


@dataclass
class Body:
    """Reads what a task asks into its document, given the names of its frames."""

    reader: Words
    one: Filled
    frame: str
    force_frame: str

    def read(self, body: Any) -> None:
        path, kind = self.one.place.element, str(body.kind)
        self.one.put(kind, self.directions(body, inside(path, kind), held=kind == "hold").node)
        if body.sections:
            self.one.put("sections", self.reader.words(body.sections, inside(path, "sections")))
        ends = [node for end in body.ends if (node := self.end(end, path))]
        if ends:
            self.one.put("until", Node(ends, self.reader.place(body.ends[0], inside(path, "until"))))
        self.besides(body.besides, path)

    # ---------------------------------------------------------------- directions

    def directions(self, body: Any, path: str, *, held: bool = False) -> Filled:
        asked = Filled(self.reader.place(body, path))
        said = Filled(asked.place)  # axes, each once
        for direction in body.directions:
            free = type(direction.band).__name__ == "Free"
            kind, band = ("", None) if free else self.band(direction, path)
            self.compare(direction.frame, kind, path)
            for axis in direction.axes:
                said.put(axis.word, Node("", self.reader.place(axis, inside(path, axis.word))), axis.word)
                if band is not None:
                    self.ask(asked, axis, kind, band, held=held)
                elif not held:
                    asked.put(_key(axis.word), Node("free", self.reader.place(axis, inside(path, axis.word))))
        for key, all_of in (("orientation", TURNS), ("position", "X, Y, Z")):
            missing = [axis for axis in all_of.split(", ") if axis not in said.value]
            if key in asked.value and missing:
                message = f"one {key} for all of {all_of}, and {', '.join(missing)} is not said"
                raise ReadError(asked.keys[key], message, f"write {all_of}: …")
        return asked

    def ask(self, asked: Filled, axis: Any, kind: str, band: Node, *, held: bool) -> None:
        """What is asked of an axis: under its own key, or once for all three."""
        allowed = ("tube",) if held and axis.word in "XYZ" else ("orientation",) if held else MAY[axis.word]
        if kind not in allowed:
            spelt = " or ".join(SPELT[one] for one in allowed)
            message = f"{axis.word} cannot be asked for {'an' if kind[0] in 'ao' else 'a'} {kind}"
            raise ReadError(self.reader.place(axis, band.place.element), message, f"write {spelt}")
        key = "orientation" if kind == "orientation" else "position" if held else _key(axis.word)
        if key in ("orientation", "position") and key in asked.value:
            tube, before = band.entries["tube"], asked.value[key].entries["tube"]
            if tube.words != before.words:
                message = f"a second {key} tube: the one in line {before.place.line} is {before.words}"
                raise ReadError(tube.place, message, "it is one number for all three axes: write it once")
            return
        asked.put(key, band)

    def band(self, direction: Any, path: str) -> tuple[str, Node]:
        """What is asked, and its mapping."""
        band, axis = direction.band, direction.axes[0].word
        word, place = str(band.word or ""), self.reader.place(band, inside(path, axis))
        if band.tolerance is None:
            said = word or "a value"
            wanted = TOLERANCES[word] if word or axis[0] == "a" else "position-tube"
            raise ReadError(place, f"{said} without a tolerance", f"add how exactly: ', {wanted} …'")
        tolerance = str(band.tolerance.word).replace(" ", "-")
        if (word, tolerance) not in BANDS:
            message = f"{word} with {'an' if tolerance[0] in 'ao' else 'a'} {tolerance}"
            raise ReadError(self.reader.place(band.tolerance, place.element), message, f"say {TOLERANCES[word]}")
        kind, value_key, tolerance_key = BANDS[word, tolerance]
        if (kind, word, axis[0]) == ("force", "", "a"):  # 0 [Nm], force-tolerance
            kind, value_key = "moment", "moment"
        mapping = Filled(place)
        mapping.put(value_key, self.value(band.value, inside(place.element, value_key)))
        mapping.put(tolerance_key, self.reader.words(band.tolerance.value, inside(place.element, tolerance_key)))
        return kind, mapping.node

    def value(self, value: Any, path: str) -> Node:
        if type(value).__name__ != "Profile":
            return self.reader.words(value, path)
        profile = Filled(self.reader.place(value, path))
        for key in ("offset", "amplitude", "rate"):
            profile.put(key, self.reader.words(getattr(value, key), inside(path, key)))
        return profile.node

    def compare(self, named: Any, kind: str, path: str) -> None:
        """The frame named before an axis is the one whose axis it is."""
        if named is None:
            return
        said, forces = self.reader.words(named, path), kind in ("force", "moment")
        both = [name for name in (self.frame, self.force_frame) if name]
        if said.words not in both:
            remedy = f"write `force frame {named.text}` above" if forces else f"write `frame {named.text} wrt …` above"
            raise said.error(f"no frame {quoted(said.words)} is named above{suggestion(said.words, both)}", remedy)
        wanted = self.force_frame if forces else self.frame if kind else said.words
        if said.words != wanted:
            message = (
                f"a {kind} is along an axis of {wanted}, not of {said.words}" if wanted else f"a {kind} has no frame"
            )
            raise said.error(message, f"write {wanted}" if wanted else "write `force frame …` above")

    # ---------------------------------------------------------------- ends, and everything else

    def end(self, end: Any, path: str) -> Node | None:
        path = inside(path, "until")
        mapping = Filled(self.reader.place(end, path))
        match type(end).__name__:
            case "GoalArea":
                goal = self.goal(end, inside(path, "goal"))
                if end.final:
                    self.one.put("last", goal)
                    return None
                mapping.put("goal", goal)
            case "TaskTime":
                mapping.put("timeout", self.reader.words(end.after, inside(path, "timeout")))
            case _:
                self.contact(mapping, end, path)
        return mapping.node

    def goal(self, end: Any, path: str) -> Node:
        if end.tolerance is None:
            raise ReadError(self.reader.place(end, path), "a goal area without a tolerance", "add ', tolerance 1 cm'")
        return self.reader.words(end.tolerance, path)

    def contact(self, mapping: Filled, end: Any, path: str) -> None:
        mapping.put("contact", self.reader.words(end.force, inside(path, "contact")))
        axes = "".join(axis.word[-1].lower() for axis in end.axes)
        mapping.put("along", Node(axes, self.reader.place(end.axes[0], inside(path, "along"))))
        measured = self.force_frame or self.frame
        for axis in end.axes:
            said = axis.frame and self.reader.words(axis.frame, path)
            if said and said.words != measured:
                raise said.error(
                    f"contacts are measured along axes of {measured}, not of {said.words}", f"write {measured}"
                )

    def besides(self, besides: Iterable[Any], path: str) -> None:
        monitors, overrides = list[Node](), list[Node]()
        for item in besides:
            match type(item).__name__:
                case "Approach":
                    self.one.put("approach", self.approach(item, inside(path, "approach")))
                case "Align":
                    align = Filled(self.reader.place(item, inside(path, "align")))
                    for key in ("held", "timeout"):
                        align.put(key, self.reader.words(getattr(item, key), inside(align.place.element, key)))
                    self.one.put("align", align.node)
                case "Monitor":
                    monitors.append(self.monitor(item, inside(inside(path, "monitors"), len(monitors))))
                case _:
                    overrides.append(self.section(item, inside(inside(path, "overrides"), len(overrides))))
        for key, nodes in (("monitors", monitors), ("overrides", overrides)):
            if nodes:
                self.one.put(key, Node(nodes, nodes[0].place))

    def approach(self, item: Any, path: str) -> Node:
        mapping = Filled(self.reader.place(item, path))
        tolerance = item.band.tolerance
        if tolerance is None or (item.band.word, tolerance.word) != ("velocity", "velocity-tolerance"):
            raise ReadError(mapping.place, "an approach has no speed with a tolerance", f"write {SPELT['velocity']}")
        mapping.put("velocity", self.value(item.band.value, inside(path, "velocity")))
        mapping.put("tolerance", self.reader.words(tolerance.value, inside(path, "tolerance")))
        mapping.put("contact", self.reader.words(item.contact, inside(path, "contact")))
        return mapping.node

    def monitor(self, item: Any, path: str) -> Node:
        mapping = Filled(self.reader.place(item, path))
        signal = self.reader.words(item.signal, path)
        mapping.put(signal.words, self.reader.words(item.above, inside(path, signal.words)))
        if item.then:
            mapping.put("then", self.reader.words(item.then, inside(path, "then")))
        return mapping.node

    def section(self, item: Any, path: str) -> Node:
        mapping = self.directions(item, path)
        mapping.put("section", self.reader.words(item.number, inside(path, "section")))
        if item.goal:
            mapping.put("goal", self.goal(item.goal, inside(path, "goal")))
        return mapping.node


def _key(axis: str) -> str:
    return next(key for key, word in AXES.items() if word == axis)
