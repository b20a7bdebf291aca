"""The study part of a record, and the answers derived from its numbers.

The field names are those of the JSON that ``unslant export table --json`` and its siblings print.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from unslant.core.measurement import Interval, PValue, WordUse

# The best setting of each level of a tree, and what each choice changes, as a study answers it.


@dataclass(frozen=True, kw_only=True)
class BestSetting:
    """The best of the settings of one level, by the measure it was chosen by.

    ``original`` is the same measure without any method; ``reported`` and ``reported_original``
    are those of the measure that is reported, None if there is none.
    """

    resource: str
    concept: str
    level: str
    method: str
    settings: int
    value: float
    original: float | None = None
    reported: float | None = None
    reported_original: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChoiceEffect:
    """The effect of changing one choice on a measure, all other choices being equal.

    ``level`` is that of the settings compared, ``at`` the level that has the choice. ``better``
    counts the pairs in which the second value is the better one.
    """

    resource: str
    concept: str
    level: str
    at: str
    variable: str
    first: str
    second: str
    pairs: int
    mean: float
    sd: float | None
    better: int


@dataclass(frozen=True, kw_only=True)
class BestByLevel:
    """The best setting of each level, and the effect of each choice."""

    answer: Literal["best"] = "best"
    by: str
    direction: str
    report: str = ""
    report_direction: str = ""
    rows: tuple[BestSetting, ...] = ()
    effects: tuple[ChoiceEffect, ...] = ()
    notes: tuple[str, ...] = ()


CellState = Literal["done", "undefined", "failed", "missing", "unasked"]
"""``undefined`` cells were measured and have no value; ``unasked`` ones are not in the plan."""

CellLabel = tuple[str, str, str, str, int]
"""The resource, method, measure, concept and seed that identify a cell."""

Key = tuple[str | int, ...]
"""What identifies a row of a table, such as its resource and method."""

FAMILY = ": "
"""Between the label of a measure and the test that one of its columns is about."""


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    """One measure; on one concept, say, if the rows leave open on which."""

    label: str
    measure: str
    better: str


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """One place of a table: the mean of ``n`` seeds ``of`` those planned, or why there is none."""

    state: CellState = "unasked"
    value: float | None = None
    sd: float | None = None
    n: int = 0
    of: int = 0
    interval: tuple[float, float] | None = None
    p: float | None = None
    other_words: bool = False
    ids: tuple[str, ...] = ()
    why: str = ""
    best: bool = False


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """One row: its key and a cell for each column."""

    key: Key
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """One column per measure, one row per value of ``by``."""

    answer: Literal["table"] = "table"
    by: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()

    def column(self, place: int) -> tuple[TableCell, ...]:
        """The cells of one column, from the first row down."""
        return tuple(row.cells[place] for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class CorrelatedPair:
    """One coefficient of two measures over the ``n`` rows that have both."""

    kind: Literal["pearson", "spearman"]
    first: str
    second: str
    n: int
    value: float | None = None
    why_undefined: str = ""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    how: str = ""
    outcomes: int = 0
    corrected: float | None = None

    @property
    def width(self) -> float | None:
        """How wide the interval is, if there is one."""
        return None if self.low is None or self.high is None else self.high - self.low


@dataclass(frozen=True, kw_only=True)
class Correlations:
    """All pairs of measures, or each measure paired with ``against``."""

    answer: Literal["correlation"] = "correlation"
    against: str | None = None
    level: float
    by: tuple[str, ...]
    rows: tuple[str, ...]
    measures: tuple[str, ...]
    pairs: tuple[CorrelatedPair, ...]
    matrices: Mapping[str, tuple[tuple[float | None, ...], ...]]
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> list[CorrelatedPair]:
        """The pairs of one coefficient."""
        return [pair for pair in self.pairs if pair.kind == kind]


@dataclass(frozen=True, kw_only=True)
class RankedMeasure:
    """A measure used in a ranking."""

    label: str
    better: str


@dataclass(frozen=True, kw_only=True)
class RankedRow:
    """A row with all its numbers: its Pareto front, and whom it dominates."""

    name: str
    key: Key
    front: int
    mean_rank: float
    values: tuple[float, ...]
    other_words: tuple[bool, ...]
    dominates: tuple[str, ...] = ()
    dominated_by: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class UnrankedRow:
    """A row left out of a ranking, and its missing numbers."""

    name: str
    lacks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The rows of a study by two or more measures, the best front first."""

    answer: Literal["ranking"] = "ranking"
    by: tuple[str, ...]
    measures: tuple[RankedMeasure, ...]
    order: tuple[RankedRow, ...]
    left_out: tuple[UnrankedRow, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Front(Ranking):
    """The ranking by two measures that a figure shows, ``x`` across and ``y`` upwards."""

    x: str
    y: str
    sides: Literal["bias and quality", "two biases"]


@dataclass(frozen=True, kw_only=True)
class LabelledNumber:
    """One number of a study, identified by its label."""

    resource: str
    method: str
    measure: str
    concept: str
    seed: int

    @property
    def label(self) -> CellLabel:
        """The five as one value."""
        return (self.resource, self.method, self.measure, self.concept, self.seed)


@dataclass(frozen=True, kw_only=True)
class ChangedNumber(LabelledNumber):
    """A number that differs between two studies, and in which ``parts``."""

    parts: tuple[str, ...]
    a: float | None
    b: float | None
    absolute: float | None
    relative: float | None
    state_a: CellState
    state_b: CellState
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class OtherInputs(LabelledNumber):
    """A number that two studies computed from other inputs: the id of either cell."""

    a: str
    b: str


@dataclass(frozen=True, kw_only=True)
class LackingNumber(LabelledNumber):
    """A number that one of two studies does not have."""

    side: Literal["A", "B"]
    state: CellState
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyDifference:
    """The differences between two studies, number by number."""

    answer: Literal["difference"] = "difference"
    is_same: bool
    has_same_inputs: bool
    relative: float
    absolute: float
    compared: int
    changed: tuple[ChangedNumber, ...] = ()
    only_in_a: tuple[LabelledNumber, ...] = ()
    only_in_b: tuple[LabelledNumber, ...] = ()
    other_inputs: tuple[OtherInputs, ...] = ()
    lacking: tuple[LackingNumber, ...] = ()


StudyAnswer = StudyTable | Correlations | Ranking | StudyDifference | BestByLevel


@dataclass(frozen=True, kw_only=True)
class PlanFacts:
    """The labels in the plan's order, the expression of each method, and the TOML text.

    ``text`` is None if the folder does not have the plan any more.
    """

    text: str | None = None
    resources: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    expressions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """The planned cells, each counted once: done, failed, damaged or missing."""

    planned: int
    done: int
    failed: int = 0
    damaged: int = 0
    missing: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every planned cell has its result."""
        return self.done == self.planned

    def __str__(self) -> str:
        parts = [f"{self.done:,} of {self.planned:,} cells are done"]
        parts += [
            f"{count:,} {what}"
            for count, what in (
                (self.failed, "failed"),
                (self.damaged, "damaged"),
                (self.missing, "not computed yet"),
            )
            if count
        ]
        return ", ".join(parts) + "."


@dataclass(frozen=True, kw_only=True)
class StudyCell(LabelledNumber):
    """A finished cell in brief: its measurement without points and words.

    ``used``, ``missing`` and ``set_aside`` count words; ``words`` is a key of the word sets.
    """

    id: str
    metric: str
    title: str
    value: float | None
    why_undefined: str = ""
    better: str = ""
    interval: Interval | None = None
    p: PValue | None = None
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    version: str = ""
    used: int = 0
    missing: int = 0
    set_aside: int = 0
    words: str = ""
    method_expression: str = ""
    resource_sha256: str = ""
    vectors_sha256: str = ""
    concept_sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyFailure:
    """A cell without a result, and why."""

    label: Key
    id: str
    message: str


@dataclass(frozen=True, kw_only=True)
class StudyPart:
    """Everything that a study found, whether it is finished or not.

    ``table`` is None if nothing is planned, ``correlations`` if no pair has a value, ``front`` if
    there are no two measures to set against each other; the record's ``left_out`` says why.
    """

    plan: PlanFacts
    status: StudyStatus
    table: StudyTable | None = None
    correlations: Correlations | None = None
    front: Front | None = None
    cells: tuple[StudyCell, ...] = ()
    word_sets: Mapping[str, tuple[WordUse, ...]] = field(default_factory=dict)
    failures: tuple[StudyFailure, ...] = ()
