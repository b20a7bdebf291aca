"""How often a masked language model guesses the masked word."""

import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.script import LETTERS
from unslant.core.seeds import generator
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.protocols import MASK, GapFiller
from unslant.probes.held_out.text import (
    BUNDLED,
    HeldOutText,
    held_out,
    most_influential,
    one_for_each,
    ratio_over_sentences,
)

_WORD = re.compile(rf"{LETTERS}(?:['’-]{LETTERS})*")
Gap = tuple[str, str]
"""A sentence with one gap, and the word that belongs there."""


@probe(
    "masked-accuracy",
    cites="devlin-2019",
    example=Example(of="MODEL"),
    needs=GapFiller,
    scores={
        "masked-accuracy": Score(
            better=LARGER,
            tells="quality",
            tolerated=0.02,
            range=Range(0, 1),
            misleads="Many words fit a gap, so no model comes near 1. A word of several pieces "
            "counts only if all of them are right, and vocabularies differ: compare a model with "
            "itself. The bundled text is short: use it for before and after.",
        )
    },
)
class MaskedAccuracy:
    """How often is a masked word of held-out text the model's best guess?

        accuracy = share of masked words whose pieces are all the most probable in their places

    All pieces of a word are masked at once. ``words`` of each sentence, drawn by the seed and the
    sentence, are masked one at a time. The interval is over sentences.
    """

    text: Annotated[
        str, "plain-english (60 bundled sentences), or a text file with one sentence per line."
    ] = BUNDLED
    words: Annotated[int, at_least(1), "How many words of each sentence to mask in turn."] = 4
    seed: Annotated[int, at_least(0), "The seed of the masks and of resamples."] = 0

    def run(self, resource: GapFiller, subject: HeldOutText | None, setting: Setting) -> Findings:
        """Ask every gap once, and count the right guesses."""
        asked = self.questions() if subject is None else subject
        gaps = [self.gaps(sentence) for sentence in asked.sentences]
        texts, fillers = zip(*(gap for some in gaps for gap in some), strict=True)
        who = f"{type(resource).__name__}.recovers"
        each = one_for_each(resource.recovers(texts, fillers), texts, low=0, high=1, who=who)
        counts = np.array([len(some) for some in gaps], dtype=np.float64)
        ends = np.cumsum(counts).astype(int)
        hits = np.array([part.sum() for part in np.split(each, ends[:-1])])
        title = f"Masked words of {asked.name} guessed"
        details = {"sentences": len(asked), "masked-words": len(texts)}
        if setting.values_only:
            found = Measurement(
                metric="masked-accuracy", title=title, value=float(each.mean()), details=details
            )
            return Findings(measurements=(found,))
        value, interval, draws, without = ratio_over_sentences(
            hits,
            counts,
            lambda mean: mean,
            seed=self.seed,
            purpose=("masked-accuracy", str(self.words), asked.content_hash),
        )
        found = Measurement(
            metric="masked-accuracy",
            title=title,
            value=value,
            interval=interval,
            draws=draws,
            influence=most_influential(value, without, asked.sentences, asked.name),
            details=details,
        )
        return Findings(measurements=(found,))

    def gaps(self, sentence: str) -> list[Gap]:
        """Some words of a sentence, each masked in turn; independent of the other sentences."""
        found = list(_WORD.finditer(sentence))
        if not found:
            raise UnslantError(f'"{sentence[:60]}" has no word to mask. Remove the line.')
        rng = generator(self.seed, "masked-accuracy", sentence)
        size = min(self.words, len(found))
        chosen = sorted(rng.choice(len(found), size=size, replace=False).tolist())
        return [
            (f"{sentence[: word.start()]}{MASK}{sentence[word.end() :]}", word[0])
            for word in (found[place] for place in chosen)
        ]

    def questions(self) -> HeldOutText:
        """The sentences."""
        return held_out(self.text)

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its masked head."""
        return load_model(path).predictor(GapFiller)
