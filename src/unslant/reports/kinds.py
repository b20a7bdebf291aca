"""The kind of record that is not typed yet."""

STUDY = "unslant study 1"
