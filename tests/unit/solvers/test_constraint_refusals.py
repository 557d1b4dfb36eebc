"""Constraints that make no sense get a sentence: what, where, what to do."""

import numpy as np
import pytest

import motionc as mc
from mutants import tree

C, J = mc.Constraint, mc.JointConstraint


def ask(*rows, coupled: bool = False, **options) -> mc.Computation:
    return mc.constrained_dynamics(tree(False, coupled=coupled), rows, **options)


REFUSED = {
    # of one constraint
    "unknown frame": (lambda: ask(C("hnd", "x")), "Constraint on 'hnd': there is no frame 'hnd'; did you mean hand"),
    "unknown observer": (
        lambda: ask(C("hand", "x", wrt="lag")),
        "'hand', wrt: there is no frame 'lag'; did you mean leg",
    ),
    "unknown axes": (lambda: ask(C("hand", "x", as_seen_by="")), "as_seen_by=''; give the name of a frame"),
    "unknown token": (lambda: ask(C("hand", "xw")), "rows='xw'; name each of rx ry rz x y z at most once"),
    "a token twice": (lambda: ask(C("hand", "x y x")), "rows='x y x'; name each of"),
    "no token": (lambda: ask(C("hand", "")), "rows=''; name each of"),
    "wrong shape": (
        lambda: ask(C("hand", np.eye(3))),
        r"rows=array of shape \(3, 3\); give tokens in one string, such as .x y rz., or a finite 6×m matrix",
    ),
    "masked wrenches": (
        lambda: ask(C("hand", np.ma.array(np.eye(6)[:, [3]], mask=True))),
        "give tokens in one string",
    ),
    "one wrench": (lambda: ask(C("hand", np.ones(6))), r"rows=array of shape \(6,\); give tokens"),
    "no wrench": (lambda: ask(C("hand", np.ones((6, 0)))), r"rows=array of shape \(6, 0\)"),
    "infinite wrench": (lambda: ask(C("hand", np.full((6, 1), np.inf))), "finite 6×m matrix"),
    "no numbers": (
        lambda: ask(C("hand", [["a"]] * 6)),
        "Constraint on hand: rows=.*; give tokens in one string, such as .x y rz., or a finite 6×m matrix",
    ),
    "no matrix": (lambda: ask(C("hand", None)), "Constraint on hand: rows=None; give tokens"),
    "two coordinates": (lambda: ask(C("hand", "x", point=(0, 1))), r"point=\(0, 1\); give three finite coordinates"),
    "infinite point": (lambda: ask(C("hand", "x", point=(0, 0, np.nan))), "three finite coordinates in metres"),
    "point in words": (
        lambda: ask(C("hand", "x", point="tip")),
        "point='tip'; give three finite coordinates in metres",
    ),
    "fixed base": (lambda: ask(C("base", "x")), "fixed base, which cannot accelerate; constrain a moving link"),
    "observed base": (lambda: ask(C("base", "x", wrt="hand")), "say frame='hand' and wrt='world'"),
    "one body": (
        lambda: ask(C("hand", "x", wrt="hand")),
        "wrt='hand' belongs to .* too.*name a frame beyond some joint",
    ),
    "kind": (
        lambda: C("hand", "x", kind="clasical"),
        "Constraint on hand: kind='clasical'; say 'classical' or 'spatial'",
    ),
    "source": (lambda: C("hand", "x", source="motor"), "source='motor'; say 'task' or 'contact'"),
    "level 0": (lambda: C("hand", "x", level=0), "level=0; say 1 for what comes first"),
    "level 1.5": (lambda: C("hand", "x", level=1.5), "level=1.5; say 1"),
    "level true": (lambda: J("wrist", level=True), "JointConstraint on wrist: level=True; say 1"),
    "weight 0": (lambda: C("hand", "x", weight=0.0), "weight=0.0; give a finite number > 0"),
    "weight inf": (lambda: J("wrist", weight=np.inf), "weight=inf; give a finite number > 0"),
    "weight word": (lambda: J("wrist", weight="high"), "weight='high'; give a finite number > 0"),
    # along joints
    "unknown joint": (
        lambda: ask(J("wirst")),
        "JointConstraint on wirst: there is no movable joint 'wirst'; did you mean w",
    ),
    "no joint": (lambda: ask(J([])), "joints=.*; give the name of a movable joint"),
    "a joint twice": (lambda: ask(J(["wrist", "wrist"])), "name at least one joint, each once"),
    "short rows": (
        lambda: ask(J("wrist", np.eye(2))),
        r"rows of shape \(2, 2\); give a finite 1×m matrix, one line for each",
    ),
    "infinite rows": (lambda: ask(J("wrist", [[np.nan]])), "give a finite k×m matrix"),
    "words for rows": (lambda: ask(J("wrist", "x")), "give a finite k×m matrix"),
    "joint's source": (lambda: J("wrist", source="wall"), "source='wall'; say 'task' or 'contact'"),
    "a follower": (lambda: ask(J("hip"), coupled=True), "hip follows another joint; constrain the joint it follows"),
    # together
    "something else": (
        lambda: ask(C("hand", "x"), 3),
        "constraints=3; give the name of a frame, a Target or a Constraint",
    ),
    "prescribed twice": (
        lambda: ask(J(["wrist", "shoulder"]), prescribed=["shoulder"]),
        "JointConstraint on shoulder: its acceleration is prescribed already; say one or other",
    ),
    "prescribed beside followers": (
        lambda: ask(C("hand", "x"), prescribed=["shoulder"], coupled=True),
        "prescribed='shoulder': in .* hip follows wrist.*JointConstraint of level 1.*mimic='independent'",
    ),
    "unknown prescribed": (
        lambda: ask(C("hand", "x"), prescribed="sholder"),
        "no such movable joint; did you mean shoulder",
    ),
    "regularisation": (lambda: ask(C("hand", "x"), regularisation=-1), "regularisation=-1; give a finite number ≥ 0"),
    "regularisation nan": (
        lambda: ask(C("hand", "x"), regularisation=np.nan),
        "regularisation=nan; give a finite number ≥ 0",
    ),
    "regularisation in words": (
        lambda: ask(C("hand", "x"), regularisation="some"),
        "regularisation='some'; give a finite number",
    ),
    "refine beside damping": (
        lambda: ask(C("hand", "x"), regularisation=0.1, refine=True),
        "refine=True with regularisation=0.1: that misses b on purpose",
    ),
    "damping of levels": (
        lambda: ask(C("hand", "x"), C("hand", "y", level=3), regularisation=0.1),
        "regularisation=0.1 with levels 1, 3: it lets every row give way.*leave it out",
    ),
    "truncation": (lambda: ask(C("hand", "x"), truncation=1.0), "truncation=1.0; give a share between 0 and 1"),
    "truncation nan": (lambda: ask(C("hand", "x"), truncation=np.nan), "truncation=nan; give a share between 0 and 1"),
    "moment_arm": (
        lambda: ask(C("hand", "x"), moment_arm=0),
        "moment_arm=0; give a length from 0.001 to 1000 m, such as 0.1",
    ),
    "mu of a task": (
        lambda: C("hand", "x", mu=0.5),
        "Constraint on hand: mu=0.5 of a task; only contacts slip: say source='contact', or leave it out",
    ),
    "moment_arm that is lost": (
        lambda: ask(C("hand", "x"), moment_arm=1e-5),
        "moment_arm=1e-05; give a length from 0.001 to 1000 m, such as 0.1",
    ),
    "moment_arm that is lost in single precision": (
        lambda: ask(C("hand", "x"), moment_arm=0.005, precision="single"),
        "in single precision, moment_arm=0.005; give a length from 0.01 to 1000 m",
    ),
    "mu below zero": (
        lambda: C("hand", "xyz", source="contact", mu=-0.5),
        "Constraint on hand: mu=-0.5; give a finite number > 0",
    ),
    "mu of ice": (lambda: C("hand", "z", source="contact", mu=0.0), "mu=0.0; give a finite number > 0, or None where"),
    "mu without a normal": (
        lambda: C("hand", "x y", source="contact", mu=0.5),
        "Constraint on hand: mu=0.5, but its rows make no force along z of world, the normal; give mu to the contact",
    ),
    "no contact": (
        lambda: ask(C("hand", "x"), outputs=["wrenches"]),
        "outputs='wrenches': constrained dynamics has no such output",
    ),
    "posture": (lambda: ask(C("hand", "x"), posture=np.inf), r"posture=inf; give 0 \(constraints win over tau\) to 1"),
    "posture in words": (lambda: ask(C("hand", "x"), posture=None), "posture=None; give 0"),
    "outputs": (
        lambda: ask(C("hand", "x"), outputs=["lambda"]),
        "outputs='lambda': constrained dynamics has no such output",
    ),
    "no outputs": (lambda: ask(C("hand", "x"), outputs=[]), "outputs is empty: ask for at least one of a, tau_command"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_with_a_remedy(case: str) -> None:
    asked, said = REFUSED[case]
    with pytest.raises(mc.Error, match=said):
        asked()


def test_numbers_of_numpy_are_numbers() -> None:
    given = {"regularisation": np.float32(0.5), "posture": np.int64(1), "truncation": np.float64(1e-9)}
    assert ask(C("hand", np.eye(6, dtype=np.float32)), **given).inputs[3].shape == (6,)


def test_where_rows_are_damped_there_is_no_rank_to_ask_for() -> None:
    """Every row gives way a little, whatever it depends on."""
    robot = tree(False)
    out = ask(C("hand", "x"), regularisation=0.1).run(robot.random(0), *np.zeros((2, robot.nv)), [1])
    with pytest.raises(AttributeError, match="there is no output 'rank'"):
        assert out.rank
    assert out.residual[0] != 0


def test_a_constraint_is_said_in_the_port_it_adds() -> None:
    dynamics = ask(
        C("hand", "x", wrt="leg", kind="spatial", level=2, weight=3.0),
        J("wrist", source="contact"),
        prescribed="shoulder",
    )
    ports = {port.name: port for port in dynamics.inputs}
    assert ports["b"].shape == (2,)
    assert "acceleration along hand.x, wrist" in ports["b"].meaning
    assert "hand wrt leg as seen by world, spatial, a task, level 2, weight 3" in ports["b"].meaning
    assert "joints wrist, a contact" in ports["b"].meaning
    assert "read of shoulder" in ports["a"].meaning


def test_friction_is_refused_where_nobody_asks_for_it() -> None:
    robot = mc.load("planar2")
    foot = mc.Constraint("tip", "x z", source="contact", mu=0.5)
    for ask in (mc.impact, mc.operational_space):
        with pytest.raises(mc.Error, match=r"mu=0.5 on tip: friction is not heeded here; leave it out"):
            ask(robot, [foot])
