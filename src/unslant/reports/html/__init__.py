"""Reports as pages: one file each, no request, every word escaped."""
