"""Words that carry the attribute by definition, and the subspace that pairs of them span."""

from collections.abc import Iterable

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import MissingWordsError
from unslant.core.measurement import WordUse
from unslant.subspaces import Subspace, estimate
from unslant.vectors import WordVectors


def specific_words(concept: Concept, keep: str = "") -> tuple[str, ...]:
    """The words that a method leaves alone, in lower case, Title and UPPER case.

    These are the words of the groups, of all pairs and tuples and of the lists of specific words
    (not the names), or only those of the list ``keep``.
    """
    if keep:
        return cased(concept.list(keep).all_words)
    places = (concept.words, concept.sets, concept.specific)
    return cased(word for place in places for item in place.values() for word in item.all_words)


def use_of(vectors: WordVectors, words: tuple[str, ...], name: str, policy: WordPolicy) -> WordUse:
    """Which forms of the words the vectors have, and words of which they have none."""
    rows = vectors.words.rows_of(words)
    used = tuple(word for word, row in zip(words, rows, strict=True) if row >= 0)
    there = {word.lower() for word in used}
    written = {word.lower(): word for word in reversed(words)}
    missing = tuple(dict.fromkeys(written[w.lower()] for w in words if w.lower() not in there))
    if missing and policy.missing == "fail":
        raise MissingWordsError({name: missing}, vectors.name)
    return WordUse(set=name, used=used, missing=missing)


def cased(words: Iterable[str]) -> tuple[str, ...]:
    """Each word as it is written, in lower case, Title and UPPER case, without repeats."""
    forms = ((word, word.lower(), word.title(), word.upper()) for word in words)
    return tuple(dict.fromkeys(form for four in forms for form in four))


def pair_subspace(
    expression: str, vectors: WordVectors, concept: Concept, policy: WordPolicy
) -> Subspace:
    """The subspace by ``expression``; without one, by the concept's definitional pairs.

    Tuples for n groups span n − 1 dimensions. A concept without definitional pairs gives its own
    direction.
    """
    if not expression and "definitional" in concept.sets:
        k = len(concept.table("definitional").columns) - 1
        expression = f"pair-pca(definitional, k={k})"
    return estimate(expression or None, vectors, concept, policy)
