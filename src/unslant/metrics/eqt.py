"""Embedding quality test: analogies of neutral words that should lead back to themselves."""

from collections.abc import Iterator
from itertools import permutations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordSets, resolve
from unslant.concepts.vocabulary import Rows, unit_rows
from unslant.concepts.wordsets import whole_rows
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement, WordUse
from unslant.core.parameters import at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.types import Array, Matrix
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.numerics.chunks import row_blocks
from unslant.vectors import WordVectors

# Which candidate is nearest to each vector after each of several shifts.

Places = NDArray[np.int64]

_BLOCK_BYTES = 32 << 20


def nearest_after_shifts(
    units: Matrix, vectors: Matrix, shifts: Matrix, excluded: Places, own: Places | None = None
) -> Iterator[tuple[slice, Places]]:
    """For blocks of vectors: their places, and for each and each shift the nearest candidate.

    ``units`` are the candidates, of length 1; row k of ``excluded`` holds the candidates that may
    not be the answer to shift k, and ``own``, if given, the one that may not be the answer to each
    vector. The product of a candidate with v + s is the sum of its products with v
    and with s, so vectors × shifts questions need only vectors + shifts products.
    """
    by_shift = shifts @ units.T
    by_shift[np.arange(len(shifts))[:, None], excluded] = -np.inf
    for rows in row_blocks(len(vectors), 4 * len(units), _BLOCK_BYTES):
        products = vectors[rows] @ units.T
        if own is not None:
            products[np.arange(len(products)), own[rows]] = -np.inf
        total = np.empty_like(products)
        nearest = np.empty((len(products), len(shifts)), dtype=np.int64)
        for number, row in enumerate(by_shift):
            np.add(products, row, out=total)
            nearest[:, number] = total.argmax(axis=1)
        yield rows, nearest


_VOWELS = "aeiou"


