"""A gantry: a point of 1 kg on three slides, whose way under streamed forces is a sum anybody can do by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import motionc as mc
from motionc import simulate as sim

DT = 0.01
SLIDES = "".join(
    f"""<joint name="{axis}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>
    <axis xyz="{direction}"/><limit lower="-2" upper="1" velocity="9" effort="{effort}"/></joint>"""
    for axis, parent, child, direction, effort in (
        ("x", "base", "beam", "1 0 0", 400),
        ("y", "beam", "column", "0 1 0", 200),
        ("z", "column", "tool", "0 0 1", 100),
    )
)
MASS = '<inertial><mass value="{}"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = (
    '<robot name="gantry"><link name="base"/>'
    + "".join(
        f'<link name="{name}">{MASS.format(1.0 if name == "tool" else 1e-9)}</link>'
        for name in ("beam", "column", "tool")
    )
    + SLIDES
    + "</robot>"
)


def gantry(tmp_path: Any) -> mc.Robot:
    file = tmp_path / "gantry.urdf"
    file.write_text(URDF)
    return mc.load(file)


def carried(
    robot: mc.Robot,
    velocities: Any,
    start: Sequence[float],
    given: Mapping[str, Any],
    told: Mapping[str, Any] | None = None,
) -> sim.Run:
    """A run in which the tool has these velocities, (K, 3), row after row, from a start, with frames given; `told`
    streams numbers that are logged as they are: mode, events, section.
    """
    rates = np.asarray(velocities, float)
    pushes = np.diff(np.concatenate([np.zeros((1, 3)), rates]), axis=0) / DT
    words = {name: np.asarray(values, float) for name, values in (told or {}).items()}
    inputs = [
        mc.Port("push", (3,), "N m, N", "what is streamed"),
        *(mc.Port(f"{name}_told", (), "1", "what is streamed") for name in words),
        *(mc.Port(name, np.shape(value), "1", "a frame") for name, value in given.items()),
    ]
    tau = next(port for port in mc.forward_dynamics(robot).inputs if port.name == "tau")
    outputs = [tau, *(mc.Port(name, (), "1", "as streamed") for name in words)]

    def tell(push: Any, *others: Any) -> dict[str, Any]:
        return {"tau": push} | dict(zip(words, others, strict=False))

    controller = mc.block("teller", tell, inputs, outputs)
    plant = sim.Plant(robot, DT, gravity=(0, 0, 0))
    streamed = ["push", *(f"{name}_told" for name in words)]
    loop = sim.closed(plant, controller, log=["q", "v", "motor_force", *words], streamed=streamed)
    streams = {"push": pushes} | {f"{name}_told": values for name, values in words.items()}
    return loop(plant.start(start), steps=len(rates), **streams, **given)
