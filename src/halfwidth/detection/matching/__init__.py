"""Detections and references of many images made into lists of matches."""
