"""Tables and pages, drawn from records alone."""
