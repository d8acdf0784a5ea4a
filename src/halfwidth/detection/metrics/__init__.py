"""Detection and instance segmentation: which objects are found, and how well."""
