"""What of an MJCF file does MuJoCo get to see: the part that makes the tree, as one text that names no file.

MuJoCo's compiler opens any file a text names, and allocates whatever it asks for. So includes are expanded and meshes
read here, within the folders allowed, and what says nothing about bodies, joints and inertia stays behind, each element
with its fate. Every line of the text knows the element it came from. Knows nothing of the model.
"""

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from motionc.formats.document import Outcome
from motionc.formats.mjcf_copies import check_parameters, copies_of
from motionc.formats.mjcf_files import Files, expand, own_parts, parts
from motionc.formats.mjcf_handover import Handover
from motionc.formats.xml_tree import Element, in_quotes, parse_xml, quoted

__all__ = ["ANNOTATION", "hand_over"]

ANNOTATION = "motionc:"  # names of <text> elements that say what MJCF has no word for
LARGEST_TREE = 50_000  # bodies, coordinates, geoms and sites; MuJoCo takes time that grows with the square
LARGEST_COPIES = 5_000  # of them made by <replicate>, for which it takes longer still
_SECTIONS = {
    "option": "settings of a simulation; gravity belongs to the question",
    "size": "memory of a simulator",
    "statistic": "scales of a simulator and its viewer",
    "visual": "appearance",
    "contact": "which shapes may touch",
    "deformable": "soft bodies are not part of the tree",
    "tendon": "tendons are not part of the tree",
    "sensor": "sensors",
    "keyframe": "states, not the model",
    "custom": "data of one's own",
    "extension": "plugins are not loaded",
}
_UNUSED_DEFAULTS = {
    "texture": "appearance",
    "camera": "a camera",
    "light": "a light",
    "pair": "which shapes may touch",
    "tendon": "tendons are not part of the tree",
}
_UNUSED_ASSETS = {
    "texture": "appearance",
    "hfield": "ground for contact",
    "skin": "appearance",
    "model": "a model to attach",
}
_UNUSED_PARTS = {
    "camera": "a camera",
    "light": "a light",
    "plugin": "plugins are not loaded",
    "composite": "what <composite> makes is not part of the tree",
    "flexcomp": "soft bodies are not part of the tree",
}
_CONSTRAINTS = ("connect", "weld", "tendon", "flex", "flexvert", "flexstrain", "distance")
_ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper"),
    *("cylinder", "muscle", "adhesion", "dcmotor"),
)
_DEFAULTS = ("joint", "geom", "site", "mesh", "equality", *_ACTUATORS)
_MATERIAL = ("name", "class", "rgba")  # what is taken of one
# what MuJoCo gets in the place of a mesh whose inertia nobody needs: it is named, and not opened
_STAND_IN = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1 1 1" refpos="0 0 0" refquat="1 0 0 0" inertia="shell"'
# attributes that name what stays behind, decide about files and names, or ask for memory
_COMPILER = ("meshdir", "texturedir", "assetdir", "strippath", "fusestatic", "discardvisual")
_ELSEWHERE = ("material", "hfield", "octree_maxdepth", "actdim", "nsample", "delay", "interp")
_NAMES = ("name", "class", "childclass", "joint", "joint1", "joint2", "jointinparent", "mesh", "file")
_HEEDED = {
    "passive": "springs and damping",  # until MuJoCo 3.3 one flag for both
    "spring": "springs",
    "damper": "damping",
    "frictionloss": "friction",
    "equality": "equality constraints",
    "constraint": "friction and equality constraints",
}
STATIC = "a shape of the world"
_GRAVITY = "give it where the motion is computed: gravity=(x, y, z)"


def hand_over(source: Path | str | bytes, name: str = "", roots: Iterable[Path | str] = ()) -> Handover:
    """Read a file or a text, its includes and the meshes it needs, from its own folder and `roots` and nowhere else."""
    root = parse_xml(source, name)
    if root.tag != "mujoco":
        raise root.error(f"the root element is <{root.tag[:60]}>, not <mujoco>", "give an MJCF file")
    files = Files(source if isinstance(source, Path) else None, roots)
    expand(root, files)
    writer = _Writer(Handover(root), files)
    writer.write()
    return writer.out


