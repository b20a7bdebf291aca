"""The foundation of every layer: errors, registry, seeds, files, measurements."""
