"""Detectors: objects found in images, matched with those to be found; a branch."""
