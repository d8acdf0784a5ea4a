"""Arithmetic of arrays that metrics are made of, and that resamples of them do again."""
