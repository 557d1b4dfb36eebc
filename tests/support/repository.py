"""Where the repository is: pages, examples and benchmarks that tests read."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
