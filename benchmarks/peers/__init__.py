"""Who else answers our questions? One file a peer; each takes part where it is installed, and says so where not."""
