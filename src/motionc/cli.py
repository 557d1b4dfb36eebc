"""The command line: check, show, convert, generate, bench, robots, cache.

Exit codes: 0 fine, 1 findings or an error, 2 usage.
"""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from motionc import benchmark
from motionc.display import findings_list, robot_tree, summary
from motionc.errors import Error
from motionc.loading import check as check_file
from motionc.loading import convert as convert_file
from motionc.loading import floats, load, read
from motionc.model import Findings, Robot
from motionc.model.quotes import visible
from motionc.robots import robot_file, robots
from motionc.runtime import Computation, cache, computation
from motionc.sweeps import Constraint

app = typer.Typer(help="A compiler for robot motion.", no_args_is_help=True)
console = Console(soft_wrap=True)

Source = Annotated[str, typer.Argument(help="a .urdf file, or the name of a robot that comes along")]
Floating = Annotated[
    bool | None,
    typer.Option("--floating/--fixed-base", help="whether the root link moves freely; else as `motionc robots` says"),
]
Fixed = Annotated[list[str], typer.Option("--fixed", help="a joint to hold at 0; may be repeated")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of text")]


@app.command()
def check(source: Source, as_json: AsJson = False) -> None:
    """Say everything that is wrong with a robot: rule, place, remedy."""
    findings = check_file(source)
    if as_json:
        _print_json(_findings(findings))
    else:
        console.print(findings_list(findings))
    raise typer.Exit(0 if findings.ok else 1)


@app.command()
def show(
    source: Source,
    floating: Floating = None,
    fates: Annotated[bool, typer.Option("--fates", help="list what became of every element of the file")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw a robot: tree, masses, limits, findings."""
    document = read(source)
    floating = floats(source) if floating is None else floating
    robot = Robot(document.chain, floating=floating, findings=document.findings) if document.findings.ok else None
    if as_json:
        described = {"findings": _findings(document.findings)} | (_robot(robot) if robot else {})
        _print_json(described | {"fates": [asdict(fate) for fate in document.fates]} if fates else described)
        raise typer.Exit(0 if robot else 1)
    if robot:
        console.print(summary(robot, document))
        console.print(robot_tree(robot))
    console.print(findings_list(document.findings))
    for fate in document.fates if fates else ():
        typer.echo(visible(f"{fate.outcome}  {fate.place}  {fate.reason}"))
    raise typer.Exit(0 if robot else 1)


@app.command()
def generate(
    source: Source,
    compute: Annotated[
        list[str],
        typer.Option(help="forward_kinematics, jacobian, inverse_dynamics, forward_dynamics or constrained_dynamics"),
    ],
    out: Annotated[Path, typer.Option(help="folder to write to")],
    target: Annotated[str, typer.Option(help="language: c, c_simd (batches), cuda, matlab, python, maxima")] = "c",
    frame: Annotated[str, typer.Option(help="frame of a Jacobian or constraint")] = "",
    rows: Annotated[str, typer.Option(help="constraint rows, such as 'xyz' or 'x y rz'")] = "xyz rx ry rz",
    prefix: Annotated[str, typer.Option(help="name of the function; <robot>_<computation> by default")] = "",
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Write a computation of a robot as source files."""
    robot = load(source, floating=floating, fixed=fixed)
    written: list[dict[str, Any]] = []
    for name in compute:
        made = _computation(robot, name, frame, rows)
        paths = made.emit(target, out, prefix)
        written.append({"computation": name, "files": list(map(str, paths)), "operations": dict(made.operations)})
    if as_json:
        _print_json(written)
    for entry in [] if as_json else written:
        console.print(f"{entry['computation']}: {sum(entry['operations'].values())} operations", style="bold")
        console.print(*entry["files"], sep="\n", markup=False, highlight=False)


@app.command()
def bench(
    source: Source,
    frame: Annotated[str, typer.Option(help="link that six rows constrain; the last one by default")] = "",
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    rounds: Annotated[int, typer.Option(help="rounds, of which the least counts", min=1)] = benchmark.ROUNDS,
    as_json: AsJson = False,
) -> None:
    """Time a robot's dynamics on one core, ours beside the peers that are installed."""
    robot = load(source, floating=floating, fixed=fixed)
    path = robot_file(source) or Path(source)
    if as_json:
        report = benchmark.compare(robot, path, frame, rounds)
        _print_json(benchmark.as_json(report))
    else:
        with console.status("one core, interleaved rounds") as status:
            report = benchmark.compare(robot, path, frame, rounds, tell=lambda doing: status.update(escape(doing)))
        console.print(benchmark.timing_table(report))
    for timing in report.disagreements:
        raise Error(f"{robot.name}, {timing.question}, {timing.contender}: {timing.note}")


@app.command()
def convert(
    source: Source,
    target: Annotated[Path, typer.Argument(help="a .urdf, .xml (MJCF) or .dot file")],
    as_json: AsJson = False,
) -> None:
    """Write a robot in another format."""
    document = convert_file(source, target)
    fates = Counter(fate.outcome for fate in document.fates)
    if as_json:
        _print_json({"file": str(target), "joints": len(document.chain.joints), "elements": fates})
        return
    said = ", ".join(f"{count} {outcome}" for outcome, count in fates.items())
    console.print(f"{target}: {len(document.chain.joints)} joints; elements of the source: {said}", markup=False)


@app.command("robots")
def robots_command(as_json: AsJson = False) -> None:
    """List the robots that come along."""
    if as_json:
        _print_json([asdict(robot) for robot in robots()])
    else:
        console.print(robots())


@app.command("cache")
def cache_command(
    clear: Annotated[bool, typer.Option("--clear", help="remove everything")] = False, as_json: AsJson = False
) -> None:
    """Show, or clear, what was compiled before."""
    removed = cache.clear() if clear else 0
    entries = cache.entries()
    total = sum(entry.size for entry in entries)
    if as_json:
        _print_json({"folder": str(cache.cache_folder()), "entries": len(entries), "bytes": total, "removed": removed})
    else:
        said = f", {removed} removed" if clear else ""
        console.print(f"{cache.cache_folder()}: {len(entries)} entries, {total / 2**20:.1f} MiB{said}", markup=False)


def main() -> None:
    """Run the command line; a motionc error becomes one sentence and exit code 1."""
    try:
        app()
    except Error as error:
        said = "\n".join(map(visible, str(error).split("\n")))
        Console(stderr=True, soft_wrap=True).print(said, style="red", markup=False)
        raise SystemExit(1) from None


COMPUTATIONS = ("forward_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics", "constrained_dynamics")


def _computation(robot: Robot, name: str, frame: str, rows: str) -> Computation:
    """A computation by name; those about a frame need to know which."""
    if name not in COMPUTATIONS:
        raise typer.BadParameter(f"{name!r} is no computation; there are {', '.join(COMPUTATIONS)}")
    if name in ("jacobian", "constrained_dynamics") and not frame:
        raise typer.BadParameter(f"{name} needs --frame")
    if name == "jacobian":
        return computation.jacobian(robot, frame)
    if name == "constrained_dynamics":
        return computation.constrained_dynamics(robot, [Constraint(frame, rows)])
    return getattr(computation, name)(robot)


def _findings(findings: Findings) -> list[dict[str, Any]]:
    return [asdict(finding) for finding in findings]


def _robot(robot: Robot) -> dict[str, Any]:
    limits = robot.limits
    return {
        "name": robot.name,
        "nq": robot.nq,
        "nv": robot.nv,
        "joints": list(robot.joint_names),
        "links": [{"name": link.name, "mass": link.mass, "com": link.com.tolist()} for link in robot.links],
        "frames": list(robot.frame_names),
        "limits": {
            name: [None if abs(x) == float("inf") else x for x in getattr(limits, name)]
            for name in ("lower", "upper", "velocity", "effort")
        },
    }


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
