"""Word vectors trained from text: GloVe, and GN-GloVe, which keeps an attribute in its own place.

Light to import: numba, which compiles the inner loops, is loaded when a training begins.
"""

from unslant.models.glove.settings import CountSettings, GloveSettings, NeutralSettings

__all__ = ["CountSettings", "GloveSettings", "NeutralSettings"]
