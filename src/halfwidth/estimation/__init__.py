"""Estimates: inputs are checked once, a method is chosen, intervals and cautions follow."""
