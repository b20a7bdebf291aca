"""Which debiasing method to take: a small study of the sensible ones, and the rule that chooses."""