class _Writer:
    """Writes what MuJoCo needs, one element a line, and decides the fate of what it leaves out."""

    def __init__(self, out: Handover, files: Files) -> None:
        self.out, self.files = out, files
        self.sections = list(parts(out.root))
        self.compiler: dict[str, str] = {}
        self.meshes: set[str] = set()  # whose inertia is needed
        self.shown: set[str] = set()  # named by other geoms
        self.materials = {part.attributes.get("name", "") for section in self.sections for part in _materials(section)}
        self.size = self.copied = 0

    def write(self) -> None:
        """Meshes come last: by then it is known which are needed. The order of sections means nothing in MJCF."""
        root = self.out.root
        self.out.add("<mujoco>", root)
        for section in self.sections:
            if section.tag == "compiler":
                if "assetdir" in section.attributes:
                    self.compiler["meshdir"] = section.attributes["assetdir"]
                self.compiler |= section.attributes
                self._row(section, leave=_COMPILER)
                for child in parts(section):
                    self.out.decide(child, Outcome.UNUSED, "tendon actuators are not part of the tree")
        self.out.add('<compiler><lengthrange mode="none"/></compiler>', root)  # it would be found by simulation
        known: dict[str, Callable[[Element], None]] = {
            "default": self._default,
            "worldbody": self._tree,
            "equality": self._equality,
            "actuator": self._actuator,
            "asset": self._asset,
        }
        for tag, write in known.items():
            for section in self.sections:
                if section.tag == tag:
                    write(section)
        for section in self.sections:
            if section.tag in _SECTIONS:
                self.out.decide(section, Outcome.UNUSED, _SECTIONS[section.tag])
                self._remark(section)
            elif section.tag != "compiler" and section.tag not in known:
                self._unknown(section, "<mujoco>")
        self.out.add("</mujoco>", root)

    def _row(self, element: Element, *, leave: Iterable[str] = _ELSEWHERE, open: bool = False, **instead: str) -> None:
        """One line: the element with its attributes, less some, others replaced."""
        attributes = {key: value for key, value in element.attributes.items() if key not in leave} | instead
        if element.tag == "geom" and element.attributes.get("material") in self.materials:
            attributes["material"] = element.attributes["material"]
        for key, value in attributes.items():
            if key not in _NAMES and not {"nan", "+nan", "-nan"}.isdisjoint(value.lower().split()):
                raise element.error(f"{key} = {quoted(value)} is not a number", "write a finite number")
        said = "".join(f" {key}={in_quotes(value)}" for key, value in attributes.items())
        self.out.add(f"<{element.tag}{said}{'' if open else '/'}>", element)

    def _group(self, element: Element, write: Callable[[Element], None]) -> None:
        self._row(element, open=True)
        for part in parts(element):
            write(part)
        self.out.add(f"</{element.tag}>", element)

    def _left_out(self, element: Element, parent: str, reasons: dict[str, str]) -> None:
        if element.tag in reasons:
            self.out.decide(element, Outcome.UNUSED, reasons[element.tag])
        else:
            self._unknown(element, parent)

    def _unknown(self, element: Element, parent: str) -> None:
        self.out.decide(element, Outcome.UNKNOWN, f"MJCF defines no <{element.tag[:60]}> here")
        message = f"MJCF defines no <{element.tag[:60]}> in {parent}; it and all inside it is ignored"
        self.out.warn("Mj1", element.place, message, "correct the spelling, or remove it")

    # ---------------------------------------------------------------- section by section

    def _default(self, element: Element, depth: int = 1) -> None:
        if depth > 50:
            raise element.error("defaults are nested more than 50 deep", "flatten them")

        def write(part: Element) -> None:
            if part.tag == "default":
                self._default(part, depth + 1)
            elif part.tag in _DEFAULTS:
                self._row(part)
                self.meshes |= {part.attributes["mesh"]} if "mesh" in part.attributes else set()
            elif part.tag == "material":
                self._row(part, leave=part.attributes.keys() - {*_MATERIAL})
            else:
                self._left_out(part, "<default>", _UNUSED_DEFAULTS)

        self._group(element, write)

    def _tree(self, world: Element) -> None:
        """All bodies with what belongs to them; of each container its end waits on the stack below its parts."""
        pending: list[tuple[Element, tuple[bool, str], int] | Element] = [(world, (False, ""), 1)]
        while pending:
            top = pending.pop()
            if isinstance(top, Element):
                self.out.add(f"</{top.tag}>", top)
                continue
            element, weighed, copies = top
            self.size += 6 if element.tag == "freejoint" or element.attributes.get("type") == "free" else 1
            self.copied += copies if copies > 1 else 0
            if self.size > LARGEST_TREE or self.copied > LARGEST_COPIES:
                message = f"the tree has more than {LARGEST_TREE} parts, or {LARGEST_COPIES} copies"
                raise element.error(message, "make it smaller")
            if element.tag in ("worldbody", "body", "frame", "replicate"):
                self._row(element, open=True)
                weighed = self._weighed(element) if element.tag in ("worldbody", "body") else weighed
                copies *= copies_of(element)
                pending += [element, *[(part, weighed, copies) for part in reversed(list(parts(element)))]]
            else:
                self._part(element, *weighed)

    def _part(self, part: Element, weighed: bool, why: str) -> None:
        """What belongs to a body; `weighed` says whether its geoms make its inertia, or `why` not."""
        if part.tag == "geom":
            self._geom(part, weighed, why)
        elif part.tag == "attach":
            remedy = "write the whole out: mujoco.MjSpec.from_file(…), then compile() and to_xml()"
            raise part.error("models that are attached are not read", remedy)
        elif part.tag in ("joint", "freejoint", "inertial", "site"):
            self._row(part)
        else:
            self._left_out(part, "a body", _UNUSED_PARTS)
            if part.tag in ("composite", "flexcomp"):
                message = f"what <{part.tag}> makes is not part of the tree: the model moves as if it were absent"
                self.out.warn("Mj3", part.place, message, "write it as bodies and joints")

    def _weighed(self, body: Element) -> tuple[bool, str]:
        """Whether a body's inertia is that of its geoms, or why not."""
        from_geoms = self.compiler.get("inertiafromgeom", "auto")
        if body.tag == "worldbody":
            return False, STATIC
        if from_geoms == "false" or (from_geoms != "true" and any(part.tag == "inertial" for part in own_parts(body))):
            return False, "a shape; <inertial> gives the inertia"
        return True, ""

    def _geom(self, geom: Element, weighed: bool, why: str) -> None:
        if weighed and geom.children:
            raise geom.error("the inertia of a geom made by a plugin is not known", "give the body an <inertial>")
        ground = geom.attributes.get("type") in ("hfield", "plane") and "ground for contact"
        made = bool(geom.children) and "what a plugin makes is not read"
        if not weighed and why == STATIC:
            self.out.decide(geom, Outcome.UNUSED, why)
        elif ground or made:
            self.out.decide(geom, Outcome.UNUSED, ground or made or "")
        else:
            self._row(geom)
            named = {geom.attributes["mesh"]} if "mesh" in geom.attributes else set[str]()
            self.meshes |= named if weighed else set()
            self.shown |= named

    def _asset(self, section: Element) -> None:
        def write(asset: Element) -> None:
            if asset.tag == "material":
                self._row(asset, leave=asset.attributes.keys() - {*_MATERIAL})
                return
            if asset.tag != "mesh":
                self._left_out(asset, "<asset>", _UNUSED_ASSETS)
                return
            file = asset.attributes.get("file", "")
            name = asset.attributes.get("name") or PurePosixPath(file).stem
            self.out.assets[name] = (asset, self._within(file) if file else "", name in self.meshes)
            if name not in self.meshes | self.shown:
                self.out.decide(asset, Outcome.UNUSED, "no geom that is read names it")
            elif name not in self.meshes:
                self.out.add(f"<mesh name={in_quotes(name)} {_STAND_IN}/>", asset)
            elif asset.children:
                raise asset.error("a mesh made by a plugin is not read", "give bodies with this mesh an <inertial>")
            elif file:
                self._row(asset, name=name, file=self._mesh(asset, file))
            else:
                check_parameters(asset)
                self._row(asset)

        self._group(section, write)

    def _mesh(self, asset: Element, file: str) -> str:
        """Read a mesh; the name under which MuJoCo finds it in memory."""
        path = self.files.find(asset, self._within(file))
        if (suffix := path.suffix.lower()) not in (".stl", ".obj", ".msh"):
            raise asset.error(f"{quoted(path.name)} is no mesh MuJoCo reads", "convert it to .stl, .obj or .msh")
        name = f"mesh{len(self.out.meshes)}{suffix}"
        self.out.meshes[name] = self.files.read(asset, path)
        return name

    def _within(self, file: str) -> str:
        """The name of a mesh's file, seen from the folder of the model."""
        if self.compiler.get("strippath") == "true":
            file = PurePosixPath(file).name
        return str(PurePosixPath(self.compiler.get("meshdir", "")) / file)

    def _equality(self, section: Element) -> None:
        def write(part: Element) -> None:
            if part.tag == "joint":
                self._row(part)
                return
            self._left_out(part, "<equality>", dict.fromkeys(_CONSTRAINTS, "not part of the tree"))
            if part.tag in _CONSTRAINTS:
                message = f"the <{part.tag}> is not part of the tree: the model moves as if it were absent"
                self.out.warn("Mj2", part.place, message, "add it as a constraint where the motion is computed")

        self._group(section, write)

    def _actuator(self, section: Element) -> None:
        def write(part: Element) -> None:
            joint = part.attributes.get("joint") or part.attributes.get("jointinparent")
            if part.tag in _ACTUATORS and joint:
                self._row(part)
                return
            reasons = dict.fromkeys((*_ACTUATORS, "plugin"), "acts on no joint of its own: it bounds no effort")
            if joint and part.tag == "plugin":
                self.out.unbounded.add(joint)
            self._left_out(part, "<actuator>", reasons)

        self._group(section, write)

    def _remark(self, section: Element) -> None:
        """What a section says that changes the motion and has no place in the model."""
        said = section.attributes
        if section.tag == "option":
            if "gravity" in said and said["gravity"].split() != ["0", "0", "-9.81"]:
                self.out.note("Mj8", section.place, f"gravity {quoted(said['gravity'])} is not in the model", _GRAVITY)
            if fluid := [key for key in ("density", "viscosity") if said.get(key, "0") != "0"]:
                message = f"the medium ({', '.join(fluid)}) is not in the model"
                self.out.note("Mj4", section.place, message, "add its forces as external ones")
        for part in parts(section):
            if section.tag == "option" and part.tag == "flag":
                self._flags(part)
            if section.tag in ("tendon", "deformable"):
                message = f"the <{part.tag}> is not part of the tree; forces and inertia it adds are not in the model"
                self.out.warn("Mj3", part.place, message, "add its forces where the motion is computed")
            elif section.tag == "custom" and (name := part.attributes.get("name", "")).startswith(ANNOTATION):
                self.out.annotations[name.removeprefix(ANNOTATION)] = part.attributes.get("data", part.text)
                self.out.decide(part, Outcome.USED)

    def _flags(self, part: Element) -> None:
        """What is switched off, or on again."""
        said = part.attributes
        self.out.disabled -= said.keys()
        self.out.disabled |= {flag for flag, state in said.items() if state == "disable"}
        if said.get("gravity") == "disable":
            self.out.note("Mj8", part.place, "that there is no gravity is not in the model", _GRAVITY)
        if heeded := sorted({*_HEEDED} & self.out.disabled & said.keys()):
            self.out.decide(part, Outcome.USED, f"without {' and '.join(_HEEDED[flag] for flag in heeded)}")


def _materials(section: Element) -> list[Element]:
    return [part for part in parts(section) if part.tag == "material"] if section.tag == "asset" else []
