"""Documents of what a study found."""
