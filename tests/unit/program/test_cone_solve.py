"""cone_solve: what Pinocchio's ADMM and SciPy give; what nothing gives way to; how it changes; in lanes, in single
precision."""

import numpy as np
import pytest

import motionc as mc
from cones import (
    CLOSE,
    Array,
    Cones,
    by_admm,
    by_least_squares,
    contacts,
    random_cones,
    rows_of,
    solved,
    solving,
    turned,
    unmet,
)
from motionc.program.derive.differentiate import pullback, pushforward
from motionc.program.evaluate import evaluate
from motionc.program.kernels.cone_solve import cone_solve
from trials import trials

EXACT = 1e-12
TWO, FOUR = ("cone",) * 2, ("cone",) * 4
MIXED = ("cone", "one_sided", "box", "cone", "box", "one_sided")


# ---------------------------------------------------------------- who else says so


@pytest.mark.parametrize("kinds", [TWO, FOUR], ids=len)
def test_impulses_are_those_of_pinocchio_whatever_way_normals_point(kinds: tuple[str, ...]) -> None:
    rng, compared = np.random.default_rng(len(kinds)), 0
    for _ in range(trials(54)):
        upright = contacts(rng, len(kinds), 18)
        expected, converged = by_admm(upright)
        if not converged or unmet(kinds, upright, expected) > 1e-8:
            continue
        cones, turn = turned(rng, upright)
        x, residual, _ = solved(kinds, cones)
        assert residual < CLOSE
        assert turn.T @ x == pytest.approx(expected, abs=1e-7)
        compared += 1
    assert compared > trials(45)


def test_velocities_are_those_of_pinocchio_where_contacts_depend_on_each_other() -> None:
    rng, compared = np.random.default_rng(5), 0
    for _ in range(trials(36)):
        cones = contacts(rng, 4, 9)
        expected, converged = by_admm(cones)
        x, residual, _ = solved(FOUR, cones)
        assert residual < CLOSE
        if converged and unmet(FOUR, cones, expected) < 1e-8:
            assert cones.A @ x == pytest.approx(cones.A @ expected, abs=1e-7)
            compared += 1
    assert compared > trials(27)


def test_stops_boxes_and_contacts_without_friction_are_those_of_scipy() -> None:
    rng, call = np.random.default_rng(6), cone_solve(MIXED)
    for k in range(trials(45)):
        cones = random_cones(rng, call, ["", "compliant", "cold"][k % 3])
        for kind, at in rows_of(MIXED):
            cones.b[at] *= kind != "cone"
        x, residual, _ = solved(MIXED, cones)
        assert residual < CLOSE
        assert x == pytest.approx(by_least_squares(MIXED, cones), abs=1e-7)


def test_rows_of_all_kinds_together_are_solved_and_the_residual_says_how_far() -> None:
    rng, call = np.random.default_rng(7), cone_solve(MIXED, 3)
    met = 0
    for k in range(trials(45)):
        cones = random_cones(rng, call, ["", "compliant", "cold"][k % 3])
        *begun, far = call.run(list(cones.flat))
        assert far == pytest.approx(unmet(MIXED, cones, np.array(begun)), rel=1e-9, abs=1e-13)
        x, residual, _ = solved(MIXED, cones)
        met += residual < CLOSE
        assert unmet(MIXED, cones, x) == pytest.approx(residual, abs=1e-12)
    assert met >= trials(40)


# ---------------------------------------------------------------- what is special


def test_what_nothing_gives_way_to_has_no_impulse() -> None:
    m, rng = cone_solve(MIXED).size, np.random.default_rng(8)
    cones = random_cones(rng, cone_solve(MIXED))
    nowhere = cones._replace(A=np.zeros((m, m)), r=-np.ones(m))
    assert cone_solve(MIXED, 3).run(list(nowhere.flat))[:m] == [0.0] * m
    # a planar robot: its contacts do not give way along y, nor in the plane of some
    flat = rng.normal(size=(m, 4))
    flat[[1, 6]] = 0.0
    flat[3] = 0.0
    planar = cones._replace(A=flat @ flat.T, n=np.where(np.arange(m) % 5 == 2, 1.0, 0.0))
    *x, residual = cone_solve(MIXED, 25).run(list(planar.flat))
    assert np.isfinite([*x, residual]).all()
    assert x[3] == 0.0


