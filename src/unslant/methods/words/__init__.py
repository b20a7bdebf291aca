"""Which words methods learn from, leave alone or change."""
