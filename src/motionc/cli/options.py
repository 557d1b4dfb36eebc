"""Which options say what a computation is told? Each is written once, and a command that takes `said` has them all."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of text")]


@dataclass(frozen=True, slots=True)
class Said:
    """What stands on the command line about computations; empty where nothing does."""

    frame: Annotated[list[str], typer.Option(help="a frame it is about, or is held by; may be repeated")] = field(
        default_factory=list[str]
    )
    constraint: Annotated[
        list[str],
        typer.Option(help="'FRAME: ROWS', such as 'tool: xyz rx; source=contact; as_seen_by=tool'; may be repeated"),
    ] = field(default_factory=list[str])
    rows: Annotated[str, typer.Option(help="which rows, such as 'xyz' or 'x y rz'")] = ""
    prescribed: Annotated[list[str], typer.Option(help="a joint whose acceleration is given; may be repeated")] = field(
        default_factory=list[str]
    )
    wrt: Annotated[str, typer.Option(help="frame that motion is with respect to")] = ""
    as_seen_by: Annotated[str, typer.Option(help="frame whose axes are meant")] = ""
    point: Annotated[str, typer.Option(help="point of the frame, such as '0 0 0.1'")] = ""
    gravity: Annotated[str, typer.Option(help="in world, such as '0 0 -9.81'")] = ""
    external_force: Annotated[
        list[str], typer.Option(help="a frame on which a wrench acts, as seen by the world; may be repeated")
    ] = field(default_factory=list[str])
    friction: Annotated[bool | None, typer.Option(help="damping and friction of the robot act, or not")] = None
    friction_smoothing: Annotated[float | None, typer.Option(help="speed below which friction is smooth")] = None
    parameter: Annotated[list[str], typer.Option(help="what is given with each call; may be repeated")] = field(
        default_factory=list[str]
    )
    output: Annotated[list[str], typer.Option(help="an output, if not the usual ones; may be repeated")] = field(
        default_factory=list[str]
    )
    packed: Annotated[
        bool | None, typer.Option(help="symmetric outputs once, the lower triangle row by row, or not")
    ] = None
    method: Annotated[str, typer.Option(help="by which method")] = ""
    regularisation: Annotated[
        float | None,
        typer.Option(
            "--regularisation", "--damping-factor", "--damping", help="of a solve: how much it gives way for bounds"
        ),
    ] = None
    dt: Annotated[float | None, typer.Option(help="length of a time step, in seconds")] = None
    stiffness: Annotated[float | None, typer.Option(help="of springs that pull all joints to a target")] = None
    joint_damping: Annotated[float | None, typer.Option(help="of dampers beside these springs")] = None
    implicit_stiffness: Annotated[bool | None, typer.Option(help="springs as at the end of a step, or not")] = None
    tolerance: Annotated[float | None, typer.Option(help="how much may be missing, in m and rad")] = None
    posture: Annotated[str, typer.Option(help="where joints go as far as they are free: start or middle")] = ""
    iterations: Annotated[int | None, typer.Option(help="steps from one start, at most")] = None
    restarts: Annotated[int | None, typer.Option(help="other starts to try, at most")] = None
    seed: Annotated[int | None, typer.Option(help="of these")] = None
    representation: Annotated[str, typer.Option(help="body, inertial or absolute")] = ""
    precision: Annotated[str, typer.Option(help="double or single")] = ""

    def by_option(self) -> dict[str, Any]:
        """What is said, by option; a regularisation of 0 is said too."""
        named = {each.name.replace("_", "-"): getattr(self, each.name) for each in fields(self)}
        return {option: value for option, value in named.items() if value not in ([], "", None)}


NOTHING = Said()


class Wrapped(TyperCommand):
    """A command whose help wraps between words: in Rich's table, options so many and long cut names short."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more | {"rich_markup_mode": None})


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer reads it: in place of its parameter `said`, an option for each field of Said."""
    hints, own = get_type_hints(Said, include_extras=True), inspect.signature(command)
    by_name = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(each.name, by_name, default=_default(each), annotation=hints[each.name])
        for each in fields(Said)
    ]

    @wraps(command)
    def called(**values: Any) -> None:
        command(said=Said(**{each.name: values.pop(each.name) for each in options}), **values)

    parameters: list[inspect.Parameter] = []
    for each in own.parameters.values():
        parameters += options if each.name == "said" else [each.replace(kind=by_name)]
    called.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _default(option: Any) -> Any:
    return option.default_factory() if option.default is MISSING else option.default
