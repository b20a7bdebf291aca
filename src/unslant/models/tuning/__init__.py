"""Debiasing that trains a language model: each method is named and chained like any other."""

from unslant.models.tuning import (  # noqa: F401  (each registers its methods)
    context_debias,
    debias_bert,
    language,
    leace_in_training,
)
from unslant.models.tuning.registry import TUNINGS, TuningFacts
from unslant.models.tuning.tuning import Setup, Tuning

__all__ = ["TUNINGS", "Setup", "Tuning", "TuningFacts"]
