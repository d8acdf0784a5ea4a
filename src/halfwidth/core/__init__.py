"""Words, specs, results, cautions, errors and randomness: what every other layer speaks."""
