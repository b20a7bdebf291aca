"""A plan: the TOML file that names every cell of a study."""
