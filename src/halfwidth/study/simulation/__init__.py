"""Cells of a study: what is estimated, on samples of which population, and how well."""