def test_a_contact_that_may_stay_open_or_jam_takes_off() -> None:
    """Friction alone would hold it down: its normal velocity is up, and both answers keep the laws."""
    A = np.array([[1.0, 0.0, -2.0], [0.0, 1.0, 0.0], [-2.0, 0.0, 5.0]])
    lifted = Cones(A, np.array([-1.0, 0.0, 1.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), np.full(3, 4.0), np.zeros(3))
    jammed = -np.linalg.solve(A, lifted.r)
    assert unmet(("cone",), lifted, jammed) < 1e-12
    assert cone_solve(["cone"]).run(list(lifted.flat)) == [0.0] * 4


def test_a_contact_that_may_jam_sticks_and_slides_where_it_must() -> None:
    A = np.array([[1.0, 0.0, -2.0], [0.0, 1.0, 0.0], [-2.0, 0.0, 5.0]])
    pressed = Cones(A, np.array([0.3, 0.1, -1.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), np.full(3, 4.0), np.zeros(3))
    *x, residual = cone_solve(["cone"], 200).run(list(pressed.flat))
    assert x == pytest.approx(list(-np.linalg.solve(A, pressed.r)), rel=1e-9)
    assert residual < 1e-9
    sliding = pressed._replace(b=np.full(3, 2.4), r=np.array([0.0, -5.0, -1.0]))
    *x, residual = cone_solve(["cone"], 200).run(list(sliding.flat))
    assert unmet(("cone",), sliding, np.array(x)) < 1e-9
    assert np.hypot(x[0], x[1]) == pytest.approx(2.4 * x[2], rel=1e-9)


@pytest.mark.parametrize("friction", [1.5, 3.0, 20.0])
def test_a_contact_whose_friction_pushes_it_out_slides_by_what_stops_its_approach(friction: float) -> None:
    """y_n = -r_n / (D_nn + μ |D_nt|): full steps of the normal impulse would go there and back for ever."""
    D = np.array([[2.0, 0, -1], [0, 2, 0], [-1, 0, 1]])
    r = np.array([5.0, 0, -1])
    cones = Cones(D, r, np.zeros(3), np.array([0.0, 0, 1]), np.full(3, friction), np.zeros(3))
    *x, residual = cone_solve(["cone"], 40).run(list(cones.flat))
    assert x == pytest.approx(list(np.array([-friction, 0, 1]) / (1 + friction)), abs=1e-12)
    assert residual < 1e-12


def test_a_wrong_call_is_refused_in_a_sentence() -> None:
    for kinds, sweeps in (([], 5), (["cone"], 0), (["ball"], 5), (["cone"] * 33, 5)):
        with pytest.raises(mc.Error, match="kinds are cone, one_sided, box, of 1 to 96 rows in all"):
            cone_solve(kinds, sweeps)


def test_what_it_costs_is_promised() -> None:
    assert sum(cone_solve(FOUR, 5).operations().values()) <= 5161
    assert sum(cone_solve(FOUR, 6).operations().values()) - sum(cone_solve(FOUR, 5).operations().values()) <= 768


@pytest.mark.parametrize("precision", ["double", "single"])
def test_lanes_and_single_precision_give_what_one_state_gives(precision: str) -> None:
    rng, call = np.random.default_rng(9), cone_solve(MIXED, 4)
    specials = ("", "dependent", "nothing gives way", "compliant", "cold", "rough")
    states = [random_cones(rng, call, special) for special in specials * 3]
    expected = np.array([call.run(list(state.flat)) for state in states], float)
    solve = solving(MIXED, 4, precision)
    out = solve.batch(*[np.array([state[k] for state in states]) for k in range(6)])
    off = np.abs(np.column_stack([out.x, out.residual]) - expected) / (1 + np.abs(expected))
    assert np.isfinite(off).all()
    assert off.max() < (1e-10 if precision == "double" else 2e-2)
    one = solve(*states[0])
    assert np.append(one.x, one.residual) == pytest.approx(expected[0], rel=1e-9 if precision == "double" else 2e-2)


# ---------------------------------------------------------------- how it changes


def changed(cones: Cones, by: Cones, step: float) -> Cones:
    """All that is given, a step on; normals stay of length 1."""
    moved = Cones(*(part + step * change for part, change in zip(cones, by, strict=True)))
    normal = moved.n.copy()
    for kind, at in rows_of(MIXED):
        if kind == "cone":
            normal[at] /= np.linalg.norm(normal[at])
    return moved._replace(n=normal)


def states_of(cones: Cones, x: Array) -> list[str]:
    """What each block does."""
    K = cones.A + np.diag(cones.c)
    w, found = K @ x + cones.r, list[str]()
    for kind, at in rows_of(MIXED):
        if kind == "cone":
            slides = np.linalg.norm(w[at]) > 1e-7
            found.append("open" if cones.n[at] @ x[at] < 1e-9 else "slides" if slides else "sticks")
        else:
            found.append("stopped" if abs(w[at][0]) < 1e-9 else "at its bound" if x[at][0] else "free")
    return found


def test_it_changes_as_central_differences_say_forward_and_back() -> None:
    rng, call = np.random.default_rng(10), cone_solve(MIXED)
    names, step, seen = Cones._fields, 1e-6, set[str]()
    program = solving(MIXED, 1).program
    forward, back = pushforward(program, ["x"], names), pullback(program, ["x"], names)
    for k in range(trials(30)):
        cones = random_cones(rng, call, ["", "compliant"][k % 2])
        for kind, at in rows_of(MIXED):
            cones.b[at] *= 0.1 if kind == "box" else 1.0
        if k % 3 == 0:
            # pressed so that they stick
            cones = cones._replace(b=cones.b + 0.2 * (cones.n != 0.0), r=cones.r * 0.2 - cones.n)
        by = random_cones(rng, call, "compliant")
        across = by.n.copy()
        for kind, at in rows_of(MIXED):
            if kind == "cone":
                across[at] -= cones.n[at] * (cones.n[at] @ by.n[at])
        by = by._replace(n=across, A=by.A * 0.1)
        x, residual, _ = solved(MIXED, cones, EXACT)
        ends = [solved(MIXED, changed(cones, by, s), EXACT) for s in (step, -step)]
        same = {tuple(states_of(changed(cones, by, s), end[0])) for s, end in zip((step, -step), ends, strict=True)}
        if len(same) > 1 or max(residual, *(end[1] for end in ends)) > EXACT:
            continue
        slope = (ends[0][0] - ends[1][0]) / (2 * step)
        at = cones._replace(x0=x)
        given = dict(zip(names, at, strict=True))
        changes = {f"d{name}": change for name, change in zip(names, by, strict=True)}
        pushed = evaluate(forward, {**given, **changes})["dx"]
        assert pushed == pytest.approx(slope, rel=1e-6, abs=1e-6)
        # the same numbers on the way back
        bar = rng.normal(size=len(x))
        pulled = evaluate(back, {**given, "x_bar": bar})
        total = sum(float(np.sum(pulled[f"{name}_bar"] * change)) for name, change in zip(names, by, strict=True))
        assert total == pytest.approx(float(bar @ pushed), rel=1e-9)
        assert not np.any(pulled["x0_bar"])
        seen |= set(next(iter(same)))
    assert seen == {"open", "sticks", "slides", "stopped", "free", "at its bound"}


def test_velocities_change_as_differences_say_where_contacts_depend_on_each_other() -> None:
    rng, step, compared, stuck = np.random.default_rng(11), 1e-6, 0, 0
    forward = pushforward(solving(FOUR, 1).program, ["x"], ["r"])
    for _ in range(trials(18)):
        cones = contacts(rng, 4, 9, (0.6, 0.8))
        by = cones.A @ rng.normal(size=12)
        x, residual, _ = solved(FOUR, cones, EXACT)
        ends = [solved(FOUR, cones._replace(r=cones.r + s * by, x0=x), EXACT) for s in (step, -step)]
        if max(residual, *(end[1] for end in ends)) > EXACT:
            continue
        slope = cones.A @ (ends[0][0] - ends[1][0]) / (2 * step)
        given = dict(zip(Cones._fields, cones._replace(x0=x), strict=True))
        pushed = evaluate(forward, {**given, "dr": by})["dx"]
        assert cones.A @ pushed == pytest.approx(slope, rel=1e-5, abs=1e-5)
        compared += 1
        if np.max(np.abs(cones.A @ x + cones.r)) < 1e-9:
            # all stick, and go on
            assert cones.A @ pushed == pytest.approx(-by, rel=1e-9, abs=1e-9)
            stuck += 1
    assert compared >= trials(10)
    assert stuck > 0
