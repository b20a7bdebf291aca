"""The section of a model's or vectors' card that says what a record shows."""
