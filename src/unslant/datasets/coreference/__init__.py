"""Documents with coreference: their files, and how well predicted clusters agree with true ones."""
