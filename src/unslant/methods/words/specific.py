"""Words that carry the attribute by definition, and the subspace spanned by their pairs."""

from collections.abc import Iterable

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import MissingWordsError
from unslant.core.measurement import WordUse
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors

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
