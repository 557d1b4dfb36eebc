"""Inverse kinematics on a GPU: the same loop, a state a thread."""

from typing import Any

from motionc.program.port import common_states, expect_count, fitting, numbers, states_in
from motionc.runtime.arrays.device_arrays import kind_of
from motionc.runtime.results import Results


class DeviceInverseKinematics:
    """Inverse kinematics of many states on a GPU, called as `InverseKinematics.batch` is."""

    def __init__(self, whole: Any, device: str) -> None:
        self.whole, self.loop = whole, whole.loop.on(device)
        self.name = self.loop.name

    def __repr__(self) -> str:
        return f"DeviceInverseKinematics({self.name})"

    def __call__(self, q0: Any, targets: Any, *parameters: Any) -> Results:
        """All states in one launch, arrays (N, …); those of NumPy unless some given is CuPy's."""
        values, ports = (q0, targets, *parameters), self.whole.inputs
        expect_count(self.name, ports, len(values))
        pairs = list(zip(ports, values, strict=True))
        arrays = [numbers(self.name, p, v) if kind_of(v) == "numpy" else fitting(self.name, p, v) for p, v in pairs]
        counts = [states_in(self.name, port, array.shape, 0) for port, array in zip(ports, arrays, strict=True)]
        states, named = common_states(self.name, self.whole.name, ports, counts), self.whole.as_held(arrays)
        return self.whole.told(self.loop(**named, lanes=states, steps=self.whole.search.turns), named)
