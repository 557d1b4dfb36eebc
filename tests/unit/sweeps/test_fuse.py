"""Schedules that add up: shared operations once, each part left as it is alone, two ways to one quantity refused."""

import zlib

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.sweeps import INWARD, OUTWARD, ROOT, Problem, Schedule, Sweep, operation, sweep, walk
from mutants import tree
from oracle import error, load, oracle
from public_robots import needs_public, public_file
from rows import row

S = mc.schedules
OUTPUTS = {
    "INVERSE_DYNAMICS": {"tau": "joint_force"},
    "FORWARD_DYNAMICS": {"acceleration": "joint_acceleration"},
    "MASS_MATRIX": {"M": "mass_matrix"},
    "CENTER_OF_MASS": {"com": "center"},
    "ENERGY": {"kinetic": "kinetic_energy", "potential": "potential_energy"},
}
EVERYTHING = ("INVERSE_DYNAMICS", "MASS_MATRIX", "CENTER_OF_MASS", "ENERGY")


def panda() -> mc.Robot:
    return mc.load(public_file("panda"), fixed=["panda_finger_joint1", "panda_finger_joint2"])


ROBOTS = {"panda": panda, "hyq": lambda: mc.load("hyq")}


def total(names: tuple[str, ...]) -> Schedule:
    first, *rest = [getattr(S, name) for name in names]
    for schedule in rest:
        first = first + schedule
    return first


def outputs(names: tuple[str, ...]) -> dict[str, str]:
    return {key: value for name in names for key, value in OUTPUTS[name].items()}


@needs_public
@row("motion-stack", 14)
@pytest.mark.parametrize(
    ("robot", "names"),
    [
        ("panda", ("INVERSE_DYNAMICS", "MASS_MATRIX")),
        ("panda", ("FORWARD_DYNAMICS", "ENERGY")),
        ("panda", EVERYTHING),
        ("hyq", ("INVERSE_DYNAMICS", "MASS_MATRIX", "ENERGY")),
    ],
)
def test_fused_solvers_cost_less_than_their_parts_and_say_the_same(robot, names, record_property) -> None:
    robot = ROBOTS[robot]()
    parts = [mc.solve(robot, getattr(S, name), outputs=OUTPUTS[name]) for name in names]
    together = mc.solve(
        robot, total(names), outputs={key: value for name in names for key, value in OUTPUTS[name].items()}
    )
    apart, fused = (sum(sum(each.operations.values()) for each in group) for group in (parts, [together]))
    record_property("operations", (apart, fused))
    assert fused < apart

    rng = np.random.default_rng(0)
    state = {"q": robot.random(rng)} | {port: rng.normal(size=robot.nv) for port in ("v", "a", "tau")}
    answer = together.run(*(state[port.name] for port in together.inputs))
    for part, name in zip(parts, names, strict=True):
        alone = part.run(*(state[port.name] for port in part.inputs))
        for key in OUTPUTS[name]:
            assert np.array_equal(answer[key], alone if len(part.outputs) == 1 else alone[key])


@pytest.mark.parametrize("name", ["lwr4", "anymal"])
def test_fused_solvers_agree_with_pinocchio(name) -> None:
    robot, witness = load(name), oracle(name)
    together = mc.solve(robot, total(EVERYTHING), outputs=outputs(EVERYTHING))
    assert [port.name for port in together.inputs] == ["q", "v", "a"]
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))
        out = together(q, v, a)
        kinetic, potential = witness.energy(q, v)
        assert error(out.tau, witness.inverse_dynamics(q, v, a)) < 1e-10
        assert error(out.M, witness.mass_matrix(q)) < 1e-10
        assert error(out.com, witness.center_of_mass(q)[0]) < 1e-10
        assert error(np.array([out.kinetic, out.potential]), np.array([kinetic, potential])) < 1e-10


def test_shared_sweeps_run_once() -> None:
    both = S.INVERSE_DYNAMICS + S.FORWARD_DYNAMICS
    names = [step.name for step in both.operations]
    shared = ("world_at_origin", "world_at_rest", "poses", "world_poses", "twists", "apply_wrenches")
    assert all(names.count(name) == 1 for name in shared)
    assert len(names) == len(S.INVERSE_DYNAMICS.operations) + len(S.FORWARD_DYNAMICS.operations) - len(shared)


def test_a_schedule_added_to_itself_is_itself() -> None:
    for schedule in (S.INVERSE_DYNAMICS, S.FORWARD_DYNAMICS, S.COUPLED_DYNAMICS, S.ENERGY):
        assert (schedule + schedule).sweeps == schedule.sweeps


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (S.ACCELERATIONS, S.INVERSE_DYNAMICS, r"'classical_acceleration'.* by world_stands_still, accelerations"),
        (
            S.MASS_MATRIX,
            S.INNOVATIONS,
            r"'mass_matrix', but differently: mass_matrix by gather_masses, innovations by multi",
        ),
    ],
)
def test_two_ways_to_one_quantity_are_refused(one, other, said) -> None:
    with pytest.raises(Error, match=f"both give {said}"):
        one + other
    with pytest.raises(Error, match="under another name"):
        other + one


