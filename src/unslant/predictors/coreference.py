"""Coreference models: any object that groups mentions into clusters."""

from collections.abc import Sequence
from operator import index
from typing import Any, Protocol, runtime_checkable

from unslant.core.errors import UnslantError
from unslant.datasets.coreference.document import Clusters, Span

__all__ = ["AntecedentChooser", "Coreference", "Span", "checked_choices", "checked_clusters"]


@runtime_checkable
class Coreference(Protocol):
    """A model that resolves pronouns."""

    def resolve(self, documents: Sequence[Sequence[str]]) -> Sequence[Sequence[Sequence[Span]]]:
        """For each document, given as its words, the clusters: spans that mean the same thing.

        A span is in at most one cluster; a mention that no other joins may be left out.
        """
        ...


@runtime_checkable
class AntecedentChooser(Protocol):
    """A coreference model that can also choose among given candidates only.

    Probes that restrict a pronoun to candidates use it if the model has it.
    """

    def choose(
        self,
        documents: Sequence[Sequence[str]],
        mentions: Sequence[Span],
        candidates: Sequence[Sequence[Span]],
    ) -> Sequence[int]:
        """For each document and its one mention, the number of the candidate it refers to."""
        ...


def checked_clusters(model: Coreference, documents: Sequence[Sequence[str]]) -> list[Clusters]:
    """Check a model's output: a list of clusters per document, with spans inside its words."""
    output, who = model.resolve(documents), f"{type(model).__name__}.resolve"
    if len(output) != len(documents):
        raise UnslantError(
            f"{who} gave the clusters of {len(output)} documents for {len(documents)}; expected "
            f"one list of clusters for each."
        )
    return [_checked(*both, who) for both in zip(documents, output, strict=True)]


def checked_choices(
    model: AntecedentChooser,
    documents: Sequence[Sequence[str]],
    mentions: Sequence[Span],
    candidates: Sequence[Sequence[Span]],
) -> list[int]:
    """Check a model's choices: for each document the number of one of its candidates."""
    output, who = model.choose(documents, mentions, candidates), f"{type(model).__name__}.choose"
    if len(output) != len(documents):
        raise UnslantError(
            f"{who} gave {len(output)} choices for {len(documents)} documents; expected one for "
            f"each."
        )
    choices = []
    for words, some, choice in zip(documents, candidates, output, strict=True):
        number = _index(choice)
        if number is None or not 0 <= number < len(some):
            raise UnslantError(
                f'{who} chose {choice!r:.30} in "{_shortened(words)}"; expected the number of a '
                f"candidate, from 0 to {len(some) - 1}."
            )
        choices.append(number)
    return choices


def _checked(words: Sequence[str], clusters: Sequence[Sequence[Span]], who: str) -> Clusters:
    seen: set[Span] = set()
    checked = []
    for cluster in clusters:
        spans = []
        for given in cluster:
            span = _span(given)
            if span is None or not 0 <= span[0] < span[1] <= len(words):
                raise UnslantError(
                    f'{who} gave the mention {given!r:.40} in "{_shortened(words)}"; expected the '
                    f"number of its first word and of the one after its last, up to {len(words)}."
                )
            if span in seen:
                raise UnslantError(
                    f'{who} gave the mention {span} twice in "{_shortened(words)}"; expected it in '
                    f"one cluster at most."
                )
            seen.add(span)
            spans.append(span)
        checked.append(tuple(spans))
    return tuple(checked)


def _span(given: Any) -> Span | None:
    try:
        first, end = map(_index, given)
    except (TypeError, ValueError):
        return None
    return None if first is None or end is None else (first, end)


def _index(given: Any) -> int | None:
    try:
        return None if isinstance(given, bool) else index(given)
    except TypeError:
        return None


def _shortened(words: Sequence[str]) -> str:
    return " ".join(words)[:60]
