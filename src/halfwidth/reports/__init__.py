"""Finished results as text."""
