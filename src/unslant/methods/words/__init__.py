"""Which words methods learn from, leave unchanged or change."""
