"""Inner loops: draws and values in, replicates out."""
