"""What a probe may ask: one protocol a file, none of which needs torch."""
