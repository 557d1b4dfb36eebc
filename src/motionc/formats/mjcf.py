"""How does an MJCF file describe a robot: compiled by MuJoCo itself, then read into the model.

Defaults, frames, angles and inertia from geoms are thus what MuJoCo makes of them. The world is the root link, a body
with several joints becomes a chain of massless links, q is MuJoCo's qpos, joint by joint. What has no place in a tree
is a finding, Mj1 to Mj9, and every element has a fate. MuJoCo never sees the file itself: mjcf_text.py says why.
"""

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats.document import Document, Outcome
from motionc.formats.mjcf_text import Handover, hand_over
from motionc.formats.quoting import quoting
from motionc.formats.xml_tree import Element, ReadError, quoted
from motionc.geometry.lie import rotation_about, rotation_from_quaternion
from motionc.model.chain import (
    HERE,
    Array,
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    Role,
    Segment,
    Transmission,
)
from motionc.model.findings import Findings
from motionc.model.rules import check_chain

__all__ = ["import_mujoco", "read_mjcf"]

FREE, BALL, SLIDE, HINGE = range(4)  # mujoco.mjtJoint
LARGEST = 1e150  # squares of anything below stay finite
UNBOUNDED = 1e10  # rad or m; a range that ends there has no end


def read_mjcf(source: Path | str | bytes, name_hint: str = "", roots: Iterable[Path | str] = ()) -> Document:
    """Read an MJCF file (a Path) or MJCF text (str or bytes; `name_hint` is what messages call it).

    Includes and meshes are read from the file's folder and from `roots`, and from nowhere else.

    >>> body = "<body name='rod'><joint name='hinge'/><geom size='0.1' mass='2'/></body>"
    >>> document = read_mjcf(f"<mujoco model='pendulum'><worldbody>{body}</worldbody></mujoco>")
    >>> [joint.name for joint in document.chain.joints], document.chain.root.name, document.findings.ok
    (['hinge'], 'world', True)
    """
    return quoting(source, name_hint, lambda: _read(source, name_hint, roots))


def _read(source: Path | str | bytes, name_hint: str, roots: Iterable[Path | str]) -> Document:
    out = hand_over(source, name_hint, roots)
    name = out.root.attributes.get("model") or (source.stem if isinstance(source, Path) else "") or "model"
    spec, model = _compiled(out)
    chain = _Reader(out, spec, model).chain(name)
    return Document(chain, tuple(out.fates()), check_chain(chain) + Findings(tuple(out.notes)))


def import_mujoco() -> Any:
    """The package mujoco, or a sentence that says how to get it."""
    try:
        import mujoco
    except ImportError as missing:
        raise Error("MJCF needs the package mujoco; get it with: pip install 'motionc[mujoco]'") from missing
    return mujoco


def _compiled(out: Handover) -> tuple[Any, Any]:
    """MuJoCo's spec and model of the text; its complaints are located in the file."""
    mujoco, heard = import_mujoco(), list[str]()
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(heard.append)  # else it writes a log file where we stand
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(out.text, assets=out.meshes)
            model = spec.compile()
        except (ValueError, RuntimeError, mujoco.FatalError) as refused:
            raise _located(out, str(refused)) from None
        finally:
            mujoco.set_mju_user_warning(before)
    for words in dict.fromkeys([*heard, *(str(warning.message) for warning in said)]):
        out.note("Mj9", out.root.place, f"MuJoCo says: {words.strip()}", "see MuJoCo's documentation")
    return spec, model


def _located(out: Handover, said: str) -> ReadError:
    """What MuJoCo says about a line of its text, said about the element that the line came from."""
    line = re.search(r"\bline (\d+)", said)
    words = re.sub(r"\s*Element (name )?'[^']*'(, id \d+)?(, line \d+)?", "", said).strip().replace("\n", "; ")
    words = re.sub(r"^(XML |Schema )*[Ee]rror: ", "", words)
    element = (out.element(int(line[1])) if line else None) or out.root
    return element.error(
        f"MuJoCo does not compile it: {words}", "correct it; MuJoCo's XML reference says what it takes"
    )


