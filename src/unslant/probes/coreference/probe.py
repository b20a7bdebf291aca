"""Shared abilities of coreference probes: read models, read answers, write texts."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.record import LeftOut, Subject
from unslant.core.references import reference
from unslant.datasets.coreference.conll2012 import coreference_files
from unslant.datasets.coreference.document import Clusters, Span
from unslant.models.coreference.data import read_data
from unslant.models.coreference.retrain import CorefRetraining
from unslant.models.coreference.settings import CorefTraining
from unslant.models.coreference.trained import TrainedCoref, builtin_coref, load_coref
from unslant.models.language.model import load_model
from unslant.models.nli.batches import Embedding
from unslant.predictors.answers import ClusterAnswers
from unslant.predictors.coreference import (
    AntecedentChooser,
    Coreference,
    checked_choices,
    checked_clusters,
)
from unslant.predictors.protocols import has_method
from unslant.vectors import WordVectors

Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TextSet:
    """The texts of a probe of coreference: a row for each, under named columns, ``words`` first."""

    name: str
    title: str
    about: str
    columns: Row
    rows: tuple[Row, ...]
    cites: tuple[str, ...]
    items: Any
    """What the probe scores: one object for each item, in the order of the rows or their pairs."""
    facts: Mapping[str, str | int]
    left_out: tuple[LeftOut, ...] = ()
    groups: tuple[str, ...] = ("female", "male")
    concept: str = "gender"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def content_hash(self) -> str:
        """A hash of the texts and of how each is labelled."""
        text = "\n".join("\t".join(row) for row in (self.columns, *self.rows))
        return hashlib.sha256(text.encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about=self.about,
            groups=self.groups,
            references=tuple(map(reference, self.cites)),
            sha256=self.content_hash,
            facts={"texts": len(self), "concept": self.concept, **self.facts},
        )


class CoreferenceProbe:
    """Reads trained models, folders of models and files of clusters, and exports its texts."""

    def reader(self) -> TrainedCoref:
        """The model in the package, which reads any vectors of 100 dimensions."""
        return builtin_coref()

    def loaded(self, path: Path) -> Any:
        """The model in a file that ``unslant train coref`` wrote, or in a folder."""
        return load_model(path).predictor(Coreference) if path.is_dir() else load_coref(path)

    def retraining(
        self, folder: Path, *, seed: int, skip_bad: bool, progress: Progress | None
    ) -> CorefRetraining:
        """How to train a model for each space on the documents in a folder."""
        if skip_bad:
            raise UnslantError("Documents with malformed lines are refused; leave out --skip-bad.")
        return CorefRetraining(
            data=read_data(folder, progress=progress), how=CorefTraining(seed=seed)
        )

    def training_files(self, folder: Path) -> dict[str, list[Path]]:
        """The training and development files of a model."""
        return {"documents": coreference_files(folder)}

    def remarks(
        self, questions: TextSet, vectors: WordVectors, reader: object
    ) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
        """The words that the model reads as hashes."""
        if not isinstance(reader, TrainedCoref):
            return (), ()
        words = {word.lower() for row in questions.rows for word in row[0].split()}
        missing = Embedding(vectors).missing(sorted(words))
        why = "missing from the vectors, so the model read a hash of each word instead"
        return (), (LeftOut(what=", ".join(missing), why=why),) if missing else ()

    def answered(self, path: Path) -> Any:
        """Clusters that were made elsewhere."""
        return ClusterAnswers(path)

    def exported(self, questions: TextSet) -> tuple[Row, int, Iterator[Row]]:
        """One row for each text."""
        return questions.columns, len(questions), iter(questions.rows)


def spans_text(spans: Sequence[tuple[int, int]]) -> str:
    """Spans as text, for the columns of an export."""
    return " ".join(f"{first}-{end}" for first, end in spans)


# Putting pronouns to a coreference model: each distinct text once, a block at a time.

BLOCK = 512
NEITHER, SEVERAL = -1, -2
"""Outcomes other than a candidate's number: the pronoun refers to none, or to more than one."""

Document = tuple[str, ...]


@dataclass(frozen=True)
class PronounQuestion:
    """A pronoun in a text, the mentions that it may refer to, and the number of the right one."""

    words: Document
    pronoun: Span
    candidates: tuple[Span, ...]
    right: int

    @property
    def text(self) -> str:
        """The words with a space between each."""
        return " ".join(self.words)

    def said(self, outcome: int) -> str:
        """An outcome in words."""
        if outcome == NEITHER:
            return "unresolved"
        if outcome == SEVERAL:
            return "several"
        return " ".join(self.words[slice(*self.candidates[outcome])])


def clusters_of(
    model: Coreference, documents: Sequence[Document], progress: Progress | None = None
) -> list[Clusters]:
    """The clusters of each document; duplicates are resolved once."""
    distinct = list(dict.fromkeys(documents))
    known: dict[Document, Clusters] = {}
    for begin in range(0, len(distinct), BLOCK):
        some = distinct[begin : begin + BLOCK]
        known.update(zip(some, checked_clusters(model, some), strict=True))
        if progress:
            progress("Resolving pronouns", begin + len(some), len(distinct))
    return [known[words] for words in documents]


def outcomes(
    model: Coreference,
    questions: Sequence[PronounQuestion],
    *,
    restricted: bool,
    progress: Progress | None = None,
) -> list[int]:
    """For each question the number of the candidate that the pronoun refers to.

    If ``restricted``, a model that can choose among candidates does so. Any other
    returns its clusters; then the pronoun may refer to neither candidate or to several, and
    both are wrong.
    """
    if restricted and has_method(model, AntecedentChooser):
        assert isinstance(model, AntecedentChooser)
        return _chosen(model, questions, progress)
    found = clusters_of(model, [one.words for one in questions], progress)
    return [outcome_of(*both) for both in zip(questions, found, strict=True)]


def outcome_of(question: PronounQuestion, clusters: Clusters) -> int:
    """The candidate in the pronoun's cluster.

    A mention refers to a candidate if both end with the same word, so that "the nurse", "nurse"
    and "the young nurse" are alike, while "the nurse 's car" is none of them.
    """
    ends = {end: number for number, (_, end) in enumerate(question.candidates)}
    cluster = next((one for one in clusters if question.pronoun in one), ())
    named = {
        ends[end] for first, end in cluster if end in ends and (first, end) != question.pronoun
    }
    if not named:
        return NEITHER
    return named.pop() if len(named) == 1 else SEVERAL


def _chosen(
    model: AntecedentChooser, questions: Sequence[PronounQuestion], progress: Progress | None
) -> list[int]:
    distinct = list(dict.fromkeys((one.words, one.pronoun, one.candidates) for one in questions))
    known: dict[tuple[Document, Span, tuple[Span, ...]], int] = {}
    for begin in range(0, len(distinct), BLOCK):
        some = distinct[begin : begin + BLOCK]
        words, pronouns, candidates = zip(*some, strict=True)
        given = checked_choices(model, words, pronouns, candidates)
        known.update(zip(some, given, strict=True))
        if progress:
            progress("Resolving pronouns", begin + len(some), len(distinct))
    return [known[one.words, one.pronoun, one.candidates] for one in questions]
