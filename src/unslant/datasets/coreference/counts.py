"""Recall, precision and F1 from exact counts."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Counts:
    """What was found, of the key and of the response, as exact fractions that can be added.

    A share of nothing is 0, as in the reference scorer: a response without links has MUC 0.
    """

    found_of_key: Fraction = Fraction(0)
    key: Fraction = Fraction(0)
    found_of_response: Fraction = Fraction(0)
    response: Fraction = Fraction(0)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.found_of_key + other.found_of_key,
            self.key + other.key,
            self.found_of_response + other.found_of_response,
            self.response + other.response,
        )

    @property
    def score(self) -> "CorefScore":
        """Recall, precision and F1."""
        recall = _share(self.found_of_key, self.key)
        precision = _share(self.found_of_response, self.response)
        return CorefScore(recall, precision, _share(2 * recall * precision, recall + precision))


@dataclass(frozen=True)
class CorefScore:
    """Recall, precision and F1 as exact fractions; ``float`` gives them as numbers."""

    recall: Fraction
    precision: Fraction
    f1: Fraction

    def to_dict(self) -> dict[str, float]:
        """The three as numbers."""
        return {
            "recall": float(self.recall),
            "precision": float(self.precision),
            "f1": float(self.f1),
        }


def _share(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole if whole else Fraction(0)
