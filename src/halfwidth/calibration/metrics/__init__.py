"""Predicted probabilities: how far they are from what happens."""
