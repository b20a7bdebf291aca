"""An encoder with a head for tokens as a tagger of words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unslant.core.errors import UnslantError
from unslant.datasets.conll2003 import OUTSIDE
from unslant.models.language.likelihood import WithHead
from unslant.models.language.passes import TOKENS_IN_A_BATCH

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

Words = tuple[str, ...]


class TokenTagger(WithHead):
    """The most probable tag of the first piece of each word; other pieces have no say.

    Words are read as text with a space between each. A word without pieces is outside all entities.
    """

    head = "tokens"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.labels = tag_names(model)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Words]:
        """One tag for each word; each distinct sentence is read once, nothing is padded."""
        asked = [tuple(words) for words in sentences]
        distinct = list(dict.fromkeys(words for words in asked if words))
        pieces = self.model.tokens.words(distinct)
        lengths: dict[int, list[int]] = {}
        for row, item in enumerate(pieces):
            if len(item.ids) > self.model.tokens.most:
                raise UnslantError(
                    f'"{" ".join(distinct[row])[:60]}…" has {len(item.ids):,} pieces; '
                    f"{self.model.original.name} reads at most {self.model.tokens.most:,}. Shorten "
                    f"or split it."
                )
            lengths.setdefault(len(item.ids), []).append(row)
        found: dict[Words, Words] = {(): ()}
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                some = rows[start : start + size]
                best = self._best([pieces[row].ids for row in some])
                for row, tags in zip(some, best, strict=True):
                    firsts = pieces[row].firsts
                    found[distinct[row]] = tuple(
                        OUTSIDE if place < 0 else self.labels[tags[place]] for place in firsts
                    )
        return [found[words] for words in asked]

    def _best(self, ids: Sequence[Sequence[int]]) -> list[list[int]]:
        import torch

        found: list[list[int]] = self.logits(torch.tensor(ids)).argmax(dim=-1).tolist()
        return found


def tag_names(model: "TransformerModel") -> tuple[str, ...]:
    """The tags of a head's outputs, by the names in the configuration."""
    named = model.folder.config.get("id2label")
    known = named if isinstance(named, dict) else {}
    found = {int(number): str(label) for number, label in known.items() if str(number).isdigit()}
    names = tuple(found.get(number, "") for number in range(len(known)))
    if OUTSIDE not in names or not all(names):
        raise UnslantError(
            f"{model.original.name} is no tagger of entities: its configuration (id2label) names "
            f"{', '.join(names)[:100] or 'no labels'}; expected O, B-PER and the like. What its "
            f"outputs mean cannot be guessed. Train one: unslant train ner MODEL --data CONLL -o "
            f"OUT"
        )
    return names
