"""A language model's entry in a record."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel


def model_facts(model: "LanguageModel") -> dict[str, str | int | float | bool | None]:
    """Its architecture, its sizes and what acts in it; the hash is that of its weights."""
    layout = model.layout
    return {
        "model": model.name,
        "weights-sha256": model.weights_sha256,
        "architecture": layout.kind,
        "layers": layout.layers,
        "width": layout.width,
        "intervention": model.intervention.expression,
    }
