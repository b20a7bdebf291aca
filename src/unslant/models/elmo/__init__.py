"""ELMo as a resource: characters, two LSTM layers in both directions, every part a place."""

from unslant.models.elmo.model import ElmoModel, load_elmo

__all__ = ["ElmoModel", "load_elmo"]
