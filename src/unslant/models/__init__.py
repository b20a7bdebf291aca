"""Models that predict, on word vectors or with embeddings of their own."""
