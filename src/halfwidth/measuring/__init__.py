"""Jobs from data and a request: which cases are compared, and what is computed of each model."""
