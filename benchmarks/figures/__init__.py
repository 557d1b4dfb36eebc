"""What is measured for docs/benchmarks.md and for acceptance: one file a kind of figure."""
