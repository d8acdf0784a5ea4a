"""Results about calibration: curves, tests, and what centres say."""
