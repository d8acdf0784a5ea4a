"""The store of a study: its parts, manifest, locks, seals and timings."""
