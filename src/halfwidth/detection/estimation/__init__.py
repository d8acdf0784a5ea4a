"""Metrics of detections matched with references, with their intervals."""
