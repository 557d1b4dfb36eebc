"""How do MuJoCo's bodies hang together: as links and segments, joints between them, sites as frames.

The world is the root link, and a body with several joints a chain of massless links.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.formats.mjcf_handover import Handover
from motionc.formats.mjcf_joints import FREE, HINGE, SLIDE, JointReader, Step, grouped
from motionc.formats.mjcf_shapes import ShapeReader
from motionc.formats.xml_tree import Element, quoted
from motionc.geometry.lie import rotation_about, rotation_from_quaternion
from motionc.model.chain import (
    HERE,
    Array,
    Attachment,
    KinematicChain,
    Link,
    Role,
    Segment,
)

LARGEST = 1e150  # squares of anything below stay finite


class BodyReader:
    """MuJoCo's model, the element behind each of its parts, and the names these get here."""

    def __init__(self, out: Handover, spec: Any, model: Any) -> None:
        self.out, self.model = out, model
        bodies = spec.bodies  # asked for joints one by one: spec.joints looks for each among all
        self.bodies = self._elements(bodies, model.nbody)
        self.joints = self._elements([joint for body in bodies for joint in body.joints], model.njnt)
        for joint, element in enumerate(self.joints):  # a <freejoint> does not know its line
            self.joints[joint] = self.bodies[model.jnt_bodyid[joint]] if element is out.root else element
        self.sites = self._elements([site for body in bodies for site in body.sites], model.nsite)
        actuators = self._elements(spec.actuators, len(model.actuator_trntype))
        equalities = self._elements(spec.equalities, model.neq)
        self.sites_on = grouped(model.site_bodyid)
        geoms = [geom for body in bodies for geom in body.geoms]
        self.shapes = ShapeReader(out, spec, model, geoms, self._elements(geoms, model.ngeom))

        # what has a name keeps it
        links = [model.body(number).name for number in range(model.nbody)]
        joints = [model.joint(number).name for number in range(model.njnt)]
        self.taken, self.taken_joints = set(filter(None, links)), set(filter(None, joints))
        self.links = [name or _unlike(f"body_{number}", self.taken) for number, name in enumerate(links)]
        self.names = [name or _unlike(f"joint_{number}", self.taken_joints) for number, name in enumerate(joints)]
        self.of_joints = JointReader(out, model, self.names, actuators, equalities)

    def _elements(self, parts: Sequence[Any], count: int) -> list[Element]:
        """The element each part came from."""
        lines = [re.match(r"line (\d+)", part.info) for part in parts]
        found = [(self.out.element(int(line[1])) if line else None) or self.out.root for line in lines]
        return found if len(found) == count else [self.out.root] * count

    def chain(self, name: str) -> KinematicChain:
        """Bodies come in MuJoCo's order, which is depth-first."""
        steps = [step for body in range(1, self.model.nbody) for step in self._steps(body)]
        self.taken |= {f"joint:{step.name}" for step in steps}
        places = {step.child: step.element.place for step in steps}
        links = {
            link: Link(link, (Attachment(link, Role.FEATURE, HERE),), place=place) for link, place in places.items()
        }
        links |= {link: self._link(body, link) for body, link in enumerate(self.links)}
        root = self.out.annotations.get("root", "world")
        steps = self._rooted(root, steps) if root in self.links else steps

        # a segment holds the frames of all its joints, so these come first
        frames: dict[str, list[Attachment]] = {link: [] for link in links}
        for step in steps:
            frames[step.parent].append(Attachment(f"{step.name}:parent", Role.JOINT, step.reference))
            frames[step.child].append(Attachment(f"{step.name}:child", Role.JOINT, step.target))
        segments = {link: Segment(link, links[link], tuple(frames[link])) for link in links}
        joints = self.of_joints.joints(steps, segments)
        base = steps[0].parent if steps else root if root in segments else "world"
        return KinematicChain(name, tuple(joints), segments[base])

    def _steps(self, body: int) -> list[Step]:
        """The joints of a body, one after the other, with a massless link after each but the last."""
        model, link, element = self.model, self.links[body], self.bodies[body]
        parent, place = (
            self.links[model.body_parentid[body]],
            self._pose(model.body_pos[body], model.body_quat[body], element),
        )
        if model.body_mocapid[body] >= 0:
            self.out.note(
                "Mj5", element.place, f"mocap body {link} is held where the file puts it", "move it as a target"
            )
        numbers = [*range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])]
        if not numbers:
            name = self.out.annotations.get(f"joint/{link}") or f"{link}/fixed"
            return [Step(_unlike(name, self.taken_joints), None, parent, link, place, HERE, element)]

        steps: list[Step] = []
        for number in numbers:
            child = link if number == numbers[-1] else _unlike(f"{link}/{self.names[number]}", self.taken)
            reference, target = place, HERE
            if model.jnt_type[number] == FREE:
                self._say_start(number, place)
                reference = HERE  # its qpos is the pose in the world
            else:
                target = self._pose(model.jnt_pos[number], (1, 0, 0, 0), self.joints[number])
                reference = _after(_after(place, target), self._back_to_zero(number))
            steps.append(Step(self.names[number], number, parent, child, reference, target, self.joints[number]))
            parent, place = child, HERE
        return steps

    def _back_to_zero(self, number: int) -> Array:
        """From the pose in the file, where qpos is the joint's `ref`, to the pose where it is 0."""
        model = self.model
        ref, axis = float(model.qpos0[model.jnt_qposadr[number]]), model.jnt_axis[number]
        if not ref or model.jnt_type[number] not in (SLIDE, HINGE):
            return HERE
        pose = np.eye(4)
        if model.jnt_type[number] == SLIDE:
            pose[:3, 3] = -ref * axis
        else:
            pose[:3, :3] = rotation_about(axis, -ref)
        return pose

    def _say_start(self, number: int, place: Array) -> None:
        if not np.array_equal(place, np.eye(4)):
            message = (
                f"free joint {self.names[number]} starts at {place[:3, 3].round(6).tolist()}: a state, not the model"
            )
            self.out.note("Mj8", self.joints[number].place, message, "put it into q, where the motion starts")

    def _link(self, body: int, name: str) -> Link:
        """Mass and inertia as compiled; sites are its attachment frames."""
        model, element = self.model, self.bodies[body]
        frames = [Attachment(name, Role.FEATURE, HERE)]
        mass, moments = float(model.body_mass[body]), np.array(model.body_inertia[body], float)
        weighs = bool(mass or moments.any())
        if weighs:
            pose = self._pose(model.body_ipos[body], model.body_iquat[body], element)
            frames.append(Attachment(f"{name}:inertia", Role.INERTIA, pose))
        for site in self.sites_on.get(body, ()):
            pose = self._pose(model.site_pos[site], model.site_quat[site], self.sites[site])
            frames.append(Attachment(self._site(site), Role.FEATURE, pose))
        if model.body_gravcomp[body]:
            message = (
                f"body {name} has its gravity compensated by {model.body_gravcomp[body]:g}; the model has it in full"
            )
            self.out.note("Mj4", element.place, message, "add the force as an external one")
        inertia = (mass, np.diag(moments)) if weighs else (None, None)
        return Link(name, tuple(frames), *inertia, element.place, self.shapes.on(body))

    def _site(self, site: int) -> str:
        """The name of a site; where a body has it already, `site:NAME`."""
        said = self.model.site(site).name or f"site_{site}"
        name = _unlike(said if said not in self.taken else f"site:{said}", self.taken)
        if name != said:
            message = f"site {quoted(said)} has the name of a body; its frame is called {quoted(name)}"
            self.out.note("Mj6", self.sites[site].place, message, "give it a name of its own")
        return name

    def _pose(self, position: Any, quaternion: Any, element: Element) -> Array:
        place, turn = np.asarray(position, float).tolist(), np.asarray(quaternion, float).tolist()
        if not all(abs(number) < LARGEST for number in (*place, *turn)):
            raise element.error("it is placed at numbers that are not finite, or too large", "give finite ones")
        turned = turn != [1.0, 0.0, 0.0, 0.0]
        if not turned and not any(place):
            return HERE
        pose = np.eye(4)
        pose[:3, 3] = place
        if turned:
            pose[:3, :3] = rotation_from_quaternion(turn)
        return pose

    def _rooted(self, root: str, steps: list[Step]) -> list[Step]:
        """Without the weld to the world, if the root is all that stands there."""
        world = [step for step in steps if step.parent == "world"]
        alone = len(world) == 1 and world[0].child == root and world[0].number is None
        bare = alone and np.array_equal(world[0].reference, np.eye(4)) and 0 not in self.sites_on
        return [step for step in steps if step is not world[0]] if bare else steps


def _unlike(name: str, taken: set[str]) -> str:
    """This name, or one like it that nobody has; from now on it is taken."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    taken.add(free)
    return free


def _after(pose: Array, further: Array) -> Array:
    """One pose after another; most stay where they are."""
    return further if pose is HERE else pose if further is HERE else pose @ further
