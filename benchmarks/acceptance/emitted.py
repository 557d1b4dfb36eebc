"""Operation counts and emitted C, byte by byte, of many questions: the working tree against the commit before."""

import json
from collections.abc import Iterator

from acceptance import verdict
from acceptance.pace import BEFORE
from acceptance.versus import versions

ROBOTS = ("ur5", "palletiser", "fancy_branch", "quadruped")
TEXTS = """
import hashlib, json, sys
import motionc as mc
from motionc.runtime.samples import trials
from motionc.targets import TARGETS
found = {}
for name in json.loads(sys.argv[1]):
    robot = mc.load(name)
    tip, joint = robot.link_names[-1], robot.joint_names[-1]
    row, contact = mc.Constraint(tip, "x"), mc.Constraint(tip, "x", source="contact")
    asked = {
        **{each: () for each in (
            "forward_kinematics inverse_dynamics bias_forces gravity_forces mass_matrix mass_matrix_inverse "
            "mass_matrix_solve mass_matrix_factor center_of_mass centroidal_momentum energy regressor").split()},
        **{each: (tip,) for each in ("jacobian", "jacobian_rate", "inverse_velocity", "frame_motion")},
        "transform": ("world", tip), "path_jacobian": ("world", tip), "forward_dynamics": (),
        "hybrid_dynamics": ([joint],), "constrained_dynamics": ([row],), "operational_space": (row,),
        "impact": ([contact],),
    }
    made = {}
    for each, given in asked.items():
        try:
            made[each] = getattr(mc, each)(robot, *given)
        except mc.Error as refused:
            found[f"{name} {each}"] = str(refused)
    made["within limits"] = mc.constrained_dynamics(robot, [row], limits={joint: 0.5})
    made["derivative"] = mc.forward_dynamics(robot).derivative("a", ["q", "v"])
    for each, computation in made.items():
        found[f"{name} {each}"] = sum(computation.operations.values())
        for target in ("c", "python") if name == "ur5" else ("c",):
            program, precision = computation.program, computation.solver.precision
            for file, text in TARGETS[target](program, computation.function_name, precision, trials(program)).items():
                found[f"{name} {each} {target} {file}"] = hashlib.sha256(text.encode()).hexdigest()
print(json.dumps(found))
"""


def figures() -> Iterator[str]:
    """How many are equal, and each that is not."""
    with versions(BEFORE) as pair:
        before, now = (json.loads(version.said(TEXTS, json.dumps(ROBOTS))) for version in pair)
    for what, counts in (("operation counts", True), ("emitted texts", False)):
        keys = [key for key in before if (len(key.split()) < 4 and not isinstance(before[key], str)) is counts]
        other = [key for key in keys if now.get(key) != before[key]]
        yield f"  {what}: wanted {len(keys)} equal, are {len(keys) - len(other)} {verdict(not other)}"
        yield from (f"    other: {key}" for key in other)
    yield f"  keys that are new or gone: wanted 0, are {len(before.keys() ^ now.keys())}"
