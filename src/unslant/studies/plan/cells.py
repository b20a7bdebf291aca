"""What a plan asks for: the values that the parts of a study hand to one another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from unslant.core.errors import UnslantError
from unslant.core.study_record import CellLabel


class PlanError(UnslantError):
    """A plan that cannot be carried out as it is written."""


@dataclass(frozen=True, kw_only=True)
class PlannedResource:
    """Word vectors or a language model: where they are, and what they must be if that is known.

    ``path`` is absolute, or ``builtin``, or empty where only a ``url`` is named. A model is
    measured at its ``place``, with words in ``contexts`` (a bundled name or an absolute path); if
    they are empty, as everywhere: sentence vectors, and bleached contexts. What a path that does
    not exist would be is not known: ``missing``.
    """

    label: str
    path: str
    url: str = ""
    sha256: str = ""
    limit: int | None = None
    kind: Literal["vectors", "model", "missing"] = "vectors"
    place: str = ""
    contexts: str = ""


@dataclass(frozen=True, kw_only=True)
class PlannedMeasure:
    """What is measured: a metric, or one ``score`` of a probe.

    A probe may be answered by the ``model`` in a file, or by one that is trained for each space
    on the data at ``retrain``; both are absolute paths.
    """

    label: str
    expression: str
    test: str = ""
    detail: str = ""
    score: str = ""
    model: str = ""
    retrain: str = ""

    @property
    def is_probe(self) -> bool:
        """Whether it puts questions to a model."""
        return bool(self.score)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One number to find: a measure of one resource after one method, by one seed.

    ``method`` is an expression of methods, empty for the vectors as they are; ``concept`` is a
    bundled name or an absolute path, and ``concept_label`` what the plan calls it.
    """

    resource: PlannedResource
    method: str
    method_label: str
    measure: PlannedMeasure
    concept: str
    concept_label: str = ""
    seed: int = 0
    missing: str = "drop"
    case: str = "lower"

    @property
    def label(self) -> CellLabel:
        """What the cell is called, unique in its plan and the same in every folder."""
        about = self.concept_label or self.concept
        return self.resource.label, self.method_label, self.measure.label, about, self.seed


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The cells that a plan file asks for, with the text that asked.

    ``definitions`` are the concepts of the user's own, by the hash of their words.
    """

    name: str
    about: str
    cells: tuple[Cell, ...]
    text: str
    folder: Path
    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