# ---------------------------------------------------------------- from the compiled model to ours


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One joint to be: its name, MuJoCo's number for it (None: a weld), the links and the frames it connects."""

    name: str
    number: int | None
    parent: str
    child: str
    reference: Array
    target: Array
    element: Element


class _Reader:
    """MuJoCo's model, the element behind each of its parts, and the names these get here."""

    def __init__(self, out: Handover, spec: Any, model: Any) -> None:
        self.out, self.model = out, model
        bodies = spec.bodies  # asked for joints one by one: spec.joints looks for each among all
        self.bodies = self._elements(bodies, model.nbody)
        self.joints = self._elements([joint for body in bodies for joint in body.joints], model.njnt)
        for joint, element in enumerate(self.joints):  # a <freejoint> does not know its line
            self.joints[joint] = self.bodies[model.jnt_bodyid[joint]] if element is out.root else element
        self.sites = self._elements([site for body in bodies for site in body.sites], model.nsite)
        self.actuators = self._elements(spec.actuators, len(model.actuator_trntype))
        self.equalities = self._elements(spec.equalities, model.neq)
        self.sites_on = _grouped(model.site_bodyid)
        self.driving = self._driving()

        # what has a name keeps it
        links = [model.body(number).name for number in range(model.nbody)]
        joints = [model.joint(number).name for number in range(model.njnt)]
        self.taken, self.taken_joints = set(filter(None, links)), set(filter(None, joints))
        self.links = [name or _unlike(f"body_{number}", self.taken) for number, name in enumerate(links)]
        self.names = [name or _unlike(f"joint_{number}", self.taken_joints) for number, name in enumerate(joints)]

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
        mimics, efforts = self._mimics(), self._efforts()
        joints = [self._joint(step, segments, mimics, efforts) for step in steps]
        base = steps[0].parent if steps else root if root in segments else "world"
        return KinematicChain(name, tuple(joints), segments[base])

    def _steps(self, body: int) -> list[_Step]:
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
            return [_Step(_unlike(name, self.taken_joints), None, parent, link, place, HERE, element)]

        steps: list[_Step] = []
        for number in numbers:
            child = link if number == numbers[-1] else _unlike(f"{link}/{self.names[number]}", self.taken)
            reference, target = place, HERE
            if model.jnt_type[number] == FREE:
                self._say_start(number, place)
                reference = HERE  # its qpos is the pose in the world
            else:
                target = self._pose(model.jnt_pos[number], (1, 0, 0, 0), self.joints[number])
                reference = _after(_after(place, target), self._back_to_zero(number))
            steps.append(_Step(self.names[number], number, parent, child, reference, target, self.joints[number]))
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
        return Link(name, tuple(frames), mass if weighs else None, np.diag(moments) if weighs else None, element.place)

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

    def _rooted(self, root: str, steps: list[_Step]) -> list[_Step]:
        """Without the weld to the world, if the root is all that stands there."""
        world = [step for step in steps if step.parent == "world"]
        alone = len(world) == 1 and world[0].child == root and world[0].number is None
        bare = alone and np.array_equal(world[0].reference, np.eye(4)) and 0 not in self.sites_on
        return [step for step in steps if step is not world[0]] if bare else steps

    # ---------------------------------------------------------------- joints

    def _joint(
        self, step: _Step, segments: dict[str, Segment], mimics: dict[int, Mimic], efforts: dict[int, float]
    ) -> Joint:
        target, reference = (segments[step.child], f"{step.name}:child"), (segments[step.parent], f"{step.name}:parent")
        if (number := step.number) is None:
            return Joint(step.name, JointType.FIXED, target, reference, place=step.element.place)
        model = self.model
        kind, limited = int(model.jnt_type[number]), bool(model.jnt_limited[number])
        axis, limits = (0.0, 0.0, 1.0), Limits()
        if kind in (SLIDE, HINGE):
            x, y, z = map(float, model.jnt_axis[number])
            (lower, upper), limited = self._range(number, step.name)
            (speed,) = self._noted(f"velocity/{step.name}", math.inf)
            (effort,) = self._noted(f"effort/{step.name}", efforts[number])
            axis, limits = (x, y, z), Limits(lower, upper, speed, min(effort, efforts[number]))
        elif limited:
            message = f"joint {step.name} is bounded by an angle about any axis, for which the model has no place"
            self.out.note("Mj7", step.element.place, message, "bound it where the motion is planned")
        transmission = self._transmission(number, step)
        mimic = mimics.get(number)
        return Joint(
            step.name, _type(kind, limited), target, reference, axis, limits, mimic, transmission, step.element.place
        )

    def _range(self, number: int, name: str) -> tuple[tuple[float, ...], bool]:
        """Lower and upper, and whether the file speaks of them."""
        if not self.model.jnt_limited[number]:
            return self._noted(f"range/{name}", -math.inf, math.inf), f"range/{name}" in self.out.annotations
        lower, upper = map(float, self.model.jnt_range[number])
        return (-math.inf if lower <= -UNBOUNDED else lower, math.inf if upper >= UNBOUNDED else upper), True

    def _noted(self, key: str, *default: float) -> tuple[float, ...]:
        """The numbers of an annotation, or the default where it gives no such numbers."""
        try:
            numbers = tuple(float(word) for word in self.out.annotations.get(key, "").split())
        except ValueError:
            return default
        return numbers if len(numbers) == len(default) and not any(map(math.isnan, numbers)) else default

    def _transmission(self, number: int, step: _Step) -> Transmission:
        """Armature, damping and friction loss, with what geared actuators add."""
        model, dof, element = self.model, self.model.jnt_dofadr[number], step.element
        rotor, damping = float(model.dof_armature[dof]), float(model.dof_damping[dof])
        bent = bool(np.any(getattr(model, "dof_dampingpoly", np.zeros((model.nv, 1)))[dof]))
        for actuator, gear in self.driving.get(number, ()):
            if hasattr(model, "actuator_armature"):
                rotor += gear**2 * float(model.actuator_armature[actuator])
                damping += gear**2 * float(model.actuator_damping[actuator])
                bent = bent or bool(np.any(model.actuator_dampingpoly[actuator]))
        if bent:
            message = f"the damping of joint {step.name} is not linear; its linear part alone is kept"
            self.out.note("Mj4", element.place, message, "add the rest as a force")
        if model.jnt_stiffness[number]:
            message = f"joint {step.name} has a spring of stiffness {model.jnt_stiffness[number]:g}, not in the model"
            self.out.note("Mj4", element.place, message, "add its force where the motion is computed")
        if model.jnt_type[number] == FREE and rotor:
            message = f"free joint {step.name} has the armature {rotor:g}; a body that flies has no rotor"
            self.out.warn("Mj4", element.place, message, 'use <freejoint/>, or say armature="0"')
            rotor = 0.0
        return Transmission(rotor, damping, float(model.dof_frictionloss[dof]))

    def _driving(self) -> dict[int, list[tuple[int, float]]]:
        """The actuators of each joint with their gears."""
        model = self.model
        targets = np.where(model.actuator_trntype <= 1, model.actuator_trnid[:, 0], -1)  # joint, jointinparent
        return {
            joint: [(actuator, float(model.actuator_gear[actuator, 0])) for actuator in on_it]
            for joint, on_it in _grouped(targets).items()
        }

    def _efforts(self) -> dict[int, float]:
        """What the actuators of each one-coordinate joint can do together, no more than the joint allows."""
        model, found = self.model, dict[int, float]()
        for joint in range(model.njnt):
            driving = self.driving.get(joint, [])
            if model.jnt_type[joint] not in (SLIDE, HINGE):
                for actuator, _ in driving:
                    reason = "its joint has several coordinates: no one bound of effort"
                    self.out.decide(self.actuators[actuator], Outcome.UNUSED, reason)
                continue
            bounds = [abs(gear) * self._force(actuator) for actuator, gear in driving]
            if self.names[joint] in self.out.unbounded or not bounds:
                bounds.append(math.inf)
            allowed = _largest(model.jnt_actfrcrange[joint]) if model.jnt_actfrclimited[joint] else math.inf
            found[joint] = min(sum(bounds), allowed)
        return found

    def _force(self, actuator: int) -> float:
        """The largest force of an actuator: its range, or that of its control where force = gain · control."""
        model, element = self.model, self.actuators[actuator]
        plain = not (
            model.actuator_gaintype[actuator] or model.actuator_biastype[actuator] or model.actuator_dyntype[actuator]
        )
        bound = math.inf
        if model.actuator_forcelimited[actuator]:
            bound = _largest(model.actuator_forcerange[actuator])
            if abs(sum(model.actuator_forcerange[actuator])) > 1e-9 * bound:
                said = model.actuator_forcerange[actuator].tolist()
                message = f"the force range {said} is not symmetric; {bound:g} is kept"
                self.out.note("Mj7", element.place, message, "bound it where the motion is computed")
        if plain and np.any(model.actuator_ctrllimited[actuator]):
            control = _largest(np.atleast_2d(model.actuator_ctrlrange)[actuator])
            bound = min(bound, abs(float(model.actuator_gainprm[actuator, 0])) * control)
        if math.isinf(bound):
            self.out.decide(element, Outcome.UNUSED, "it says no bound of its force")
        return bound

    def _mimics(self) -> dict[int, Mimic]:
        """Joints that follow another: y - y0 = c0 + c1 (x - x0), each from its `ref`."""
        model, found, ways = self.model, dict[int, Mimic](), dict[int, int]()
        for number in range(model.neq):
            follower, leader = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            c, why = model.eq_data[number][:5].tolist(), ""
            if not model.eq_active0[number]:
                why = "is not active"
            elif leader < 0:
                why = f"holds joint {self.names[follower]}; hold it with fixed={{name: value}}"
            elif any(c[2:]):
                why = "is a polynomial of order two or more"
            elif follower in found or _end(leader, ways) == follower:
                why = f"is one too many for joint {self.names[follower]}"
            if why:
                self.out.decide(self.equalities[number], Outcome.UNUSED, "the constraint " + why)
                message = f"the constraint {why}: the model moves as if it were absent"
                self.out.warn("Mj2", self.equalities[number].place, message, "add it where the motion is computed")
                continue
            ways[follower] = leader
            y0, x0 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
            found[follower] = Mimic(self.names[leader], c[1], c[0] + y0 - c[1] * x0)
        return found


def _end(joint: int, ways: dict[int, int]) -> int:
    """Where a way from follower to leader to leader ends; all on it are led there directly from now on."""
    passed = list[int]()
    while joint in ways:
        passed.append(joint)
        joint = ways[joint]
    ways.update(dict.fromkeys(passed, joint))
    return joint


def _grouped(owners: Any) -> dict[int, list[int]]:
    """The numbers of what belongs to each owner."""
    found: dict[int, list[int]] = {}
    for number, owner in enumerate(owners.tolist()):
        found.setdefault(owner, []).append(number)
    return found


def _type(kind: int, limited: bool) -> JointType:
    if kind == HINGE:
        return JointType.REVOLUTE if limited else JointType.CONTINUOUS
    return {FREE: JointType.FLOATING, BALL: JointType.SPHERICAL, SLIDE: JointType.PRISMATIC}[kind]


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


def _largest(range: Any) -> float:
    return float(np.max(np.abs(range)))
