"""A robot in the terminal: its tree, its findings, the fate of its elements."""

from collections import Counter
from math import degrees, inf
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from motionc.formats import Document, Outcome
from motionc.model import Findings, Joint, Robot, Severity
from motionc.model.findings import others
from motionc.model.quotes import visible

MOST = 500
"""Joints, and findings, that are drawn: a file may have 100,000 of each, and nobody reads them."""

STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def findings_list(findings: Findings, name: str = "") -> RenderableType:
    """Findings as compilers print them: place, rule, what is wrong; the line it is about; what to do.

    Those that say the same are told once. The last line counts them, after `name`, which says whose they are.
    """
    name = f"{visible(name)}: " if name else ""
    if not findings.items:
        return Text(f"{name}no findings", style="green")
    lines, groups = Text(), findings.groups
    for group in groups[:MOST]:
        finding = group[0]
        lines.append(f"{visible(str(finding.place))}: ")
        lines.append(f"{finding.severity} {finding.rule}", STYLE[finding.severity])
        lines.append(f": {visible(finding.message)}\n")
        if finding.quote:
            text, caret = finding.quote.under(finding.place.line).rsplit("\n", 1)
            lines.append(f"{text}\n", "dim").append(f"{caret}\n", STYLE[finding.severity])
        lines.append(f"    {visible(finding.remedy)}\n", "dim")
        if group[1:]:
            lines.append(f"    {visible(others(group))}\n", STYLE[finding.severity])
    if len(groups) > MOST:
        lines.append(f"… and {sum(map(len, groups[MOST:]))} more; --json lists them all\n", "dim")
    return lines.append(f"{name}{findings.summary}", "bold")


def robot_tree(robot: Robot) -> Text:
    """Links under the joints that move them, with masses and limits."""
    mass = {segment.name: segment.link.mass for segment in robot.segments}
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints[:MOST]:
        below.setdefault(joint.parent.name, []).append(joint)

    # depth-first; the guides of a line lead to those further up that have more to come
    root = robot.chain.root.name
    tree = _link(root, mass[root])
    pending = [(joint, "") for joint in reversed(below.get(root, []))]
    while pending:
        joint, guides = pending.pop()
        is_last = joint is below[joint.parent.name][-1]
        tree.append(f"\n{guides}{'└── ' if is_last else '├── '}")
        tree.append_text(Text.assemble(_joint(robot, joint), "  ", _link(joint.child.name, mass[joint.child.name])))
        deeper = guides + ("    " if is_last else "│   ")
        pending += [(child, deeper) for child in reversed(below.get(joint.child.name, []))]
    if len(robot.joints) > MOST:
        tree.append(f"\n… and {len(robot.joints) - MOST} more joints; --json lists them all", "dim")
    return tree


def summary(robot: Robot, document: Document) -> RenderableType:
    """Counts, total mass, and what became of the file's elements."""
    total = sum(segment.link.mass or 0.0 for segment in robot.segments)
    fates = Counter(fate.outcome for fate in document.fates)
    elements = ", ".join(f"{fates[outcome]} {outcome}" for outcome in Outcome if fates[outcome])
    return Group(
        Text(
            f"{visible(robot.name)}: {len(robot.segments)} links, nq {robot.nq}, nv {robot.nv}, {total:.4g} kg",
            style="bold",
        ),
        Text(f"elements: {elements}", style="dim"),
    )


def robot_object(robot: Robot) -> dict[str, Any]:
    """What a robot is, for a program that reads it."""
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


def _link(name: str, mass: float | None) -> Text:
    return Text.assemble((visible(name), "bold"), (f"  {mass:.4g} kg" if mass else "", "cyan"))


def _joint(robot: Robot, joint: Joint) -> Text:
    text = Text.assemble((visible(joint.name), "green" if joint.type.moves else "dim"), f" {joint.type}")
    if joint.name in robot.followers:
        leader, gain, offset = robot.followers[joint.name]
        text.append(f" = {gain:g} · {visible(leader)}" + (f" + {offset:g}" if offset else ""), "magenta")
    elif joint.name in robot.v_index and joint.limits.upper < inf:
        angle = joint.type.turns[0]
        low, high = ((degrees(x) if angle else x) for x in (joint.limits.lower, joint.limits.upper))
        text.append(f" [{low:.4g}, {high:.4g}] {'°' if angle else 'm'}", "dim")
    return text
