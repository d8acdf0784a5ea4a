"""Running chunks: in one process, in workers, on a cluster; retries, interrupts, progress."""
