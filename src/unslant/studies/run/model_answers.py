"""The scores of a probe that a language model answers itself, with methods at its places."""

from functools import lru_cache
from typing import Any

from unslant.concepts import WordPolicy
from unslant.core.expression import parse_call
from unslant.core.measurement import Measurement
from unslant.measures.registry import MEASURES, measure_from
from unslant.measures.setting import Findings, Setting
from unslant.models.language.base import LanguageModel
from unslant.probes.abilities import BoundsSet
from unslant.studies.asker import asker_for, questions_of
from unslant.studies.plan.cells import Cell
from unslant.studies.run.asking import score_of
from unslant.studies.run.model_spaces import models_of
from unslant.studies.run.seeding import seeded_measure
from unslant.studies.run.task import Task

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
        last[key] = _findings(after, cell.measure.expression, policy, cell.seed)
    return score_of(cell.measure, last[key])


@lru_cache(maxsize=1)
def _last() -> dict[tuple[Any, ...], Findings]:
    """The latest result in this process."""
    return {}


def _findings(model: LanguageModel, expression: str, policy: WordPolicy, seed: int) -> Findings:
    call = parse_call(expression)
    probe: Any = measure_from(call)  # without the cell's seed: its set is the same for every seed
    asker = asker_for(
        MEASURES.entry(call.name), probe, vectors=None, model=model, scores=None, trainer=None
    )
    answering = asker.on(None, None)
    questions = _questions(expression)
    if isinstance(probe, BoundsSet):
        questions = probe.within_reach(questions, answering.predictor)
    return answering.findings(
        parse_call(seeded_measure(expression, seed)),
        questions,
        Setting(policy=policy),
        parameters={},
        inputs=answering.inputs,
    )


@lru_cache(maxsize=_KEPT_SETS)
def _questions(expression: str) -> Any:
    return questions_of(measure_from(expression), None, WordPolicy())
