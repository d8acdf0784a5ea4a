"""Masks made into a per-case table: which files belong together, what their labels are called."""
