"""A local page to look at vectors, change them and watch: a guarded server and its work."""
