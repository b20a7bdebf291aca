"""Encoders with a new head for a task: trained by the one trainer, written as folders."""
