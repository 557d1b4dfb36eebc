"""How do chains become one? A chain mounted on a frame of another, and frames added; names are told apart by a prefix.

Nothing is computed here: joints, links and what they carry stay as they were written, but for their names and for what
they are mounted on. Robots, with what is held and what floats, are in mount.py.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from motionc.errors import Error, suggestion
from motionc.model.chain import HERE, Array, Attachment, Joint, KinematicChain, Link, Role, Segment
from motionc.model.joints import JointType
from motionc.model.shapes import Material, Shape


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """How those of one chain are told from those of another."""

    prefix: str

    def chain(self, chain: KinematicChain) -> KinematicChain:
        """The same chain under other names; what a file says besides belongs to the old ones."""
        if not self.prefix:
            return chain
        segments = {segment.name: self.segment(segment) for segment in chain.segments}
        joints = tuple(self.joint(joint, segments) for joint in chain.joints)
        base = None if chain.base is None else segments.get(chain.base.name, self.segment(chain.base))
        materials = tuple(self.material(material) for material in chain.materials)
        return KinematicChain(chain.name, joints, base, materials)

    def joint(self, joint: Joint, segments: Mapping[str, Segment]) -> Joint:
        ends = ((segments[segment.name], self.of(frame)) for segment, frame in (joint.target, joint.reference))
        target, reference = ends
        mimic = joint.mimic and replace(joint.mimic, leader=self.of(joint.mimic.leader))
        return replace(joint, name=self.of(joint.name), target=target, reference=reference, mimic=mimic)

    def segment(self, segment: Segment) -> Segment:
        link = segment.link
        shapes = tuple(self.shape(shape) for shape in link.shapes)
        own = replace(link, name=self.of(link.name), frames=self.frames(link.frames), shapes=shapes)
        return Segment(self.of(segment.name), own, self.frames(segment.frames))

    def frames(self, frames: Iterable[Attachment]) -> tuple[Attachment, ...]:
        return tuple(replace(frame, name=self.of(frame.name), wrt=frame.wrt and self.of(frame.wrt)) for frame in frames)

    def shape(self, shape: Shape) -> Shape:
        material = shape.material and self.material(shape.material)
        return replace(shape, name=shape.name and self.of(shape.name), material=material)

    def material(self, material: Material) -> Material:
        return replace(material, name=material.name and self.of(material.name))

    def of(self, name: str) -> str:
        return f"{self.prefix}{name}"


def mounted(
    chain: KinematicChain, other: KinematicChain, at: str, pose: Array, names: Names, name: str, *, freely: str = ""
) -> KinematicChain:
    """One chain with another fixed to it: the root of that at a pose wrt a frame of the first. Or the root moves freely
    there, by a floating joint of the name `freely`.
    """
    what, added = f"attach {other.name} at {at} of {chain.name}", names.chain(other)
    segment, place = frame_of(chain, at, what)
    mount = freely or f"{at}_to_{added.root.name}"
    _refuse_taken(what, chain, added, mount)
    ends = f"{mount}:parent", f"{mount}:child"
    carrier = replace(segment, frames=(*segment.frames, Attachment(ends[0], Role.JOINT, place @ pose)))
    root = replace(added.root, frames=(*added.root.frames, Attachment(ends[1], Role.JOINT, HERE)))
    first, second = with_segment(chain, carrier), with_segment(added, root)
    kind = JointType.FLOATING if freely else JointType.FIXED
    joint = Joint(mount, kind, target=(root, ends[1]), reference=(carrier, ends[0]))
    materials = tuple({material.name: material for material in (*added.materials, *chain.materials)}.values())
    carried = chain.carried if names.prefix else chain.carried + other.carried
    return KinematicChain(name, (*first.joints, joint, *second.joints), first.base, materials, carried)


def in_the_world(chain: KinematicChain, freely: str) -> KinematicChain:
    """The chain of a robot that floats with the world as its root, and a joint of the name `freely` between them."""
    world = KinematicChain(chain.name, (), Segment("world", Link.rigid("world")))
    return mounted(world, chain, "world", HERE, Names(""), chain.name, freely=freely)


def with_frame(chain: KinematicChain, name: str, on: str, pose: Array) -> KinematicChain:
    """A chain with one more frame, fixed to that of `on`."""
    what = f"frame {name} on {on} of {chain.name}"
    segment, place = frame_of(chain, on, what)
    if name in {frame for frame, _, _ in _frames(chain)}:
        raise Error(f"{what}: there is a frame {name} already; give this one a name of its own")
    link = replace(segment.link, frames=(*segment.link.frames, Attachment(name, Role.FEATURE, place @ pose)))
    return with_segment(chain, replace(segment, link=link))


def frame_of(chain: KinematicChain, name: str, what: str) -> tuple[Segment, Array]:
    """The segment a frame belongs to, and where it is on its link."""
    places = {frame: (segment, pose) for frame, segment, pose in _frames(chain)}
    if name not in places:
        raise Error(f"{what}: {chain.name} has no frame {name!r}{suggestion(name, places)}")
    return places[name]


def with_segment(chain: KinematicChain, segment: Segment) -> KinematicChain:
    """The chain with this segment in the place of the one of its name."""

    def end(of: tuple[Segment, str]) -> tuple[Segment, str]:
        return (segment, of[1]) if of[0].name == segment.name else of

    joints = tuple(replace(joint, target=end(joint.target), reference=end(joint.reference)) for joint in chain.joints)
    base = segment if chain.base is not None and chain.base.name == segment.name else chain.base
    return replace(chain, joints=joints, base=base)


def without_mimics(chain: KinematicChain, free: Iterable[str]) -> KinematicChain:
    """The chain in which these joints follow nobody."""
    names = set(free)
    joints = (replace(joint, mimic=None) if joint.name in names else joint for joint in chain.joints)
    return replace(chain, joints=tuple(joints))


def _frames(chain: KinematicChain) -> Iterator[tuple[str, Segment, Array]]:
    """Every frame one can ask for: its name, its segment, where it is on the link."""
    yield "world", chain.root, HERE
    for segment in chain.segments:
        yield segment.name, segment, HERE
        for frame in (*segment.link.frames, *segment.frames):
            if frame.role is Role.FEATURE and frame.name != segment.link.reference:
                yield frame.name, segment, segment.pose(frame.name)
    for joint in chain.joints:
        yield f"joint:{joint.name}", joint.child, joint.child.pose(joint.target[1])


def _refuse_taken(what: str, chain: KinematicChain, added: KinematicChain, mount: str) -> None:
    """Names that both have: of frames (links among them), joints, and materials that look different."""
    own, theirs = ({name for name, *_ in _frames(each) if not name.startswith("joint:")} for each in (chain, added))
    twice = sorted((own & theirs) - {"world"}) + ["world"] * (added.root.name == "world")
    joints = {joint.name for joint in chain.joints}
    twice += sorted(joints & {mount, *(joint.name for joint in added.joints)})
    looks = {material.name: material for material in chain.materials}
    twice += [one.name for one in added.materials if one.name in looks and looks[one.name] != one]
    if twice:
        few = ", ".join(twice[:6]) + ", …" * (len(twice) > 6)
        raise Error(f'{what}: both have {few}; tell them apart with prefix="…", another one than before')
