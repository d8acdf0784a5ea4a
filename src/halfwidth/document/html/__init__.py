"""A document as a page: one file that loads nothing from anywhere."""
