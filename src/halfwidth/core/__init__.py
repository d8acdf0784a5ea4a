"""Specs, results, cautions, errors and random numbers, which every other layer uses."""
