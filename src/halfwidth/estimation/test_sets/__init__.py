"""Metrics of whole test sets: labels and predictions are checked once, then every metric is a job."""
