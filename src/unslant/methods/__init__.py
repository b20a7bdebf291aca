"""Remove an attribute from vectors: one method per file, chained with ``|``."""

from unslant.erasers import Eraser
from unslant.methods import (  # importing a method registers it
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
    random_control,
    rlace,
    soft,
)
from unslant.methods.method import DEBIASERS, GUARANTEES, FitSetting, Fitted, debiaser
from unslant.methods.pipeline import debias, fit, methods_of
from unslant.methods.streaming import debiased, save_debiased

__all__ = [
    "DEBIASERS",
    "GUARANTEES",
    "Eraser",
    "FitSetting",
    "Fitted",
    "debias",
    "debiased",
    "debiaser",
    "fit",
    "methods_of",
    "save_debiased",
]
