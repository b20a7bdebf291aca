"""Ordinary words of a vocabulary, and words with their rows before and after debiasing."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.core.script import is_word
from unslant.vectors import Vocabulary, WordVectors

Rows = NDArray[np.int64]

MOST_FREQUENT = "most-frequent"
"""Used in place of a list name for the plain words among the most frequent ones."""
MOST_LISTED = 2_000
"""Larger sets are recorded by their size and hash, not word by word."""
_TOO_LONG = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedWords:
    """Words with their ``rows`` in the measured vectors and in those ``before`` debiasing."""

    words: Vocabulary
    rows: Rows
    before: Rows
    uses: tuple[WordUse, ...] = ()
    details: Mapping[str, int | str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)


def frequent_words(
    vectors: WordVectors,
    baseline: WordVectors,
    concept: Concept,
    most: int,
    *,
    but: Iterable[str] | None = None,
) -> SharedWords:
    """The plain words among the first ``most`` words, without the concept's own words.

    ``but`` are the words to exclude instead of all words in the concept. Words that are missing
    from the baseline and words with the zero vector are also excluded, and counted.
    """
    rows = plain_rows(vectors.words, most)
    own = vectors.words.rows_of(sorted(own_words(concept) if but is None else set(but)))
    rows = np.setdiff1d(rows, own[own >= 0], assume_unique=True)
    before = rows
    if baseline is not vectors and baseline.words != vectors.words:
        before = baseline.words.rows_of(list(vectors.words.take(rows)))
    is_there = before >= 0
    lacking = vectors.words.take(rows[~is_there])
    rows, before = rows[is_there], before[is_there]
    has_direction = vectors.rows_at(rows).any(axis=1) & baseline.rows_at(before).any(axis=1)
    rows, before = rows[has_direction], before[has_direction]
    if len(rows) < 2:
        raise UndefinedMeasureError(
            f"Of the first {most:,} words in {vectors.name}, {len(rows)} are plain words that are "
            f'not in "{concept.name}" itself. Use vectors with more words.'
        )
    words = vectors.words.take(rows)
    uses: tuple[WordUse, ...] = ()
    if len(rows) <= MOST_LISTED:
        uses = (WordUse(set="vocabulary", used=tuple(words), missing=tuple(lacking)),)
    details: dict[str, int | str] = {
        "words-of-the-vocabulary": len(rows),
        "sha256-of-the-vocabulary": hashlib.sha256("\n".join(words).encode()).hexdigest(),
    }
    if len(lacking):
        details["words-that-the-baseline-lacks"] = len(lacking)
    if not has_direction.all():
        details["words-with-the-zero-vector"] = int((~has_direction).sum())
    return SharedWords(words=words, rows=rows, before=before, uses=uses, details=details)


def listed_words(
    vectors: WordVectors, baseline: WordVectors, concept: Concept, name: str, policy: WordPolicy
) -> SharedWords:
    """The words of one list that are in both sets of vectors."""
    sets = resolve(vectors, {name: concept.list(name).all_words}, policy)
    earlier = resolve(baseline, {name: sets.words(name)}, policy)
    sets.directions(name), earlier.directions(name)  # raises an error that names a zero vector
    form_of = dict(zip(sets.words(name), sets.items[name], strict=True))
    [use], [before] = sets.uses, earlier.uses
    spelt = tuple(form_of[word] for word in before.used)
    whole = WordUse(
        set=name,
        used=before.used,
        spelt=() if spelt == before.used else spelt,
        missing=use.missing + before.missing,
        set_aside=use.set_aside + before.set_aside,
    )
    return SharedWords(
        words=Vocabulary.of(spelt),
        rows=vectors.words.rows_of(spelt),
        before=baseline.words.rows_of(earlier.items[name]),
        uses=(whole,),
    )


def joined(vocabulary: SharedWords, listed: SharedWords) -> tuple[SharedWords, Rows]:
    """Both combined, each word once, and the positions of the listed words."""
    both = np.concatenate([vocabulary.rows, listed.rows])
    rows, first = np.unique(both, return_index=True)
    before = np.concatenate([vocabulary.before, listed.before])[first]
    words = Vocabulary.of([*vocabulary.words, *listed.words]).take(first)
    details = {**vocabulary.details, **listed.details}
    every = SharedWords(words=words, rows=rows, before=before, uses=listed.uses, details=details)
    return every, np.searchsorted(rows, listed.rows)


def plain_rows(words: Vocabulary, most: int) -> Rows:
    """Which of the first ``most`` words have only lower-case letters and under 20 characters.

    Letters of a script without case count, and marks that belong to a letter.
    """
    ends = words.packed.ends[:most]
    blob = words.packed.blob[: int(ends[-1])] if len(ends) else words.packed.blob[:0]
    is_foreign = _with_any(blob >= 0x80, ends)
    is_plain = ~_with_any((blob < ord("a")) | (blob > ord("z")), ends)
    lengths = np.diff(ends, prepend=0)
    is_plain &= (lengths > 0) & (lengths < _TOO_LONG)
    for row in np.flatnonzero(is_foreign).tolist():  # Python checks letters beyond a to z
        word = words[row]
        is_plain[row] = is_word(word) and word == word.lower() and len(word) < _TOO_LONG
    return np.flatnonzero(is_plain)


def own_words(concept: Concept) -> frozenset[str]:
    """The words that carry the attribute by definition, also in lower case."""
    places = (concept.words, concept.names, concept.sets, concept.specific)
    words = {word for place in places for item in place.values() for word in item.all_words}
    return frozenset(words | {word.lower() for word in words})


def unit_rows(vectors: WordVectors, rows: Rows) -> NDArray[np.float32]:
    """The vectors of rows scaled to length 1; none of them is the zero vector."""
    matrix = vectors.rows_at(rows)
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)  # squares of tiny numbers would vanish
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix


def _with_any(flags: NDArray[np.bool_], ends: Rows) -> NDArray[np.bool_]:
    """Which of the strings that end at ``ends`` have a flagged byte."""
    counts = np.concatenate([[0], np.cumsum(flags)])
    return np.asarray(np.diff(counts[ends], prepend=0) > 0)
