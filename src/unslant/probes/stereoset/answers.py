"""The scores of items: what a model answers to their texts, or what a file has for their ids."""

from collections.abc import Iterator, Sequence

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.datasets.stereoset import BLANK, Item, filler_of
from unslant.predictors.answers import AnswersById, Scores
from unslant.predictors.protocols import MASK, Plausibility, Scoring
from unslant.probes.held_out.text import one_for_each

Question = tuple[str, str]
"""A context and one candidate for it."""

_OTHER = {"intra": "inter", "inter": "intra"}


def questions_of(item: Item) -> Iterator[Question]:
    """The three questions of an item; the text of a filled gap comes from the context."""
    for each in item.sentences:
        if item.task == "inter":
            yield item.context, each.text
        else:
            filler = filler_of(item.context, each.text)
            assert filler is not None, "items whose gap is broken are not asked"
            yield item.context.replace(BLANK, MASK), filler


def answers(model: Plausibility, items: Sequence[Item], scoring: Scoring) -> Array:
    """Items × (stereotype, anti-stereotype, unrelated); each distinct question is asked once.

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


def answers_by_id(model: AnswersById, items: Sequence[Item]) -> Array:
    """The same from a file that has the scores by the ids of sentences."""
    return model.of([each.id for item in items for each in item.sentences]).reshape(-1, 3)


def probabilities(log_odds: Array) -> Array:
    """1 / (1 + exp(−x)), without overflow."""
    from scipy.special import expit

    found: Array = expit(log_odds)
    return found
