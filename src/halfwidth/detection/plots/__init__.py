"""Figures of detections: curves, results over thresholds, and matches in images."""
