"""The intra-sentence items beside matched controls.

A model that prefers frequent words, or words of few pieces, prefers some fillers in any sentence.
Each item therefore gets control sentences with its own two fillers in which the group is
irrelevant, and what the model prefers there is subtracted: see
:mod:`unslant.probes.likelihood.controlled`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unslant.core.measurement import Measurement
from unslant.core.score import Score
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.datasets.stereoset import Item
from unslant.predictors.protocols import MASK, Plausibility, Scoring
from unslant.probes.likelihood.asking import PairAnswers
from unslant.probes.likelihood.comparison import Compared
from unslant.probes.likelihood.controls import controls_for
from unslant.probes.likelihood.pair_scores import PairScores, declared
from unslant.probes.likelihood.pair_sets import Pair, PairSet
from unslant.probes.stereoset.answers import Question, ask, questions_of

NAME = "stereoset-intra"
_MARKED = re.compile(r"\[\[.+?\]\]")
_KINDS = ("excess", "effect", "control")

CONTROLLED: Mapping[str, Score] = {
    name: score
    for name, score in declared(
        NAME, says="How often is the stereotype the likelier filler of a gap?", misleads=""
    ).items()
    if name != NAME  # SS is that, averaged over terms
}
"""What is declared: the excess over the controls, the effect, and the controls themselves."""


def control_questions(
    items: Sequence[Item], count: int, seed: int
) -> list[list[tuple[Question, Question]]]:
    """For each item, both fillers in ``count`` sentences in which the group is irrelevant.

    Which sentences these are depends on the item and the seed, not on what else is asked.
    """
    found = []
    for item in items:
        both = _fillers(item)
        own = int(generator(seed, "controls", item.id).integers(2**31))
        [controls] = controls_for([both], "changed", count=count, seed=own)
        gaps = [_MARKED.sub(MASK, more) for more, _ in controls]
        found.append([((gap, both[0]), (gap, both[1])) for gap in gaps])
    return found


def controlled(
    model: Plausibility,
    items: Sequence[Item],
    scores: Array,
    scoring: Scoring,
    *,
    controls: int,
    seed: int,
    content_hash: str,
    values_only: bool,
) -> Iterator[Measurement]:
    """The scores of intra-sentence items beside their controls; items × 3 scores are given."""
    matched = control_questions(items, controls, seed)
    every = [one for some in matched for both in some for one in both]
    distinct = list(dict.fromkeys(every))
    known = dict(zip(distinct, ask(model, distinct, scoring, "intra"), strict=True))
    logs = np.array([known[one] for one in every]).reshape(len(items), controls, 2)
    answers = PairAnswers(
        tuple(Compared("", "", _fillers(item)) for item in items),
        scores[:, :2],
        logs,
        np.ones(len(items)),
    )
    pairs = tuple(Pair(item.stereotype.text, item.anti.text, item.domain) for item in items)
    found = PairScores(
        name=NAME,
        title="The stereotype is the likelier filler",
        asked=PairSet(name=f"{NAME} {content_hash}", pairs=pairs),
        answers=answers,
        seed=seed,
        values_only=values_only,
        way=f"{scoring} {controls}",
        inputs={},
    )
    for measurement in found.measurements():
        if measurement.metric.startswith(tuple(f"{NAME}-{kind}" for kind in _KINDS)):
            yield measurement


def _fillers(item: Item) -> tuple[str, str]:
    stereotype, anti, _ = (candidate for _, candidate in questions_of(item))
    return stereotype, anti
