"""A test set without the words that vectors lack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from unslant.concepts import WordPolicy
from unslant.core.errors import MissingWordsError, UnslantError, quoted
from unslant.datasets.nli.tokens import tokenise
from unslant.models.nli.embedding import Embedding
from unslant.probes.nli.pairset import PairSet
from unslant.vectors import WordVectors

DETERMINERS = frozenset({"the", "a", "an"})
SIDES = ("premises", "hypotheses")


def pairs_with_vectors(pairs: PairSet, vectors: WordVectors, policy: WordPolicy) -> PairSet:
    """The pairs of words that the vectors have, as the policy wants it."""
    if policy.missing == "balance":
        raise UnslantError(
            'A probe has no sets to balance: words that the vectors lack are left out ("drop") or '
            'refused ("fail").'
        )
    reads = Embedding(vectors)
    missing = lacking(pairs, lambda word: not reads.missing([word]))
    if missing and policy.missing == "fail":
        raise MissingWordsError(
            {f"{side} of {pairs.name}": words for side, words in missing.items()}, vectors.name
        )
    return with_known_words(pairs, missing)


def lacking(pairs: PairSet, has_word: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
    """The words of each side that have a part without a vector; a side that lacks none is absent.

    A word may have several parts ("construction worker"). Determiners, signs and what all words
    of a side share do not tell them apart, so they do not count as parts.
    """
    found = {}
    for side, words in zip(SIDES, (pairs.premise_words, pairs.hypothesis_words), strict=True):
        parts = _parts(words)
        gone = [word for word in dict.fromkeys(words) if not all(map(has_word, parts[word]))]
        if gone:
            found[side] = tuple(gone)
    return found


def with_known_words(pairs: PairSet, missing: Mapping[str, Sequence[str]]) -> PairSet:
    """The set without the words that :func:`lacking` found, which it keeps account of."""
    if not any(missing.values()):
        return pairs
    places = []
    for side, words in zip(SIDES, (pairs.premise_words, pairs.hypothesis_words), strict=True):
        gone = set(missing.get(side, ()))
        places.append([place for place, word in enumerate(words) if word not in gone])
        if not places[-1]:
            raise UnslantError(
                f'The vectors have none of the {side} of "{pairs.name}" '
                f"({quoted(tuple(dict.fromkeys(words)), 5)}), so there is nothing to ask. Use "
                f"vectors with these words."
            )
    left_out = {side: tuple(words) for side, words in missing.items() if words}
    part = pairs.taken(
        *places,
        name=pairs.name,
        how={"left out": {side: list(words) for side, words in left_out.items()}},
        keep_groups=True,
    )
    if not len(part):
        raise UnslantError(
            f'Without the words that the vectors lack no pair of "{pairs.name}" is left.'
        )
    return replace(part, missing=left_out)


def _parts(words: Sequence[str]) -> dict[str, list[str]]:
    """What tells each word from the others, as tokens."""
    tokens = {
        word: [part for part in tokenise(word) if any(sign.isalnum() for sign in part)]
        for word in words
    }
    shared = set.intersection(*map(set, tokens.values())) if len(tokens) > 1 else set()
    found = {}
    for word, parts in tokens.items():
        own = [part for part in parts if part not in DETERMINERS]
        found[word] = [part for part in own if part not in shared] or own or parts
    return found
