"""What a plan asks for: the values that the parts of a study hand to one another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError

Label = tuple[str, str, str, str, int]


class PlanError(UnslantError):
    """A plan that cannot be carried out as it is written."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """Word vectors: where they are, and what their file must be where that is known.

    ``path`` is absolute, or ``builtin``, or empty where only a ``url`` is named.
    """

    label: str
    path: str
    url: str = ""
    sha256: str = ""
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What is measured: a metric, or the measure of a probe with that probe's options.

    ``options`` of a probe are its set, contexts, model, retrain, determiner and pairing, as far
    as the plan has them; paths among them are absolute.
    """

    label: str
    expression: str
    test: str = ""
    detail: str = ""
    probe: str = ""
    options: Mapping[str, str | int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One number to find: a measure of one resource after one method, by one seed.

    ``method`` is an expression of methods, empty for the vectors as they are; ``concept`` is a
    bundled name or an absolute path, and ``concept_label`` what the plan calls it.
    """

    resource: Resource
    method: str
    method_label: str
    measure: Measure
    concept: str
    concept_label: str = ""
    seed: int = 0
    missing: str = "drop"
    case: str = "lower"

    @property
    def label(self) -> Label:
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
