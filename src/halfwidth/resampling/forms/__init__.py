"""How statistics are resampled: a module for each form, listed in `engines`."""
