"""Template pairs whose right answer is known, asked of an inference model and measured."""
