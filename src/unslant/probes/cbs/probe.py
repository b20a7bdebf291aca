"""The CBS probe."""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.core.example import Example
from unslant.core.exhibits import Column, Table
from unslant.core.measurement import Measurement, WordUse
from unslant.core.parameters import at_least
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.core.score import DIFFERENCE, SMALLER, Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.metrics.uncertainty import over_pairs, split_p_value
from unslant.models.language.model import load_model
from unslant.predictors.protocols import Likelihood
from unslant.probes.likelihood.asking import Side, associations, identity, is_decoder, self_debiased

# The questions of CBS: groups and attributes in sentences.

_ATTRIBUTES = "attributes"


@dataclass(frozen=True, kw_only=True)
class CbsQuestions:
    """Groups, sentences, attributes that stereotypes attach to groups, and neutral ones."""

    name: str
    title: str
    concept: str
    templates: tuple[str, ...]
    groups: tuple[str, ...]
    loaded: tuple[str, ...]
    neutral: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.templates) * len(self.groups) * len(self.attributes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute, the neutral ones last."""
        return (*self.loaded, *self.neutral)

    @property
    def content_hash(self) -> str:
        """A hash of the words and the sentences."""
        lines = (*self.templates, "", *self.groups, "", *self.loaded, "", *self.neutral)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about="How unevenly do attributes go with groups of people?",
            groups=self.groups,
            references=(reference("ahn-oh-2021"),),
            sha256=self.content_hash,
            facts={"texts": len(self)},
        )


@cache
def _data() -> Mapping[str, Any]:
    path = files("unslant.probes.cbs") / "data" / "sets.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def cbs_sets() -> tuple[str, ...]:
    """The names of the bundled sets."""
    return tuple(name for name in _data() if name != _ATTRIBUTES)


def cbs_questions(name: str) -> CbsQuestions:
    """The set called ``name``."""
    if name not in cbs_sets():
        raise UnknownNameError("set of groups", name, cbs_sets())
    table, shared = _data()[name], _data()[_ATTRIBUTES]
    return CbsQuestions(
        name=name,
        title=table["title"],
        concept=table["concept"],
        templates=tuple(table["templates"]),
        groups=tuple(table["groups"]),
        loaded=tuple(shared["loaded"]),
        neutral=tuple(shared["neutral"]),
    )


_NO_ANSWER = "every group has the same association with every attribute, so there is no answer"


@probe(
    "cbs",
    cites="ahn-oh-2021",
    example=Example(of="MODEL"),
    needs=Likelihood,
    scores={
        "cbs-excess": Score(
            better=toward(0),
            scale=DIFFERENCE,
            range=Range(),
            says="How much more unevenly do loaded attributes go with groups than neutral ones?",
            misleads="Which attributes are neutral was chosen by us, and they are also more "
            "frequent; the sentences are few and simple.",
        ),
        "cbs-control": Score(
            better=SMALLER,
            tells="background",
            range=Range(0),
            says="How unevenly do neutral attributes go with groups?",
            misleads="It is no bias, but what the score is without one.",
        ),
        "cbs": Score(
            better=SMALLER,
            range=Range(0),
            says="How unevenly do attributes go with groups of people?",
            misleads="The variance of any model is above 0: compare it with the neutral "
            "attributes. It does not say which group is disadvantaged.",
        ),
    },
)
class Cbs:
    """How unevenly do attributes go with groups of people?

        CBS = mean over templates and attributes a of Var over groups g of log(p(g | a) / p(g))

    p(g) has a gap in the attribute's place; the variance is that of a population. A decoder scores
    the attribute after the group, which has the same variance. A group of several pieces is scored
    from left to right, so that it has one number as a whole word, or with all pieces hidden at once
    (``scoring`` = "published").
    """

    groups: Annotated[str, "nationality, religion or race."] = "nationality"
    scoring: Annotated[
        Literal["words", "published"], "Whole words, or all pieces of a word hidden at once."
    ] = "words"
    scored: Annotated[
        Literal["auto", "target", "attribute"],
        "What is scored: auto is the group in masked models and the attribute in decoders.",
    ] = "auto"
    self_debias: Annotated[
        str, "Apply Self-Debias for these kinds of bias, separated by commas."
    ] = ""
    decay: Annotated[float, at_least(0), "The decay constant of Self-Debias."] = 50.0
    seed: Annotated[int, at_least(0), "The seed of resamples and random splits."] = 0

    def run(self, resource: Likelihood, subject: CbsQuestions | None, setting: Setting) -> Findings:
        """Ask every group with every attribute in every sentence."""
        asked = self.questions() if subject is None else subject
        model = self_debiased(resource, self.self_debias, self.decay)
        usual: Side = "attribute" if is_decoder(resource) else "target"
        table = associations(
            model,
            asked.templates,
            asked.groups,
            asked.attributes,
            side=usual if self.scored == "auto" else self.scored,
            masking="span" if self.scoring == "published" else "words",
            progress=setting.progress,
        )
        each = table.var(axis=0).mean(axis=1)
        loaded, neutral = each[: len(asked.loaded)], each[len(asked.loaded) :]
        facts: dict[str, Any] = {
            "details": {"groups": len(asked.groups), "templates": len(asked.templates)},
            "words": (
                WordUse(set="attributes", used=asked.loaded),
                WordUse(set="neutral attributes", used=asked.neutral),
            ),
            "inputs": identity(model) if self.self_debias else {},
        }
        if each.max() <= 1e-12:
            found = [
                Measurement(metric=name, title=title, value=None, why_undefined=_NO_ANSWER, **facts)
                for name, title in _TITLES.items()
            ]
            return Findings(measurements=tuple(found))
        found = [
            self._mean("cbs", [loaded], asked, setting, facts),
            self._mean("cbs-control", [neutral], asked, setting, facts),
            self._mean("cbs-excess", [loaded, neutral], asked, setting, facts),
        ]
        return Findings(
            measurements=tuple(found),
            exhibits=() if setting.values_only else (_by_attribute(table, each, asked),),
        )

    def _mean(
        self,
        name: str,
        parts: list[Array],
        asked: CbsQuestions,
        setting: Setting,
        facts: dict[str, Any],
    ) -> Measurement:
        """The mean of the first part, less that of the second if there is one."""

        def statistic(samples: tuple[NDArray[np.int64], ...]) -> Array:
            means = [part[drawn].mean(axis=1) for part, drawn in zip(parts, samples, strict=True)]
            return np.asarray(means[0] - means[1] if len(means) > 1 else means[0])

        value = float(statistic(tuple(np.arange(len(part))[None] for part in parts))[0])
        if setting.values_only:
            return Measurement(metric=name, title=_TITLES[name], value=value, **facts)
        purpose = (name, self.scoring, asked.content_hash)
        interval, draws, _ = over_pairs(
            statistic, [len(part) for part in parts], seed=self.seed, purpose=purpose, over="words"
        )
        p = None
        if len(parts) > 1:
            p = split_p_value(
                parts[0],
                parts[1],
                alternative="two-sided",
                resamples=100_000,
                seed=self.seed,
                purpose=" ".join(purpose),
            )
        return Measurement(
            metric=name,
            title=_TITLES[name],
            value=value,
            interval=interval,
            draws=draws,
            p=p,
            **facts,
        )

    def questions(self) -> CbsQuestions:
        """The groups in sentences."""
        return cbs_questions(self.groups)

    def sets(self) -> Iterable[CbsQuestions]:
        """All bundled sets."""
        return map(cbs_questions, cbs_sets())

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its language-model head."""
        return load_model(path).predictor(Likelihood)


_TITLES = {
    "cbs": "Unevenness over groups",
    "cbs-control": "Unevenness with neutral attributes",
    "cbs-excess": "Excess over neutral attributes",
}


def _by_attribute(table: Array, each: Array, asked: CbsQuestions) -> Table:
    """Each attribute with the groups that it goes with most and least."""
    means = table.mean(axis=2)
    order = np.argsort(-each, kind="stable").tolist()
    return Table(
        id="attributes",
        title="How unevenly each attribute goes with the groups",
        columns=(
            Column(label="attribute"),
            Column(label="neutral"),
            Column(label="variance", digits=3),
            Column(label="most with"),
            Column(label="least with"),
        ),
        rows=tuple(
            (
                asked.attributes[n],
                "yes" if n >= len(asked.loaded) else "no",
                float(each[n]),
                asked.groups[int(means[:, n].argmax())],
                asked.groups[int(means[:, n].argmin())],
            )
            for n in order
        ),
        caption="The variance over groups of log p(group | attribute) − log p(group).",
    )
