"""Interval methods for errors of calibration, and for recalibrations."""
