"""Figures of calibration."""
