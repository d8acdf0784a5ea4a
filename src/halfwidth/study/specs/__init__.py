"""From a TOML file and the data it names to instances with populations and a study to run."""
