"""Remove an attribute from vectors: one method per file, chained by bars."""

from unslant.debias import (  # importing a method registers it
    drop_last,
    hard,
    linear,
    misp,
    random_control,
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
