"""An NLI probe: one test set asked of a model on vectors, before and after debiasing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, write_text
from unslant.core.folders import cache_folder
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.core.references import reference
from unslant.methods import Eraser, debiased, fit
from unslant.models.nli.corpus import Splits
from unslant.models.nli.embedding import Embedding
from unslant.models.nli.retrain import trained_for
from unslant.models.nli.settings import Training
from unslant.models.nli.tokens import tokenise
from unslant.models.nli.trained import TrainedNli, builtin_nli
from unslant.probes.nli import (
    Answers,
    PairSet,
    against_controls,
    ask,
    averages,
    changes,
    extremes,
    mean_answer,
    measured,
    measures_for,
    pair_set,
)
from unslant.vectors import WordVectors

CONTROLS = 4


@dataclass(frozen=True, kw_only=True)
class Retraining:
    """Train a model for each space, as the papers do, and keep the models in ``folder``."""

    pairs: Splits
    how: Training = field(default_factory=Training)
    folder: Path = field(default_factory=lambda: cache_folder() / "nli")


@dataclass(frozen=True)
class NliProbe:
    """The record of a probe: plain values that make the table and the JSON file."""

    record: dict[str, Any]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What was measured."""
        return tuple(Measurement.from_dict(plain) for plain in self.record["measurements"])

    def save(self, path: str | Path) -> Path:
        """Write the record (.json)."""
        path = Path(path)
        if path.suffix != ".json":
            raise OutputError(f"{path}: a probe is written as .json.")
        write_text(path, json.dumps(self.record, indent=1) + "\n")
        return path


def probe_nli(
    vectors: WordVectors,
    pairs: PairSet | str = "gender-occupation",
    *,
    model: TrainedNli | None = None,
    method: str | None = None,
    concept: Concept | None = None,
    policy: WordPolicy | None = None,
    compare: bool = False,
    controls: int = CONTROLS,
    retraining: Retraining | None = None,
    examples: int = 5,
    only: Sequence[tuple[str, str]] = (),
    seed: int = 0,
    resamples: int = 1_000,
    progress: Progress | None = None,
) -> NliProbe:
    """Ask a set of pairs of a model on ``vectors``, or on what a debiasing method makes of them.

    With ``compare`` the vectors are also asked as they are, and with as many random directions
    removed as ``controls`` says: what a method changes has to be more than any direction would.
    Without ``retraining`` one model reads all of these spaces (the embedding is swapped under
    it); with it, each has a model of its own. ``only`` asks for the mean answer of some pairs of
    words, such as ``("rude", "iraqi")``.
    """
    pairs = pair_set(pairs) if isinstance(pairs, str) else pairs
    if compare and method is None:
        raise UnslantError(
            'There is nothing to compare with: name a method, as in --debias "hard", or leave out '
            "--compare."
        )
    if method is not None and concept is None:
        raise UnslantError("A debiasing method needs a concept.")
    for what, count, least in (
        ("controls", controls, 0),
        ("resamples", resamples, 0),
        ("examples", examples, 1),
    ):
        if count < least:
            raise UnslantError(f"The number of {what} must be at least {least}, not {count}.")
    asker = _Asker(pairs, model, retraining, progress)
    eraser = None
    after = vectors
    if method is not None and concept is not None:
        eraser = fit(method, vectors, concept, policy, progress=progress)
        after = debiased(vectors, eraser, progress)
    answers = asker.answers(after)
    measures = measures_for(pairs)
    how: dict[str, Any] = {"seed": seed, "resamples": resamples}
    record: dict[str, Any] = {
        "kind": "unslant nli probe 1",
        "set": _facts_of_set(pairs),
        "vectors": _facts(after),
        "baseline": _facts(vectors) if compare else None,
        "models": asker.models,
        "retrained": retraining is not None,
        "debiasing": _facts_of_eraser(eraser),
        "measurements": _plain(measured(measures, answers, progress=progress, **how)),
        "before": [],
        "changes": [],
        "controls": [],
        "examples": {
            label: [
                item.to_dict()
                for item in extremes(answers, label, examples, one_for_each_pair=True)
            ]
            for label in ("entailment", "contradiction")
        },
        "words": {
            side: [item.to_dict() for item in averages(answers, side)]
            for side in ("premise", "hypothesis")
        },
        "slices": [
            mean_answer(answers, premises=[premise], hypotheses=[hypothesis]).to_dict()
            for premise, hypothesis in only
        ],
        "hashed_words": _hashed(pairs, vectors),
        "provenance": provenance(),
    }
    if compare and concept is not None:
        before = asker.answers(vectors)
        record["before"] = _plain(measured(measures, before, progress=progress, **how))
        record["changes"] = _plain(changes(measures, answers, before, progress=progress, **how))
        random = [
            asker.answers(debiased(vectors, fit(f"random(seed={n})", vectors, concept), progress))
            for n in range(controls)
        ]
        if random:
            record["controls"] = _plain(
                against_controls(measures, answers, random, progress=progress, **how)
            )
    return NliProbe(record)


