"""Remove an attribute from vectors: one method per file, chained by bars."""

from unslant.debias import (  # importing a method registers it
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
from unslant.debias.erasers import Eraser
from unslant.debias.method import DEBIASERS, GUARANTEES, FitSetting, Fitted, debiaser
from unslant.debias.pipeline import debias, fit
from unslant.debias.streaming import debiased, save_debiased

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
    "save_debiased",
]
