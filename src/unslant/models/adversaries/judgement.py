"""What a fresh adversary can still recover from the predictions of a trained network, in words."""

from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.wording import number, span


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The balanced accuracy of a fresh adversary on held-out examples, against chance.

    ``accuracy`` counts every group the same (by label for equality of odds), so ``chance`` is 1
    over the number of groups. ``plain_accuracy`` counts every example the same; ``majority_share``
    is what guessing the most frequent group gives (of each label for equality of odds).
    """

    attribute: str
    groups: tuple[str, ...]
    fairness: str
    examples: int
    clusters: int
    trained_on: int
    left_out: int
    accuracy: float | None = None
    interval: tuple[float, float] | None = None
    plain_accuracy: float | None = None
    majority_share: float | None = None

    @property
    def chance(self) -> float:
        """The accuracy of a guess."""
        return 1 / len(self.groups)

    @property
    def is_above_chance(self) -> bool | None:
        """Whether the interval lies above chance; None if there is none."""
        return None if self.interval is None else self.interval[0] > self.chance

    @property
    def verdict(self) -> str:
        """One sentence about what the predictions reveal."""
        reads = "predictions and labels" if self.fairness == "odds" else "predictions"
        if self.accuracy is None:
            return (
                f"{self.attribute}: not judged, because too few examples have a group "
                f"({self.trained_on:,} to learn from, {self.examples:,} held out)."
            )
        if self.interval is None:
            return (
                f"{self.attribute}: not judged, because the {self.examples:,} held-out examples "
                f"come from too few names or sentences ({self.clusters})."
            )
        low, high = self.interval
        side = "not above chance"
        if low > self.chance:
            side = "above chance"
        elif high < self.chance:
            side = "below chance"
        numbers = f"{number(self.accuracy)} ({span(low, high)}), chance {number(self.chance)}"
        return f"{self.attribute} from {reads}: {side}, accuracy {numbers}."

    def to_dict(self) -> dict[str, Any]:
        """All numbers and the verdict as plain values."""
        found = asdict(self) | {"chance": self.chance, "verdict": self.verdict}
        return found | {"is_above_chance": self.is_above_chance}
