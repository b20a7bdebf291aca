"""An NLI probe: one test set asked of a model on vectors, before and after debiasing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.concepts import GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.folders import cache_folder
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.core.seeds import check_seed
from unslant.datasets.nli import Splits
from unslant.methods import debiased, fit
from unslant.models.nli.retrain import trained_for
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli, builtin_nli
from unslant.predictors.nli import NliModel
from unslant.probes.nli import (
    Answers,
    PairSet,
    against_controls,
    ask,
    averages,
    changes,
    extremes,
    furthest,
    group_answers,
    mean_answer,
    measured,
    measures_for,
    pair_set,
)
from unslant.probes.nli.places import places_of
from unslant.studies import probe_facts as facts
from unslant.studies.glossary import glossary
from unslant.studies.probe_words import pairs_with_vectors
from unslant.studies.record import Recorded
from unslant.vectors import GivenVectors, WordVectors, vectors_from

CONTROLS = 4


@dataclass(frozen=True, kw_only=True)
class Retraining:
    """Train a model for each space, as the papers do, and keep the models in ``folder``."""

    pairs: Splits
    how: Training = field(default_factory=Training)
    folder: Path = field(default_factory=lambda: cache_folder() / "nli")


class NliProbe(Recorded):
    """The record of a probe."""


def probe_nli(
    vectors: GivenVectors | None = None,
    pairs: PairSet | str = "gender-occupation",
    *,
    model: TrainedNli | NliModel | None = None,
    method: str | None = None,
    concept: GivenConcept | None = None,
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

    With ``compare`` the vectors are also asked as they are, and with random directions removed,
    as many as the method removes, ``controls`` times: what a method changes has to be more than
    any direction would. Without ``retraining`` one model reads all of these spaces (the embedding
    is swapped under it); with it, each has a model of its own. ``only`` asks for the mean answer
    of some pairs of words, such as ``("rude", "iraqi")``. Words of the set that the vectors lack
    are left out and listed, unless the ``policy`` is to refuse them.

    ``model`` may be any object with a method ``predict(premises, hypotheses)``: it is given two
    sequences of up to 512 sentences and returns an array with a row for each pair, the
    probabilities of entailment, neutral and contradiction, which sum to 1. Such a model reads no
    vectors, so there is nothing to debias; ``vectors`` may be left out, and if they are given,
    only pairs of words that they have are asked.
    """
    if model is not None and not isinstance(model, TrainedNli):
        _check_own(model, bool(method or compare or retraining))
    elif vectors is None:
        raise UnslantError("Name the vectors that the model reads, for example us.load().")
    concept = None if concept is None else concept_from(concept)
    vectors = None if vectors is None else vectors_from(vectors)
    pairs = pair_set(pairs) if isinstance(pairs, str) else pairs
    policy = policy or WordPolicy(missing="drop")
    if compare and method is None:
        raise UnslantError("There is nothing to compare with: name a debiasing method too.")
    if method is not None and concept is None:
        raise UnslantError("A debiasing method needs a concept.")
    check_seed(seed)
    for what, count, least in (
        ("controls", controls, 0),
        ("resamples", resamples, 0),
        ("examples", examples, 1),
    ):
        if count < least:
            raise UnslantError(f"The number of {what} must be at least {least}, not {count}.")
    if vectors is not None:
        pairs = pairs_with_vectors(pairs, vectors, policy)
    _check_words(only, pairs)
    asker = _Asker(pairs, model, retraining, progress)
    eraser = None
    after = vectors
    if method is not None and concept is not None and vectors is not None:
        eraser = fit(method, vectors, concept, policy, progress=progress)
        after = debiased(vectors, eraser, progress)
    answers = asker.answers(after, eraser.expression if eraser else "")
    measures = measures_for(pairs)
    how: dict[str, Any] = {"seed": seed, "resamples": resamples}
    record: dict[str, Any] = {
        "kind": "unslant nli probe 1",
        "set": facts.of_set(pairs),
        "vectors": facts.of_vectors(after) if after and asker.reads_vectors else None,
        "baseline": facts.of_vectors(vectors) if vectors and compare else None,
        "models": asker.models,
        "retrained": retraining is not None,
        "warnings": asker.warnings,
        "debiasing": facts.of_debiasing(eraser, concept, policy) if eraser and concept else None,
        "policy": {"missing": policy.missing, "case": policy.case},
        **how,
        "measurements": _plain(measured(measures, answers, progress=progress, **how)),
        "before": [],
        "changes": [],
        "controls": [],
        "control_directions": None,
        "examples": _examples(answers, examples),
        "words": {
            side: [item.to_dict() for item in averages(answers, side)]
            for side in ("premise", "hypothesis")
        },
        "groups": _groups(answers),
        "groups_before": [],
        "slices": [
            mean_answer(answers, premises=[premise], hypotheses=[hypothesis]).to_dict()
            for premise, hypothesis in only
        ],
        "hashed_words": (
            facts.hashed_words(pairs, vectors) if vectors and asker.reads_vectors else []
        ),
        "metrics": glossary(measure.name for measure in measures),
        "provenance": provenance(),
    }
    if compare and eraser is not None and concept is not None and vectors is not None:
        before = asker.answers(vectors, "")
        record["before"] = _plain(measured(measures, before, progress=progress, **how))
        record["groups_before"] = _groups(before)
        record["changes"] = _plain(changes(measures, answers, before, progress=progress, **how))
        k = min(facts.directions_removed(eraser), vectors.dim - 1)
        random = []
        for number in range(controls):
            control = fit(f"random(seed={seed + number}, k={k})", vectors, concept, policy)
            space = debiased(vectors, control, progress)
            random.append(asker.answers(space, control.expression))
        if random:
            record["control_directions"] = k
            record["controls"] = _plain(
                against_controls(measures, answers, random, progress=progress, **how)
            )
    return NliProbe(record)


