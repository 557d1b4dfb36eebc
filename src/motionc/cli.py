"""The command line: `motionc check FILE`, `motionc show FILE`. Exit codes: 0 fine, 1 findings, 2 usage."""

from typing import Annotated

import typer
from rich.console import Console

from motionc.display import findings_list, robot_tree, summary
from motionc.errors import Error
from motionc.loading import check as check_file
from motionc.loading import read
from motionc.model import Robot

app = typer.Typer(help="A compiler for robot motion.", no_args_is_help=True, add_completion=False)
console = Console(soft_wrap=True)

Source = Annotated[str, typer.Argument(help="a .urdf file, or the name of a robot that comes along")]


@app.command()
def check(source: Source) -> None:
    """Say everything that is wrong with a robot: rule, place, remedy."""
    findings = check_file(source)
    console.print(findings_list(findings))
    raise typer.Exit(0 if findings.ok else 1)


@app.command()
def show(
    source: Source,
    floating: Annotated[bool, typer.Option("--floating", help="let the root link move freely")] = False,
    fates: Annotated[bool, typer.Option("--fates", help="list what became of every element of the file")] = False,
) -> None:
    """Draw a robot: tree, masses, limits, findings."""
    document = read(source)
    if document.findings.ok:
        robot = Robot(document.chain, floating=floating, findings=document.findings)
        console.print(summary(robot, document))
        console.print(robot_tree(robot))
    console.print(findings_list(document.findings))
    if fates:
        for fate in document.fates:
            console.print(f"{fate.outcome}  {fate.place}  {fate.reason}", markup=False)
    raise typer.Exit(0 if document.findings.ok else 1)


def main() -> None:
    """Run the command line; a motionc error becomes one sentence and exit code 1."""
    try:
        app()
    except Error as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False)
        raise SystemExit(1) from None
