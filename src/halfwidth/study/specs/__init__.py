"""A TOML file and the data it names, made into instances with populations and a study to run."""