def _check_own(model: Any, is_about_debiasing: bool) -> None:
    """Refuse what is no model, and what makes no sense with one that reads no vectors."""
    if not callable(getattr(model, "predict", None)):
        raise UnslantError(
            f"A model needs a method predict(premises, hypotheses) that gives three probabilities "
            f"for each pair; {type(model).__name__} has none. Wrap it in a class with that method."
        )
    if is_about_debiasing:
        raise UnslantError(
            f"{type(model).__name__} does not read the vectors, so debiasing them or training on "
            f"them changes none of its answers. Leave out method, compare and retraining."
        )


class _Asker:
    """Puts the set to the model of each space, and remembers which models answered."""

    def __init__(
        self,
        pairs: PairSet,
        model: TrainedNli | NliModel | None,
        retraining: Retraining | None,
        progress: Progress | None,
    ) -> None:
        if model is not None and retraining is not None:
            raise UnslantError("Name a model or retrain, not both.")
        self.pairs, self.retraining, self.progress = pairs, retraining, progress
        self.model = model or builtin_nli()
        self.models: list[dict[str, Any]] = []
        self.warnings: list[str] = []

    @property
    def reads_vectors(self) -> bool:
        """Whether the answers depend on the vectors."""
        return isinstance(self.model, TrainedNli)

    def answers(self, vectors: WordVectors | None, expression: str) -> Answers:
        """The answers of the model that reads these vectors, made by ``expression``."""
        model = self.model
        if not isinstance(model, TrainedNli):
            own = facts.of_own_model(model)
            self.models.append({"vectors": None, "vectors_sha256": None, "expression": "", **own})
            found = ask(self.pairs, model, self.progress)
            return Answers(found.set, found.probabilities, {"model": own["model"]})
        assert vectors is not None
        if self.retraining is not None:
            how = self.retraining
            model = trained_for(vectors, how.pairs, how.how, how.folder, self.progress)
        read = {"vectors": vectors.name, "vectors_sha256": vectors.content_hash}
        self.models.append({**read, "expression": expression, **facts.of_model(model)})
        if not self.warnings:  # the other spaces have the same words and the same root
            self.warnings += facts.warnings_of(self.pairs, vectors, model)
        found = ask(self.pairs, model.on(vectors), self.progress)
        inputs = {"vectors_sha256": vectors.content_hash, "model_sha256": model.sha256}
        return Answers(found.set, found.probabilities, inputs)


def _check_words(only: Sequence[tuple[str, str]], pairs: PairSet) -> None:
    """Refuse words to look at that are not among the pairs, before anything is asked."""
    sides = (("premises", pairs.premise_words), ("hypotheses", pairs.hypothesis_words))
    for two in only:
        for word, (side, words) in zip(two, sides, strict=True):
            if word.lower() in map(str.lower, pairs.missing.get(side, ())):
                raise UnslantError(
                    f'"{word}" is not in the vectors, so it was left out of the {side} of '
                    f'"{pairs.name}" and has no mean answer.'
                )
            places_of([word], words, f"word among the {side} of {pairs.name}")


def _examples(answers: Answers, count: int) -> dict[str, list[dict[str, Any]]]:
    """The most extreme pairs by the label, or those furthest from the right answer."""
    if answers.set.family == "retention":
        found = {"furthest": furthest(answers, count, one_for_each_pair=True)}
    else:
        found = {
            label: extremes(answers, label, count, one_for_each_pair=True)
            for label in ("entailment", "contradiction")
        }
    return {key: [item.to_dict() for item in items] for key, items in found.items()}


def _groups(answers: Answers) -> list[dict[str, Any]]:
    """The mean answer for each group, of all words and of every word."""
    return [item.to_dict() for item in group_answers(answers)]


def _plain(found: Sequence[Measurement]) -> list[dict[str, Any]]:
    return [item.to_dict() for item in found]