@metric(
    "eqt",
    cites="dev-phillips-2019",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=LARGER,
        range=Range(0, 1),
        misleads="An analogy mostly returns its own word because the shift is short, not because"
        " the space is fair: use exclude_word for a value that can differ. Without a table of "
        "synonyms only the word and its plural count, so the value is smaller than with one.",
    ),
)
class Eqt:
    """Share of analogies m : p :: f : ? over neutral words p that lead back to p.

        r = argmax cos(r, p − m + f) over words r other than m and f
        EQT = share of questions (m, f, p) in which r is p, its plural or a synonym

    For every two words m, f of a row of ``pairs`` (by default the concept's table "equalise", else
    "definitional"), both ways, and every word p of ``neutral``: one question, in unit vectors
    unless ``unit_length`` is false. A hit is p itself, its plural, or a synonym or its plural if
    the concept has a list "synonyms" with columns word and synonym. Candidates are the
    ``candidates`` most frequent words and all words involved, including p unless ``exclude_word``,
    as in programs that never return a word of the question. If p is m or f, the question is
    skipped.
    """

    pairs: str = ""
    neutral: str = ""
    unit_length: bool = True
    candidates: Annotated[int, at_least(1)] = 30_000
    exclude_word: bool = False
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The share of hits, and that of each neutral word."""
        table = self.pairs or ("equalise" if "equalise" in subject.sets else "definitional")
        if not subject.neutral or table not in subject.sets:
            raise UndefinedMeasureError(
                f'EQT needs neutral words and a table of pairs; "{subject.name}" lacks one of them.'
            )
        name = self.neutral or next(iter(subject.neutral))
        sets = resolve(vectors, {name: subject.list(name).all_words}, setting.policy)
        sets.directions(name)  # raises an error that names a zero vector
        pairs, use = _ordered_pairs(vectors, subject, table, setting)
        words = vectors.words.rows_of(sets.items[name])
        first = np.arange(min(self.candidates, len(vectors)))
        rows = np.unique(np.concatenate([first, words, pairs.ravel()]))
        rows = rows[vectors.matrix[rows].any(axis=1)]
        units = unit_rows(vectors, rows)
        given = units if self.unit_length else vectors.matrix[rows]
        at, (start, end) = np.searchsorted(rows, words), np.searchsorted(rows, pairs.T)
        accepted = _accepted(vectors, subject, sets, name)
        hits, asked = np.zeros(len(words)), np.zeros(len(words))
        itself = 0
        own = at if self.exclude_word else None
        excluded = np.stack([start, end], axis=1)
        shifts = given[end] - given[start]
        for places, nearest in nearest_after_shifts(units, given[at], shifts, excluded, own):
            for place, measurement in enumerate(rows[nearest], places.start):
                measurement = measurement[(pairs != words[place]).all(axis=1)]
                hits[place] = np.isin(measurement, accepted[place]).sum()
                itself += int((measurement == words[place]).sum())
                asked[place] = len(measurement)
            if setting.progress:
                setting.progress("Solving analogies", places.stop, len(words))
        total = float(asked.sum())
        title = f"Analogies of {name} by {subject.name} that lead back"
        if not total:
            why = "every neutral word is itself in every pair"
            return Measurement.undefined(why, title=title, words=(*sets.uses, use))

        def share(samples: tuple[Indices, ...]) -> Array:
            counts = asked[samples[0]].sum(axis=1)
            shares = hits[samples[0]].sum(axis=1)
            return np.where(counts > 0, shares / np.maximum(counts, 1), np.nan)

        measurement = Measurement(
            title=title,
            value=float(hits.sum() / total),
            details={
                "analogies": int(total),
                "pairs-both-ways": len(pairs),
                "candidate-words": len(rows),
                "share-that-is-the-word-itself": itself / total,
                "synonyms": "yes" if "synonyms" in subject.lists else "no table",
            },
            words=(*sets.uses, use),
            points=tuple(
                {"word": word, "share-of-hits": float(hit / count)}
                for word, hit, count in zip(sets.words(name), hits, asked, strict=True)
                if count
            ),
        )
        return over_words(
            measurement,
            share,
            sets,
            (name,),
            seed=self.seed,
            purpose=f"eqt {subject.content_hash}",
            values_only=setting.values_only,
        )


def _ordered_pairs(
    vectors: WordVectors, concept: Concept, name: str, setting: Setting
) -> tuple[Rows, WordUse]:
    """The rows of every two words of each row of a table, both ways; rows must be complete."""
    table = [[str(cell) for cell in row] for row in concept.table(name).rows]
    _, forms, use = whole_rows(vectors, name, table, setting.policy)
    rows = vectors.words.rows_of([word for row in forms for word in row])
    whole = rows.reshape(-1, len(concept.table(name).columns))
    both_ways = permutations(range(whole.shape[1]), 2)
    pairs = np.concatenate([whole[:, [start, end]] for start, end in both_ways])
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    if not len(pairs):
        raise UndefinedMeasureError(
            f'No row of "{name}" has all its words in {vectors.name}, so there are no analogies.'
        )
    if not vectors.matrix[pairs].any(axis=2).all():
        raise UndefinedMeasureError(
            f'A word in "{name}" has the zero vector in {vectors.name}. Remove it.'
        )
    return pairs, use


def _accepted(vectors: WordVectors, concept: Concept, sets: WordSets, name: str) -> list[Rows]:
    """For each neutral word the rows that count as leading back to it."""
    synonyms: dict[str, list[str]] = {}
    if "synonyms" in concept.lists:
        table = concept.lists["synonyms"]
        both = zip(table.column("word").words, table.column("synonym").words, strict=True)
        for word, synonym in both:
            synonyms.setdefault(word.lower(), []).append(synonym)
    accepted = []
    for word, form in zip(sets.words(name), sets.items[name], strict=True):
        same = [form, *synonyms.get(word.lower(), ())]
        forms = vectors.words.rows_of([*same, *(form for one in same for form in plurals_of(one))])
        accepted.append(np.unique(forms[forms >= 0]))
    return accepted


def plurals_of(word: str) -> tuple[str, ...]:
    """The plurals that a word may have by the common rules.

    >>> plurals_of("nurse"), plurals_of("secretary"), plurals_of("coach"), plurals_of("policeman")
    (('nurses',), ('secretaries',), ('coaches',), ('policemen',))
    """
    if word.endswith("man") and word != "human":
        return (f"{word[:-3]}men",)
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return (f"{word[:-1]}ies",)
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (f"{word}es",)
    if word.endswith("fe"):
        return (f"{word[:-2]}ves",)
    if word.endswith(("o", "f")):  # heroes and pianos, chiefs and thieves: there is no rule
        other = f"{word}es" if word.endswith("o") else f"{word[:-1]}ves"
        return (f"{word}s", other)
    return (f"{word}s",)
