"""What measures are: the registry, the declared scores and the one runner."""
