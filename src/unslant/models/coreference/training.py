"""Training a coreference model, by the one trainer."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.version import __version__
from unslant.datasets.coreference.document import CorefDocument
from unslant.models.coreference.antecedents import antecedent_loss, mention_loss
from unslant.models.coreference.context import WordsInSentences
from unslant.models.coreference.data import CorefData, content_hash
from unslant.models.coreference.decoding import Known, predicted, scores_of, with_true_mentions
from unslant.models.coreference.layout import DocumentLayout, DocumentWords, Places, Read, layout
from unslant.models.coreference.network import CorefNetwork
from unslant.models.coreference.settings import CorefTraining
from unslant.models.coreference.trained import TrainedCoref
from unslant.models.nli.batches import Embedding
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.trainer import TrainingOutcome, TrainingTask
from unslant.models.training.trainer import train as train_task
from unslant.vectors import WordVectors

# Training documents cut into segments, with the true cluster of every candidate span.


@dataclass(frozen=True, eq=False)
class Segment:
    """Sentences of a document, and ``cluster`` as words × widths: -1 where there is no mention."""

    laid: DocumentLayout
    cluster: Places

    def __len__(self) -> int:
        return len(self.laid.words)


def segments(document: CorefDocument, read: Read, longest: int, widest: int) -> Iterator[Segment]:
    """Parts of at most ``longest`` words, but whole sentences; links between parts are lost."""
    cluster = np.full((len(read.words), widest), -1, np.int64)
    for number, spans in enumerate(document.clusters):
        for begin, end in spans:
            if end - begin <= widest:
                cluster[begin, end - begin - 1] = number
    for words, sentences in _parts(read.lengths, longest):
        context = None if read.context is None else read.context[words]
        part = Read(read.words[words], read.cases[words], read.lengths[sentences], context)
        yield Segment(layout([part]), cluster[words])


def _parts(lengths: NDArray[np.int64], longest: int) -> Iterator[tuple[slice, slice]]:
    """Slices of words and of sentences."""
    word = begin_word = begin = 0
    for place, length in enumerate(lengths.tolist()):
        if word > begin_word and word + length - begin_word > longest:
            yield slice(begin_word, word), slice(begin, place)
            begin_word, begin = word, place
        word += length
    if word > begin_word:
        yield slice(begin_word, word), slice(begin, len(lengths))


def train(
    vectors: WordVectors,
    data: CorefData,
    how: CorefTraining | None = None,
    *,
    context: WordsInSentences | None = None,
    checkpoint: Path | None = None,
    name: str = "coref",
    note: str = "",
    progress: Progress | None = None,
) -> TrainedCoref:
    """Train a model whose words are seen through ``vectors``, which themselves stay fixed.

    ``context`` adds a vector to each word, from its sentence; it stays fixed too.

    With a ``checkpoint`` file every finished round is kept there; called again with the same
    vectors, documents and settings, training resumes from it. The caller removes it when the model
    is safe. The ``note`` is kept in the record.
    """
    how = how or CorefTraining()
    task = CorefTask(vectors, data, how, context, progress)
    store = Checkpoint(checkpoint, identity(vectors, data, how, context)) if checkpoint else None
    outcome = train_task(task, how.schedule(task.steps_in_round), store=store, progress=progress)
    return TrainedCoref(
        name, task.shape, outcome.weights, task.record(outcome, note), data.has_singletons
    )


def identity(
    vectors: WordVectors,
    data: CorefData,
    how: CorefTraining,
    context: WordsInSentences | None = None,
) -> str:
    """A hash of everything that the final weights depend on."""
    facts = {
        "vectors": vectors.content_hash,
        "train": content_hash(data.train),
        "held_out": content_hash(data.held_out),
        "how": asdict(how),
        "context": [context.facts["place"], context.facts["sha256"]] if context else None,
        "unslant": __version__,
        "torch": str(torch.__version__),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class CorefTask(TrainingTask[Segment]):
    """Segments of documents; a round is a pass over all of them."""

    name = "coref"
    round_name = "Round"
    objective = "held_out_conll_f1"

    def __init__(
        self,
        vectors: WordVectors,
        data: CorefData,
        how: CorefTraining,
        context: WordsInSentences | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.vectors, self.data, self.how, self.context = vectors, data, how, context
        self.shape = how.shape(vectors.dim, context.width if context else 0)
        self.words = DocumentWords()
        self._progress = progress
        self.segments = [
            part
            for document, read in self._read(data.train)
            for part in segments(document, read, how.segment, how.widest)
        ]
        self.known = {part: self._laid_out(getattr(data, part)) for part in ("held_out", "test")}
        self.table = torch.from_numpy(self.words.table(vectors))

    def build_network(self) -> nn.Module:
        """The network with fresh weights."""
        how = self.how
        return CorefNetwork(self.shape, how.dropout, how.word_dropout, how.training_antecedents)

    @property
    def steps_in_round(self) -> int:
        """One for each segment."""
        return len(self.segments)

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Segment]]:
        """The segments in the order of a round, each with its number of words."""
        order = generator(seed, self.name, f"order {number}").permutation(len(self.segments))
        for place in order.tolist():
            yield len(self.segments[place]), self.segments[place]

    def loss(self, network: nn.Module, batch: Segment) -> Tensor:
        """The loss of antecedents and of mentions, per word."""
        cluster = torch.from_numpy(batch.cluster)
        found = network(self.table, batch.laid)
        spans = found.spans
        of_spans = cluster[spans.begin, spans.end - spans.begin - 1]
        linked = antecedent_loss(found.ranked, spans, of_spans)
        return (linked + mention_loss(found.mentions, cluster >= 0)) / len(batch)

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """The CoNLL F1 of whole documents, with predicted mentions."""
        return {self.objective: self._scores(network, "held_out")["conll_f1"]}

    def evaluate_test(self, network: nn.Module) -> dict[str, Any]:
        """All scores of the best round, with predicted and with true mentions."""
        return {
            part: {
                mentions: self._scores(network, part, with_true=mentions == "true_mentions")
                for mentions in ("predicted_mentions", "true_mentions")
            }
            for part, documents in self.known.items()
            if documents
        }

    def record(self, outcome: TrainingOutcome, note: str) -> dict[str, Any]:
        """The record of the training, without the weights of its best round."""
        tested: dict[str, Any] = dict(outcome.tested)
        words = self.words.known
        return {
            "note": note,
            "held_out_conll_f1": outcome.rounds[outcome.best - 1][self.objective],
            "scores": tested,
            "best_round": outcome.best,
            "rounds": outcome.rounds,
            "seconds": outcome.seconds,
            "settings": asdict(self.how),
            "vectors": {
                "name": self.vectors.name,
                "dim": self.vectors.dim,
                "content_sha256": self.vectors.content_hash,
                "family_sha256": sorted(self.vectors.family_hashes),
            },
            "words": {
                "in_documents": len(words),
                "hashed": len(Embedding(self.vectors).missing(words)),
            },
            "context": self.context.facts if self.context else None,
            "documents": self.data.facts,
            "versions": {"unslant": __version__, "torch": str(torch.__version__)},
        }

    def _read(self, documents: tuple[CorefDocument, ...]) -> list[tuple[CorefDocument, Read]]:
        sentences = [each.sentences for each in documents]
        return list(
            zip(
                documents, self.words.read_all(sentences, self.context, self._progress), strict=True
            )
        )

    def _laid_out(self, documents: tuple[CorefDocument, ...]) -> list[Known]:
        return [(document, layout([read])) for document, read in self._read(documents)]

    def _scores(self, network: nn.Module, part: str, *, with_true: bool = False) -> dict[str, Any]:
        assert isinstance(network, CorefNetwork)
        singletons, known = self.data.has_singletons, self.known[part]
        answered = (
            with_true_mentions(network, self.table, known)
            if with_true
            else predicted(network, self.table, known, singletons=singletons)
        )
        return scores_of(answered, singletons=singletons).to_dict()
