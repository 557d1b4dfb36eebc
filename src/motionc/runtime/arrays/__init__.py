"""Many states at once: batches in vector lanes and threads, and on a GPU."""
