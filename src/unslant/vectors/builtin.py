"""The built-in vectors, so that everything works before any download."""

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from unslant.core.lineage import Lineage
from unslant.vectors.formats import safetensors
from unslant.vectors.wordvectors import WordVectors

BUILTIN = "builtin"
"""The name of these vectors, accepted in place of a file."""
CUT_FROM = "7fa9ed247d16a4817865e3f0eb6f352990b4b3cfe1d4550769a6363142e8a0cd"
"""The content hash of the full vectors, whose file hash is in the header."""


@cache
def builtin() -> WordVectors:
    """A slice of GloVe 6B 100d (Pennington, Socher and Manning 2014; PDDL 1.0)."""
    file = files("unslant.vectors") / "data" / "glove.6B.100d.slice.safetensors"
    with as_file(file) as path, safetensors.opened(path) as stored:
        matrix = np.concatenate(list(stored.blocks()))
    return WordVectors(
        stored.words,
        matrix,
        Lineage("glove.6B.100d.slice"),
        origin={**stored.facts["origin"], "ancestors": [CUT_FROM]},
        content_hash=stored.facts["content_hash"],
    )
