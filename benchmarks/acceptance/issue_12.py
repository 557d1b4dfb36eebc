"""Plants and contact."""

SECTIONS = {
    "cones": "Contacts with friction, stops and dry friction by fixed sweeps: beside ADMM and SciPy, what a few leave",
    "contact": "Contact in time steps: closed forms, HyQ dropped, speed beside MuJoCo's",
    "surfaces": "Surfaces and shapes that touch: gaps, normals, and what balls do on them",
    "gpu_contact": "HyQ on four feet on a GPU",
    "plants": "The same closed loops on our plant and on MuJoCo's",
}
"""Module → heading."""
