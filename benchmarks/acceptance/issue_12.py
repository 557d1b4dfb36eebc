"""Plants and contact."""

SECTIONS = {
    "surfaces": "Surfaces and shapes that touch: gaps, normals, and what balls do on them",
}
"""Module → heading."""
