"""Plants and contact."""

SECTIONS = {
    "surfaces": "Surfaces and shapes that touch: gaps, normals, and what balls do on them",
    "plants": "The same closed loops on our plant and on MuJoCo's",
}
"""Module → heading."""
