"""The typed result of one run, from which every page, table and answer is drawn.

A record is the only link between computing and showing: nothing that draws it needs the code, the
plan or the files that made it. ``core/plain.py`` writes it as JSON; ``core/read_record.py`` reads
it back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from unslant.core.exhibits import Exhibit
from unslant.core.finding import Conclusion, Finding
from unslant.core.measurement import Interval, Measurement, PValue, WordUse
from unslant.core.plain import to_plain
from unslant.core.score import Drawing, Scale, Tells
from unslant.core.study_record import StudyPart
from unslant.core.visible import visible

# The recommended method, why, and what it costs.

Purpose = Literal["shipping", "research", "audit"]
PURPOSES: tuple[Purpose, ...] = ("shipping", "research", "audit")


@dataclass(frozen=True, kw_only=True)
class MethodShare:
    """A share between 0 and 1, with its 95 % interval if there are resamples."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Considered:
    """One method as it was weighed.

    ``removed`` is the share of the bias that is gone, over all measures and by measure; ``kept``
    the share of the quality that is left. ``better`` and ``worse`` name the measures that changed
    clearly, ``better`` also beyond every random control. ``why_not`` says why it is not
    recommended.
    """

    method: str
    expression: str
    removed: MethodShare
    kept: MethodShare
    removed_by: Mapping[str, MethodShare] = field(default_factory=dict)
    kept_by: Mapping[str, MethodShare] = field(default_factory=dict)
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    is_on_front: bool = False
    is_control: bool = False
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """The recommendation: one method, or none, with the reason and the cost.

    ``tied`` methods do not differ measurably from it; ``runners_up`` are the next best.
    """

    purpose: Purpose
    rule: str
    method: str | None
    expression: str
    answer: str
    reason: str
    price: str
    tied: tuple[str, ...] = ()
    runners_up: tuple[str, ...] = ()
    considered: tuple[Considered, ...] = ()
    notes: tuple[str, ...] = ()


FORMAT: Literal["unslant record 3"] = "unslant record 3"

Fact = str | int | float | bool | None | tuple[str, ...]
Facts = Mapping[str, Fact]

Verdict = Literal["better", "worse", "unclear", "unknown"]
Role = Literal["test", "concept", "quality", "probe"]


@dataclass(frozen=True, kw_only=True)
class Resource:
    """The examined resource: vectors, a model, or answers made elsewhere.

    ``facts`` have what identifies and describes it: its size, its file, how it was trained. Views
    know ``words`` and ``dim`` of vectors and ``dev-accuracy`` and ``trained-on`` of models.
    """

    name: str
    kind: Literal["vectors", "model", "scores"]
    sha256: str = ""
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The kind of bias measured: a concept, or a probe's test set.

    ``definition`` is the whole concept if it is the user's own, whose words may be nowhere else.
    """

    kind: Literal["concept", "set", "plan"]
    name: str
    title: str
    about: str = ""
    groups: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    sha256: str = ""
    facts: Facts = field(default_factory=dict)
    definition: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A word and by how many degrees debiasing turned its vector."""

    word: str
    degrees: float


