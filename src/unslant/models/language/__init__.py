"""Language models as resources: read safely from folders, every place in them a space."""

from unslant.models.language.model import LanguageModel, TransformerModel, load_model
from unslant.models.language.space import PlaceSpace

__all__ = ["LanguageModel", "PlaceSpace", "TransformerModel", "load_model"]
