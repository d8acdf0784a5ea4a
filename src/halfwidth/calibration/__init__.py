"""Calibration: how far predicted probabilities are from what happens; a branch."""