@dataclass(frozen=True, kw_only=True)
class MovementFacts:
    """How many vectors debiasing changed, and how far it turned them.

    A method that scales every vector to length 1 changes all of them; the share that it
    ``turned`` is more informative. Angles are in degrees and exclude zero vectors.
    """

    words: int
    share_changed: float
    share_turned: float
    mean_degrees: float
    most_degrees: float
    median_degrees: float | None = None
    degrees_of_95_percent: float | None = None
    mean_length_ratio: float | None = None
    moved_most: tuple[Moved, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StageFacts:
    """One fitted method: what it was fitted on and what it says about itself."""

    expression: str
    cites: str = ""
    reference: str = ""
    guarantees: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    parameters: Facts = field(default_factory=dict)
    details: Facts = field(default_factory=dict)
    words: tuple[WordUse, ...] = ()
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    version: str = ""


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """The treatment of the baseline: the chain of methods and how far it moved the vectors.

    ``definition`` is the whole concept of the methods if it is the user's own and not the subject.
    """

    expression: str
    concept: str = ""
    definition: Mapping[str, Any] | None = None
    stages: tuple[StageFacts, ...] = ()
    movement: MovementFacts | None = None
    is_retrained: bool = False
    eraser_sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Change:
    """From before to now, both on the same resamples, so that what they share cancels out.

    ``verdict`` is about the distance from the better side: ``better`` or ``worse`` only if the
    interval of that distance's change leaves 0 out, ``unknown`` if there is no such interval.
    """

    difference: float | None
    interval: Interval | None = None
    percent: float | None = None
    percent_interval: Interval | None = None
    verdict: Verdict = "unknown"
    why_undefined: str = ""


@dataclass(frozen=True, kw_only=True)
class Control:
    """The same number with random directions removed instead, as many as the method removed.

    ``p`` is how often a random direction does at least as well. ``instead`` says what the controls
    are if they are not random directions alone, such as a training without its debiasing term.
    """

    values: tuple[float, ...]
    directions: int
    mean: float
    sd: float | None = None
    deviations: float | None = None
    p: PValue | None = None
    instead: str = ""


@dataclass(frozen=True, kw_only=True)
class Controls:
    """How many controls a comparison had, or why it had none; the values are in the results.

    In each of ``draws`` the baseline was measured with other random directions removed;
    ``directions`` says how many.
    """

    draws: int = 0
    directions: int = 0
    why_none: str = ""


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """A p-value corrected for the number of tests by the same measure."""

    holm: float
    benjamini_hochberg: float


@dataclass(frozen=True, kw_only=True)
class Result:
    """One measurement with its counterpart before, the change, controls and corrections.

    ``not_comparable`` says why before and now do not compare, such as other words. ``finding`` is
    what the numbers show, in words.
    """

    now: Measurement
    before: Measurement | None = None
    not_comparable: str = ""
    change: Change | None = None
    control: Control | None = None
    corrected: Corrected | None = None
    finding: Finding | None = None


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Something left out of the record, and why."""

    what: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """The glossary entry of one kind of score."""

    summary: str
    role: Role
    better: str
    range: str = ""
    misleads: str = ""
    cites: str = ""
    reference: str = ""
    short: str = ""
    is_contrast: bool = False
    drawn: tuple[Drawing, ...] = ()
    tells: Tells = "bias"
    scale: Scale | None = None
    tolerated: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Record:
    """Everything about one run. ``results`` are in the order in which views show them.

    ``predictor`` is the model that answered, if the examined resource is the vectors it reads.
    ``controls`` are those of a comparison. ``doubt`` is why nothing in the record may be relied
    on, such as vectors in another language. ``conclusion`` is what all results together show, in
    one sentence. ``command`` computes the same again, if it was typed; it leaves out the files
    that were written.
    """

    about: Literal["audit", "probe", "study", "association", "layers"]
    subject: Subject
    resource: Resource | None = None
    predictor: Resource | None = None
    baseline: Resource | None = None
    treatment: Treatment | None = None
    controls: Controls | None = None
    doubt: str = ""
    results: tuple[Result, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    glossary: Mapping[str, Meaning] = field(default_factory=dict)
    settings: Facts = field(default_factory=dict)
    study: StudyPart | None = None
    recommendation: Recommendation | None = None
    conclusion: Conclusion | None = None
    command: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)
    format: Literal["unslant record 3"] = FORMAT

    def __repr__(self) -> str:
        """One line: what it is about, of what, and how many results it has."""
        of = [self.resource.name] if self.resource else []
        names = visible(", ".join([*of, self.subject.name]))
        items, what = (self.study.cells, "cells") if self.study else (self.results, "results")
        return f"<Record of {self.about}: {names}; {len(items):,} {what}>"

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON values, which ``core/read_record.py`` reads."""
        plain: dict[str, Any] = to_plain(self)
        return plain


def flat(table: Mapping[str, Any], before: str = "") -> dict[str, Fact]:
    """Every value under the keys that lead to it, joined by hyphens; lists are counted from 1.

    >>> flat({"settings": {"seed": 0}, "files": [{"name": "a"}], "kept": ["x", "y"]})
    {'settings-seed': 0, 'files-1-name': 'a', 'kept': ('x', 'y')}
    """
    facts: dict[str, Fact] = {}
    for key, value in table.items():
        name = before + str(key).replace("_", "-").replace(" ", "-")
        if isinstance(value, Mapping):
            facts |= flat(value, f"{name}-")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            if all(isinstance(item, str) for item in value):
                facts[name] = tuple(value)
            else:
                facts |= flat({str(n): item for n, item in enumerate(value, 1)}, f"{name}-")
        else:
            facts[name] = value
    return facts


# The identity of a measurement, and whether two are comparable.
#
# A number measured on 18 words and one measured on 16 of them answer two different questions. Two
# measurements are comparable only if the same measure with the same parameters used the same
# words.

_OF_THE_MEASURE = ("expression", "subject", "case")


def what_was_measured(measurement: Measurement) -> str:
    """The identity of a measurement in a record, such as ``weat on gender/math-arts``.

    Titles do not: a user's tests may share one.
    """
    parameters = measurement.parameters
    expression = parameters.get("expression", measurement.metric)
    return (
        f"{expression} on {parameters['subject']}" if parameters.get("subject") else str(expression)
    )


def why_not_comparable(one: Measurement, other: Measurement) -> str:
    """Why two measurements are not comparable; empty if they are."""
    if one.metric != other.metric:
        return f"{one.metric} and {other.metric} are different measures"
    for key in _OF_THE_MEASURE:
        if one.parameters.get(key) != other.parameters.get(key):
            return f"measured with different {key}"
    mine, theirs = ({use.set: use.used for use in item.words} for item in (one, other))
    for name in sorted(mine.keys() | theirs.keys()):
        used, also = set(mine.get(name, ())), set(theirs.get(name, ()))
        if used != also:
            return f"measured on different words in “{name}” ({len(used)} and {len(also)})"
    return ""
