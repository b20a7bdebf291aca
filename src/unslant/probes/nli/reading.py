"""What a reader of the answers must know of a model on these vectors: hashed words, other roots."""

from unslant.datasets.nli.tokens import tokenise
from unslant.models.nli.embedding import Embedding
from unslant.models.nli.trained import TrainedNli
from unslant.probes.nli.pairset import PairSet
from unslant.vectors import WordVectors
from unslant.vectors.builtin import CUT_FROM, builtin

MOST_HASHED = 0.1
"""The share of the words of the sentences above which a warning stands first."""


def hashed_words(pairs: PairSet, vectors: WordVectors) -> tuple[str, ...]:
    """The words of the set that these vectors lack, so that the model sees a hash of them."""
    fillers = (*pairs.grid.premises, *pairs.grid.hypotheses)
    return _lacking(vectors, _tokens(" ".join(fillers)) | _context_tokens(pairs))


def warnings_of(pairs: PairSet, vectors: WordVectors, model: TrainedNli) -> tuple[str, ...]:
    """Whether much of the sentences was hashed, and whether the model knows other vectors."""
    found = []
    tokens = _context_tokens(pairs)
    hashed = _lacking(vectors, tokens)
    if len(hashed) > MOST_HASHED * len(tokens):
        found.append(
            f"{len(hashed)} of the {len(tokens)} words that the sentences share are missing from "
            f"{vectors.name}. The model reads hashes of them, so the answers mean little."
        )
    trained_on = model.record.get("vectors", {}).get("name")
    if trained_on and not is_of_one_root(vectors, model):
        found.append(
            f"By their hashes, {vectors.name} was not made from {trained_on}, which the model was "
            f"trained on; a model that reads other vectors may be right far less often."
        )
    return tuple(found)


def is_of_one_root(vectors: WordVectors, model: TrainedNli) -> bool:
    """Whether a model was trained on these vectors, or on some that come from the same root."""
    facts = model.record.get("vectors", {})
    trained = {facts.get("content_sha256"), *facts.get("family_sha256", ())}
    if CUT_FROM in trained:  # the model in the package does not say which file that was
        trained |= {builtin().origin["sha256"]}
    return not trained.isdisjoint(vectors.family_hashes)


def _context_tokens(pairs: PairSet) -> dict[str, None]:
    contexts = (f"{context.before} {context.after}" for context in pairs.grid.contexts)
    return _tokens(" ".join(contexts))


def _tokens(text: str) -> dict[str, None]:
    """The distinct tokens, in their order."""
    return dict.fromkeys(tokenise(text))


def _lacking(vectors: WordVectors, tokens: dict[str, None]) -> tuple[str, ...]:
    return tuple(Embedding(vectors).missing(list(tokens)))
