"""Metrics of whole test sets: labels and predictions, checked once, then a job for each row."""
