"""Statistics of several models on the same resamples, and intervals that hold together."""
