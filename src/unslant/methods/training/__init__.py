"""What methods train: classifiers and small networks."""
