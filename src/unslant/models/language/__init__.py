"""Language models as resources: read safely from folders, every place in them a space."""
