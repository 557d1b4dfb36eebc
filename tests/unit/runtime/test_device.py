"""On a GPU: what is handed to CuPy, on a CuPy of our own that computes on the processor."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from cuda_on_cpu import CXX
from fake_cupy import Fake
from motionc.program.sizes import Room
from motionc.targets import cuda

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
COUNT = 50


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Fake:
    fake = Fake()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


ROBOT = mc.load("planar3")
FORWARD = mc.forward_dynamics(ROBOT, precision="single")
ROWS = mc.constrained_dynamics(ROBOT, [mc.Constraint("tip", "x y rz")])


def states(computation: mc.Computation, count: int = COUNT) -> list[Array]:
    rng, real = np.random.default_rng(0), np.float32 if computation.solver.precision == "single" else float
    return [rng.uniform(-1, 1, (*port.shape, count)).astype(real) for port in computation.inputs]


def close(found: Any, expected: Any) -> bool:
    return bool(np.max(np.abs(np.asarray(found) - expected)) < 1e-4 * max(1, np.max(np.abs(expected))))


# ---------------------------------------------------------------- arrays


def test_any_layout_is_the_same_as_a_batch(cupy: Fake) -> None:
    given = states(FORWARD)
    expected, gpu = FORWARD.batch(*given, axis=-1), FORWARD.on("cuda")
    arrays = [cupy.asarray(x) for x in given]
    assert close(gpu(*arrays, axis=-1), expected)
    assert close(gpu(*[cupy.asarray(x.T) for x in given]), expected.T)
    assert close(gpu(*[x.T for x in arrays]), expected.T)
    spread = cupy.zeros((6, 3 * COUNT), np.float32)
    spread[::2, ::3] = given[0]
    assert close(gpu(spread[::2, ::3], *arrays[1:], axis=-1), expected)
    assert close(gpu(arrays[0], v=arrays[1], tau=arrays[2], axis=-1), expected)
    one = gpu(arrays[0], arrays[1][:, 0], [0, 0, 0], axis=-1)
    assert close(one, FORWARD.batch(given[0], given[1][:, 0], np.zeros(3), axis=-1))
    assert gpu(*[x[:, :0] for x in arrays], axis=-1).shape == (3, 0)
    # memory is not copied on the way: each launch reads what the caller holds
    assert type(gpu(*arrays, axis=-1)) is cupy.ndarray


def test_what_is_in_no_regular_order_is_copied(cupy: Fake) -> None:
    asked = mc.inverse_dynamics(
        ROBOT,
        external_forces=[
            mc.Force("tip", as_seen_by="tip"),
            mc.Force(ROBOT.link_names[1], as_seen_by=ROBOT.link_names[1]),
        ],
    )
    q, v, a, forces = states(asked)
    wide = cupy.zeros((2, 8, COUNT))
    wide[:, :6] = forces
    gpu = asked.on("cuda")
    assert close(gpu(q, v, a, wide[:, :6], axis=-1), asked.batch(q, v, a, forces, axis=-1))
    assert close(gpu(q, v, a, wide[:, :6, 0], axis=-1), asked.batch(q, v, a, forces[..., 0], axis=-1))
    poses = mc.jacobian(ROBOT, "tip").on("cuda")
    with pytest.raises(mc.Error, match="out for J is in no regular order"):
        poses(cupy.asarray(q), axis=-1, out=cupy.zeros((6, 4, COUNT))[:, :3])


def test_numpy_in_numpy_out_in_any_precision(cupy: Fake) -> None:
    given = states(FORWARD)
    found = FORWARD.on("cuda")(*[x.astype(float) for x in given], axis=-1)
    assert type(found) is np.ndarray
    assert found.dtype == np.float32
    assert close(found, FORWARD.batch(*given, axis=-1))


def test_several_outputs_are_a_record_with_notes(cupy: Fake) -> None:
    given = states(ROWS)
    given[0][:, :10] = 0.0  # stretched: rows depend on each other
    found, expected = ROWS.on("cuda")(*map(cupy.asarray, given), axis=-1), ROWS.batch(*given, axis=-1)
    assert found.names == expected.names
    assert found.notes == expected.notes
    assert found.notes
    assert np.array_equal(found.rank, expected.rank)


class Tensor:
    """A tensor as Torch has them."""

    def __init__(self, array: Array, place: int = 2, number: int = 0) -> None:
        self.array, self.shape, self.place = array, array.shape, (place, number)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.place

    def __dlpack__(self, **more: Any) -> Any:
        return self.array.__dlpack__()

    def detach(self) -> Array:
        return self.array


Tensor.__module__ = "torch"


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    fake = SimpleNamespace(
        float32=np.float32,
        float64=np.float64,
        empty=lambda shape, dtype, device: Tensor(np.empty(shape, dtype)),
        cuda=SimpleNamespace(current_stream=lambda device=None: SimpleNamespace(cuda_stream=31)),
    )
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


def test_tensors_in_tensors_out_on_their_stream(cupy: Fake, torch: SimpleNamespace) -> None:
    given = states(FORWARD)
    gpu, expected = FORWARD.on("cuda"), FORWARD.batch(*given, axis=-1)
    found = gpu(*map(Tensor, given), axis=-1)
    assert type(found) is Tensor
    assert close(found.array, expected)
    assert cupy.launches[-1][2] == 31
    out = Tensor(np.empty_like(given[0]))
    assert gpu(*map(Tensor, given), axis=-1, out=out) is out
    assert close(out.array, expected)
    with pytest.raises(mc.Error, match="v is a torch array in the CPU's memory"):
        gpu(Tensor(given[0]), Tensor(given[1], place=1), Tensor(given[2]), axis=-1)
    with pytest.raises(mc.Error, match="v is on GPU 1; this computation is on GPU 0"):
        gpu(Tensor(given[0]), Tensor(given[1], number=1), Tensor(given[2]), axis=-1)


# ---------------------------------------------------------------- out, streams, graphs


def test_given_arrays_are_written_to_and_nothing_is_allocated(cupy: Fake) -> None:
    given = [cupy.asarray(x) for x in states(ROWS)]
    gpu, expected = ROWS.on("cuda"), ROWS.batch(*states(ROWS), axis=-1)
    out = {name: cupy.empty(np.shape(value)) for name, value in expected.items()}
    cupy.captured = []  # as in a graph: taking memory would fail, and launches wait
    found = gpu(*given, axis=-1, out=out)
    launches, cupy.captured = cupy.captured, None
    assert len(launches) == 1
    launches[0]()
    assert all(found[name] is out[name] and close(out[name], expected[name]) for name in expected.names)
    gpu(*given, axis=-1, out=[cupy.empty(np.shape(value)) for value in expected])


def test_a_call_like_one_before_takes_the_short_way_and_is_as_careful(cupy: Fake) -> None:
    gpu, given = FORWARD.on("cuda"), [cupy.asarray(x) for x in states(FORWARD)]
    out = cupy.empty(given[0].shape, np.float32)
    for factor in (1.0, 0.5):
        given[2] *= np.float32(factor)
        assert gpu(*given, axis=-1, out=out) is out
        assert close(out, FORWARD.batch(*map(np.asarray, given), axis=-1))
    assert len(cupy.launches) == 2
    with pytest.raises(mc.Error, match="out for a overlaps tau"):
        gpu(*given, axis=-1, out=given[2])
    with pytest.raises(mc.Error, match="v has 49 states"):
        gpu(given[0], given[1][:, 1:], given[2], axis=-1, out=out)


def test_streams_are_cupys_or_torchs_or_an_address(cupy: Fake) -> None:
    given, gpu = [cupy.asarray(x) for x in states(FORWARD)], FORWARD.on("cuda")
    for stream, address in ((cupy.cuda.Stream(5), 5), (SimpleNamespace(cuda_stream=6), 6), (9, 9), (None, 0)):
        gpu(*given, axis=-1, stream=stream)
        assert cupy.launches[-1][2] == address
    with pytest.raises(mc.Error, match="stream is a str"):
        gpu(*given, axis=-1, stream="main")


def test_a_graph_computes_again_from_what_arrays_hold(cupy: Fake) -> None:
    given = states(FORWARD)
    arrays = [cupy.asarray(x) for x in given]
    graph = FORWARD.on("cuda").graph(*arrays, axis=-1)
    arrays[2][:] = 2 * given[2]
    out = graph.replay()
    assert out is graph.outputs
    assert close(out, FORWARD.batch(given[0], given[1], 2 * given[2], axis=-1))
    with pytest.raises(mc.Error, match="a graph reads tau again on each replay; it is a ndarray"):
        FORWARD.on("cuda").graph(arrays[0], arrays[1], given[2], axis=-1)


def test_few_states_are_spread_over_the_gpu(cupy: Fake) -> None:
    gpu = FORWARD.on("cuda")
    for count in (10, cuda.FEW, cuda.FEW + 1):
        gpu(*[cupy.zeros((3, count), np.float32) for _ in range(3)], axis=-1)
    assert [threads for _, threads, _ in cupy.launches] == [32, 32, cuda.THREADS]


def test_kernels_whose_values_wait_in_memory_of_a_warp_have_blocks_of_one(
    cupy: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cuda.ROOM, "single", Room(10, 5))
    crowded = mc.forward_dynamics(ROBOT, precision="single")
    given = states(crowded, cuda.FEW + 1)
    found = crowded.on("cuda")(*[cupy.asarray(x) for x in given], axis=-1)
    assert [threads for _, threads, _ in cupy.launches] == [cuda.WARP]
    assert close(found, crowded.batch(*given, axis=-1))


# ---------------------------------------------------------------- what is refused


def test_mistakes_are_named(cupy: Fake) -> None:
    gpu = FORWARD.on("cuda")
    q, v, tau = (cupy.asarray(x) for x in states(FORWARD))
    mistakes: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("takes 3 inputs .q, v, tau., not 2", (q, v), {}),
        ("takes no input 'torque'", (q, v), {"torque": tau}),
        ("axis is 1", (q, v, tau), {"axis": 1}),
        ("q is float64; make it float32, or ask for precision='double'", (q.astype(float), v, tau), {}),
        ("q is int32; make it float32$", (q.astype(np.int32), v, tau), {}),
        (r"v has shape \(2, 50\); it must be \(3, N\), or \(3,\)", (q, v[:2], tau), {}),
        ("tau has 49 states, but q has 50", (q, v, tau[:, 1:]), {}),
        ("no input has an axis of states", (q[:, 0], v[:, 0], tau[:, 0]), {}),
        ("v must be numbers of shape .* not str", (q, "fast", tau), {}),
        ("out for a overlaps tau", (q, v, tau), {"out": tau}),
        ("out has 2 arrays; give what a batch returned, an array for a", (q, v, tau), {"out": [tau, tau]}),
        ("out has no a; give .* by name", (q, v, tau), {"out": {}}),
        ("out has 'b', which is no output", (q, v, tau), {"out": {"a": tau, "b": tau}}),
        (r"out for a has shape \(3, 49\); it must be \(3, 50\)", (q, v, tau), {"out": tau[:, 1:]}),
        ("a must be an array on the GPU, not a ndarray", (q, v, tau), {"out": np.empty((3, COUNT), np.float32)}),
    ]
    for sentence, inputs, more in mistakes:
        with pytest.raises(mc.Error, match=sentence):
            gpu(*inputs, **({"axis": -1} | more))
    assert not cupy.launches


def test_what_is_not_finite_is_refused_when_asked(cupy: Fake) -> None:
    asked = mc.forward_dynamics(ROBOT, precision="single")
    asked.check_finite = True
    q, v, tau = (cupy.asarray(x) for x in states(asked))
    v[1, 7] = np.nan
    with pytest.raises(mc.Error, match="v holds a value that is not finite"):
        asked.on("cuda")(q, v, tau, axis=-1)


def test_without_cupy_or_gpu_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(mc.Error, match=r"needs CuPy, which is not installed: pip install 'motionc\[cuda\]'"):
        FORWARD.on("cuda")
    fake = Fake(devices=1)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    with pytest.raises(mc.Error, match="there is no GPU 1 here; CuPy finds 1"):
        FORWARD.on("cuda:1")

    def nothing() -> int:
        raise RuntimeError("no driver")

    fake.cuda.runtime.getDeviceCount = nothing
    with pytest.raises(mc.Error, match=r"finds no GPU that works \(no driver\); \.batch computes on the processor"):
        FORWARD.on("cuda")
    for device in ("gpu", "cuda:", "cuda:first", ""):
        with pytest.raises(mc.Error, match="say 'cuda'"):
            FORWARD.on(device)


def test_nobody_imports_cupy_who_did_not_ask() -> None:
    code = "import sys, motionc; assert not {'cupy', 'torch', 'jax'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
