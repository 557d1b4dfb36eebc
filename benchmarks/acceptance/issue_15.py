"""Ahead everywhere: large robots, every batch, the GPU."""

SECTIONS = {
    "ahead": "Our C against Pinocchio's C++: Panda, ANYmal C, Talos",
    "batches": "A state in a batch of 8,192, with AVX-512 and with AVX2",
    "small_batches": "Batches of few states against as many calls",
    "gpu_ahead": "On an H200",
    "kernels": "Loops along the tree against the same written out, and how much code there is",
    "builds": "How long Talos' derivatives take to build",
    "growth": "Operation counts",
}
"""Module → heading."""
