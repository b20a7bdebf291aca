"""One file per format; :func:`unslant.vectors.formats.detect.detect` says which one it is."""
