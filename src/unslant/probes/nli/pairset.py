"""A test set: sentence pairs that differ in one phrase, with the words that were put in."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from unslant.predictors.protocols import PairGrid

FAMILIES = {
    "neutrality": "every answer should be neutral",
    "marked": "every answer should be neutral, and alike for all groups",
    "retention": "the same group is entailed, another one contradicted",
}
Positions = Mapping[str, tuple[int, ...]]


class TemplatePair(NamedTuple):
    """One pair of sentences; ``place`` is its position in the grid."""

    id: str
    premise: str
    hypothesis: str
    place: tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class PairSet:
    """Premise fillers × hypothesis fillers × contexts, never written out.

    The words are parallel to the grid: ``premise_words[0]`` is "accountant" where
    ``grid.premises[0]`` is "The accountant". Groups and kinds name fillers by position.
    Where ``same_word`` is false, a pair of equal words does not count. ``concept`` is what the
    set is about, for debiasing. ``made_from`` is everything needed to make the set
    again, and ``missing`` names words by side that were left out because they have no vector.
    """

    name: str
    title: str
    about: str
    cites: tuple[str, ...]
    family: str
    grid: PairGrid
    premise_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    context_words: tuple[tuple[str, ...], ...]
    context_slots: tuple[str, ...] = ("verb", "object")
    premise_groups: Positions = field(default_factory=dict)
    hypothesis_groups: Positions = field(default_factory=dict)
    kinds: Positions = field(default_factory=dict)
    same_word: bool = True
    concept: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict, compare=False)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    content_hash: str = ""

    def __post_init__(self) -> None:
        words = (len(self.premise_words), len(self.hypothesis_words), len(self.context_words))
        if words != self.grid.shape:
            raise UnslantError(
                f'The words of the set "{self.name}" do not match its grid: {words} premise words, '
                f"hypothesis words and contexts, but a grid of {self.grid.shape}."
            )
        if not self.content_hash:
            object.__setattr__(self, "content_hash", _hash_of(self))

    def __len__(self) -> int:
        return int(self.counts.sum()) * len(self.grid.contexts)

    def subject(self) -> Subject:
        """The set's entry in a record, with everything needed to make it again."""
        premises, hypotheses, contexts = self.grid.shape
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about=self.about,
            groups=tuple(self.hypothesis_groups),
            references=tuple(reference(key) for key in self.cites),
            sha256=self.content_hash,
            facts={
                "pairs": len(self),
                "family": self.family,
                "concept": self.concept,
                "premises": premises,
                "hypotheses": hypotheses,
                "contexts": contexts,
                **{f"missing-{side}": words for side, words in self.missing.items()},
            },
            definition=json.loads(json.dumps(dict(self.made_from))),
        )

    @cached_property
    def counts(self) -> NDArray[np.bool_]:
        """Which premise fillers count with which hypothesis fillers."""
        if self.same_word:
            return np.ones(self.grid.shape[:2], dtype=np.bool_)
        first, second = (
            np.array([word.lower() for word in words])
            for words in (self.premise_words, self.hypothesis_words)
        )
        return np.asarray(first[:, None] != second[None, :])

    def pairs(self) -> Iterator[TemplatePair]:
        """The pairs that count, one at a time: by premise, then hypothesis, then context."""
        contexts = self.grid.contexts
        for p, h in np.argwhere(self.counts).tolist():
            premise, hypothesis = self.grid.premises[p], self.grid.hypotheses[h]
            for c, context in enumerate(contexts):
                yield TemplatePair(
                    f"{self.name}:{p}:{h}:{c}",
                    context.sentence(premise),
                    context.sentence(hypothesis),
                    (p, h, c),
                )

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The number of the right answer for every two fillers: premises × hypotheses."""
        shape = self.grid.shape[:2]
        if self.family != "retention":
            return np.full(shape, NEUTRAL)
        first, second = (
            np.array([group_at(groups, place) for place in range(size)], dtype=np.str_)
            for groups, size in zip(
                (self.premise_groups, self.hypothesis_groups), shape, strict=True
            )
        )
        right = np.where(first[:, None] == second[None, :], ENTAILMENT, CONTRADICTION)
        return np.where((first != "")[:, None] & (second != "")[None, :], right, NEUTRAL)

    def label(self, premise: int, hypothesis: int) -> str:
        """The right answer for two fillers."""
        return LABELS[self.labels[premise, hypothesis]]

    def slot(self, name: str) -> list[str]:
        """The word that each context has in one slot, such as the verb."""
        if not self.context_slots:
            raise UnslantError(f'The sentence of "{self.name}" has no slots; "{name}" is none.')
        if name not in self.context_slots:
            raise UnknownNameError(f'slot of "{self.name}"', name, self.context_slots)
        column = self.context_slots.index(name)
        return [words[column] for words in self.context_words]

    def taken(
        self,
        premises: Sequence[int] | None = None,
        hypotheses: Sequence[int] | None = None,
        contexts: Sequence[int] | None = None,
        *,
        name: str,
        how: Mapping[str, Any] | None = None,
        keep_groups: bool = False,
    ) -> "PairSet":
        """The part of the set with these fillers and contexts; groups left empty are dropped.

        ``how`` says in plain values how the part was chosen; it goes into ``made_from``. With
        ``keep_groups`` empty groups stay, so that what compares them is undefined, not absent.
        """
        chosen = [
            list(range(size)) if places is None else list(places)
            for places, size in zip((premises, hypotheses, contexts), self.grid.shape, strict=True)
        ]
        p, h, c = chosen
        premise_groups, hypothesis_groups, kinds = (
            {name: places for name, places in _moved(groups, new).items() if places or keep_groups}
            for groups, new in (
                (self.premise_groups, p),
                (self.hypothesis_groups, h),
                (self.kinds, h),
            )
        )
        return replace(
            self,
            name=name,
            grid=PairGrid(
                tuple(self.grid.premises[i] for i in p),
                tuple(self.grid.hypotheses[i] for i in h),
                tuple(self.grid.contexts[i] for i in c),
            ),
            premise_words=tuple(self.premise_words[i] for i in p),
            hypothesis_words=tuple(self.hypothesis_words[i] for i in h),
            context_words=tuple(self.context_words[i] for i in c),
            premise_groups=premise_groups,
            hypothesis_groups=hypothesis_groups,
            kinds=kinds,
            made_from={**self.made_from, "parts": [*self.made_from.get("parts", []), how or {}]},
            content_hash="",
        )


def group_at(groups: Positions, place: int) -> str:
    """The group of the filler at one place, or the empty text where it is in none."""
    return next((name for name, places in groups.items() if place in places), "")


def _moved(groups: Positions, chosen: Sequence[int]) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(new for new, old in enumerate(chosen) if old in places)
        for name, places in groups.items()
    }


def _hash_of(pairs: PairSet) -> str:
    """A hash of all that determines the sentences and how they are scored, not of the texts."""
    content = {
        "family": pairs.family,
        "same_word": pairs.same_word,
        "premises": [pairs.grid.premises, pairs.premise_words],
        "hypotheses": [pairs.grid.hypotheses, pairs.hypothesis_words],
        "contexts": [[item.before, item.after] for item in pairs.grid.contexts],
        "context words": [pairs.context_slots, pairs.context_words],
        "groups": [
            list(groups.items())
            for groups in (pairs.premise_groups, pairs.hypothesis_groups, pairs.kinds)
        ],
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
