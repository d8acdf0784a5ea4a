"""``halfwidth detect``, and what other verbs take of detectors."""