@row("motion-stack", 14)
def test_only_schedules_and_sweeps_are_added() -> None:
    with pytest.raises(Error, match=r"'twists' is an Operation; add a schedule, or a sweep"):
        S.POSES + S.TWISTS["twists"]
    with pytest.raises(Error, match="a sweep is made of operations: 'poses' is a Schedule"):
        sweep(S.POSES)
    with pytest.raises(Error, match=r"wrap operations into sweep"):
        Schedule("bare", (S.TWISTS["twists"],))
    with pytest.raises(Error, match=r"write them as \(sweep"):
        Schedule("one", sweep(S.POSES["poses"]))


# ---------------------------------------------------------------- any two schedules


TREE = tree(True)


def mixed(*values: object) -> int:
    return zlib.crc32(repr(values).encode())


def random_operation(name: str, rng: np.random.Generator):
    """Reads and writes quantities at random, within what its direction allows."""
    quantities = list("abcde")
    direction = [OUTWARD, INWARD, ROOT][rng.integers(3)]
    gives = sorted(rng.choice(quantities, rng.integers(1, 3), replace=False))
    needs = sorted(rng.choice(quantities, rng.integers(0, 3), replace=False))
    reads = sorted({*gives, *needs})

    def at_joint(joint, parent, child):
        own = [child.get(quantity) for quantity in reads]
        seen = own if direction is INWARD else [*own, *(parent.get(quantity) for quantity in reads)]
        for quantity in gives:
            child[quantity] = mixed(name, quantity, seen)
            if direction is INWARD:
                parent[quantity] = (parent.get(quantity) or 0) + mixed(name, "gathered", quantity, seen)

    def at_root(graph, problem):
        seen = [state.get(quantity) for state in (graph.world, *graph) for quantity in reads]
        for quantity in gives:
            for state in (graph.world, *graph):
                state[quantity] = mixed(name, quantity, state.index, seen)

    made = at_root if direction is ROOT else at_joint
    made.__name__ = name
    return operation(direction, needs=needs, gives=gives)(made)


def random_schedule(name: str, pool: list, rng: np.random.Generator) -> Schedule:
    """Operations out of the pool whose needs are met, neighbours of one direction in one sweep or in two."""
    sweeps: list[Sweep] = []
    given: set[str] = set()
    for step in rng.choice(len(pool), 6):
        if not pool[step].needs <= given:
            continue
        given |= pool[step].gives
        if sweeps and sweeps[-1].direction is pool[step].direction and rng.integers(2):
            sweeps[-1] = sweep(*sweeps[-1].operations, pool[step])
        else:
            sweeps.append(sweep(pool[step]))
    return Schedule(name, tuple(sweeps))


def left_by(schedule: Schedule, quantities: frozenset[str]) -> list[object]:
    graph = walk(schedule, TREE.mechanism, Problem({}))
    return [state.get(quantity) for state in (graph.world, *graph) for quantity in sorted(quantities)]


def test_whatever_is_fused_leaves_each_part_as_it_is_alone() -> None:
    fused = saved = refused = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        pool = [random_operation(f"op{k}", rng) for k in range(5)]
        one, other = (random_schedule(name, pool, rng) for name in ("one", "other"))
        try:
            both = one + other
        except Error:
            refused += 1
            continue
        fused += 1
        saved += len(both.operations) < len(one.operations) + len(other.operations)
        for part in (one, other):
            assert left_by(both, part.gives) == left_by(part, part.gives), seed
    assert min(fused, saved, refused) > 30, (fused, saved, refused)


def counted(name: str, needs: str = "", gives: str = ""):
    """An operation at the root that adds up what it needs."""

    def step(graph, problem):
        graph.world[gives] = mixed(name, *(graph.world.get(quantity) for quantity in sorted({*needs, gives})))

    step.__name__ = name
    return operation(ROOT, needs=list(needs), gives=[gives])(step)


def test_a_reader_of_what_is_changed_later_comes_before_the_change() -> None:
    make, change, look = counted("make", gives="x"), counted("change", "x", "x"), counted("look", "x", "y")
    plain = Schedule("plain", (sweep(make), sweep(change)))
    looking = Schedule("looking", (sweep(make), sweep(look), sweep(change)))
    for both in (plain + looking, looking + plain):
        assert [step.name for step in both.operations] == ["make", "look", "change"]
    with pytest.raises(Error, match=r"both give 'x', but differently: plain by make, change, early by make"):
        plain + Schedule("early", (sweep(make, look),))


def test_schedules_that_no_order_serves_are_refused() -> None:
    x, y = counted("x", gives="x"), counted("y", gives="y")
    more_x, more_y = counted("more_x", "x", "x"), counted("more_y", "y", "y")
    one = Schedule("one", (sweep(x, y), sweep(more_y), sweep(counted("a", "xy", "a")), sweep(more_x)))
    other = Schedule("other", (sweep(x, y), sweep(more_x), sweep(counted("b", "xy", "b")), sweep(more_y)))
    with pytest.raises(Error, match="no order serves both"):
        one + other
