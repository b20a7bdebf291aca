"""A test set: sentence pairs that differ in one phrase, with the words that were put in."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.models.nli.grid import Grid

FAMILIES = {
    "neutrality": "every answer should be neutral",
    "marked": "every answer should be neutral, and alike for all groups",
    "retention": "the same group is entailed, another one contradicted",
}
Positions = Mapping[str, tuple[int, ...]]


class Pair(NamedTuple):
    """One pair of sentences; ``place`` is where it stands in the grid."""

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
    set is about, for those who debias by it.
    """

    name: str
    title: str
    about: str
    cites: tuple[str, ...]
    family: str
    grid: Grid
    premise_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    context_words: tuple[tuple[str, ...], ...]
    context_slots: tuple[str, ...] = ("verb", "object")
    premise_groups: Positions = field(default_factory=dict)
    hypothesis_groups: Positions = field(default_factory=dict)
    kinds: Positions = field(default_factory=dict)
    same_word: bool = True
    concept: str = ""
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

    def pairs(self) -> Iterator[Pair]:
        """The pairs that count, one at a time: by premise, then hypothesis, then context."""
        contexts = self.grid.contexts
        for p, h in np.argwhere(self.counts).tolist():
            premise, hypothesis = self.grid.premises[p], self.grid.hypotheses[h]
            for c, context in enumerate(contexts):
                yield Pair(
                    f"{self.name}:{p}:{h}:{c}",
                    context.sentence(premise),
                    context.sentence(hypothesis),
                    (p, h, c),
                )

    def label(self, premise: int, hypothesis: int) -> str:
        """The right answer for two fillers."""
        if self.family != "retention":
            return "neutral"
        pair = (
            group_at(self.premise_groups, premise),
            group_at(self.hypothesis_groups, hypothesis),
        )
        if not all(pair):
            return "neutral"
        return "entailment" if pair[0] == pair[1] else "contradiction"

    def taken(
        self,
        premises: Sequence[int] | None = None,
        hypotheses: Sequence[int] | None = None,
        contexts: Sequence[int] | None = None,
        *,
        name: str,
    ) -> "PairSet":
        """The part of the set with these fillers and contexts; groups left empty are dropped."""
        chosen = [
            list(range(size)) if places is None else list(places)
            for places, size in zip((premises, hypotheses, contexts), self.grid.shape, strict=True)
        ]
        p, h, c = chosen
        return replace(
            self,
            name=name,
            grid=Grid(
                tuple(self.grid.premises[i] for i in p),
                tuple(self.grid.hypotheses[i] for i in h),
                tuple(self.grid.contexts[i] for i in c),
            ),
            premise_words=tuple(self.premise_words[i] for i in p),
            hypothesis_words=tuple(self.hypothesis_words[i] for i in h),
            context_words=tuple(self.context_words[i] for i in c),
            premise_groups=_moved(self.premise_groups, p),
            hypothesis_groups=_moved(self.hypothesis_groups, h),
            kinds=_moved(self.kinds, h),
            content_hash="",
        )


def group_at(groups: Positions, place: int) -> str:
    """The group of the filler at one place, or the empty text where it is in none."""
    return next((name for name, places in groups.items() if place in places), "")


def _moved(groups: Positions, chosen: Sequence[int]) -> dict[str, tuple[int, ...]]:
    moved = {
        name: tuple(new for new, old in enumerate(chosen) if old in places)
        for name, places in groups.items()
    }
    return {name: places for name, places in moved.items() if places}


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
