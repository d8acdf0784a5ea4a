"""Quantiles of a metric over training runs."""
