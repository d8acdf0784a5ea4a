"""Sizes of deviations that noise makes larger, and what may be true of them."""
