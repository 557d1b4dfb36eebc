"""How many states a second a GPU computes, and from how many on it pays: the Panda, fingers fixed, arrays (n, N), and
ANYmal C and Talos, floating, where anymal_c.urdf (or example-robot-data) and talos_reduced.urdf are in
../shared/robots ($MOTIONC_SHARED).

    python benchmarks/gpu.py cpu docs/guide/gpu_cpu.json            on the processor to compare with
    python benchmarks/gpu.py gpu folder [docs/guide/gpu_cpu.json]   on the GPU: gpu.json, gpu_sweep.json and checks
    python benchmarks/gpu.py page docs/guide                        the table of cuda.md, from gpu.json

A state's bytes are those of its inputs and outputs, each moved once; the bandwidth is that of a copy within the GPU,
measured in the same run. Errors are those against double precision on the processor, max|x - ref| / max(1, max|ref|),
constrained ones where the rows are well apart (conditioning below 100).
"""

import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import motionc as mc
from entries import RACED, ROBOTS
from motionc.targets.cuda import OPTIONS

LARGE = 4_000_000
SWEEP = [2**k for k in range(10, 23)]
COMPARED = 20_000
KINDS = ("inverse dynamics", "forward dynamics", "constrained, 6 rows", "constrained, all outputs", "mass matrix")
DERIVATIVES = ("∂ inverse dynamics", "∂ forward dynamics")
"""With respect to q and v."""
TYPES = {"single": np.float32, "double": np.float64}
ANYMAL = ROBOTS / "anymal_c.urdf"
LARGER = {
    "ANYmal C": (ANYMAL if ANYMAL.exists() else RACED["ANYmal C"].path, 2_000_000),
    "Talos": (RACED["Talos"].path, 1_000_000),
}
"""Robots of many joints, and states of them; for derivatives a fifth of these."""


def computation(kind: str, precision: Any, robot: mc.Robot | None = None) -> mc.Computation:
    robot = robot or mc.load("panda")
    rows = [mc.Constraint("panda_hand", "rx ry rz x y z", as_seen_by="panda_hand", kind="spatial")]
    make: dict[str, Callable[[], mc.Computation]] = {
        "inverse dynamics": lambda: mc.inverse_dynamics(robot, precision=precision),
        "forward dynamics": lambda: mc.forward_dynamics(robot, precision=precision),
        "constrained, 6 rows": lambda: mc.constrained_dynamics(robot, rows, outputs=["a"], precision=precision),
        "constrained, all outputs": lambda: mc.constrained_dynamics(robot, rows, precision=precision),
        "mass matrix": lambda: mc.mass_matrix(robot, precision=precision),
        DERIVATIVES[0]: lambda: mc.inverse_dynamics(robot, precision=precision).derivative("tau", ["q", "v"]),
        DERIVATIVES[1]: lambda: mc.forward_dynamics(robot, precision=precision).derivative("a", ["q", "v"]),
    }
    return make[kind]()


