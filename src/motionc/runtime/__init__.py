"""How does Python call it? Building, loading, and the Computation a user holds."""

from motionc.runtime.building import build
from motionc.runtime.computation import Computation
from motionc.runtime.frameworks.convert import to_casadi, to_jax, to_torch
from motionc.runtime.results import Results

__all__ = ["Computation", "Results", "build", "to_casadi", "to_jax", "to_torch"]
