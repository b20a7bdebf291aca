"""What the record of a probe says of its set, spaces, models and debiasing."""

from dataclasses import asdict
from typing import Any

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.definition import own_definition
from unslant.core.references import reference
from unslant.datasets.nli.tokens import tokenise
from unslant.methods import Eraser
from unslant.models.nli.embedding import Embedding
from unslant.models.nli.trained import TrainedNli
from unslant.predictors.nli import NliModel
from unslant.probes.nli import PairSet
from unslant.vectors import WordVectors
from unslant.vectors.builtin import CUT_FROM, builtin

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


def of_own_model(model: NliModel) -> dict[str, Any]:
    """What is known of a model that is not ours: what it calls itself."""
    name = getattr(model, "name", None)
    return {
        "model": name if isinstance(name, str) and name else type(model).__name__,
        "sha256": None,
        "shape": None,
        "dev_accuracy": None,
        "trained_on": None,
        "note": "a model of the user's own, which this record does not hold",
        "training": {},
    }


def of_debiasing(eraser: Eraser, concept: Concept, policy: WordPolicy) -> dict[str, Any]:
    """How the vectors were debiased, and by what."""
    return {
        "expression": eraser.expression,
        "concept": {
            "name": concept.name,
            "title": concept.title,
            "content_sha256": concept.content_hash,
            "definition": own_definition(concept),
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
    if trained_on and not is_of_one_root(vectors, model):
        found.append(
            f"By their hashes, {vectors.name} was not made from {trained_on}, which the model was "
            f"trained on; a model that reads other vectors may be right far less often."
        )
    return found


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


def _lacking(vectors: WordVectors, tokens: dict[str, None]) -> list[str]:
    return list(Embedding(vectors).missing(list(tokens)))
