"""What a result, and a whole record, show: a level and a sentence."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["strong", "moderate", "weak", "shown", "not shown", "not judged"]
"""How strong a bias is for sure. ``shown`` is one whose size is not judged."""

BiasOutcome = Literal["removed", "reduced", "unchanged", "worse", "mixed"]
"""What became of a bias from before to now; ``unchanged`` if no change is shown."""

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
    """What one result shows.

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
    """What all results show together: in how many of those judged a bias is shown, and how strong.

    ``outcome`` is that of the bias and ``quality`` that of the quality from before to now.
    """

    level: Level
    sentence: str
    shown: int = 0
    judged: int = 0
    outcome: BiasOutcome | None = None
    quality: QualityOutcome | None = None