def states(asked: mc.Computation, count: int, dtype: Any, seed: int = 0) -> list[Any]:
    """Random inputs (…, N): q within limits, tau in ±10, all else in ±1."""
    rng, robot = np.random.default_rng(seed), asked.solver.robot
    drawn = list[Any]()
    for port in asked.inputs:
        if port.name == "q":
            some = np.array([robot.random(rng) for _ in range(min(count, 4096))]).T
            values = np.tile(some, -(-count // some.shape[1]))[:, :count]
        else:
            size = 10.0 if port.name == "tau" else 1.0
            values = rng.uniform(-size, size, (*port.shape, count))
        drawn.append(np.ascontiguousarray(values, dtype))
    return drawn


def outputs(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, tuple) else [answer]


def alone(arrays: list[Any]) -> Any:
    """One array as it is, several as they are."""
    return arrays[0] if len(arrays) == 1 else arrays


# ---------------------------------------------------------------- the processor


def on_the_processor(path: Path) -> None:
    found = list[dict[str, Any]]()
    for precision, dtype in TYPES.items():
        for kind in KINDS[:3]:
            asked = computation(kind, precision)
            for count in (1024, 4096, 16384, 65536, 262144):
                given = states(asked, count, dtype)
                asked.batch(*given, axis=-1)
                times = list[float]()
                while len(times) < 5 or (sum(times) < 0.5 and len(times) < 200):
                    start = time.perf_counter()
                    asked.batch(*given, axis=-1)
                    times.append(time.perf_counter() - start)
                found.append({"computation": kind, "precision": precision, "states": count, "seconds": min(times)})
                print(found[-1], flush=True)
    path.write_text(json.dumps(found, indent=1) + "\n")


# ---------------------------------------------------------------- the GPU


class Measured:
    """Times on the GPU, and what was checked there."""

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self.checks = list[dict[str, Any]]()

    def seconds(self, launch: Callable[[], Any], repeat: int = 20, rounds: int = 7) -> float:
        """The median over rounds of the mean time of a launch."""
        begin, end = (self.cupy.cuda.Event() for _ in range(2))
        for _ in range(3):
            launch()
        times = list[float]()
        for _ in range(rounds):
            begin.record()
            for _ in range(repeat):
                launch()
            end.record()
            end.synchronize()
            times.append(self.cupy.cuda.get_elapsed_time(begin, end) / 1e3 / repeat)
        return float(np.median(times))

    def copy_bandwidth(self) -> float:
        """Bytes a second, read and written."""
        a, b = (self.cupy.zeros(2**28, np.float32) for _ in range(2))
        return 2 * a.nbytes / self.seconds(lambda: self.cupy.copyto(b, a))

    def check(self, what: str, test: Callable[[], Any]) -> None:
        """One thing that must hold; that it does not, ends nothing."""
        try:
            said = test()
            self.checks.append({"check": what, "passed": True, "said": str(said)})
        except Exception as error:
            self.checks.append({"check": what, "passed": False, "said": traceback.format_exc(limit=-3)})
            said = f"FAILED: {type(error).__name__}: {error}"
        print(f"  {what}: {said}", flush=True)


def error(found: Any, expected: Any) -> float:
    expected = np.asarray(expected, float)
    return float(np.max(np.abs(np.asarray(found, float) - expected)) / max(1.0, float(np.max(np.abs(expected)))))


def cases() -> Iterator[tuple[str, str, mc.Robot | None, int]]:
    """What is in the table: its name, the computation, the robot if it is not the Panda, and how many states."""
    yield from ((kind, kind, None, LARGE) for kind in KINDS)
    yield from ((kind, kind, None, LARGE // 5) for kind in DERIVATIVES)
    for name, (path, count) in LARGER.items():
        if path.exists():
            robot = mc.load(path, floating=True)
            yield from ((f"{name}, {kind}", kind, robot, count) for kind in KINDS[:2])
            yield from ((f"{name}, {kind}", kind, robot, count // 5) for kind in DERIVATIVES)


def accuracy(
    cupy: Any, kind: str, asked: mc.Computation, dtype: Any, robot: mc.Robot | None = None
) -> tuple[float, float]:
    """The largest error against double precision on the processor, and the share of states compared."""
    given = states(asked, COMPARED, dtype, seed=1)
    found = [cupy.asnumpy(y) for y in outputs(asked.on("cuda")(*map(cupy.asarray, given), axis=-1))]
    exact = [np.asarray(x, float) for x in given]
    expected = outputs(computation(kind, "double", robot).batch(*exact, axis=-1))
    good = np.ones(COMPARED, bool)
    if kind.startswith("constrained"):
        every = computation("constrained, all outputs", "double").batch(*exact, axis=-1)
        good = every.conditioning < 100
    # what is left to miss is compared with what was asked, and reports are no quantities
    scale = {"residual": float(np.max(np.abs(expected[0])))}
    names = [port.name for port in asked.outputs]
    worst = max(
        error(a[..., good], b[..., good]) / scale.get(name, 1.0)
        for name, a, b in zip(names, found, expected, strict=True)
        if name not in ("conditioning", "rank")
    )
    return worst, float(good.mean())


def table(measured: Measured, bandwidth: float) -> list[dict[str, Any]]:
    cupy, found = measured.cupy, list[dict[str, Any]]()
    for precision, dtype in TYPES.items():
        for name, kind, robot, count in cases():
            asked = computation(kind, precision, robot)
            gpu = asked.on("cuda")
            given = [cupy.asarray(x) for x in states(asked, count, dtype)]
            start = time.perf_counter()
            out = outputs(gpu(*given, axis=-1))
            cupy.cuda.Device().synchronize()
            first = time.perf_counter() - start
            seconds = measured.seconds(lambda gpu=gpu, given=given, out=out: gpu(*given, axis=-1, out=alone(out)), 50)
            bytes_ = sum(port.size for port in (*asked.inputs, *asked.outputs)) * np.dtype(dtype).itemsize
            worst, share = accuracy(cupy, kind, asked, dtype, robot)
            found.append(
                {
                    "computation": name,
                    "precision": precision,
                    "states": count,
                    "per_second": count / seconds,
                    "bytes_per_state": bytes_,
                    "operations_per_state": sum(asked.operations.values()),
                    "copy_bandwidth": bandwidth,
                    "share_of_bandwidth": count / seconds * bytes_ / bandwidth,
                    "error": worst,
                    "compared": share,
                    "registers": gpu.registers,
                    "spilled_bytes": gpu.spilled,
                    "first_call_seconds": first,
                }
            )
            row = found[-1]
            print(
                f"{name:26s} {precision}: {row['per_second'] / 1e9:6.2f}e9/s  "
                f"{row['share_of_bandwidth']:4.0%} of copy  error {worst:.1e} "
                f"({share:.0%})  {gpu.registers} registers, {gpu.spilled} B spilled, first call {first:.1f} s",
                flush=True,
            )
            del given, out
            cupy.get_default_memory_pool().free_all_blocks()
    return found


def sweep(measured: Measured, processor: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """From how many states on it pays: a call from Python until the results are there, and the launch alone."""
    cupy, found = measured.cupy, list[dict[str, Any]]()
    for precision, dtype in TYPES.items():
        for kind in KINDS[:3]:
            asked = computation(kind, precision)
            gpu = asked.on("cuda")
            for count in SWEEP:
                given = [cupy.asarray(x) for x in states(asked, count, dtype)]
                out = alone(outputs(gpu(*given, axis=-1)))
                launch = measured.seconds(lambda g=gpu, x=given, y=out: g(*x, axis=-1, out=y), 50, 5)
                times = list[float]()
                for _ in range(20):
                    cupy.cuda.Device().synchronize()
                    start = time.perf_counter()
                    gpu(*given, axis=-1, out=out)
                    cupy.cuda.Device().synchronize()
                    times.append(time.perf_counter() - start)
                cpu = [
                    row["seconds"] / row["states"] * count
                    for row in processor
                    if (row["computation"], row["precision"]) == (kind, precision) and row["states"] <= max(count, 1024)
                ]
                found.append(
                    {
                        "computation": kind,
                        "precision": precision,
                        "states": count,
                        "launch_seconds": launch,
                        "call_seconds": float(np.median(times)),
                        "processor_seconds": min(cpu, default=None),
                    }
                )
            some = [row for row in found if (row["computation"], row["precision"]) == (kind, precision)]
            for row in some[::3]:
                faster = row["processor_seconds"] / row["call_seconds"] if row["processor_seconds"] else float("nan")
                print(
                    f"{kind:26s} {precision} {row['states']:8d}: launch {row['launch_seconds'] * 1e6:8.1f} µs, "
                    f"call {row['call_seconds'] * 1e6:8.1f} µs, {faster:6.1f} times the processor",
                    flush=True,
                )
    return found


# ---------------------------------------------------------------- arrays, streams, graphs


def interoperation(measured: Measured) -> None:
    cupy = measured.cupy
    asked = computation("forward dynamics", "single")
    gpu, count = asked.on("cuda"), 10_000
    given = states(asked, count, np.float32)
    expected = asked.batch(*given, axis=-1)
    rows = [np.ascontiguousarray(x.T) for x in given]

    def close(found: Any, to: Any = expected) -> float:
        off = error(found, to)
        assert off < 1e-4, off
        return off

    on_gpu = [cupy.asarray(x) for x in given]
    measured.check("CuPy (n, N)", lambda: close(gpu(*on_gpu, axis=-1).get()))
    measured.check("CuPy (N, n)", lambda: close(gpu(*map(cupy.asarray, rows)).get(), expected.T))
    measured.check("CuPy, transposed views", lambda: close(gpu(*[x.T for x in on_gpu]).get(), expected.T))
    spread = [cupy.zeros((14, 3 * count), np.float32) for _ in given]
    for wide, x in zip(spread, given, strict=True):
        wide[::2, ::3] = cupy.asarray(x)
    measured.check("CuPy, strided", lambda: close(gpu(*[x[::2, ::3] for x in spread], axis=-1).get()))
    measured.check("NumPy in and out", lambda: close(gpu(*given, axis=-1)))

    def one_for_all() -> float:
        found = gpu(on_gpu[0], on_gpu[1][:, 0], np.zeros(7), axis=-1)
        return close(found.get(), asked.batch(given[0], given[1][:, 0], np.zeros(7), axis=-1))

    measured.check("one value for all", one_for_all)
    measured.check("no states", lambda: gpu(*[x[:, :0] for x in on_gpu], axis=-1).shape)
    measured.check("one state", lambda: close(gpu(*[x[:, :1] for x in on_gpu], axis=-1).get(), expected[:, :1]))

    def refused(*inputs: Any, **more: Any) -> str:
        try:
            gpu(*inputs, **more)
        except mc.Error as error:
            return str(error)
        raise AssertionError("not refused")

    measured.check("float64 refused", lambda: refused(on_gpu[0].astype(float), *on_gpu[1:], axis=-1))
    measured.check("a wrong shape refused", lambda: refused(on_gpu[0][:6], *on_gpu[1:], axis=-1))
    measured.check("overlap refused", lambda: refused(*on_gpu, axis=-1, out=on_gpu[2]))

    # streams
    def own_stream() -> float:
        stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.Device().synchronize()
        out = cupy.empty_like(on_gpu[0])
        gpu(*on_gpu, axis=-1, out=out, stream=stream)
        stream.synchronize()
        first = close(out.get())
        out[:] = 0
        cupy.cuda.Device().synchronize()
        gpu(*on_gpu, axis=-1, out=out, stream=stream.ptr)
        stream.synchronize()
        return max(first, close(out.get()))

    measured.check("a stream of CuPy's, and its address", own_stream)

    # graphs
    def graph() -> float:
        held = [x.copy() for x in on_gpu]
        captured = gpu.graph(*held, axis=-1)
        held[2] *= 0.5
        captured.outputs[:] = 0
        out = captured.replay()
        halved = asked.batch(given[0], given[1], given[2] * np.float32(0.5), axis=-1)
        return close(out.get(), halved)

    measured.check("a graph, replayed on new numbers", graph)

    def replay_time() -> str:
        held = [x[:, :1024].copy() for x in on_gpu]
        captured, out = gpu.graph(*held, axis=-1), cupy.empty((7, 1024), np.float32)
        called = measured.seconds(lambda: gpu(*held, axis=-1, out=out), 500, 3)
        return f"replay {measured.seconds(captured.replay, 500, 3) * 1e6:.1f} µs, call {called * 1e6:.1f} µs"

    measured.check("launches of 1024 states, one after the other", replay_time)

    # notes and records
    def record() -> str:
        every = computation("constrained, all outputs", "single")
        inputs = states(every, 1000, np.float32)
        found = every.on("cuda")(*map(cupy.asarray, inputs), axis=-1)
        assert found.notes == every.batch(*inputs, axis=-1).notes
        return f"{found.names}, {len(found.notes)} notes"

    measured.check("a record and its notes", record)
    measured.check("Torch", lambda: with_torch(measured, gpu, given, close))
    measured.check("JAX", lambda: with_jax(gpu, given, close))
    measured.check("emitted files check themselves", self_tests)


def with_torch(measured: Measured, gpu: Any, given: list[Any], close: Callable[..., float]) -> str:
    import torch

    tensors = [torch.from_numpy(x).cuda() for x in given]
    found = gpu(*tensors, axis=-1)
    assert isinstance(found, torch.Tensor)
    assert found.is_cuda
    worst = close(found.cpu().numpy())
    # a side stream
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        later = gpu(*[x * 1.0 for x in tensors], axis=-1)
    side.synchronize()
    worst = max(worst, close(later.cpu().numpy()))
    out = torch.zeros_like(found)
    gpu(*tensors, axis=-1, out=out, stream=torch.cuda.current_stream())
    worst = max(worst, close(out.cpu().numpy()))
    # Torch's own graphs, with work of its own before and after
    graph, static, result = torch.cuda.CUDAGraph(), [x.clone() for x in tensors], torch.zeros_like(found)
    with torch.cuda.graph(graph):
        doubled = [x * 1.0 for x in static]
        gpu(*doubled, axis=-1, out=out)
        result.copy_(out * 2)
    result.zero_()
    graph.replay()
    torch.cuda.synchronize()
    worst = max(worst, close(result.cpu().numpy() / 2))
    took = measured.seconds(lambda: gpu(*tensors, axis=-1, out=out), 200, 3)
    try:
        gpu(*[x.cpu() for x in tensors], axis=-1)
    except mc.Error as error:
        return f"{worst:.1e}, {took * 1e6:.1f} µs a call; in the CPU's memory: {error}"
    raise AssertionError("tensors of the processor were taken")


def with_jax(gpu: Any, given: list[Any], close: Callable[..., float]) -> str:
    import jax

    arrays = [jax.device_put(x, jax.devices("gpu")[0]) * 1.0 for x in given]
    found = gpu(*arrays, axis=-1)
    assert isinstance(found, jax.Array)
    return f"{close(np.asarray(found)):.1e}, and on: {close(np.asarray(found + 0.0)):.1e} on {found.device}"


def self_tests() -> str:
    said = list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for precision in TYPES:
            (source,) = computation("constrained, all outputs", precision).emit("cuda", Path(folder, precision))
            program = source.with_suffix("")
            build = ["nvcc", "-arch=native", *OPTIONS, "-DSELF_TEST", "-o", str(program), str(source)]
            subprocess.run(build, check=True, capture_output=True, text=True)
            done = subprocess.run([program], check=False, capture_output=True, text=True)
            assert done.returncode == 0, done
            said.append(done.stdout.strip())
    return "; ".join(said)


def larger_robots(measured: Measured) -> None:
    """Long programs in several functions, and the active set of a box."""
    cupy = measured.cupy

    def agree(asked: mc.Computation, count: int, tolerance: float) -> str:
        dtype = TYPES[asked.solver.precision]
        gpu = asked.on("cuda")
        given = [cupy.asarray(x) for x in states(asked, count, dtype)]
        start = time.perf_counter()
        out = outputs(gpu(*given, axis=-1))
        cupy.cuda.Device().synchronize()
        compiling = time.perf_counter() - start
        few = [cupy.asnumpy(x[..., :200]).astype(float) for x in given]
        expected = outputs(asked.batch(*few, axis=-1))
        # at most a few states in a hundred lie where rounding decides
        off = [
            np.abs(a[..., :200].get() - b).reshape(-1, 200).max(0) / max(1, np.abs(b).max())
            for a, b in zip(out, expected, strict=True)
            if b.size
        ]
        worst = float(np.quantile(np.max(off, axis=0), 0.95))
        seconds = measured.seconds(lambda: gpu(*given, axis=-1, out=out), 3, 3)
        size = sum(asked.operations.values())
        said = f"{size} operations, {compiling:.1f} s to compile, {count / seconds / 1e6:.1f}e6/s, error {worst:.1e}"
        assert worst < tolerance, said
        return f"{said}, {gpu.registers} registers, {gpu.spilled} B spilled"

    panda, larger = mc.load("panda"), {"humanoid": mc.load("humanoid", floating=True)}
    larger |= {name: mc.load(path, floating=True) for name, (path, _) in LARGER.items() if path.exists()}
    rows = [mc.Constraint("panda_hand", "rx ry rz x y z", as_seen_by="panda_hand", kind="spatial")]
    for precision, tolerance in (("single", 1e-2), ("double", 1e-9)):
        more: dict[str, Any] = {"precision": precision}
        for name, robot in larger.items():
            measured.check(
                f"{name}, forward, {precision}",
                lambda robot=robot, more=more, t=tolerance: agree(mc.forward_dynamics(robot, **more), 200_000, t),
            )
        measured.check(
            f"Panda, torques within limits, {precision}",
            lambda more=more, t=tolerance: agree(
                mc.constrained_dynamics(panda, rows, limits=np.full(7, 30.0), **more), 100_000, t
            ),
        )


def on_the_gpu(folder: Path, processor: list[dict[str, Any]]) -> None:
    import cupy

    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    measured = Measured(cupy)
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    bandwidth = measured.copy_bandwidth()
    print(f"{name}, CuPy {cupy.__version__}: a copy moves {bandwidth / 1e12:.2f} TB/s", flush=True)
    stages: list[tuple[str, Callable[[], Any]]] = [
        ("gpu", lambda: table(measured, bandwidth)),
        ("gpu_checks", lambda: (interoperation(measured), larger_robots(measured), measured.checks)[-1]),
        ("gpu_sweep", lambda: sweep(measured, processor)),
    ]
    for file, stage in stages:
        try:
            found = stage()
            (folder / f"{file}.json").write_text(json.dumps(found, indent=1) + "\n")
        except Exception:
            traceback.print_exc()
        print(f"--- {file}: {time.perf_counter() - start:.0f} s", flush=True)


# ---------------------------------------------------------------- the page


def with_figures(page: str, figures: list[dict[str, Any]]) -> str:
    """The page of a GPU with its table as these figures have it: a line a computation, rounded."""
    rows = {(row["computation"], row["precision"]): row for row in figures}
    lines = [_line(name, [rows[name, precision] for precision in TYPES]) for name, one in rows if one == "single"]
    before, head, rest = page.partition("| (n, N) |")
    (titles, under), (_, after) = rest.split("\n")[:2], rest.split("\n\n", 1)
    return "\n".join([f"{before}{head}{titles}", under, *lines, "", after])


def _line(name: str, rows: list[dict[str, Any]]) -> str:
    cells = [name]
    for row in rows:
        rate, digits = row["per_second"] / 1e9, f"{row['error']:.0e}".replace("e-0", "e-")
        cells += [f"{rate:.1f}" if rate >= 1 else f"{rate:#.2g}", f"{row['share_of_bandwidth']:.0%}", digits]
    cells.append(", ".join(f"{row['first_call_seconds']:.1f}" for row in rows))
    return f"| {' | '.join(cells)} |".replace("%", " %")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["cpu", path]:
            on_the_processor(Path(path))
        case ["gpu", folder, *more]:
            on_the_gpu(Path(folder), json.loads(Path(more[0]).read_text()) if more else [])
        case ["page", folder]:
            page, figures = Path(folder, "cuda.md"), json.loads(Path(folder, "gpu.json").read_text())
            page.write_text(with_figures(page.read_text(encoding="utf-8"), figures), encoding="utf-8")
        case _:
            print(__doc__)
