"""Comparing models: differences with intervals, tests beside them, verdicts."""
