"""What every layer stands on: errors, registry, seeds, files, measurements."""
