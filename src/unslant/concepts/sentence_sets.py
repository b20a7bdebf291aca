"""Sets of words that sentences stand for: one row for each word, the mean over its sentences.

The sentences of one word are not independent observations: they differ in a template that all
words share. The word is therefore what is resampled and permuted, and its association is the mean
over its sentences. Counting each sentence as an observation, as published, makes p-values far too
small: a test of 8 names with 8 sentences each would claim 64 observations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unslant.concepts.concept import AssociationTest
from unslant.concepts.wordlists import WordList
from unslant.concepts.wordsets import WordPolicy, WordSets, resolve
from unslant.core.errors import UnslantError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.vectors import Space, WordVectors


@dataclass(frozen=True, eq=False)
class SentenceSets(WordSets):
    """Word sets whose rows are means over the sentences of each word.

    ``directions`` are means of vectors of length 1, so the product of two of them is the mean
    cosine of all pairs of sentences of two words; they are shorter than 1.
    """

    sentences: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def matrix(self, name: str) -> Array:
        """The mean vector of each word of one set."""
        return self._means(name, is_unit=False)

    def directions(self, name: str) -> Array:
        """The mean over the sentences of each word of their vectors scaled to length 1."""
        return self._means(name, is_unit=True)

    def _means(self, name: str, *, is_unit: bool) -> Array:
        key = f"{name} {is_unit}"
        if key not in self._matrices:
            parts = self.sentences[name]
            texts = tuple(text for part in parts for text in part)
            every = WordSets(self.space, {name: texts}, (WordUse(set=name, used=texts),))
            rows = every.directions(name) if is_unit else every.matrix(name)
            counts = np.array([len(part) for part in parts])
            starts = np.concatenate([[0], counts.cumsum()[:-1]])
            means = np.add.reduceat(rows, starts, axis=0) / counts[:, None]
            means.flags.writeable = False
            self._matrices[key] = means
        return self._matrices[key]


def sentence_sets(
    space: Space,
    test: AssociationTest,
    policy: WordPolicy,
    *,
    balance: Sequence[Sequence[str]] = (),
    each: str = "word",
) -> WordSets:
    """The sets of a test of sentences; ``each`` says what one row is, a word or a sentence."""
    if isinstance(space, WordVectors):
        raise UnslantError(
            f"{test} measures sentences, and {space.name} has vectors of words only. Measure a "
            f"model, as in model.at('layer:-1[cls]'), or an encoder (us.space)."
        )
    lists = {**test.targets, **test.attributes}
    if each == "sentence":
        texts = {name: [t for part in _parts(item) for t in part] for name, item in lists.items()}
        return resolve(space, texts, policy, balance=balance)
    size = {name: len(item.all_words) for name, item in lists.items()}
    if policy.missing == "balance":
        for group in balance:
            size.update(dict.fromkeys(group, min(size[name] for name in group)))
    words = {name: item.all_words[: size[name]] for name, item in lists.items()}
    return SentenceSets(
        space,
        words,
        tuple(
            WordUse(set=name, used=words[name], set_aside=item.all_words[size[name] :])
            for name, item in lists.items()
        ),
        sentences={name: _parts(item)[: size[name]] for name, item in lists.items()},
    )


def _parts(item: WordList) -> tuple[tuple[str, ...], ...]:
    """The sentences of each word; a word without any is a text itself."""
    return item.sentences or tuple((word,) for word in item.all_words)
