"""Figures from finished results: nothing is computed here, and every plotted number is a frame."""

from halfwidth.plots.distribution import distribution, distribution_frame

__all__ = ["distribution", "distribution_frame"]
