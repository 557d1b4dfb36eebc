"""Computations as functions of JAX, PyTorch and CasADi."""
