"""What the probes of coreference share: asking a model, and comparing pairs of sentences."""
