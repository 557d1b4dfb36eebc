"""A robot in the terminal: its tree, its findings, the fate of its elements."""

from collections import Counter
from math import degrees, inf

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from motionc.formats import Document, Outcome
from motionc.model import Findings, Joint, JointType, Robot, Severity
from motionc.model.quotes import visible

MOST = 500
"""Joints, and findings, that are drawn: a file may have 100,000 of each, and nobody reads them."""

STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def findings_list(findings: Findings) -> RenderableType:
    """Findings as compilers print them: place, rule, what is wrong; the line it is about; what to do."""
    if not findings.items:
        return Text("no findings", style="green")
    lines = Text()
    for finding in findings.items[:MOST]:
        lines.append(f"{visible(str(finding.place))}: ")
        lines.append(f"{finding.severity} {finding.rule}", STYLE[finding.severity])
        lines.append(f": {visible(finding.message)}\n")
        if finding.quote:
            text, caret = finding.quote.under(finding.place.line).rsplit("\n", 1)
            lines.append(f"{text}\n", "dim").append(f"{caret}\n", STYLE[finding.severity])
        lines.append(f"    {visible(finding.remedy)}\n", "dim")
    if len(findings) > MOST:
        lines.append(f"… and {len(findings) - MOST} more; --json lists them all\n", "dim")
    counts = Counter(finding.severity for finding in findings)
    lines.append(
        ", ".join(
            f"{counts[severity]} {severity}{'s' * (counts[severity] > 1)}" for severity in Severity if counts[severity]
        ),
        "bold",
    )
    return lines


def robot_tree(robot: Robot) -> Tree:
    """Links under the joints that move them, with masses and limits."""
    mass = {link.name: link.mass for link in robot.links}
    root = robot.chain.root
    tree = Tree(_link(root.name, mass[root.name]))
    branch = {root.name: tree}
    for joint in robot.joints[:MOST]:
        label = Text.assemble(_joint(robot, joint), "  ", _link(joint.child.name, mass[joint.child.name]))
        branch[joint.child.name] = branch[joint.parent.name].add(label)
    if len(robot.joints) > MOST:
        tree.add(Text(f"… and {len(robot.joints) - MOST} more joints; --json lists them all", style="dim"))
    return tree


def summary(robot: Robot, document: Document) -> RenderableType:
    """Counts, total mass, and what became of the file's elements."""
    total = sum(link.mass or 0.0 for link in robot.links)
    fates = Counter(fate.outcome for fate in document.fates)
    elements = ", ".join(f"{fates[outcome]} {outcome}" for outcome in Outcome if fates[outcome])
    return Group(
        Text(
            f"{visible(robot.name)}: {len(robot.links)} links, nq {robot.nq}, nv {robot.nv}, {total:.4g} kg",
            style="bold",
        ),
        Text(f"elements: {elements}", style="dim"),
    )


def _link(name: str, mass: float | None) -> Text:
    return Text.assemble((visible(name), "bold"), (f"  {mass:.4g} kg" if mass else "", "cyan"))


def _joint(robot: Robot, joint: Joint) -> Text:
    text = Text.assemble(
        (visible(joint.name), "green" if joint.type is not JointType.FIXED else "dim"), f" {joint.type}"
    )
    if joint.name in robot.followers:
        leader, gain, offset = robot.followers[joint.name]
        text.append(f" = {gain:g} · {visible(leader)}" + (f" + {offset:g}" if offset else ""), "magenta")
    elif joint.name in robot.v_index and joint.limits.upper < inf:
        angle = joint.type is not JointType.PRISMATIC
        low, high = ((degrees(x) if angle else x) for x in (joint.limits.lower, joint.limits.upper))
        text.append(f" [{low:.4g}, {high:.4g}] {'°' if angle else 'm'}", "dim")
    return text
