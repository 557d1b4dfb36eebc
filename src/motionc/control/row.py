"""A row of a machine's table: from which state, by which event, to which state, held for how long."""

from dataclasses import KW_ONLY, dataclass

from motionc import checked
from motionc.errors import Error

ANY = "*"
"""Every state but the row's own goal and those that are final."""

TABLE = 'give rows, such as (Row("STOP", "started", "CRUISE"), Row(ANY, "timeout", "STOP"))'


@dataclass(frozen=True, slots=True)
class Row:
    """A transition: in a state, where an event is seen, the machine goes to another state.

    >>> print(Row("APPROACH", "contact", "ALIGN", held=0.02))
    APPROACH -contact for 0.02 s-> ALIGN

    Args:
        from_: the state it leaves, or ANY.
        event: the event it waits for; of several, all in one tick.
        to: the state it enters.
        held: for how long (s) the event must have been seen without a break, all of it in that state; 0: one tick.
    """

    from_: str
    event: str | tuple[str, ...]
    to: str
    _: KW_ONLY
    held: float = 0.0

    def __post_init__(self) -> None:
        for end in ("from_", "to"):
            checked.name(f"Row: {end}", getattr(self, end), "give the name of a state")
        events = checked.names("Row: event", self.event, "give the name of an event, or of several")
        if not events:
            raise Error("Row: event is empty; a machine moves by events alone, name one")
        object.__setattr__(self, "event", events[0] if len(events) == 1 else events)
        held = checked.number("Row: held", self.held, "give seconds ≥ 0", fits=lambda time: time >= 0)
        object.__setattr__(self, "held", held)

    @property
    def events(self) -> tuple[str, ...]:
        """All that must be seen in one tick."""
        return (self.event,) if isinstance(self.event, str) else self.event

    def __str__(self) -> str:
        held = f" for {self.held:g} s" if self.held else ""
        return f"{'any' if self.from_ == ANY else self.from_} -{' & '.join(self.events)}{held}-> {self.to}"
