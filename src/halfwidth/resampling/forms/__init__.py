"""How statistics are resampled, a module for each form; `table` says which is whose."""
