"""The command line: check, show, view, picture, run, record, report, convert, generate, bundle, bench and others.

Exit codes: 0 fine, 1 a file with errors (with --strict: or warnings) or an error, 2 usage, 130 a run ended by Ctrl-C.
"""

import json
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from motionc import benchmark
from motionc.cli.computations import asked, derivatives, listed
from motionc.cli.display import findings_list, robot_object, robot_tree, summary
from motionc.cli.experiments import emitted, tasks
from motionc.cli.options import NOTHING, AsJson, Said, Wrapped, takes_options
from motionc.cli.record import record
from motionc.cli.report import report
from motionc.cli.run_task import Whom
from motionc.cli.seeing import picture, run, view
from motionc.cli.sources import Fixed, Floating, ForRobot, RobotOrTask, Roots, Source, Sources, loaded
from motionc.cli.tasks import check_task, convert_task, is_task, show_task, task_object
from motionc.cli.tour import tour
from motionc.computations.loading import check as check_file
from motionc.computations.loading import convert as convert_file
from motionc.computations.loading import floats, read
from motionc.computations.together import together
from motionc.errors import Error
from motionc.model import Findings, Robot
from motionc.model.quotes import visible
from motionc.packaging import bundle as bundle_computations
from motionc.robots import robots, shipped_robot
from motionc.runtime import Computation
from motionc.runtime.build import cache
from motionc.runtime.build.progress import told
from motionc.runtime.provenance import write_emitted
from motionc.targets import TARGETS
from motionc.version import __version__

app = typer.Typer(help="A compiler for robot motion.", no_args_is_help=True)
console = Console(soft_wrap=True)
for command in (run, tasks, view, picture, record, report, tour):
    app.command()(command)

Compute = Annotated[list[str], typer.Option(help=f"what; may be repeated: {listed()}")]
Emitted = Annotated[
    str, typer.Argument(help="a .urdf file, the name of a robot or of a task, or an experiment's .yaml")
]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"motionc {__version__}")
        raise typer.Exit


@app.callback()
def motionc(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="print it")] = False,
) -> None:
    """A compiler for robot motion."""


@app.command()
def check(
    sources: Sources,
    strict: Annotated[bool, typer.Option("--strict", help="let warnings count as errors do: exit code 1")] = False,
    robot: ForRobot = "",
    root: Roots = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Say everything that is wrong with robots and tasks: rule, place, remedy. Exit code 1 where one has errors."""
    fine, listed = True, list[dict[str, Any]]()
    for source in sources:
        try:
            findings = check_task(source, robot) if is_task(source) else check_file(source, roots=root)
        except Error as error:
            _print_error(error)
            fine = False
            continue
        fine = fine and findings.ok and not (strict and findings.warnings)
        listed += _findings(findings)
        if not as_json:
            console.print(findings_list(findings, source if len(sources) > 1 else ""))
    if as_json:
        _print_json(listed)
    raise typer.Exit(0 if fine else 1)


@app.command()
def show(
    source: RobotOrTask,
    floating: Floating = None,
    fates: Annotated[bool, typer.Option("--fates", help="list what became of every element of the file")] = False,
    robot: ForRobot = "",
    root: Roots = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Draw a robot: tree, masses, limits, findings. Of a task: what each number is about, and what it leaves free."""
    if is_task(source):
        _show_task(source, robot, as_json)
    else:
        _show_robot(source, floating, fates, root, as_json)


def _show_task(source: str, robot: str, as_json: bool) -> None:
    findings = check_task(source, robot)
    readable = not findings.of_rule("Read")
    if as_json:
        _print_json({"findings": _findings(findings)} | (task_object(source) if readable else {}))
    else:
        console.print(show_task(source, findings) if readable else findings_list(findings))
    raise typer.Exit(0 if findings.ok else 1)


def _show_robot(source: str, floating: bool | None, fates: bool, root: list[Path], as_json: bool) -> None:
    document = read(source, roots=root)
    floating = floats(source) if floating is None else floating
    robot = Robot(document.chain, floating=floating, findings=document.findings) if document.findings.ok else None
    if as_json:
        described = {"findings": _findings(document.findings)} | (robot_object(robot) if robot else {})
        _print_json(described | {"fates": [asdict(fate) for fate in document.fates]} if fates else described)
        raise typer.Exit(0 if robot else 1)
    if robot:
        console.print(summary(robot, document))
        console.print(robot_tree(robot))
    console.print(findings_list(document.findings))
    for fate in document.fates if fates else ():
        typer.echo(visible(f"{fate.outcome}  {fate.place}  {fate.reason}"))
    raise typer.Exit(0 if robot else 1)


@app.command(cls=Wrapped)
@takes_options
def generate(
    source: Emitted,
    out: Annotated[Path, typer.Option(help="folder to write to")],
    compute: Compute = [],  # noqa: B006
    whose: Whom = "",
    target: Annotated[list[str], typer.Option(help=f"language; may be repeated: {', '.join(TARGETS)}")] = ["c"],  # noqa: B006
    prefix: Annotated[str, typer.Option(help="name of the function; <robot>_<computation> by default")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="say what each pass did to the program")] = False,
    report: Annotated[
        bool,
        typer.Option("--report", help="say what C for one state takes, function by function: operations, code, stack"),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="write over files that answer another question")] = False,
    derivative: Annotated[
        list[str], typer.Option(help="'OF: WRT', such as 'a: q v', of whichever has these; may be repeated")
    ] = [],  # noqa: B006
    one: Annotated[bool, typer.Option("--together", help="all computations as one, what they share done once")] = False,
    said: Said = NOTHING,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Write computations of a robot, or the control cycle of a task, as source files."""
    for name in target:
        if name not in TARGETS:
            raise typer.BadParameter(f"{name!r} is no target; there are {', '.join(TARGETS)}")
    made = emitted(source, whose, compute, said, floating, fixed)
    made += [each for words in derivative for each in derivatives(made, words)]
    made = [together(*made)] if one else made
    written, owners = list[dict[str, Any]](), dict[str, tuple[str, str]]()
    with _progress(as_json) as tell:
        for each in made:
            tell(f"{each.name}: tracing")
            entry: dict[str, Any] = {
                "computation": each.name,
                "files": list[str](),
                "operations": dict(each.operations),
            }
            if (explain or report) and not isinstance(each, Computation):
                raise Error(f"{each.name} is a loop of programs; --explain and --report tell of one")
            if explain:
                entry["passes"] = each.passes
            if report:
                entry["functions"] = each.footprint()
            for language in dict.fromkeys(target):
                tell(f"{each.name}: {language}")
                own = f"{prefix}_{each.name}" if prefix and len(made) > 1 else prefix
                for file, text in each.sources(language, own).items():
                    owner, same = owners.setdefault(file, (f"{each.name} as {language}", text))
                    if same != text:
                        raise Error(
                            f"{owner} and {each.name} as {language} are both {file}: give each a folder of its own"
                        )
                    entry["files"].append(str(out / file))
            written.append(entry)
    write_emitted({out / file: text for file, (_, text) in owners.items()}, force=force)
    if as_json:
        tables = [name for name, told in (("passes", explain), ("functions", report)) if told]
        _print_json([entry | {name: list(map(asdict, entry[name])) for name in tables} for entry in written])
    for entry in [] if as_json else written:
        console.print(f"{entry['computation']}: {sum(entry['operations'].values())} operations", style="bold")
        for name in ("passes", "functions"):
            if name in entry:
                console.print(entry[name])
        console.print(*entry["files"], sep="\n", markup=False, highlight=False)


@app.command(cls=Wrapped)
@takes_options
def bundle(
    source: Source,
    compute: Compute,
    out: Annotated[Path, typer.Option(help="folder to write to")],
    name: Annotated[str, typer.Option(help="of the Python package; the robot's by default")] = "",
    wheel: Annotated[bool, typer.Option("--wheel", help="one file that pip installs")] = False,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="whether a compiled library for this platform is inside")
    ] = True,
    licence: Annotated[str, typer.Option(help="what to say about the rights in the robot's model")] = "",
    said: Said = NOTHING,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Pack computations of a robot so that they run without motionc: a Python package, C, a manifest."""
    robot = loaded(source, floating, fixed)
    made = list(asked(robot, compute, said))
    with _progress(as_json) as tell:
        path = bundle_computations(
            made, out, name=name, wheel=wheel, library=library, licence=licence or _rights(source), tell=tell
        )
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    if as_json:
        _print_json({"bundle": str(path), "files": list(map(str, files))})
    else:
        console.print(f"{path}: {', '.join(each.name for each in made)}", style="bold", markup=False)
        console.print(*map(str, files), sep="\n", markup=False, highlight=False)


