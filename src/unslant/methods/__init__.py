"""Remove an attribute from vectors: one method per file, chained with ``|``."""
