"""Words that carry the attribute by definition, and those that GP trains on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import ExpressionError, MissingWordsError, UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace, table_rows
from unslant.vectors import WordVectors

# Words that carry the attribute by definition, and the subspace spanned by their pairs.

DEFINITIONAL = "definitional"
"""The table whose rows differ only by the attribute."""
LEFT_ALONE = "words left alone"
"""The set, in a record, of the words that a method deliberately left unchanged."""


def specific_words(concept: Concept, keep: str = "") -> tuple[str, ...]:
    """The words that carry the attribute by definition, in lower case, Title and UPPER case.

    These are the words of the groups, the definitional pairs or tuples and the concept's lists of
    specific words, or only those of the list ``keep``. Other tables do not count: a list that pairs
    manageress with manager does not make manager male by definition.
    """
    if keep:
        return cased(concept.list(keep).all_words)
    by_definition = [*concept.words.values(), *concept.specific.values()]
    if DEFINITIONAL in concept.sets:
        by_definition.append(concept.table(DEFINITIONAL))
    return cased(word for item in by_definition for word in item.all_words)


def all_names(concept: Concept) -> tuple[str, ...]:
    """The names of all groups."""
    return tuple(name for item in concept.names.values() for name in item.all_words)


def use_of(vectors: WordVectors, words: tuple[str, ...], name: str, policy: WordPolicy) -> WordUse:
    """Which forms of the words are in the vectors, and which words are missing."""
    rows = vectors.words.rows_of(words)
    used = tuple(word for word, row in zip(words, rows, strict=True) if row >= 0)
    there = {word.lower() for word in used}
    written = {word.lower(): word for word in reversed(words)}
    missing = tuple(dict.fromkeys(written[w.lower()] for w in words if w.lower() not in there))
    if missing and policy.missing == "fail":
        raise MissingWordsError({name: missing}, vectors.name)
    return WordUse(set=name, used=used, missing=missing)


def cased(words: Iterable[str]) -> tuple[str, ...]:
    """Each word as written, in lower case, Title and UPPER case, without repeats."""
    forms = ((word, word.lower(), word.title(), word.upper()) for word in words)
    return tuple(dict.fromkeys(form for four in forms for form in four))


def pair_subspace(
    expression: str,
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy,
    *,
    unit_length: bool = True,
) -> Subspace:
    """The subspace by ``expression``, or by the concept's definitional pairs if there is none.

    Tuples for n groups span n − 1 dimensions. A concept without definitional pairs uses its own
    direction. The words of the pairs are scaled to length 1 first unless ``unit_length`` is false.
    """
    if not expression and DEFINITIONAL in concept.sets:
        k = len(concept.table(DEFINITIONAL).columns) - 1
        expression = (
            f"pair-pca({DEFINITIONAL}, k={k}{'' if unit_length else ', unit_length=false'})"
        )
    return estimate(expression or None, vectors, concept, policy)


# The words that GP trains on: pairs, stereotyped and neutral words of a concept.


@dataclass(frozen=True, eq=False)
class GpWords:
    """Vectors of pairs (n × 2 × d, first group first) and of two kinds of other words."""

    pairs: Array
    stereotyped: Array
    neutral: Array
    uses: tuple[WordUse, ...]


def words_for_gp(
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy,
    pairs: str,
    stereotypes: str,
    neutral: str,
) -> GpWords:
    """Find all words; other words that are also in the pairs are set aside."""
    table = _table(concept, pairs)
    cube, uses = table_rows(vectors, concept.table(table), policy, unit_length=False)
    if concept.table(table).columns == concept.groups[::-1]:
        cube = cube[:, ::-1]
    asked = {
        "stereotyped": _stereotyped(concept, stereotypes),
        "neutral": concept.list(neutral or _neutral(concept, "neutral-words")).all_words,
    }
    sets = resolve(vectors, asked, policy)
    taken = vectors.lookup([word for use in uses for word in use.used], policy.case).forms
    others = []
    for use in sets.uses:
        is_other = ~np.isin(sets.items[use.set], taken)
        if not is_other.any():
            raise UndefinedMeasureError(
                f'gp finds all {use.set} words of "{concept.name}" among its pairs. Name another '
                f"list with gp(stereotypes=…, neutral=…)."
            )
        others.append(sets.matrix(use.set)[is_other])
        uses += (_only(use, is_other),)
    return GpWords(cube, others[0], others[1], uses)


def _table(concept: Concept, name: str) -> str:
    """The table of pairs with that name; if the default is missing, the definitional one."""
    if name == "gendered" and name not in concept.sets:
        name = "definitional"
    if name not in concept.sets or len(concept.table(name).columns) != 2:
        raise ExpressionError(
            f'gp needs a table of pairs, with a word of each group, but "{concept.name}" has '
            f'none called "{name}". Name one with gp(pairs=…), or use another method.'
        )
    return name


def _stereotyped(concept: Concept, name: str) -> tuple[str, ...]:
    """The words of the list ``name``, of both groups' lists, or the first neutral ones."""
    of_groups = [f"{group}-stereotyped-words" for group in concept.groups]
    if not name and all(item in concept.lists for item in of_groups):
        return tuple(word for item in of_groups for word in concept.list(item).all_words)
    return concept.list(name or _neutral(concept, "")).all_words


def _neutral(concept: Concept, preferred: str) -> str:
    if preferred in concept.neutral:
        return preferred
    if not concept.neutral:
        raise ExpressionError(
            f'gp needs neutral words, but "{concept.name}" has none. Name lists with '
            f"gp(stereotypes=…, neutral=…)."
        )
    return next(iter(concept.neutral))


def _only(use: WordUse, keep: NDArray[np.bool_]) -> WordUse:
    """The word use with some words set aside."""

    def those(words: tuple[str, ...], wanted: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(w for w, want in zip(words, wanted.tolist(), strict=True) if want)

    return WordUse(
        set=use.set,
        used=those(use.used, keep),
        spelt=those(use.spelt, keep) if use.spelt else (),
        missing=use.missing,
        set_aside=(*use.set_aside, *those(use.used, ~keep)),
    )
