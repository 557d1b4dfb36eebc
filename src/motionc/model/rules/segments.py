"""The rules of a segment, Sg2 to Sg5: the frames joints attach to. Sg1 is: all rules of its link."""

from collections.abc import Iterator

from motionc.model.chain import Role, Segment
from motionc.model.findings import Finding
from motionc.model.rules.values import is_pose, repeated


def sg2_joint_frames_wrt_reference(segment: Segment) -> Iterator[Finding]:
    """Sg2: joint frames are placed with respect to the link's reference frame."""
    reference = segment.link.reference
    for frame in segment.frames:
        if frame.wrt not in ("", reference):
            known = segment.frame(frame.wrt) is not None
            yield Finding.error(
                "Sg2",
                segment.link.place,
                f"joint frame {frame.name} of segment {segment.name} is placed wrt {frame.wrt}"
                + ("" if known else ", which is no frame of it"),
                f"place it wrt {reference}",
            )


def sg3_constant(segment: Segment) -> Iterator[Finding]:
    """Sg3: those poses are constant numbers."""
    for frame in segment.frames:
        if callable(frame.pose) or not is_pose(frame):
            yield Finding.error(
                "Sg3",
                segment.link.place,
                f"frame {frame.name} of segment {segment.name} has no constant pose",
                "give a finite 4×4 matrix; what moves is a joint",
            )


def sg4_names(segment: Segment, *, alone: bool = False) -> Iterator[Finding]:
    """Sg4: one of the frames of a segment is a joint frame (unless it is alone), and each has a name of its own."""
    if segment.frames and not alone and not any(frame.role is Role.JOINT for frame in segment.frames):
        yield Finding.error(
            "Sg4",
            segment.link.place,
            f"segment {segment.name} has no joint frame",
            "give the frame a joint attaches to the role joint",
        )
    twice = dict(repeated(frame.name for frame in (*segment.frames, *segment.link.frames)))
    for name in sorted(twice.keys() & {frame.name for frame in segment.frames} if twice else ()):
        message = f"{twice[name]} frames of segment {segment.name} are called {name}"
        yield Finding.error("Sg4", segment.link.place, message, "rename all but one")


def sg5_no_inertia_or_shape(segment: Segment) -> Iterator[Finding]:
    """Sg5: inertia and shape belong to the link, not to the segment."""
    for frame in segment.frames:
        if frame.role not in (Role.JOINT, Role.FEATURE):
            yield Finding.error(
                "Sg5",
                segment.link.place,
                f"frame {frame.name} of segment {segment.name} has role {frame.role}",
                "declare inertia and shape frames on the link",
            )
