"""Adversarial debiasing: networks that try to recover a protected attribute from predictions."""
