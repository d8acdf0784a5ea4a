"""Permutation tests of two models."""
