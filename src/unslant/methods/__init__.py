"""Remove an attribute from vectors: one method per file, chained with ``|``."""

from unslant.erasers import Eraser
from unslant.methods import (  # importing a method registers it
    ablate,
    adversarial,
    bam,
    debiasnet,
    double_hard,
    drop_last,
    gbdd,
    gp,
    half_sibling,
    hard,
    inlp,
    isr,
    leace,
    linear,
    misp,
    oscar,
    ran,
    rlace,
    soft,
)
from unslant.methods.chains import GivenChain, chain_of
from unslant.methods.method import (
    ANY_VECTORS,
    DEBIASERS,
    GUARANTEES,
    FitSetting,
    Fitted,
    debiaser,
    words_only,
)
from unslant.methods.pipeline import debias, fit
from unslant.methods.streaming import debiased, save_debiased

__all__ = [
    "ANY_VECTORS",
    "DEBIASERS",
    "GUARANTEES",
    "Eraser",
    "FitSetting",
    "Fitted",
    "GivenChain",
    "chain_of",
    "debias",
    "debiased",
    "debiaser",
    "fit",
    "save_debiased",
    "words_only",
]
