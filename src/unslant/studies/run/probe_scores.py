"""The scores of a probe in a study: each set is put to each space or model once."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.concepts import WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.expression import parse_call
from unslant.core.files import cache_folder
from unslant.core.measurement import Measurement
from unslant.measures.registry import MEASURES, measure_from
from unslant.measures.setting import Findings, Setting
from unslant.models.language.base import LanguageModel
from unslant.probes.abilities import BoundsSet, Retrains, Trainer
from unslant.studies.plan.cells import Cell, PlannedMeasure
from unslant.studies.predictor_lookup import asker_for, questions_of
from unslant.studies.run.model_spaces import models_of, with_seed
from unslant.studies.run.task import Task
from unslant.vectors import WordVectors

# The scores of a probe in a study: each set is put to each space once.


def asked(
    wanted: PlannedMeasure, vectors: WordVectors, policy: WordPolicy, seed: int
) -> Measurement:
    """One score of the answers to a set."""
    findings = _findings(vectors, policy, wanted.expression, wanted.model, wanted.retrain, seed)
    return score_of(wanted, findings)


def score_of(wanted: PlannedMeasure, found: Findings) -> Measurement:
    """The score that a cell is about, among all that a probe found."""
    known = {item.metric: item for item in found.measurements}
    if wanted.score not in known:
        raise UnknownNameError(f"measure of {wanted.expression}", wanted.score, known)
    return known[wanted.score]


@lru_cache(maxsize=2)  # for the other scores of the same set, which come next, also before
def _findings(
    vectors: WordVectors, policy: WordPolicy, expression: str, model: str, retrain: str, seed: int
) -> Findings:
    call = parse_call(expression)
    probe: Any = measure_from(call)  # without the cell's seed: its set is the same for every seed
    asker = asker_for(
        MEASURES.entry(call.name),
        probe,
        vectors=vectors,
        model=model or None,
        scores=None,
        trainer=_trainer(expression, retrain, seed, cache_folder()) if retrain else None,
    )
    answering = asker.on(vectors, None)
    inputs = {"vectors_sha256": vectors.content_hash, **answering.inputs}
    if retrain:  # the file of a model trained here has its times in it; its name says what made it
        inputs.pop("model_sha256", None)
    return answering.findings(
        parse_call(with_seed(expression, seed)),
        questions_of(probe, vectors, policy),
        Setting(policy=policy),
        parameters={},
        inputs=inputs,
    )


@lru_cache(maxsize=1)  # the data are read once for all spaces
def _trainer(expression: str, folder: str, seed: int, kept_in: Path) -> Trainer:
    probe = measure_from(expression)
    assert isinstance(probe, Retrains), "the plan was checked for this"
    return probe.retraining(Path(folder), seed=seed, skip_bad=False, progress=None)


# The scores of a probe that a language model answers itself, with methods at its places.

_KEPT_SETS = 4
"""How many sets of questions a process keeps: the parts of one set are used in turn."""


def is_answered_by_model(cell: Cell) -> bool:
    """Whether a cell queries the language model itself, not its word pieces as vectors."""
    is_whole = cell.resource.kind == "model" and cell.resource.place != "wordpieces"
    return cell.measure.is_probe and is_whole


def asked_of_model(task: Task, policy: WordPolicy) -> Measurement:
    """One score of the model's answers to a set; its other scores come next and are not lost."""
    last = _last()
    cell = task.cell
    key = (
        *(task.inputs["resource"]["sha256"], task.inputs["concept"], cell.method),
        *(cell.measure.expression, cell.seed, policy),
    )
    if key not in last:
        last.clear()
        after, _ = models_of(task, policy)
        last[key] = _model_findings(after, cell.measure.expression, policy, cell.seed)
    return score_of(cell.measure, last[key])


@lru_cache(maxsize=1)
def _last() -> dict[tuple[Any, ...], Findings]:
    """The latest result in this process."""
    return {}


def _model_findings(
    model: LanguageModel, expression: str, policy: WordPolicy, seed: int
) -> Findings:
    call = parse_call(expression)
    probe: Any = measure_from(call)  # without the cell's seed: its set is the same for every seed
    asker = asker_for(
        MEASURES.entry(call.name), probe, vectors=None, model=model, scores=None, trainer=None
    )
    answering = asker.on(None, None)
    questions = _questions(expression)
    if isinstance(probe, BoundsSet):
        questions = probe.subsample(questions, answering.predictor)
    return answering.findings(
        parse_call(with_seed(expression, seed)),
        questions,
        Setting(policy=policy),
        parameters={},
        inputs=answering.inputs,
    )


@lru_cache(maxsize=_KEPT_SETS)
def _questions(expression: str) -> Any:
    return questions_of(measure_from(expression), None, WordPolicy())
