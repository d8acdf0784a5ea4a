"""Makers of weights: which units count how often, or how much, in a resample."""
