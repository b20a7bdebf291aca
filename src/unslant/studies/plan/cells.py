"""The contents of a plan, as values shared by the parts of a study."""

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
    they are empty, as everywhere: sentence vectors, and bleached contexts. Methods are fitted on
    words in ``fit_contexts``, everyday ones if empty. What a path that does not exist would be is
    not known: ``missing``.
    """

    label: str
    path: str
    url: str = ""
    sha256: str = ""
    limit: int | None = None
    kind: Literal["vectors", "model", "missing"] = "vectors"
    place: str = ""
    contexts: str = ""
    fit_contexts: str = ""


@dataclass(frozen=True, kw_only=True)
class PlannedMeasure:
    """A measure of a plan: a metric, or one ``score`` of a probe.

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
class TreeChoice:
    """A setting's choice at one level of a tree: the values of the keys that vary there."""

    level: str
    values: Mapping[str, str]

    def __str__(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.values.items())


@dataclass(frozen=True, kw_only=True)
class TreeSetting:
    """One node of a tree of interventions: its own level's choice first, the output's last."""

    tree: str
    level: str
    choices: tuple[TreeChoice, ...]
    method: str

    @property
    def label(self) -> str:
        """The label in a plan, as in ``layer 12 (k=2 n=1; n=0)``."""
        choices = "; ".join(str(choice) for choice in self.choices if choice.values)
        return f"{self.level} ({choices})" if choices else self.level


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
        """The label of the cell, unique in its plan and equal in every folder."""
        about = self.concept_label or self.concept
        return self.resource.label, self.method_label, self.measure.label, about, self.seed


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The cells of a plan file, with the text that requested them.

    ``definitions`` are user-defined concepts, by the hash of their words, and ``trees``
    the settings of each tree.
    """

    name: str
    about: str
    cells: tuple[Cell, ...]
    text: str
    folder: Path
    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trees: Mapping[str, tuple[TreeSetting, ...]] = field(default_factory=dict)
