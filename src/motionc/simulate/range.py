"""Range finders: how far is it from a frame along its z to what is there?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from motionc import checked
from motionc.computations import forward_kinematics
from motionc.computations.block import block
from motionc.computations.wired import wired
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.simulate.rays import Ray, nearest
from motionc.simulate.sensors import Channel, Readings, Scene, Sensor, understood_deviation
from motionc.solvers.contact import HeightField, Plane, Solid, Surface
from motionc.sweeps.frames import attached
from motionc.sweeps.options import Check

MOST_STRETCHES = 1000


def _surfaces(what: str, given: Any) -> tuple[Surface, ...]:
    wanted = "give surfaces: Plane(…), Solid(…), HeightField(…)"
    found = checked.several(what, given, wanted, Plane, Solid, HeightField)
    for one in found:
        checked.instance(what, one, (Plane, Solid, HeightField), wanted)
    if not found:
        raise checked.refusal(what, given, wanted)
    return found


def _most(what: str, given: Any) -> float:
    return checked.number(what, given, "give metres > 0", fits=lambda metres: metres > 0)


def _stretches(what: str, given: Any) -> int:
    wanted = f"give a whole number from 1 to {MOST_STRETCHES}"
    if checked.whole(what, given, 1, wanted) > MOST_STRETCHES:
        raise checked.refusal(what, given, wanted)
    return int(given)


@dataclass(frozen=True)
class Range(Sensor):
    """A range finder: NAME_distance (m) from a frame along its z to the nearest surface, `most` where there is none.

    >>> import motionc as mc
    >>> robot = mc.load("planar2").with_frame("eye", "tip", rpy=(3.141592653589793, 0, 0))
    >>> eye = Range("eye", [Plane(point=(0, 0, -2.0))], most=5.0).computation(robot, 1e-3)
    >>> round(eye([0.0, 0.0]), 6)
    2.0

    Args:
        frame: where it is: name of a link, attachment or `joint:NAME`; it looks along z.
        surfaces: what it sees: planes from above, spheres and capsules, ground by its heights; these alone.
        noise: standard deviation of a reading (m).
        bias: constant (m).
        most: beyond which it sees nothing (m).
        stretches: in how many parts ground by its heights is looked for; what is thinner than one may be missed.
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "Range"
    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "surfaces": _surfaces,
        "noise": understood_deviation,
        "most": _most,
        "stretches": _stretches,
    }

    frame: str = field(kw_only=False)
    surfaces: Sequence[Surface] = field(default=(Plane(),), kw_only=False)
    noise: float = field(default=0.0, kw_only=True)
    bias: float = field(default=0.0, kw_only=True)
    most: float = field(default=10.0, kw_only=True)
    stretches: int = field(default=32, kw_only=True)
    name: str = field(default="range", kw_only=True)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        attached(robot.mechanism, self.frame, f"Range {self.name}: frame")
        places = list(dict.fromkeys([self.frame, *(one.frame for one in self.surfaces if isinstance(one, Solid))]))
        for name in places:
            attached(robot.mechanism, name, f"Range {self.name}: Solid")
        poses = forward_kinematics(robot, places, parameters=scene.open("origin"), precision=precision)
        grounds = dict[str, HeightField]()
        for one in self.surfaces:
            if isinstance(one, HeightField) and grounds.setdefault(one.name, one) != one:
                raise Error(f"Range {self.name}: two height fields are called {one.name!r}; give each its own name")
        true = Port("true_distance", (), "m", f"from {self.frame} along its z to what is there")

        def looking(pose: Any, *heights: Any) -> Mapping[str, Any]:
            eye = pose[places.index(self.frame)]
            ray, known = Ray(eye[:3, 3], eye[:3, 2], self.most), dict(zip(grounds, heights, strict=True))
            found = list[Any]()
            for one in self.surfaces:
                if isinstance(one, Plane):
                    found.append(ray.to_plane(one))
                elif isinstance(one, Solid):
                    found.append(ray.to_solid(one, pose[places.index(one.frame)]))
                else:
                    found.append(ray.to_ground(one, known[one.name], self.stretches))
            return {"true_distance": nearest(found)}

        ports = [*poses.outputs, *(ground.port for ground in grounds.values())]
        looks = block("looking", looking, ports, [true], precision=precision)
        read = Port(f"{self.name}_distance", (), "m", f"from {self.frame} along its z, {self.most:g} m at most")
        channel = Channel(true, slice(0, 1), read, (self.bias,), (self.noise,), self.most)
        readings = Readings(self.name, dt, self.delay, (channel,)).computation(precision=precision)
        return wired({"poses": poses, "looking": looks, "readings": readings}, name=self.name)
