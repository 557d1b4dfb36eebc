"""What comes in from outside and goes out: singular mass matrices, macros of strangers, files on full disks.

Robots and attacks are drawn up here, not taken from the tests; the rank is Pinocchio's.
"""

import os
import random
import re
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin

import motionc as mc
from acceptance import verdict
from motionc.formats import expand, read_urdf
from motionc.robots import robot_file
from motionc.writing import write_file

TREES = 300
KILLS = 40


def figures() -> Iterator[str]:
    """Every figure as a line, with ✗ where a bar was missed."""
    yield from masses()
    yield from macros()
    yield from files()


# ---------------------------------------------------------------- singular mass matrices


def masses() -> Iterator[str]:
    for what, (text, floating, joint) in singular().items():
        said = refusal(text, floating)
        yield f"  {what}: {f'refused by {said}' if said else 'accepted'}  {verdict(said == joint)}"
    verdicts = Counter[tuple[bool, bool]]()
    for seed in range(TREES):
        text, floating = random_tree(seed)
        verdicts[not refusal(text, floating), full_rank(text, floating, seed)] += 1
    regular, accepted = verdicts[True, True] + verdicts[False, True], verdicts[True, True]
    yield f"  of {TREES} random trees {regular} are regular: {accepted} accepted  {verdict(regular == accepted > 50)}"
    others, refused = TREES - regular, verdicts[False, False]
    yield f"  the other {others} are singular: {refused} refused by joint  {verdict(others == refused > 50)}"
    names = [robot.name for robot in mc.robots()]
    idle = [name for name in names if mc.load(name).idle_joints]
    yield f"  shipped robots refused: {len(idle)} of {len(names)}  {verdict(not idle)}"
    robot = mc.load("humanoid")
    times = list[float]()
    for _ in range(50):
        fresh = mc.Robot(robot.chain, findings=robot.findings, floating=True)
        start = time.process_time()
        assert fresh.idle_joints == ()
        times.append(time.process_time() - start)
    least = 1e3 * min(times)
    yield f"  asked of a humanoid, nv = {fresh.nv}: {least:.2f} ms of one core, below 5 wanted  {verdict(least < 5)}"


def singular() -> dict[str, tuple[str, bool, str]]:
    """Text, whether it floats, and the joint to blame."""
    bare = re.sub(r"<dynamics [^>]*/>", "", robot_file("lwr4").read_text(encoding="utf-8"))  # rotors are inertia, too
    links = re.split(r"(?=<link )", bare)
    hand = [part if '"link_7"' in part[:30] else re.sub(r"(?s)<inertial>.*?</inertial>", "", part) for part in links]
    return {
        "LWR 4, inertia in the hand alone": ("".join(hand), False, "joint_0"),
        "a massless root floated": (serial([0, 1]), True, "root_joint"),
        "four parallel hinges, mass at the end": (serial([0, 0, 0, 0, 1]), False, "j1"),
        "two coaxial hinges, nothing between": (serial([0, 0, 1], step=0.0), False, "j1"),
        "links of 0.1 mm and 1 µg": (serial([0, 1e-9, 1e-9], step=1e-4), False, ""),
    }


def serial(masses: list[float], step: float = 0.3) -> str:
    text = ""
    for k, mass in enumerate(masses):
        moment = 0.1 * mass * (step or 0.3) ** 2
        inertia = f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
        inertial = f'<inertial><origin xyz="{step} 0 0"/><mass value="{mass}"/>{inertia}</inertial>' if mass else ""
        text += f'<link name="l{k}">{inertial}</link>'
    for k in range(1, len(masses)):
        text += f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
        text += f'<origin xyz="{step} 0 0"/><axis xyz="0 0 1"/></joint>'
    return f'<robot name="r">{text}</robot>'


def random_tree(seed: int) -> tuple[str, bool]:
    """Hinges and slides, many along one direction, many links without mass or points; of any size."""
    rng = np.random.default_rng(10_000 + seed)
    size = 10.0 ** rng.integers(-3, 3)
    text = '<link name="l0"/>'
    for k in range(1, int(rng.integers(3, 10))):
        mass, moment = rng.choice([0.0, 1.0], p=[0.35, 0.65]), rng.choice([0.0, 0.01], p=[0.2, 0.8]) * size**2
        com = " ".join(repr(float(x)) for x in 0.2 * size * rng.normal(size=3))
        inertia = f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
        inertial = f'<inertial><origin xyz="{com}"/><mass value="{mass}"/>{inertia}</inertial>' if mass else ""
        kind = rng.choice(["continuous", "prismatic"], p=[0.8, 0.2])
        xyz = " ".join(repr(float(x)) for x in 0.4 * size * rng.normal(size=3))
        rpy = "0 0 0" if rng.random() < 0.5 else " ".join(repr(float(x)) for x in rng.uniform(-3, 3, 3))
        axis = " ".join(map(str, np.eye(3)[rng.integers(3)]))
        parent = k - 1 if rng.random() < 0.7 else int(rng.integers(k))
        text += f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="{kind}"><parent link="l{parent}"/>'
        text += f'<child link="l{k}"/><origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        text += '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    return f'<robot name="r">{text}</robot>', bool(rng.random() < 0.2)


def refusal(text: str, floating: bool) -> str:
    """The joint by which forward dynamics is refused, "" where it is not."""
    document = read_urdf(text)
    try:
        mc.forward_dynamics(mc.Robot(document.chain, findings=document.findings, floating=floating))
    except mc.Error as error:
        return re.search(r"movable joint (\S+) moves no inertia", str(error))[1]
    return ""


