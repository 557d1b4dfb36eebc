"""From program text to a function that Python calls: compiler, cache, loading, the call itself."""
