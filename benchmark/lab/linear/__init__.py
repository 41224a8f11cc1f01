"""Linear models on embeddings."""
