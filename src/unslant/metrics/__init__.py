"""Intrinsic bias measures and quality benchmarks, one file each."""
