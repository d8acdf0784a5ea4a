"""Results of detectors: estimates that know their matching, and curves."""
