"""The scores of items: what a model answers to their texts, or what a file has for their ids."""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.core.score import Score
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.datasets.stereoset import BLANK, StereosetItem, filler_of
from unslant.predictors.answers import AnswersById, Scores
from unslant.predictors.protocols import MASK, Plausibility, Scoring
from unslant.probes.held_out.text import one_for_each
from unslant.probes.likelihood.asking import PairAnswers, controls_for
from unslant.probes.likelihood.pair_scores import PairScores, declared
from unslant.probes.likelihood.pair_sets import Compared, SentencePairSet, StereotypePair

Question = tuple[str, str]
"""A context and one candidate for it."""

_OTHER = {"intra": "inter", "inter": "intra"}


def questions_of(item: StereosetItem) -> Iterator[Question]:
    """The three questions of an item; the text of a filled gap comes from the context."""
    for each in item.sentences:
        if item.task == "inter":
            yield item.context, each.text
        else:
            filler = filler_of(item.context, each.text)
            assert filler is not None, "items with a broken gap are not scored"
            yield item.context.replace(BLANK, MASK), filler


def answers(model: Plausibility, items: Sequence[StereosetItem], scoring: Scoring) -> Array:
    """Items × (stereotype, anti-stereotype, unrelated); each distinct question is computed once.

    A file has the answers that it has, however they were made, so ``scoring`` is for models only.
    """
    found: dict[Question, float] = {}
    for task in ("intra", "inter"):
        asked = [one for item in items if item.task == task for one in questions_of(item)]
        distinct = list(dict.fromkeys(asked))
        if distinct:
            found |= dict(zip(distinct, ask(model, distinct, scoring, task), strict=True))
    rows = [[found[one] for one in questions_of(item)] for item in items]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def ask(
    model: Plausibility, questions: Sequence[Question], scoring: Scoring, task: str
) -> list[float]:
    """One number for each question of a task."""
    contexts, candidates = map(list, zip(*questions, strict=True))
    try:
        if scoring == "words" or isinstance(model, Scores):
            given = model.plausibility(contexts, candidates)
        else:
            given = model.plausibility(contexts, candidates, scoring)
    except UnslantError as error:
        if isinstance(model, Scores):
            raise
        other = _OTHER[task]
        raise UnslantError(
            f"The {task}-sentence items could not be asked: {error} To ask the others only, use "
            f"[[tasks={other}|--tasks {other}]]."
        ) from error
    who = f"{type(model).__name__}.plausibility"
    shown = [f"{context} / {candidate}" for context, candidate in questions]
    return list(map(float, one_for_each(given, shown, low=-np.inf, high=np.inf, who=who)))


def answers_by_id(model: AnswersById, items: Sequence[StereosetItem]) -> Array:
    """The same from a file that has the scores by the ids of sentences."""
    return model.of([each.id for item in items for each in item.sentences]).reshape(-1, 3)


def probabilities(log_odds: Array) -> Array:
    """1 / (1 + exp(−x)), without overflow."""
    from scipy.special import expit

    found: Array = expit(log_odds)
    return found


# The intra-sentence items compared with matched controls.
#
# A model that prefers frequent words, or words of few pieces, prefers some fillers in any
# sentence. Each item therefore gets control sentences with its own two fillers in which the group
# is irrelevant, and what the model prefers there is subtracted: see
# :mod:`unslant.probes.likelihood.controlled`.

NAME = "stereoset-intra"
_MARKED = re.compile(r"\[\[.+?\]\]")
_KINDS = ("excess", "effect", "control")

CONTROLLED: Mapping[str, Score] = {
    name: score
    for name, score in declared(
        NAME, says="How often is the stereotype the more likely filler of a gap?", misleads=""
    ).items()
    if name != NAME  # SS is that, averaged over terms
}
"""The declared scores: the excess over the controls, the effect, and the controls themselves."""


def control_questions(
    items: Sequence[StereosetItem], count: int, seed: int
) -> list[list[tuple[Question, Question]]]:
    """For each item, both fillers in ``count`` sentences in which the group is irrelevant.

    The choice of sentences depends on the item and the seed only.
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
    items: Sequence[StereosetItem],
    scores: Array,
    scoring: Scoring,
    *,
    controls: int,
    seed: int,
    content_hash: str,
    values_only: bool,
) -> Iterator[Measurement]:
    """The scores of intra-sentence items and their controls, from items × 3 scores."""
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
    pairs = tuple(
        StereotypePair(item.stereotype.text, item.anti.text, item.domain) for item in items
    )
    found = PairScores(
        name=NAME,
        title="Preference for stereotyped fillers",
        asked=SentencePairSet(name=f"{NAME} {content_hash}", pairs=pairs),
        answers=answers,
        seed=seed,
        values_only=values_only,
        way=f"{scoring} {controls}",
        inputs={},
    )
    for measurement in found.measurements():
        if measurement.metric.startswith(tuple(f"{NAME}-{kind}" for kind in _KINDS)):
            yield measurement


def _fillers(item: StereosetItem) -> tuple[str, str]:
    stereotype, anti, _ = (candidate for _, candidate in questions_of(item))
    return stereotype, anti
