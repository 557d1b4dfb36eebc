"""What is measured for docs/guide/benchmarks.md and for acceptance: one file a kind of figure."""
