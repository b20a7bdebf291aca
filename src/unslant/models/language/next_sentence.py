"""A model with a next-sentence head as what says whether one sentence follows another."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.record import Facts
from unslant.core.types import Array
from unslant.models.language.classifying import pair_logits
from unslant.models.language.likelihood import WithHead

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


class NextSentencePredictor(WithHead):
    """log p(next) − log p(not next) from the head of BERT's pretraining, or one trained later.

    Both sentences are read together, as the tokenizer joins them, with the parts of the pair
    marked. Which of the two outputs means "next" is found out by a check on held-out sentences
    (``next_sentence_check.py``), because models differ and their names say nothing about it.
    """

    head = "next-sentence"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.check = model.next_sentence_check

    @property
    def facts(self) -> Facts:
        """The model's entry in a record, with the outcome of the check."""
        return {**super().facts, **self.check.facts}

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
        """The log-odds of each pair."""
        odds = first_output_odds(self.model, firsts, seconds)
        return odds if self.check.column == 0 else -odds


def first_output_odds(
    model: "TransformerModel", firsts: Sequence[str], seconds: Sequence[str]
) -> Array:
    """The first output of the head less the second."""
    logits = pair_logits(model, "next-sentence", firsts, seconds)
    found: Array = logits[:, 0] - logits[:, 1]
    return found


# Which output of a next-sentence head means "next": true next sentences against others.

MOST_P = 0.01


@dataclass(frozen=True)
class NextSentenceCheck:
    """The output that means "next", and how well it separates true pairs from others.

    ``ranked`` is the share of pairs whose true second sentence scores higher than another one;
    ``right`` is the share of all answers with the right sign.
    """

    column: int
    pairs: int
    ranked: float
    right: float
    p_value: float

    @property
    def facts(self) -> Facts:
        """Its entry in a record."""
        return {
            "next-sentence-output": self.column,
            "next-sentence-check-pairs": self.pairs,
            "next-sentence-check-ranked-right": self.ranked,
            "next-sentence-check-accuracy": self.right,
            "next-sentence-check-p": self.p_value,
        }


def checked(model: "TransformerModel") -> NextSentenceCheck:
    """Test the head on held-out sentences; a head at chance is refused.

    An output is taken for "next" if it ranks the true sentence above another one more often than a
    fair coin would, by an exact binomial test of both sides at the level .01.
    """
    from scipy.stats import binomtest

    firsts, seconds = zip(*held_out_pairs(), strict=True)
    shift = len(seconds) // 2
    others = [*seconds[shift:], *seconds[:shift]]
    true = first_output_odds(model, firsts, seconds)
    false = first_output_odds(model, firsts, others)
    wins, losses = int((true > false).sum()), int((true < false).sum())
    p_value = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    if p_value >= MOST_P:
        raise UnslantError(
            f'Which output of the next-sentence head of {model.name} means "next" is undecided: of '
            f"{len(firsts)} held-out pairs, the first output prefers the true next sentence in "
            f"{wins} and another one in {losses} (p = {p_value:.2g}; needed: below {MOST_P:g}). "
            f"Use a model whose next-sentence head has been trained."
        )
    sign = 1 if wins > losses else -1
    ties = len(firsts) - wins - losses
    return NextSentenceCheck(
        column=0 if sign > 0 else 1,
        pairs=len(firsts),
        ranked=(max(wins, losses) + ties / 2) / len(firsts),
        right=float(np.mean([*(sign * true > 0), *(sign * false < 0)])),
        p_value=p_value,
    )


@cache
def held_out_pairs() -> tuple[tuple[str, str], ...]:
    """Sentences with the sentence that follows.

    >>> len(held_out_pairs())
    64
    """
    path = files("unslant.models.language") / "data" / "next-sentences.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple((first, second) for first, second in table["pairs"])
