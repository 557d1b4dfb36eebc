"""What changes with time, kept beside the mechanism: one state a body, each quantity in a slot that knows its meaning.

A slot refuses a relation of another kind, body, point or frame, and a value nobody has computed yet. While an
operation runs, it also refuses what the operation did not say it needs or gives.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Generic, Literal, TypeVar, overload

from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Body, Frame, JointRows, JointSway, Point, Pose, SemanticError
from motionc.geometry.coordinates import UNKNOWN, Coordinates, assemble, is_known, zeros
from motionc.geometry.meaning import refuse, step_between
from motionc.model.mechanism import Mechanism, MovingBody

T = TypeVar("T")
S = TypeVar("S", bound="BodyState", covariant=True)
Home = Literal["frame", "place", "center", "body", "joint", "none"]

CENTER = Point("center_of_mass", WORLD)
"""Where the centre of mass of everything is now."""


class Slot(Generic[T]):
    """A quantity of one body. `home` says what of it must be the body's own: body, point and axes ("frame"), point and
    axes ("place"), the body alone ("body"), that at the centre of mass in world axes ("center"), the joint it hangs on
    ("joint"), or nothing ("none")."""

    def __init__(self, kind: type[T], home: Home = "frame") -> None:
        self.kind, self.home = kind, home

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"{self.kind.__name__} ({self.home})"

    @overload
    def __get__(self, state: None, owner: type) -> "Slot[T]": ...
    @overload
    def __get__(self, state: "BodyState", owner: type) -> T: ...
    def __get__(self, state: "BodyState | None", owner: type) -> "T | Slot[T]":
        return self if state is None else state[self.name]

    def __set__(self, state: "BodyState", value: T) -> None:
        if not isinstance(value, self.kind):
            given, wanted = type(value).__name__, self.kind.__name__
            other = f"compute a {wanted}; {given} means something else: rename it"
            refuse(
                f"{self.name} of {state.body} = {value}",
                f"{given} is not a {wanted}",
                remedy=step_between(given, wanted) or other,
            )
        else:
            self._check_home(state, value)
        state.put(self.name, value)

    def _check_home(self, state: "BodyState", value: Any) -> None:
        expected: dict[str, Any] = {}
        if self.home == "frame" and isinstance(value, Pose):
            expected = {"of": state.frame}
        elif self.home in ("frame", "place"):
            expected = {"point": state.frame.origin, "as_seen_by": state.frame}
            if self.home == "frame":
                expected["of"] = state.body
        elif self.home == "center":
            expected = {"of": state.body, "point": CENTER, "as_seen_by": WORLD_FRAME}
        elif self.home == "body":
            expected = {"of": state.body}
        elif self.home == "joint":
            expected = {"joints": state.joints}
        for name, own in expected.items():
            if not hasattr(value, name):
                refuse(
                    f"{self.name} of {state.body} = {value}",
                    f"a slot at home in {self.home!r} wants {name}, which {type(value).__name__} has not",
                    remedy=f'say where it is at home: Slot({type(value).__name__}, "none") for what stands at no body',
                )
            elif getattr(value, name) != own:
                refuse(
                    f"{self.name} of {state.body} = {value}",
                    f"{name} of {value} is {getattr(value, name)}, but that of {state.body} is {own}",
                    remedy={
                        "of": "give the state of a body what belongs to that body: compose along the joint",
                        "point": f"change_point to {own}",
                        "as_seen_by": f"change_frame to {own}",
                        "joints": "give the state of a body what belongs to its own joint",
                    }[name],
                )


OWN = ("index", "body", "frame", "joints", "_values", "_watch")
"""What a state has beside quantities."""


class Watch:
    """Which operation is running, and what it said it needs and gives; empty between operations.

    On the way outward the parent is `finished`: nothing more is given to it. On the way inward it is `gathering`: what
    other operations of the sweep give (`others`) is not complete there, because not all children have been visited.
    """

    def __init__(self) -> None:
        self.name, self.needs, self.gives = "", frozenset[str](), frozenset[str]()
        self.others = frozenset[str]()
        self.finished: BodyState | None = None
        self.gathering: BodyState | None = None
        self.given: list[tuple[str, Any]] = []


class BodyState:
    """Everything known of one body at one instant.

    Quantities are declared where they are born: a subclass lists their slots, which every state then has, and types
    what operations read. Quantities of a user's own also go in and out by `state["name"]`.
    """

    def __init_subclass__(cls) -> None:
        for name, slot in list(vars(cls).items()):
            if isinstance(slot, Slot):
                known = vars(BodyState).get(name)
                if known is not None and (known.kind, known.home) != (slot.kind, slot.home):
                    raise Error(f"quantity {name!r} is declared twice, as {known} and as {slot}: rename one of them")
                setattr(BodyState, name, known or slot)

    def __init__(self, index: int, body: Body, frame: Frame, joints: tuple[str, ...], watch: Watch) -> None:
        self.index, self.body, self.frame, self.joints = index, body, frame, joints
        self._values: dict[str, Any] = {}
        self._watch = watch

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in OWN and not isinstance(getattr(BodyState, name, None), Slot):
            raise SemanticError(
                f"{name} = {value}",
                (f"no state has a slot {name!r}",),
                f"declare it in a subclass of BodyState, {name} = Slot({type(value).__name__}), or write state[…]",
            )
        object.__setattr__(self, name, value)

    @property
    def is_world(self) -> bool:
        return self.index < 0

    def __contains__(self, name: str) -> bool:
        self._declared(name)
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """A quantity that may not have been computed."""
        self._declared(name)
        return self._values.get(name, default)

    def __getitem__(self, name: str) -> Any:
        self._declared(name)
        if name not in self._values:
            raise SemanticError(
                f"{name} of {self.body}",
                (f"{self._watch.name or 'an output'} asks for it before anything has computed it",),
                f"let an operation that gives {name!r} reach {self.body} first",
            )
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        slot = getattr(BodyState, name, None)
        if isinstance(slot, Slot):
            slot.__set__(self, value)
        else:
            self.put(name, value)

    def put(self, name: str, value: Any) -> None:
        """Keep a value whose meaning is right; refused where the running operation may not give it."""
        watch = self._watch
        if watch.name and name not in watch.gives:
            raise SemanticError(
                f"{name} of {self.body} = {value}",
                (f"operation {watch.name} does not say that it gives {name!r}",),
                f"add {name!r} to its gives",
            )
        if watch.name and watch.finished is self:
            raise SemanticError(
                f"{name} of {self.body} = {value}",
                (f"operation {watch.name} gives it to the parent on the way outward, where it was read already",),
                "give it to the child; what a parent gathers from its children it gathers inward",
            )
        self._values[name] = value
        watch.given.append((name, value))

    def _declared(self, name: str) -> None:
        watch = self._watch
        if watch.name and name not in watch.needs and name not in watch.gives:
            raise SemanticError(
                f"{name} of {self.body}",
                (f"operation {watch.name} reads it without saying that it needs {name!r}",),
                f"add {name!r} to its needs",
            )
        if watch.name and watch.gathering is self and name in watch.others and name not in watch.gives:
            raise SemanticError(
                f"{name} of {self.body}",
                (f"operation {watch.name} reads it at the parent, whose other children may still add to it",),
                f"put {watch.name} into a sweep of its own, after this one",
            )


class StateGraph(Generic[S]):
    """The states of all bodies of a mechanism, and of the world (-1).

    Where a question leads to another, `before` holds the states that the one before has left, and `answers` what
    followed from them.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        before: "StateGraph[S] | None" = None,
        answers: Mapping[str, Coordinates] | None = None,
    ) -> None:
        self.before, self.answers = before, answers or {}
        self.watch = Watch()
        self.mechanism = mechanism
        self.world: S = _state(-1, WORLD, WORLD_FRAME, (), self.watch)
        self._states: list[S] = [_state(b.index, b.body, b.frame, b.joint.labels, self.watch) for b in mechanism.bodies]

    def __getitem__(self, index: int) -> S:
        return self.world if index < 0 else self._states[index]

    def __iter__(self) -> Iterator[S]:
        return iter(self._states)

    @property
    def first(self) -> "StateGraph[S]":
        """The states that the first question has left."""
        return self if self.before is None else self.before.first

    @property
    def places(self) -> dict[str, tuple[int, Any]]:
        """Where each joint coordinate is in v, and its gain there, a value: not 1 for followers."""
        return {
            label: (body.joint.v.start + k, self.gain(body))
            for body in self.mechanism.bodies
            for k, label in enumerate(body.joint.labels)
        }

    def gain(self, body: MovingBody) -> Any:
        """How fast a body's joint moves per unit of the coordinate it goes with: 1, or that of a follower."""
        return body.joint.gain

    @property
    def coordinates(self) -> tuple[str, ...]:
        """One label for each entry of v."""
        independent = (body.joint for body in self.mechanism.bodies if not body.joint.follows)
        labels = {joint.v.start + k: label for joint in independent for k, label in enumerate(joint.labels)}
        return tuple(labels[k] for k in range(self.mechanism.nv))

    def parted(self, prescribed: Collection[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The same labels, those of joints whose acceleration is prescribed apart from the others."""
        names = {label: body.joint.name for body in self.mechanism.bodies for label in body.joint.labels}
        told = [label for label in self.coordinates if prescribed is None or names[label] in prescribed]
        return tuple(told), tuple(label for label in self.coordinates if label not in told)


def _state(*about: Any) -> Any:
    """A state has every slot that was declared; what subclasses say is what operations may expect of it."""
    return BodyState(*about)


def joint_values(graph: StateGraph[Any], quantity: str, rows: tuple[str, ...] = ("",)) -> Coordinates:
    """A quantity of every joint that has it, row by row in the order of v; followers add to their leader, Gᵀ x.

    Of JointRows and JointSway, columns are those of `rows`.
    """
    entries: list[list[Any]] = [[0.0] * len(rows) for _ in range(graph.mechanism.nv)]
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if quantity not in state:
            continue
        joint, values = body.joint, state[quantity].values
        several = isinstance(state[quantity], JointRows | JointSway)
        columns = [rows.index(row) for row in state[quantity].rows] if several else [0]
        for k in range(joint.v.stop - joint.v.start):
            row = entries[joint.v.start + k]
            for source, column in enumerate(columns):
                row[column] = row[column] + values[k, source] * graph.gain(body)
    return assemble(entries) if entries else zeros(0, len(rows))


def in_order_of_v(graph: StateGraph[Any], matrix: Any, joints: tuple[str, ...]) -> Coordinates:
    """Columns, one a joint, in the order of v; those of one coordinate are summed, followers with their gain."""
    if not is_known(matrix):
        return UNKNOWN
    entries: list[list[Any]] = [[0.0] * graph.mechanism.nv for _ in range(matrix.shape[0])]
    places = graph.places
    for k, label in enumerate(joints):
        j, gain = places[label]
        for i in range(matrix.shape[0]):
            entries[i][j] = entries[i][j] + matrix[i, k] * gain
    return assemble(entries)
