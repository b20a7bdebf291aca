"""Estimators of bias directions and subspaces."""
