"""Sets of questions put to a model, one probe a package."""
