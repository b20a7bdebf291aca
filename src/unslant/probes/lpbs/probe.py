"""The LPBS probe."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import AssociationTest, concept
from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.exhibits import Point, Points
from unslant.core.measurement import Measurement, WordUse
from unslant.core.parameters import at_least
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.core.score import DIFFERENCE, EFFECT_SIZE, Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.metrics.uncertainty import Alternative, over_pairs, split_p_value
from unslant.models.language.model import load_model
from unslant.numerics.bootstrap import Statistic
from unslant.predictors.protocols import Likelihood
from unslant.probes.likelihood.asking import Side, associations, identity, is_decoder, self_debiased

# Associations of targets with attributes, and what LPBS makes of them.

Sample = NDArray[np.int64]


class AssociationTable:
    """Targets × attributes, in five sets: two of targets, two of attributes, the neutral ones."""

    def __init__(self, table: Array, sizes: tuple[int, ...]) -> None:
        self.table, self.sizes = table, sizes
        self.starts = (0, sizes[0], 0, sizes[2], sizes[2] + sizes[3])

    @property
    def everything(self) -> tuple[Sample, ...]:
        """Each set as it is, as one sample."""
        return tuple(np.arange(size)[None] for size in self.sizes)

    def _places(self, group: int, sample: Sample) -> Sample:
        return np.asarray(sample + self.starts[group])

    def each(self) -> Array:
        """s(a) for every attribute."""
        split = self.sizes[0]
        return np.asarray(self.table[:split].mean(axis=0) - self.table[split:].mean(axis=0))

    def each_of(self, group: int) -> Array:
        """s(a) for the attributes of one set."""
        start = self.starts[group]
        return self.each()[start : start + self.sizes[group]]

    def _sampled(self, first: Sample, second: Sample, places: Sample) -> Array:
        """s(a), samples × attributes, for samples of targets and attributes."""
        one = self.table[self._places(0, first)].mean(axis=1)
        other = self.table[self._places(1, second)].mean(axis=1)
        return np.asarray(np.take_along_axis(one - other, places, axis=1))

    def effect(self, samples: tuple[Sample, ...]) -> Array:
        """The effect size of each sample of the two target and the two attribute sets."""
        first, second, a1, a2 = samples[:4]
        s1 = self._sampled(first, second, self._places(2, a1))
        s2 = self._sampled(first, second, self._places(3, a2))
        spread = np.concatenate([s1, s2], axis=1).std(axis=1, ddof=1)
        is_flat = spread <= 1e-12 * np.maximum(1, np.abs(s1).max(axis=1))
        difference = s1.mean(axis=1) - s2.mean(axis=1)
        none = np.full(len(s1), np.nan)
        return np.asarray(np.divide(difference, spread, out=none, where=~is_flat))

    def excess(self, number: int) -> Statistic:
        """The mean of s over one attribute set less that over the neutral ones, of samples."""

        def statistic(samples: tuple[Sample, ...]) -> Array:
            first, second, own, neutral = samples
            s = self._sampled(first, second, self._places(2 + number, own))
            n = self._sampled(first, second, self._places(4, neutral))
            return np.asarray(s.mean(axis=1) - n.mean(axis=1))

        return statistic


# The questions of LPBS: a test's targets and attributes in sentences.


@cache
def _data() -> Mapping[str, tuple[str, ...]]:
    path = files("unslant.probes.lpbs") / "data" / "templates.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: tuple(texts) for key, texts in table.items()}


@dataclass(frozen=True, kw_only=True)
class LpbsQuestions:
    """A test with two target sets and two attribute sets, the sentences, and neutral attributes."""

    test: AssociationTest
    templates: tuple[str, ...] = field(default_factory=lambda: _data()["templates"])
    neutral: tuple[str, ...] = field(default_factory=lambda: _data()["neutral"])

    @property
    def name(self) -> str:
        """The concept and the test."""
        return str(self.test)

    @property
    def concept(self) -> str:
        """The concept of the test."""
        return self.test.concept

    def __len__(self) -> int:
        words = [len(item.all_words) for item in self.test.targets.values()]
        return sum(words) * len(self.templates) * len(self.attributes)

    @property
    def targets(self) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
        """The two sets of targets with their names."""
        first, second = ((key, item.all_words) for key, item in self.test.targets.items())
        return first, second

    @property
    def attribute_sets(self) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
        """The two sets of attributes with their names."""
        first, second = ((key, item.all_words) for key, item in self.test.attributes.items())
        return first, second

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute, the neutral ones last."""
        first, second = self.attribute_sets
        return (*first[1], *second[1], *self.neutral)

    @property
    def content_hash(self) -> str:
        """A hash of the words and the sentences."""
        lines = (self.test.content_hash, *self.templates, *self.neutral)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.test.title,
            about="Are words for people more likely after words that stereotypes associate with "
            "them?",
            groups=tuple(self.test.targets),
            references=(reference("kurita-2019"),),
            sha256=self.content_hash,
            facts={"texts": len(self)},
        )


def lpbs_questions(name: str) -> LpbsQuestions:
    """The test called ``concept/test``."""
    concept_name, _, test_name = name.rpartition("/")
    if not concept_name:
        raise UnslantError(
            f'Name a concept and one of its tests, as in "gender/career-family". Got "{name}".'
        )
    test = concept(concept_name).test(test_name)
    if len(test.targets) != 2 or len(test.attributes) != 2:
        raise UnslantError(
            f"LPBS needs two target sets and two attribute sets; {name} has {len(test.targets)} "
            f"and {len(test.attributes)}."
        )
    if test.items == "sentences":
        raise UnslantError(f"{name} is a test of sentences; LPBS puts words into its own.")
    return LpbsQuestions(test=test)


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
    """Do the attributes of two sets make different groups more likely?

        s(a) = mean over t ∈ T1 of log(p(t | a) / p(t)) − mean over t ∈ T2 of log(p(t | a) / p(t))
        d = (mean of s over A1 − mean of s over A2) / sd of s over A1 ∪ A2

    p(t) is the probability in the same sentence with a gap in the attribute's place, and the
    p-value is over all splits of the attributes. A decoder scores the attribute after the target,
    which has the same differences. A target of several pieces is scored from left to right, or
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
