"""The pairs of a test set that vectors have the words for."""

from unslant.concepts import WordPolicy
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.models.nli.embedding import Embedding
from unslant.probes.nli import PairSet, lacking, with_known_words
from unslant.vectors import WordVectors


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
