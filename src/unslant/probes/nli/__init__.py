"""Template pairs with known answers, to test an inference model."""
