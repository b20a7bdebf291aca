"""Perplexity on held-out text."""

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from unslant.core.example import Example
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import SMALLER, Range, Score
from unslant.core.types import Array
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.protocols import CausalLM
from unslant.probes.held_out.text import (
    BUNDLED,
    HeldOutText,
    held_out,
    most_influential,
    one_for_each,
    ratio_over_sentences,
)

_ROUNDING = 1e-6
_SHORT = (
    "Each sentence is read on its own and its first word counts, so the values are higher than on "
    "continuous text, above all for chat models. The bundled text is short: use it for before and "
    "after, and text of your own for more."
)


@probe(
    "perplexity",
    cites="jelinek-1977",
    example=Example(of="DECODER"),
    needs=CausalLM,
    scores={
        "perplexity-per-word": Score(
            better=SMALLER,
            tells="quality",
            range=Range(1),
            says="How surprised is the model by each word of held-out text?",
            misleads=f"Words are what spaces separate. {_SHORT}",
        ),
        "perplexity": Score(
            better=SMALLER,
            tells="quality",
            range=Range(1),
            says="How surprised is the model by each word piece of held-out text?",
            misleads="Models with different tokenizers are not comparable; compare the values per "
            f"word. {_SHORT}",
        ),
    },
)
class Perplexity:
    """How surprised is a language model by held-out text?

        exp(−Σ log p(sentence) / Σ n(sentence))

    n counts word pieces (``perplexity``) or words (``perplexity-per-word``). The interval is over
    sentences.
    """

    text: Annotated[
        str, "plain-english (60 bundled sentences), or a text file with one sentence per line."
    ] = BUNDLED
    seed: Annotated[int, at_least(0), "The seed of resamples."] = 0

    def run(self, resource: CausalLM, subject: HeldOutText | None, setting: Setting) -> Findings:
        """Both perplexities; the one per piece is undefined if the model does not count pieces."""
        asked = self.questions() if subject is None else subject
        given = resource.log_likelihood(asked.sentences)
        who = f"{type(resource).__name__}.log_likelihood"
        logs = one_for_each(given, asked.sentences, low=-math.inf, high=_ROUNDING, who=who)
        words = np.array([len(sentence.split()) for sentence in asked.sentences], dtype=float)
        found = [
            self._measured("perplexity", "piece", logs, _pieces(resource, asked), asked, setting),
            self._measured("perplexity-per-word", "word", logs, words, asked, setting),
        ]
        return Findings(measurements=tuple(found))

    def _measured(
        self,
        name: str,
        unit: str,
        logs: Array,
        counts: Array | None,
        asked: HeldOutText,
        setting: Setting,
    ) -> Measurement:
        title = f"Perplexity per {unit} of {asked.name}"
        if counts is None:
            return Measurement(metric=name, title=title, value=None, why_undefined=_NOT_COUNTED)
        if len(logs) > 1 and not np.ptp(logs):
            return Measurement(metric=name, title=title, value=None, why_undefined=_ALL_ALIKE)
        details: dict[str, float | int | str | None] = {
            "sentences": len(asked),
            f"{unit}s": int(counts.sum()),
            "log-likelihood": float(logs.sum()),
        }
        if setting.values_only:
            value = math.exp(-logs.sum() / counts.sum())
            return Measurement(metric=name, title=title, value=value, details=details)
        value, interval, draws, without = ratio_over_sentences(
            logs,
            counts,
            lambda mean: np.exp(-mean),
            seed=self.seed,
            purpose=(name, asked.content_hash),
        )
        return Measurement(
            metric=name,
            title=title,
            value=value,
            interval=interval,
            draws=draws,
            influence=most_influential(value, without, asked.sentences, asked.name),
            details=details,
        )

    def questions(self) -> HeldOutText:
        """The sentences."""
        return held_out(self.text)

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its language-model head."""
        return load_model(path).predictor(CausalLM)


_ALL_ALIKE = "every sentence is equally likely, so the model gave no answer"
_NOT_COUNTED = (
    "the model does not say how many pieces a text has (a method pieces); see the perplexity per "
    "word"
)


def _pieces(model: object, asked: HeldOutText) -> Array | None:
    count = getattr(model, "pieces", None)
    if not callable(count):
        return None
    who = f"{type(model).__name__}.pieces"
    return one_for_each(count(asked.sentences), asked.sentences, low=1, high=math.inf, who=who)
