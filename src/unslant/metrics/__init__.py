"""Intrinsic bias measures and quality benchmarks, one file each."""

from unslant.measures.running import measure
from unslant.metrics import (  # importing a metric registers it
    analogy,
    bias_analogies,
    bias_by_neighbours,
    biased_analogies,
    ceat,
    clustering,
    coherence,
    direct_bias,
    eqt,
    generalised_weat,
    gipe,
    indirect_bias,
    mdl,
    mean_cosine,
    midb,
    neighbours_kept,
    probing,
    proximity_bias,
    recoverability,
    relatedness,
    relative_norm,
    ripa,
    rnsb,
    same,
    sembias,
    similarity,
    single_attribute,
    single_category,
    weat,
)

__all__ = ["measure"]
