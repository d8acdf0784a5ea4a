"""Curves, tests and centres of predicted probabilities, with their intervals."""
