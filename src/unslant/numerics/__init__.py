"""Arrays, text of numbers and statistics: numpy and scipy only, nothing about bias."""
