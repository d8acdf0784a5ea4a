"""The folder of a study: parts, manifest, locks, and what is done of it."""