class _Asker:
    """Puts the set to the model of each space, and remembers which models answered."""

    def __init__(
        self,
        pairs: PairSet,
        model: TrainedNli | None,
        retraining: Retraining | None,
        progress: Progress | None,
    ) -> None:
        if model is not None and retraining is not None:
            raise UnslantError("Name a model or retrain, not both.")
        self.pairs, self.retraining, self.progress = pairs, retraining, progress
        self.model = model or builtin_nli()
        self.models: list[dict[str, Any]] = []

    def answers(self, vectors: WordVectors) -> Answers:
        """The answers of the model that reads these vectors."""
        model = self.model
        if self.retraining is not None:
            how = self.retraining
            model = trained_for(vectors, how.pairs, how.how, how.folder, self.progress)
        self.models.append({"vectors": vectors.name, **_facts_of_model(model)})
        found = ask(self.pairs, model.on(vectors), self.progress)
        return Answers(
            found.set,
            found.probabilities,
            {"vectors_sha256": vectors.content_hash, "model_sha256": model.sha256},
        )


def _plain(found: Sequence[Measurement]) -> list[dict[str, Any]]:
    return [item.to_dict() for item in found]


def _facts(vectors: WordVectors) -> dict[str, Any]:
    return {
        "name": vectors.name,
        "words": len(vectors),
        "dim": vectors.dim,
        "content_sha256": vectors.content_hash,
    }


def _facts_of_set(pairs: PairSet) -> dict[str, Any]:
    premises, hypotheses, contexts = pairs.grid.shape
    return {
        "name": pairs.name,
        "title": pairs.title,
        "about": pairs.about,
        "family": pairs.family,
        "pairs": len(pairs),
        "premises": premises,
        "hypotheses": hypotheses,
        "contexts": contexts,
        "references": [reference(key) for key in pairs.cites],
        "content_sha256": pairs.content_hash,
    }


def _facts_of_model(model: TrainedNli) -> dict[str, Any]:
    return {
        "model": model.name,
        "sha256": model.sha256,
        "shape": model.shape.to_dict(),
        "dev_accuracy": model.record.get("dev_accuracy"),
        "trained_on": model.record.get("vectors", {}).get("name"),
        "note": model.record.get("note", ""),
    }


def _facts_of_eraser(eraser: Eraser | None) -> dict[str, Any] | None:
    if eraser is None:
        return None
    return {
        "expression": eraser.expression,
        "stages": [stage.to_dict() for stage in eraser.stages],
    }


def _hashed(pairs: PairSet, vectors: WordVectors) -> list[str]:
    """The words of the set that these vectors lack, so that the model sees a hash of them."""
    contexts = (f"{context.before} {context.after}" for context in pairs.grid.contexts)
    texts = (*pairs.grid.premises, *pairs.grid.hypotheses, *contexts)
    return list(Embedding(vectors).missing(list(dict.fromkeys(tokenise(" ".join(texts))))))
