"""Sets of contrasts by name: StereoSet's items with their twins, or pairs of sentences."""

from typing import Any

from unslant.core.errors import UnslantError
from unslant.models.language.contrasts import Contrasts, NextSentenceScore, TextScore
from unslant.models.language.model import TransformerModel
from unslant.probes.likelihood.pair_sets import pair_set
from unslant.probes.stereoset.probe import StereoSet

STEREOSET = "stereoset"


def contrasts_from(name: str, kinds: str = "") -> Contrasts:
    """Contrasts of ``stereoset`` (gender, with swapped twins), or of a set of sentence pairs.

    A set of pairs is ``crows-pairs``, or a file in its layout, of which ``kinds`` chooses some. In
    StereoSet a contrast is the log-odds of the stereotype less those of the anti-stereotype, of an
    item and of its twin; in a set of pairs the log-likelihood of the more stereotyped sentence less
    that of the other.
    """
    if name == STEREOSET:
        if kinds:
            raise UnslantError("Contrasts of stereoset are about gender; leave out the kinds.")
        pairs = StereoSet(tasks="inter", domain="gender").questions().pairs
        items = tuple(
            {
                (each.context, sentence.text): sign
                for each in (pair.item, pair.twin)
                for sentence, sign in ((each.stereotype, 1.0), (each.anti, -1.0))
            }
            for pair in pairs
        )
        return Contrasts(name, items)
    asked = pair_set(name, kinds)
    return Contrasts(
        asked.name, tuple({("", p.more): 1.0, ("", p.less): -1.0} for p in asked.pairs)
    )


def score_for(model: TransformerModel, contrasts: Contrasts) -> Any:
    """How a model scores such questions: by its next-sentence head, or by likelihood.

    What comes after a context is judged by a decoder as a text.
    """
    has_context = any(first for first, _ in contrasts.questions)
    is_decoder = model.layout.architecture.is_decoder
    return NextSentenceScore if has_context and not is_decoder else TextScore
