"""See it, keep it: recordings, pictures, viewer, report."""

SECTIONS = {
    "recordings": "Recordings: killed processes, what a message costs, who else reads the files",
    "browser": "The viewer in a real browser: updates, solves while dragging, replays",
    "reports": "Reports: how large, the same bytes twice, nothing asked for",
    "meshes": "Meshes found without options, robots drawn with theirs, placing them",
    "pictures": "Pictures: how long they take, how large files are, bytes that repeat",
}
"""Module → heading."""
