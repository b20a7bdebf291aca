"""Putting pronouns to a coreference model: each distinct text once, a block at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.files import Progress
from unslant.datasets.coreference.document import Clusters, Span
from unslant.predictors.coreference import (
    AntecedentChooser,
    Coreference,
    checked_choices,
    checked_clusters,
)
from unslant.predictors.protocols import has_method

BLOCK = 512
NEITHER, SEVERAL = -1, -2
"""Outcomes beside the number of a candidate: the pronoun refers to none, or to more than one."""

Document = tuple[str, ...]


@dataclass(frozen=True)
class Question:
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
    """The clusters of each document; one that is there twice is asked once."""
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
    questions: Sequence[Question],
    *,
    restricted: bool,
    progress: Progress | None = None,
) -> list[int]:
    """For each question the number of the candidate that the pronoun refers to.

    If ``restricted``, a model that can choose among candidates only is asked to do so. Any other
    is asked for its clusters; then the pronoun may refer to neither candidate or to several, and
    both are wrong.
    """
    if restricted and has_method(model, AntecedentChooser):
        assert isinstance(model, AntecedentChooser)
        return _chosen(model, questions, progress)
    found = clusters_of(model, [one.words for one in questions], progress)
    return [outcome_of(*both) for both in zip(questions, found, strict=True)]


def outcome_of(question: Question, clusters: Clusters) -> int:
    """The candidate in the pronoun's cluster.

    A mention stands for a candidate if both end with the same word, so that "the nurse", "nurse"
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
    model: AntecedentChooser, questions: Sequence[Question], progress: Progress | None
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
