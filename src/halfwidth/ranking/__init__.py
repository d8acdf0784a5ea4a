"""Ranking models, and how sure the order is."""