def full_rank(text: str, floating: bool, seed: int) -> bool:
    """Whether Pinocchio's M has it at some of five random configurations, scaled to a unit diagonal."""
    model = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floating else []))
    model.lowerPositionLimit[:7], model.upperPositionLimit[:7] = -1.0, 1.0
    pin.seed(seed)
    data = model.createData()
    for _ in range(5):
        M = pin.crba(model, data, pin.randomConfiguration(model))
        M = np.triu(M) + np.triu(M, 1).T
        d = np.sqrt(np.diag(M))
        # a diagonal that is rounding alone
        if (d > 1e-7 * d.max()).all() and np.linalg.matrix_rank(M / np.outer(d, d), tol=1e-11) == model.nv:
            return True
    return False


# ---------------------------------------------------------------- macros

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
EXPRESSIONS = [
    "(lambda: ().__class__.__bases__[0].__subclasses__())()",
    "[c for c in ().__class__.__base__.__subclasses__()]",
    "(c for c in (1,)).gi_frame",
    "__import__('os').system('touch ran')",
    "xacro.__class__",
    "xacro.load_yaml.__globals__['os']",
    "''.join(map('0.__class__'.format, [1]))",
    "python.type('T', (list,), dict(__len__=len))",
    "python.vars(xacro)",
    "str.mro()",
    "(x := 1)",
    "xacro._setitem('a', 1)",
    "open('/etc/passwd')",
    "getattr(1, 'real')",
    "xacro.load_yaml('/etc/passwd')",
    "load_yaml('/etc/hostname')",
    "list(map(load_yaml, ['/proc/self/environ']))",
    "xacro.load_yaml('../outside.yaml')",
    "xacro.load_yaml('link.yaml')",
    "xacro.load_yaml('/dev/zero')",
    "'x'*10**10",
    "'x'.ljust(10**10)",
    "'%9999999999d' % 1",
    "10**10**10",
    "list(range(10**10))",
    "python.sum(range(10**12))",
    "math.factorial(10**9)",
    "('a'*1000000).replace('a', 'b'*1000000)",
    "1 &lt;&lt; 10**10",
    "-" * 9000 + "1",
]
DOCUMENTS = [
    '<link name="$(env HOME)"/>',
    '<link name="$(eval [].__class__)"/>',
    '<link name="$(eval lambda: 1)"/>',
    '<xacro:arg name="a" default="().__cla"/><link name="${$(arg a)ss__}"/>',
    '<xacro:if value="${().__class__}"/>',
    '<xacro:macro name="m" params="a:=${().__class__}"><link name="${a}"/></xacro:macro><xacro:m/>',
    '<xacro:element xacro:name="${().__class__}"/>',
    '<xacro:include filename="/etc/passwd"/>',
    '<xacro:include filename="../outside.yaml" optional="true"/>',
    '<xacro:include filename="$(find ..)/outside.yaml"/>',
    '<xacro:include filename="/e*c/passw?"/>',
    '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
]


def macros() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "model")
        folder.mkdir()
        Path(place, "outside.yaml").write_text("a: SECRET\n", encoding="utf-8")
        (folder / "link.yaml").symlink_to(Path(place, "outside.yaml"))
        for name in ("json", "yaml", "xacro", "ast"):
            (folder / f"{name}.py").write_text("open('ran', 'w')\n", encoding="utf-8")
        bodies = [f'<link name="${{{expression}}}"/>' for expression in EXPRESSIONS] + DOCUMENTS
        before, slowest, through = os.getcwd(), 0.0, list[str]()
        os.chdir(folder)
        try:
            for body in bodies:
                (folder / "r.xacro").write_text(f"{HEAD}{body}</robot>", encoding="utf-8")
                start = time.perf_counter()
                try:
                    expand(folder / "r.xacro")
                    through.append(body)
                except mc.Error:
                    slowest = max(slowest, time.perf_counter() - start)
        finally:
            os.chdir(before)
        ran = (folder / "ran").exists()
    count = len(bodies)
    yield f"  escapes from a .xacro file: {count - len(through)} of {count} refused  {verdict(not through)}"
    yield from (f"    not refused: {body[:100]}" for body in through)
    yield f"  the slowest refusal took {slowest:.1f} s; anything of the current folder ran: {ran}  {verdict(not ran)}"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield f"  the largest process in all of that took {peak:.0f} MB, at most 1,024 wanted  {verdict(peak <= 1024)}"


# ---------------------------------------------------------------- files


def files() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "a.urdf")
        before = robot_file("lwr4").read_bytes()
        intact = refused = 0
        sizes = [0, 1, 100, *range(500, 6500, 250)]
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        path.write_bytes(before)
        for size in sizes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
            try:
                mc.convert(path, path)
            except mc.Error:
                refused += 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            intact += path.read_bytes() == before
        left = sorted(os.listdir(place))
        yield (
            f"  converted into itself on a disk that is full after 0 … {sizes[-1]} bytes: {refused} of {len(sizes)} "
            f"refused, {intact} files intact, {len(left) - 1} left behind  "
            f"{verdict(refused == intact == len(sizes) and left == ['a.urdf'])}"
        )
        whole = killed(path)
        yield f"  killed while writing, {KILLS} times: {whole} files whole  {verdict(whole == KILLS)}"


def killed(path: Path) -> int:
    """How often a file is one of two whole texts after the process that writes them in turn was killed."""
    texts, rng, whole = [letter * 1_000_000 for letter in "ab"], random.Random(0), 0
    write_file(path, texts[0])
    for _ in range(KILLS):
        child = os.fork()
        if child == 0:
            while True:
                for text in texts:
                    write_file(path, text)
        time.sleep(rng.uniform(0.002, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        whole += path.read_text(encoding="utf-8") in texts
    return whole


if __name__ == "__main__":
    for line in figures():
        print(line, flush=True)
