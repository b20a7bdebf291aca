"""Pairs of sentences and their controls, put to a model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unslant.core.files import Progress
from unslant.core.types import Array
from unslant.predictors.protocols import Likelihood, Masking
from unslant.probes.held_out.text import one_for_each
from unslant.probes.likelihood.comparison import Compared, Scored, compared, scored_words
from unslant.probes.likelihood.controlled import Contrasts
from unslant.probes.likelihood.controls import controls_for
from unslant.probes.likelihood.word_groups import WordGroups

_TOGETHER = 4_096
"""How many texts are asked at a time: many, because equal sequences are read once."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class PairAnswers:
    """The logarithm of each sentence (pairs × 2) and of each control (pairs × controls × 2).

    ``lengths`` is how many words of each pair are scored, relative to its controls.
    """

    pairs: tuple[Compared, ...]
    logs: Array
    controls: Array
    lengths: Array

    @property
    def differences(self) -> Array:
        """The log-odds of each pair: the more stereotyped sentence less the other."""
        return self.logs[:, 0] - self.logs[:, 1]

    @cached_property
    def contrasts(self) -> Contrasts:
        """The log-odds of pairs and controls, with the pairs that share words."""
        gaps = self.controls[:, :, 0] - self.controls[:, :, 1]
        return Contrasts.scaled(self.differences, gaps, self.groups, self.lengths)

    @cached_property
    def groups(self) -> WordGroups:
        """Which pairs share their changed words."""
        return WordGroups.of([pair.changed for pair in self.pairs])

    @property
    def is_constant(self) -> bool:
        """Whether the model gave the same answer to every sentence, or to both of every pair."""
        return not self.differences.any()


def ask_pairs(
    model: Likelihood,
    sentences: Sequence[tuple[str, str]],
    scored: Scored,
    masking: Masking,
    *,
    controls: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> PairAnswers:
    """Every sentence and every control, each distinct text once."""
    pairs = tuple(compared(more, less, scored) for more, less in sentences)
    matched = controls_for([pair.changed for pair in pairs], scored, count=controls, seed=seed)
    texts = [text for pair in pairs for text in (pair.more, pair.less)]
    texts += [text for some in matched for pair in some for text in pair]
    logs = asked(model, texts, masking, progress)
    own, rest = logs[: 2 * len(pairs)], logs[2 * len(pairs) :]
    lengths = np.array(
        [
            np.mean([scored_words(pair.more), scored_words(pair.less)])
            / np.mean([scored_words(text) for control in some for text in control] or [1])
            for pair, some in zip(pairs, matched, strict=True)
        ]
    )
    return PairAnswers(pairs, own.reshape(-1, 2), rest.reshape(len(pairs), -1, 2), lengths)


def asked(
    model: Likelihood, texts: Sequence[str], masking: Masking, progress: Progress | None = None
) -> Array:
    """One logarithm for each text; what is none is refused."""
    distinct = list(dict.fromkeys(texts))
    who = f"{type(model).__name__}.log_likelihoods"
    found: list[Array] = []
    for start in range(0, len(distinct), _TOGETHER):
        some = distinct[start : start + _TOGETHER]
        given = model.log_likelihoods(some, masking)
        found.append(one_for_each(given, some, low=-math.inf, high=_ROUNDING, who=who))
        if progress:
            progress("Scoring sentences", start + len(some), len(distinct))
    known = dict(zip(distinct, np.concatenate(found).tolist() if found else (), strict=True))
    return np.array([known[text] for text in texts], dtype=np.float64)


def is_decoder(model: Any) -> bool:
    """Whether a model says that it reads from left to right."""
    return bool(getattr(model, "is_causal", False))
