"""How noisy is a sensor of this plant? Its noise times a level, an input that may differ from lane to lane."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from motionc.computations.wired import wired
from motionc.control.part import Part
from motionc.errors import Error
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation

LEVEL = "_noise_level"
"""How the input is called at its end, behind the name of a sensor."""


@dataclass(frozen=True)
class Levelled(Part):
    """Normal numbers times a level: 1 is a sensor as it says of itself, 0 one without noise."""

    sensor: str
    noise: Port

    @property
    def called(self) -> str:
        return f"{self.sensor}_level"

    @property
    def equation(self) -> str:
        return "scaled = level * noise"

    @property
    def inputs(self) -> list[Port]:
        return [self.noise, Port(f"{self.sensor}{LEVEL}", (), "1", f"factor of the noise of {self.sensor}")]

    @property
    def outputs(self) -> list[Port]:
        return [Port(f"{self.sensor}_scaled", self.noise.shape, "1", f"noise of {self.sensor} at its level")]

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        noise, level = (given[port.name] for port in self.inputs)
        return {self.outputs[0].name: noise * level}


def with_noise_level(sensor: str, reads: Computation, precision: Precision) -> Computation:
    """What a sensor reads with one input more, the level of its noise; refused of one that has none."""
    noise = next((port for port in reads.inputs if port.name == f"{sensor}_noise"), None)
    if noise is None:
        raise Error(f"Plant: vary: '{sensor}.noise', but {sensor} has no noise; give it some, or leave it out")
    level = Levelled(sensor, Port(noise.name, noise.shape, noise.unit, noise.meaning)).computation(precision=precision)
    feeds = {f"{sensor}.{noise.name}": f"{level.name}.{sensor}_scaled"}
    return wired({level.name: level, sensor: reads}, feeds=feeds, name=sensor)
