"""The command line: one file per verb; choices and help come from the catalogues."""
