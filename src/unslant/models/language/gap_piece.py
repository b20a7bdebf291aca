"""The piece that a masked language model takes for a gap."""

from typing import TYPE_CHECKING

from unslant.core.errors import UnslantError

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_USUAL = ("[MASK]", "<mask>")


def gap_piece(model: "TransformerModel") -> int:
    """The number of the model's own sign for a gap."""
    return gap_sign(model)[1]


def gap_sign(model: "TransformerModel") -> tuple[str, int]:
    """The model's own sign for a gap, as it is written and its number."""
    named = model.folder.json("tokenizer_config.json").get("mask_token")
    named = named.get("content") if isinstance(named, dict) else named
    known = model.tokens.vocabulary
    for sign in (named, *_USUAL):
        if isinstance(sign, str) and sign in known:
            return sign, known[sign]
    raise UnslantError(
        f"The tokenizer of {model.name} has no sign for a gap ({' or '.join(_USUAL)}), so the "
        f"model cannot be asked to fill one."
    )
