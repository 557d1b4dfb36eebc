"""What does a robot look like as a graph: DOT text for Graphviz, links as boxes, joints as ellipses between them.

Fixed joints are dashed, followers hang on their leaders by dotted arrows. Names are labels, never identifiers: nothing
in them can end a string, open an element, or be read as an escape.
"""

from motionc import checked
from motionc.model.chain import Joint, KinematicChain
from motionc.model.robot import ROOT_JOINT, Robot

__all__ = ["to_dot"]


def to_dot(model: Robot | KinematicChain) -> str:
    """A robot as a DOT graph: `dot -Tsvg` draws it.

    >>> from motionc.formats import read_urdf
    >>> print(to_dot(read_urdf("<robot name='stone'><link name='stone'/></robot>").chain))
    digraph "stone" {
      node [shape=box, fontname="sans-serif"];
      l0 [label="stone"];
    }
    """
    checked.instance("to_dot: model", model, (Robot, KinematicChain), "give a Robot or a KinematicChain")
    robot = model if isinstance(model, Robot) else Robot(model)
    mass = {link.name: link.mass for link in robot.links}
    links = {name: f"l{number}" for number, name in enumerate(robot.link_names)}
    joints = {joint.name: f"j{number}" for number, joint in enumerate(robot.joints)}
    lines = [f"digraph {_quoted(robot.name)} {{", '  node [shape=box, fontname="sans-serif"];']
    for name, node in links.items():
        lines.append(f"  {node} [label={_quoted(name, f'{mass[name]:.4g} kg' if mass[name] else '')}];")
    if ROOT_JOINT in robot.v_index:
        lines.append(f"  world [label={_quoted('world')}];")
        lines.append(f"  root [shape=ellipse, label={_quoted(ROOT_JOINT, 'floating')}];")
        lines.append(f"  world -> root -> {links[robot.chain.root.name]};")
    for joint in robot.joints:
        node, dashed = joints[joint.name], not _moves(robot, joint)
        style = ", style=dashed" if dashed else ""
        lines.append(f"  {node} [shape=ellipse{style}, label={_quoted(joint.name, _said(robot, joint))}];")
        edge = " [style=dashed]" if dashed else ""
        lines.append(f"  {links[joint.parent.name]} -> {node} -> {links[joint.child.name]}{edge};")
    for follower, (leader, gain, offset) in robot.followers.items():
        label = _quoted(f"{gain:.4g} q {offset:+.4g}" if offset else f"{gain:.4g} q")
        lines.append(f"  {joints[leader]} -> {joints[follower]} [style=dotted, constraint=false, label={label}];")
    return "\n".join([*lines, "}"])


def _moves(robot: Robot, joint: Joint) -> bool:
    return joint.type.moves and joint.name not in robot.held


def _said(robot: Robot, joint: Joint) -> str:
    """The type of a joint, and where it is held."""
    return f"{joint.type}, held at {robot.held[joint.name]:.4g}" if joint.name in robot.held else str(joint.type)


def _quoted(*lines: str) -> str:
    """Lines of text as a DOT string: backslashes, quotes, entities and control characters stay what they are."""
    return '"' + "\\n".join("".join(map(_escaped, line)) for line in lines if line) + '"'


def _escaped(letter: str) -> str:
    if letter in '\\"':
        return "\\" + letter
    if letter == "&":
        return "&amp;"
    return letter if letter.isprintable() else "\\" + ascii(letter)[1:-1]
