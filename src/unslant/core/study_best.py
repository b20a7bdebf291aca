"""The best setting of each level of a tree, and what each choice changes, as a study answers it."""

from dataclasses import dataclass
from typing import Literal


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
