"""Distributions that are known without a draw."""
