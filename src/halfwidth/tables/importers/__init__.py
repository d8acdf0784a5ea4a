"""Results of other programs, as canonical tables: a file per foreign format."""
