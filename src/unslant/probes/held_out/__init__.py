"""Text that a model was not changed on: does it still predict language as well as before?"""

from unslant.probes.held_out.inference_accuracy import InferenceAccuracy, LabelledPairs
from unslant.probes.held_out.masked_accuracy import MaskedAccuracy
from unslant.probes.held_out.perplexity import Perplexity
from unslant.probes.held_out.text import HeldOutText, held_out

__all__ = [
    "HeldOutText",
    "InferenceAccuracy",
    "LabelledPairs",
    "MaskedAccuracy",
    "Perplexity",
    "held_out",
]
