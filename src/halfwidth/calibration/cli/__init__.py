"""Calibration on the command line: part of ``halfwidth ci`` and ``halfwidth plan``."""
