"""What predicts: models that stand on word vectors or bring their own."""
