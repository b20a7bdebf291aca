"""The predictors that probes use: one protocol per file, none of which needs torch."""
