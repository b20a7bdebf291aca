"""Run every benchmark and print its ratios."""
