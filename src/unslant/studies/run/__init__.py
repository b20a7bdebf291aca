"""Grids of resources × methods × measures: planned in one file, computed cell by cell."""
