"""Lazy control: the tolerance, not the trajectory."""

SECTIONS = {
    "gpu_pregrasp": "Pre-grasps on a GPU",
    "pregrasp": "Pre-grasp over random plants: LWR 4, in single precision, on MuJoCo, youBot",
    "horizons": "The law of the horizon, and delay against the half period",
    "lazy_paths": "Paths: steps of an LWR 4, a chirp of a youBot",
    "clean": "Wiping a surface: planes, slopes and a dome; the printed force",
    "weigh": "Loads weighed: held still, and swung where joints stick",
    "author": "The author's constants: his times, and not the band",
    "laziness": "Laziness: pre-grasps beside stiff trackers with six rows, with three, in joint space",
    "deadlines": "A controller on a robot: what a cycle takes, deadlines over a million cycles, two processes",
}
"""Module → heading."""
