"""Several measurements put together into one answer."""
