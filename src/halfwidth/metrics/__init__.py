"""Metrics: what a number per case measures, and the functions that compute it."""

from halfwidth.metrics.error import absolute_error, correct, squared_error

__all__ = ["absolute_error", "correct", "squared_error"]
