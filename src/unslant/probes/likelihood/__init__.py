"""What the likelihood tests share: pairs, what is scored of them, and matched controls."""
