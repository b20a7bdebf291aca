"""Natural language inference on an encoder: both sentences are read together."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.datasets.nli import Corpus, Splits
from unslant.datasets.nli.pairs import LABELS
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.examples import LabelledExamples
from unslant.models.classifiers.group_mentions import check_groups, groups_of, with_groups
from unslant.models.classifiers.settings import FineTuning
from unslant.models.classifiers.task import TextTask
from unslant.models.classifiers.training import FineTuned, fine_tuned

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_AT_ONCE = 10_000


class InferenceTask(TextTask):
    """Pairs of sentences and whether the second follows from the first."""

    name = "nli on an encoder"


def train_inference(
    model: "TransformerModel",
    pairs: Splits,
    how: FineTuning | None = None,
    *,
    most: int = 0,
    adversaries: AdversarySettings | None = None,
    checkpoint: Path | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> FineTuned:
    """Fine-tune an encoder on pairs of sentences, read with their texts.

    Interventions of the model act in training. ``most`` is how many training pairs to draw; 0 for
    all. The attributes of ``adversaries`` are concepts; a pair belongs to the one group that its
    sentences refer to. Every finished epoch is kept in the ``checkpoint``.
    """
    how = how or FineTuning()
    names = adversaries.attributes if adversaries else ()
    read: dict[str, tuple[LabelledExamples, Mapping[str, Any]]] = {
        part: _examples(model, corpus, how, part, names, progress)
        for part, corpus in pairs._asdict().items()
        if corpus is not None
    }
    train, record = read["train"]
    if most and most < len(train):
        train = train.drawn(most, generator(how.seed, "training pairs", str(most)))
        read["train"] = train, {**record, "drawn": most}
    test = read["test"][0] if "test" in read else None
    dev = read["dev"][0]
    check_groups(train, "training")
    check_groups(dev, "dev")
    task = InferenceTask(model, LABELS, how, train, dev, test, groups_of(names))
    data = {part: record for part, (_, record) in read.items()}
    return fine_tuned(
        task,
        data=data,
        adversaries=adversaries,
        checkpoint=checkpoint,
        note=note,
        progress=progress,
    )


def _examples(
    model: "TransformerModel",
    corpus: Corpus,
    how: FineTuning,
    part: str,
    attributes: tuple[str, ...],
    progress: Progress | None,
) -> tuple[LabelledExamples, Mapping[str, Any]]:
    """The pairs as pieces, and their entry in the record; long training pairs are left out."""
    if corpus.texts is None:
        raise UnslantError("The pairs were read without their texts. Use keep_texts=True.")
    longest = min(how.longest, model.tokens.most) if part == "train" else model.tokens.most
    ids, parts, rows = [], [], []
    premises, hypotheses = corpus.texts
    for start in range(0, len(corpus), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        found = model.tokens.pairs_within(premises[some], hypotheses[some], longest)
        for row, pieces in enumerate(found, start):
            if pieces is not None:
                ids.append(pieces.ids)
                parts.append(pieces.parts)
                rows.append(row)
        if progress:
            progress("Splitting into pieces", min(start + _AT_ONCE, len(corpus)), len(corpus))
    if not rows:
        raise UnslantError(
            f"No {part} pair has at most {longest} pieces. Use a larger [[longest|--longest]]."
        )
    examples = LabelledExamples.of(ids, parts, np.asarray(corpus.labels)[rows])
    record = {"count": len(rows), "too_long": len(corpus) - len(rows), **corpus.record}
    if not attributes or part == "test":
        return examples, record
    pairs = [f"{premises[row]} {hypotheses[row]}" for row in rows]
    firsts = [premises[row] for row in rows]
    examples, counts = with_groups(examples, pairs, firsts, attributes, progress)
    return examples, {**record, "groups": counts}
