"""Verdicts on a result and on a whole record: a level and a sentence."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["strong", "moderate", "weak", "shown", "undecided", "not judged"]
"""How strong a bias is for sure. ``shown`` is one whose size is not judged; ``undecided`` if the
numbers allow both a bias and none."""

BiasOutcome = Literal["removed", "reduced", "undecided", "worse", "mixed"]
"""What became of a bias from before to now; ``undecided`` if no change beyond chance is shown."""

QualityOutcome = Literal["kept", "lost", "improved", "unclear"]
"""What became of a quality; ``unclear`` if neither a loss nor its absence is shown."""

Outcome = BiasOutcome | QualityOutcome

Mark = Literal["better", "worse", ""]
"""Whether a change is surely for the better or the worse."""

SIZES: tuple[Level, ...] = ("weak", "moderate", "strong")
SHOWN: tuple[Level, ...] = (*SIZES, "shown")
"""The levels that claim a bias."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The verdict on one result.

    ``level`` is sure: the end of the interval nearest to the ideal reaches it. ``probable`` is the
    level of the value itself, if that is higher. ``sentence`` says both with the reason, and
    ``caution`` what else to know. ``mark`` is for tables.
    """

    level: Level
    sentence: str
    probable: Level | None = None
    outcome: Outcome | None = None
    mark: Mark = ""
    caution: str = ""


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """The overall verdict: how many of the judged results show a bias, and how strong it is.

    ``outcome`` is that of the bias and ``quality`` that of the quality from before to now.
    ``removed`` is the mean share of the bias that is gone, and ``removed_by_chance`` the largest
    change that any random control made, in either direction.
    """

    level: Level
    sentence: str
    shown: int = 0
    judged: int = 0
    outcome: BiasOutcome | None = None
    quality: QualityOutcome | None = None
    removed: float | None = None
    removed_by_chance: float | None = None
