"""One state a thread: the same computation as a CUDA kernel, and, where there is a GPU, on four million states."""

from pathlib import Path

import numpy as np

import motionc as mc

dynamics = mc.forward_dynamics(mc.load("panda"), precision="single")

# what is emitted: a kernel, and a function that launches it
(source,) = dynamics.emit("cuda", Path("out"))
text = source.read_text(encoding="utf-8")
kernel = text[text.index('extern "C" __global__') :]
print(f"{source}: {len(text.splitlines())} lines, of which the kernel starts with")
print("\n".join(f"    {line}" for line in kernel.splitlines()[:16]))

# on a GPU, if there is one
try:
    gpu = dynamics.on("cuda")
except mc.Error as reason:
    print(reason)
else:
    count = 4_000_000
    rng = np.random.default_rng(0)
    q, v, tau = (rng.uniform(-1, 1, (7, count)).astype(np.float32) for _ in range(3))
    found = gpu(q, v, tau, axis=-1)
    few = dynamics.batch(q[:, :1000], v[:, :1000], tau[:, :1000], axis=-1)
    off = np.abs(found[:, :1000] - few).max()
    print(f"{count} states on the GPU; the first 1000 differ from the processor's by {off:.1e} rad/s²")

print(f"{sum(dynamics.operations.values())} operations a state")
