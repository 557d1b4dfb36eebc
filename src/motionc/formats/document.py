"""What reading a file gives, whatever its format: a chain, the fate of every element, and findings."""

from dataclasses import dataclass
from enum import StrEnum

from motionc.model.chain import KinematicChain
from motionc.model.findings import Findings, Place


class Outcome(StrEnum):
    """What became of an element."""

    USED = "used"  # mapped into the model
    KEPT = "kept"  # understood, plays no part in kinematics and dynamics, and goes back into a file as it came
    UNUSED = "unused"  # understood, and not part of the model
    UNKNOWN = "unknown"  # not defined by the format; kept where the format allows for it


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one element of a file, and why where it was not used, or when it matters."""

    place: Place
    outcome: Outcome
    reason: str = ""

    @property
    def element(self) -> str:
        """The path of the element, such as `robot/joint[panda_joint1]/limit`."""
        return self.place.element

    def __str__(self) -> str:
        return f"{self.place}: {self.outcome}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A file that was read: its chain, the fate of every element in document order, and all findings."""

    chain: KinematicChain
    fates: tuple[Fate, ...]
    findings: Findings
