"""The scores of a probe in a study: each set is put to each space once."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.concepts import WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.expression import parse_call
from unslant.core.folders import cache_folder
from unslant.core.measurement import Measurement
from unslant.measures.registry import MEASURES, measure_from
from unslant.measures.setting import Findings, Setting
from unslant.probes.abilities import Retrains, Trainer
from unslant.studies.asker import asker_for, questions_of
from unslant.studies.plan.cells import PlannedMeasure
from unslant.studies.run.seeding import seeded_measure
from unslant.vectors import WordVectors


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
        parse_call(seeded_measure(expression, seed)),
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