@app.command()
def bench(
    source: Source,
    frame: Annotated[str, typer.Option(help="link that six rows constrain; the last one by default")] = "",
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    rounds: Annotated[int, typer.Option(help="rounds, of which the least counts", min=1)] = benchmark.ROUNDS,
    as_json: AsJson = False,
) -> None:
    """Time a robot's dynamics on one core: in C, called from Python, in lanes. Peers beside it: `make bench`."""
    robot = loaded(source, floating, fixed)
    with _progress(as_json) as tell:
        report = benchmark.timed(robot, frame, rounds, tell=tell)
    if as_json:
        _print_json(benchmark.as_json(report))
    else:
        console.print(benchmark.timing_table(report))
        console.print("compared with others: `make bench` in a checkout, docs/guide/benchmarks.md", style="dim")
    for timing in report.disagreements:
        raise Error(f"{robot.name}, {timing.question}, {timing.contender}: {timing.note}")


@app.command()
def convert(
    source: RobotOrTask,
    target: Annotated[Path, typer.Argument(help="a .urdf, .xml (MJCF) or .dot file; of a task .task, .yaml or .json")],
    root: Roots = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Write a robot, or a task, in another format."""
    if is_task(source):
        convert_task(source, target)
        _print_json({"file": str(target)}) if as_json else console.print(str(target), markup=False)
        return
    document = convert_file(source, target, roots=root)
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
        _print_error(error)
        raise SystemExit(1) from None


def _print_error(error: Error) -> None:
    said = "\n".join(map(visible, str(error).split("\n")))
    Console(stderr=True, soft_wrap=True).print(said, style="red", markup=False)


def _rights(source: str) -> str:
    """What is known about the rights in a robot's model: those that come along say whose figures they have."""
    robot = shipped_robot(source)
    return f"Model file of motionc (Apache-2.0), figures from {robot.source}." if robot else ""


@contextmanager
def _progress(quiet: bool) -> Generator[Callable[[str], None]]:
    """A line on a terminal that says what is being done, nothing elsewhere."""
    if quiet:
        yield lambda _: None
        return
    with console.status("") as status:

        def tell(doing: str) -> None:
            status.update(escape(doing))

        with told(tell):
            yield tell


def _findings(findings: Findings) -> list[dict[str, Any]]:
    return list(map(asdict, findings))


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
