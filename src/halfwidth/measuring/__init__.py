"""From data and a request to jobs: which cases are compared, and what is computed of each model."""
