"""Sentiment on an encoder: one label for each text."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.datasets.labelled_texts import LabelledTexts
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.examples import LabelledExamples
from unslant.models.classifiers.group_mentions import check_groups, groups_of, with_groups
from unslant.models.classifiers.settings import FineTuning
from unslant.models.classifiers.task import TextTask
from unslant.models.classifiers.training import FineTuned, fine_tuned

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

LABELS = ("negative", "neutral", "positive")
_HELD_OUT = 0.1
_FEWEST = 20


class SentimentTask(TextTask):
    """Texts and whether they are negative or positive."""

    name = "sentiment"


def sentiment_task(
    model: "TransformerModel",
    train: LabelledTexts,
    dev: LabelledTexts | None,
    how: FineTuning,
    attributes: tuple[str, ...] = (),
) -> tuple[SentimentTask, dict[str, Any]]:
    """The task, and its data's entry in a record.

    Without ``dev`` a tenth of the texts, drawn by the seed, is held out. ``attributes`` are
    concepts; a text belongs to the one group that it refers to.
    """
    known = set(train.labels) | set(dev.labels if dev else ())
    unknown = sorted(known - set(LABELS))
    if unknown or not {"negative", "positive"} <= known:
        raise UnslantError(
            f"Sentiment labels must be negative and positive, and perhaps neutral. Found "
            f"{', '.join(sorted(known)[:8])}."
        )
    labels = [label for label in LABELS if label in known]
    examples, record = _examples(model, train, labels, how.longest, attributes)
    data = {"train": record}
    if dev is not None:
        held, data["dev"] = _examples(model, dev, labels, model.tokens.most, attributes)
        return _task(model, labels, how, examples, held, attributes), data
    if len(examples) < _FEWEST:
        raise UnslantError(
            f"{len(examples)} texts are too few to hold some out; expected at least {_FEWEST}."
        )
    order = generator(how.seed, "held-out texts", train.content_hash).permutation(len(examples))
    size = max(1, int(_HELD_OUT * len(examples)))
    held, rest = examples.taken(np.sort(order[:size])), examples.taken(np.sort(order[size:]))
    data["train"] = {**record, "held_out": size}
    return _task(model, labels, how, rest, held, attributes), data


def train_sentiment(
    model: "TransformerModel",
    train: LabelledTexts,
    dev: LabelledTexts | None = None,
    how: FineTuning | None = None,
    *,
    adversaries: AdversarySettings | None = None,
    checkpoint: Path | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> FineTuned:
    """Fine-tune an encoder to classify texts as negative or positive."""
    names = adversaries.attributes if adversaries else ()
    task, data = sentiment_task(model, train, dev, how or FineTuning(), names)
    return fine_tuned(
        task,
        data=data,
        adversaries=adversaries,
        checkpoint=checkpoint,
        note=note,
        progress=progress,
    )


def _task(
    model: "TransformerModel",
    labels: list[str],
    how: FineTuning,
    train: LabelledExamples,
    dev: LabelledExamples,
    attributes: tuple[str, ...],
) -> SentimentTask:
    check_groups(train, "training")
    check_groups(dev, "held-out")
    return SentimentTask(model, labels, how, train, dev, None, groups_of(attributes))


def _examples(
    model: "TransformerModel",
    texts: LabelledTexts,
    labels: list[str],
    longest: int,
    attributes: tuple[str, ...],
) -> tuple[LabelledExamples, Mapping[str, Any]]:
    pieces = model.tokens.of(texts.texts)
    rows = [row for row, item in enumerate(pieces) if len(item) <= longest]
    if not rows:
        raise UnslantError(
            f"No text has at most {longest} pieces. Use a larger [[longest|--longest]]."
        )
    examples = LabelledExamples.of(
        [pieces[row].ids for row in rows],
        [(0,) * len(pieces[row]) for row in rows],
        [labels.index(texts.labels[row]) for row in rows],
    )
    record = {**texts.record, "too_long": len(pieces) - len(rows)}
    if not attributes:
        return examples, record
    own = [texts.texts[row] for row in rows]
    examples, counts = with_groups(examples, own, own, attributes)
    return examples, {**record, "groups": counts}
