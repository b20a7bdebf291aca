"""Every version of every sentence put to a model."""

from collections.abc import Mapping

import numpy as np

from unslant.core.types import Mask
from unslant.measures.setting import Findings, Setting
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.asking import NEITHER, outcomes
from unslant.probes.coreference.comparison import without_values
from unslant.probes.coreference.probe import TextSet
from unslant.probes.winogender.scoring import ByGender
from unslant.probes.winogender.sentences import questions_of


def asked_by_gender(
    model: Coreference,
    asked: TextSet,
    parts: Mapping[str, Mask],
    titles: Mapping[str, str],
    seed: int,
    resamples: int,
    setting: Setting,
) -> ByGender:
    """The answers to all sentences."""
    genders = list(asked.items[0].versions)
    questions = [questions_of(item, gender) for item in asked.items for gender in genders]
    given = np.array(outcomes(model, questions, restricted=False, progress=setting.progress))
    return ByGender(
        stem=asked.name,
        items=asked.items,
        answers={gender: given[n :: len(genders)] for n, gender in enumerate(genders)},
        parts=parts,
        titles=titles,
        resamples=0 if setting.values_only else resamples,
        seed=seed,
        key=f"{asked.name} {asked.content_hash}",
    )


def found_by(found: ByGender, examples: int, *, values_only: bool) -> Findings:
    """What the answers come to."""
    measured = tuple(found.measurements())
    if all((given == NEITHER).all() for given in found.answers.values()):
        return Findings(measurements=without_values(measured, len(found.items)))
    if values_only:
        return Findings(measurements=measured)
    return Findings(measurements=measured, exhibits=tuple(found.exhibits(examples)))
