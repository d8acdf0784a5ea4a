"""Figures of rankings, with the models in one order and one colour throughout."""
