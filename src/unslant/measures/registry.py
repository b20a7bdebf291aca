"""All measures, metrics and probes alike, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, dataclass_transform

from unslant.core.components import component_of
from unslant.core.errors import UnslantError
from unslant.core.example import PLAIN, Example
from unslant.core.expression import Call, parse_call
from unslant.core.record import Meaning, Role
from unslant.core.references import reference
from unslant.core.registry import Component, Entry, Registry, Traits
from unslant.core.score import Score

if TYPE_CHECKING:
    from unslant.core.measurement import Measurement
    from unslant.measures.setting import Findings, Setting

Takes = Literal["test", "concept", "vectors", "set"]
"""What a measure takes: a concept's test, a concept, the space alone, or its own set."""

SPACE: Literal["space"] = "space"
VOCABULARY: Literal["vocabulary"] = "vocabulary"
Need = Literal["space", "vocabulary"] | type[Any]
"""What a measure examines: a space, one with a ranked vocabulary, or a predictor protocol."""


class Measure(Protocol):
    """A frozen dataclass of parameters with one method."""

    def run(self, resource: Any, subject: Any, setting: Setting) -> Measurement | Findings:
        """Measure a resource that meets the declared need."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A measure's declaration: its inputs and needs, and its scores by name.

    A metric has one score, called as the metric is. The score of a probe may be a family: the
    name that a measurement has must be the family's or begin with it and a hyphen.
    """

    takes: Takes
    needs: Need
    scores: Mapping[str, Score]

    @property
    def is_probe(self) -> bool:
        """Whether it puts questions to a predictor."""
        return self.needs not in (SPACE, VOCABULARY)

    def score(self, name: str) -> Score:
        """The score of a measurement with this name."""
        return self.scores[self.stem(name)]

    def stem(self, name: str) -> str:
        """The name of the score, or of the family of scores, that a measurement belongs to."""
        for stem in self.scores:
            if f"{name}-".startswith(f"{stem}-"):
                return stem
        raise UnslantError(f'"{name}" is not a declared score: {", ".join(self.scores)}.')


def _traits(facts: Declared) -> Traits:
    first = next(iter(facts.scores.values()))
    return {
        "takes": facts.takes,
        "needs": "predictor" if facts.is_probe else facts.needs,
        "scores": list(facts.scores),
        "range": str(first.range),
        "better": first.better.text,
    }


MEASURES: Registry[Declared] = Registry("measure", "unslant.measures", _traits)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def metric(
    name: str,
    *,
    cites: str,
    takes: Literal["test", "concept", "vectors"],
    score: Score,
    needs: Literal["space", "vocabulary"],
    example: Example = PLAIN,
) -> Callable[[Component], Component]:
    """Register a measure of a space that returns one number; it becomes a frozen dataclass."""
    facts = Declared(takes=takes, needs=needs, scores={name: score})
    return MEASURES.register(name, cites=cites, facts=facts, example=example)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def probe(
    name: str,
    *,
    cites: str,
    needs: type[Any],
    scores: Mapping[str, Score],
    example: Example = PLAIN,
) -> Callable[[Component], Component]:
    """Decorate a measure that puts the questions of a set to a predictor: a frozen dataclass."""
    facts = Declared(takes="set", needs=needs, scores=scores)
    return MEASURES.register(name, cites=cites, facts=facts, example=example)


def metrics() -> list[Entry[Declared]]:
    """Every metric, by name."""
    return [entry for entry in MEASURES if entry.traits["takes"] != "set"]


def probes() -> list[Entry[Declared]]:
    """Every probe, by name."""
    return [entry for entry in MEASURES if entry.traits["takes"] == "set"]


def measure_from(expression: str | Call) -> Measure:
    """The measure that an expression such as ``weat(ddof=0)`` names."""
    call = parse_call(expression) if isinstance(expression, str) else expression
    measure: Measure = component_of(MEASURES, call)
    return measure


_ROLES: Mapping[Takes, Role] = {
    "test": "test",
    "concept": "concept",
    "vectors": "quality",
    "set": "probe",
}


def meaning(name: str) -> Meaning:
    """The glossary entry of a measurement called ``name``."""
    entry = measure_giving(name)
    score = entry.facts.score(name)
    cites = score.cites or entry.cites
    return Meaning(
        summary=score.says or entry.summary,
        role=_ROLES[entry.facts.takes],
        better=score.better.text,
        range=str(score.range),
        misleads=score.misleads,
        cites=cites,
        reference=reference(cites),
        short=_short(score.short, name.removeprefix(entry.facts.stem(name)).lstrip("-")),
        is_contrast=score.is_contrast,
        drawn=score.drawn,
        tells=score.tells,
        scale=score.scale,
        tolerated=score.tolerated,
    )


def score_of(name: str) -> str:
    """The score, or the family of scores, that a measurement called ``name`` belongs to."""
    return measure_giving(name).facts.stem(name)


def _short(short: str, member: str) -> str:
    """The papers' name for one member of a family of scores.

    >>> _short("T:{}", "0.7"), _short("E", "nouns"), _short("E", "")
    ('T:0.7', 'E, nouns', 'E')
    """
    if "{}" in short:
        return short.format(member)
    return f"{short}, {member.replace('-', ' ')}" if short and member else short


def measure_giving(score: str) -> Entry[Declared]:
    """The measure that gives a measurement of this name."""
    for entry in MEASURES:
        if any(f"{score}-".startswith(f"{stem}-") for stem in entry.traits["scores"]):
            return entry
    return MEASURES.entry(score)  # says which there are
