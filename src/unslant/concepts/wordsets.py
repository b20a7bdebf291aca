"""Sets of words or sentences in a space, with an account of every requested item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.concept import AssociationTest
from unslant.concepts.wordlists import WordList
from unslant.core.errors import (
    MissingWordsError,
    UndefinedMeasureError,
    UnknownNameError,
    UnslantError,
    quoted,
)
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.vectors import Space, WordVectors

MISSING_POLICIES = {
    "fail": "stop and name the missing words",
    "drop": "continue without them and list them in the record",
    "balance": "drop them, then shorten the sets of a test from the end to equal size",
}


@dataclass(frozen=True, kw_only=True)
class WordPolicy:
    """What to do about missing words, and which spellings count as the word."""

    missing: str = "fail"
    case: str = "lower"

    def __post_init__(self) -> None:
        if self.missing not in MISSING_POLICIES:
            raise UnknownNameError("policy for missing words", self.missing, MISSING_POLICIES)


@dataclass(frozen=True, eq=False)
class WordSets:
    """Sets of items, spelled as in the space; ``uses`` says how each word was used."""

    space: Space
    items: Mapping[str, tuple[str, ...]]
    uses: tuple[WordUse, ...]
    _matrices: dict[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def matrix(self, name: str) -> NDArray[np.float64]:
        """The vectors of one set, in double precision and read-only."""
        if name not in self._matrices:
            matrix = self.space.rows(self.items[name]).astype(np.float64)
            matrix.flags.writeable = False
            self._matrices[name] = matrix
        return self._matrices[name]

    def size(self, name: str) -> int:
        """How many items of one set are in use."""
        return len(self.items[name])

    def directions(self, name: str) -> NDArray[np.float64]:
        """The vectors of one set scaled to length 1; a zero vector raises an error."""
        matrix = self.matrix(name)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not lengths.all():
            word = self.words(name)[int(np.flatnonzero(lengths == 0)[0])]
            raise UndefinedMeasureError(
                f'"{word}" has the zero vector in {self.space.name}, so its cosines are '
                f'undefined. Remove it from the set "{name}".'
            )
        return np.asarray(matrix / lengths)

    def words(self, name: str) -> tuple[str, ...]:
        """The words of one set that are in use."""
        return next(use.used for use in self.uses if use.set == name)


def resolve(
    space: Space,
    sets: Mapping[str, Sequence[str]],
    policy: WordPolicy,
    *,
    balance: Sequence[Sequence[str]] = (),
) -> WordSets:
    """Find the words of each set; ``balance`` names the sets that form pairs or tuples.

    A repeated word, or two spellings with the same vector, count once: the same vector is not a
    second observation.
    """
    lookups = {name: space.lookup(words, policy.case) for name, words in sets.items()}
    missing = {name: item.missing for name, item in lookups.items() if item.missing}
    if missing and policy.missing == "fail":
        raise MissingWordsError(dict(missing), space.name)
    keep: dict[str, list[int]] = {}
    for name, item in lookups.items():
        first = {form: place for place, form in reversed([*enumerate(item.forms)])}
        keep[name] = sorted(first.values())
        if not keep[name]:
            raise UndefinedMeasureError(
                f'{space.name} contains none of the {len(item.missing)} words in "{name}" '
                f"({quoted(item.missing, 3)}), so there is nothing to measure."
            )
    if policy.missing == "balance":
        for group in balance:
            size = min(len(keep[name]) for name in group)
            keep.update({name: keep[name][:size] for name in group})
    uses = []
    for name, item in lookups.items():
        chosen = set(keep[name])
        spelt = tuple(item.forms[place] for place in keep[name])
        used = tuple(item.words[place] for place in keep[name])
        uses.append(
            WordUse(
                set=name,
                used=used,
                spelt=() if spelt == used else spelt,
                missing=item.missing,
                set_aside=tuple(w for n, w in enumerate(item.words) if n not in chosen),
            )
        )
    items = {
        name: tuple(item.forms[place] for place in keep[name]) for name, item in lookups.items()
    }
    return WordSets(space, items, tuple(uses))


def whole_rows(
    space: Space, name: str, table: Sequence[Sequence[str]], policy: WordPolicy
) -> tuple[NDArray[np.int64], list[list[str]], WordUse]:
    """Which rows of a table have all their words, those as the space spells them, and the account.

    Words that occur only in incomplete rows are set aside.
    """
    words = list(dict.fromkeys(word for row in table for word in row))
    lookup = space.lookup(words, policy.case)
    if lookup.missing and policy.missing == "fail":
        raise MissingWordsError({name: lookup.missing}, space.name)
    form_of = dict(zip(lookup.words, lookup.forms, strict=True))
    places = [place for place, row in enumerate(table) if all(word in form_of for word in row)]
    used = dict.fromkeys(word for place in places for word in table[place])
    use = WordUse(
        set=name,
        used=tuple(used),
        missing=lookup.missing,
        set_aside=tuple(word for word in lookup.words if word not in used),
    )
    forms = [[form_of[word] for word in table[place]] for place in places]
    return np.array(places, np.int64), forms, use


# Word sets represented by sentences: one row per word, the mean over its sentences.
#
# The sentences of one word are not independent observations: they differ in a template that all
# words share. The word is therefore what is resampled and permuted, and its association is the
# mean over its sentences. Counting each sentence as an observation, as published, makes p-values
# far too small: a test of 8 names with 8 sentences each would claim 64 observations.


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
