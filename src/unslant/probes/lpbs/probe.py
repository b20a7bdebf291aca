"""The LPBS probe."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from unslant.core.better import toward
from unslant.core.example import Example
from unslant.core.exhibits import Point, Points
from unslant.core.measurement import Measurement, WordUse
from unslant.core.parameters import at_least
from unslant.core.scale import DIFFERENCE, EFFECT_SIZE
from unslant.core.score import Range, Score
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.metrics.uncertainty import Alternative, over_pairs, split_p_value
from unslant.models.language.model import load_model
from unslant.predictors.protocols import Likelihood
from unslant.probes.likelihood.asking import is_decoder
from unslant.probes.likelihood.association import Side, associations
from unslant.probes.likelihood.self_debias import identity, self_debiased
from unslant.probes.lpbs.questions import LpbsQuestions, lpbs_questions
from unslant.probes.lpbs.table import AssociationTable

_TEMPLATES = "The sentences are few and simple; other sentences may show something else."
_NO_ANSWER = "all attributes have the same score, so the model gave no answer"


@probe(
    "lpbs",
    cites="kurita-2019",
    example=Example(of="MODEL"),
    needs=Likelihood,
    scores={
        "lpbs-excess": Score(
            better=toward(0),
            scale=DIFFERENCE,
            range=Range(),
            says="How much more does a set of attributes favour the first group than neutral "
            "attributes do, in natural logarithms?",
            misleads=f"Neutral attributes were chosen by us. {_TEMPLATES}",
        ),
        "lpbs": Score(
            better=toward(0),
            scale=EFFECT_SIZE,
            range=Range(-2, 2, "about −2 to 2"),
            is_contrast=True,
            says="Do the attributes of two sets favour different groups?",
            misleads="The effect size is relative to the spread of the attributes, so a model with "
            "little spread can show a large effect from tiny differences. Words of several pieces "
            f"are harder to predict. {_TEMPLATES}",
        ),
    },
)
class Lpbs:
    """Do the attributes of two sets make different groups likelier?

        s(a) = mean over t ∈ T1 of log(p(t | a) / p(t)) − mean over t ∈ T2 of log(p(t | a) / p(t))
        d = (mean of s over A1 − mean of s over A2) / sd of s over A1 ∪ A2

    p(t) is the probability in the same sentence with a gap in the attribute's place, and the
    p-value is over all splits of the attributes. A decoder scores the attribute after the target,
    which gives the same differences. A target of several pieces is scored from left to right, or
    with all of them hidden (``scoring`` = "published").
    """

    test: Annotated[str, "A concept and one of its tests."] = "gender/career-family"
    scoring: Annotated[
        Literal["words", "published"], "Whole words, or all pieces of a word hidden at once."
    ] = "words"
    scored: Annotated[
        Literal["auto", "target", "attribute"],
        "What is scored: auto is the target in masked models and the attribute in decoders.",
    ] = "auto"
    alternative: Annotated[Alternative, "Which effects count as extreme."] = "two-sided"
    self_debias: Annotated[
        str, "Apply Self-Debias for these kinds of bias, separated by commas."
    ] = ""
    decay: Annotated[float, at_least(0), "The decay constant of Self-Debias."] = 50.0
    seed: Annotated[int, at_least(0), "The seed of resamples and random splits."] = 0

    def run(
        self, resource: Likelihood, subject: LpbsQuestions | None, setting: Setting
    ) -> Findings:
        """Ask every target with every attribute in every sentence."""
        asked = self.questions() if subject is None else subject
        model = self_debiased(resource, self.self_debias, self.decay)
        (one, first), (other, second) = asked.targets
        usual: Side = "attribute" if is_decoder(resource) else "target"
        table = associations(
            model,
            asked.templates,
            (*first, *second),
            asked.attributes,
            side=usual if self.scored == "auto" else self.scored,
            masking="span" if self.scoring == "published" else "words",
            progress=setting.progress,
        ).mean(axis=2)
        sizes = (len(first), len(second), *(len(words) for _, words in asked.attribute_sets))
        scored = AssociationTable(table, (*sizes, len(asked.neutral)))
        facts: dict[str, Any] = {
            "words": tuple(
                WordUse(set=name, used=words)
                for name, words in (*asked.targets, *asked.attribute_sets)
            ),
            "inputs": identity(model) if self.self_debias else {},
        }
        purpose = ("lpbs", self.scoring, asked.content_hash)
        found = [self._effect(scored, asked, setting, purpose, facts)]
        for number, (name, _) in enumerate(asked.attribute_sets):
            found.append(self._excess(scored, number, name, setting, purpose, facts))
        each = scored.each()
        (left, a1), (right, a2) = asked.attribute_sets
        groups = (*(left for _ in a1), *(right for _ in a2), *("neutral" for _ in asked.neutral))
        points = tuple(
            Point(label=word, x=float(score), group=group)
            for word, score, group in zip(asked.attributes, each, groups, strict=True)
        )
        shown = Points(
            id="attributes",
            title="How much each attribute favours a group",
            x="log-probability bias score",
            ends=(one, other),
            points=points,
            caption="Natural logarithms; neutral attributes show what is no bias.",
        )
        return Findings(measurements=tuple(found), exhibits=() if setting.values_only else (shown,))

    def _effect(
        self,
        scored: AssociationTable,
        asked: LpbsQuestions,
        setting: Setting,
        purpose: tuple[str, ...],
        facts: Mapping[str, Any],
    ) -> Measurement:
        value = float(scored.effect(scored.everything)[0])
        s1, s2 = scored.each_of(2), scored.each_of(3)
        details = {"difference": float(s1.mean() - s2.mean()), "templates": len(asked.templates)}
        title = asked.test.title
        if not np.isfinite(value):
            return Measurement(
                metric="lpbs", title=title, value=None, why_undefined=_NO_ANSWER, **facts
            )
        if setting.values_only:
            return Measurement(metric="lpbs", title=title, value=value, details=details, **facts)
        interval, draws, _ = over_pairs(
            scored.effect, scored.sizes[:4], seed=self.seed, purpose=purpose, over="words"
        )
        return Measurement(
            metric="lpbs",
            title=title,
            value=value,
            interval=interval,
            draws=draws,
            p=split_p_value(
                s1,
                s2,
                alternative=self.alternative,
                resamples=100_000,
                seed=self.seed,
                purpose=" ".join(purpose),
            ),
            details=details,
            **facts,
        )

    def _excess(
        self,
        scored: AssociationTable,
        number: int,
        name: str,
        setting: Setting,
        purpose: tuple[str, ...],
        facts: Mapping[str, Any],
    ) -> Measurement:
        metric = f"lpbs-excess-{'-'.join(name.split())}"
        title = f"{name}: excess over neutral attributes"
        if not np.ptp(scored.each()):
            return Measurement(
                metric=metric, title=title, value=None, why_undefined=_NO_ANSWER, **facts
            )
        statistic = scored.excess(number)
        groups = (0, 1, 2 + number, 4)
        value = float(statistic(tuple(scored.everything[group] for group in groups))[0])
        neutral = {"of-the-set": float(scored.each_of(2 + number).mean())}
        details = {**neutral, "of-neutral-attributes": float(scored.each_of(4).mean())}
        interval = draws = None
        if not setting.values_only:
            interval, draws, _ = over_pairs(
                statistic,
                [scored.sizes[group] for group in groups],
                seed=self.seed,
                purpose=(*purpose, name),
                over="words",
            )
        return Measurement(
            metric=metric,
            title=title,
            value=value,
            interval=interval,
            draws=draws,
            details=details,
            **facts,
        )

    def questions(self) -> LpbsQuestions:
        """The test in sentences."""
        return lpbs_questions(self.test)

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its language-model head."""
        return load_model(path).predictor(Likelihood)
