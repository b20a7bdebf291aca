"""What the record of a probe says of its set, spaces, models and debiasing."""

from dataclasses import asdict
from typing import Any

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.references import reference
from unslant.methods import Eraser
from unslant.models.nli.embedding import Embedding
from unslant.models.nli.tokens import tokenise
from unslant.models.nli.trained import TrainedNli
from unslant.probes.nli import PairSet
from unslant.vectors import WordVectors

MOST_HASHED = 0.1
"""The share of the words of the sentences above which a warning stands first."""


def of_vectors(vectors: WordVectors) -> dict[str, Any]:
    """What identifies vectors."""
    return {
        "name": vectors.name,
        "words": len(vectors),
        "dim": vectors.dim,
        "content_sha256": vectors.content_hash,
    }


def of_set(pairs: PairSet) -> dict[str, Any]:
    """What a set is and what it takes to make it again."""
    premises, hypotheses, contexts = pairs.grid.shape
    return {
        "name": pairs.name,
        "title": pairs.title,
        "about": pairs.about,
        "family": pairs.family,
        "concept": pairs.concept,
        "pairs": len(pairs),
        "premises": premises,
        "hypotheses": hypotheses,
        "contexts": contexts,
        "references": [reference(key) for key in pairs.cites],
        "content_sha256": pairs.content_hash,
        **pairs.made_from,
        "missing": {side: list(words) for side, words in pairs.missing.items()},
    }


def of_model(model: TrainedNli) -> dict[str, Any]:
    """What a model is and how it was trained; only the course of its epochs is left out."""
    return {
        "model": model.name,
        "sha256": model.sha256,
        "shape": model.shape.to_dict(),
        "dev_accuracy": model.record.get("dev_accuracy"),
        "trained_on": model.record.get("vectors", {}).get("name"),
        "note": model.record.get("note", ""),
        "training": {key: value for key, value in model.record.items() if key != "epochs"},
    }


def of_debiasing(eraser: Eraser, concept: Concept, policy: WordPolicy) -> dict[str, Any]:
    """How the vectors were debiased, and by what."""
    return {
        "expression": eraser.expression,
        "concept": {
            "name": concept.name,
            "title": concept.title,
            "content_sha256": concept.content_hash,
        },
        "policy": asdict(policy),
        "stages": [stage.to_dict() for stage in eraser.stages],
    }


def directions_removed(eraser: Eraser) -> int:
    """How many directions an eraser takes out where its methods say so, and at least 1."""
    known = [stage.removed for stage in eraser.stages if stage.removed is not None]
    if not known:
        return 1
    if len({part.shape[1] for part in known}) > 1:  # a stage narrowed the vectors
        return max(1, sum(len(part) for part in known))
    return max(1, int(np.linalg.matrix_rank(np.concatenate(known))))


def hashed_words(pairs: PairSet, vectors: WordVectors) -> list[str]:
    """The words of the set that these vectors lack, so that the model sees a hash of them."""
    fillers = (*pairs.grid.premises, *pairs.grid.hypotheses)
    return _lacking(vectors, _tokens(" ".join(fillers)) | _context_tokens(pairs))


def warnings_of(pairs: PairSet, vectors: WordVectors, model: TrainedNli) -> list[str]:
    """What a reader must know before any number: words hashed, a model of other vectors."""
    found = []
    tokens = _context_tokens(pairs)
    hashed = _lacking(vectors, tokens)
    if len(hashed) > MOST_HASHED * len(tokens):
        found.append(
            f"{vectors.name} lacks {len(hashed)} of the {len(tokens)} words that the sentences "
            f"share, so the model reads those as hashes and the answers mean little."
        )
    trained_on = model.record.get("vectors", {}).get("name")
    if trained_on and not is_of_one_root(vectors.name, trained_on):
        found.append(
            f"By its name {vectors.name} is not made from {trained_on}, which the model was "
            f"trained on; a model that reads other vectors may be right far less often."
        )
    return found


def is_of_one_root(name: str, other: str) -> bool:
    """Whether one name goes on where the other ends, as those of debiased vectors do.

    >>> is_of_one_root("glove.6B.100d.slice.hard", "glove.6B.100d")
    True
    """
    return f"{name}.".startswith(f"{other}.") or f"{other}.".startswith(f"{name}.")


def _context_tokens(pairs: PairSet) -> dict[str, None]:
    contexts = (f"{context.before} {context.after}" for context in pairs.grid.contexts)
    return _tokens(" ".join(contexts))


def _tokens(text: str) -> dict[str, None]:
    """The distinct tokens, in their order."""
    return dict.fromkeys(tokenise(text))


def _lacking(vectors: WordVectors, tokens: dict[str, None]) -> list[str]:
    return list(Embedding(vectors).missing(list(tokens)))
