"""What surrounds a measurement and is not a parameter of the measure."""

from dataclasses import dataclass, field

from unslant.concepts import WordPolicy
from unslant.core.files import Progress
from unslant.numerics.neighbours import Neighbours, top_cosines
from unslant.vectors import WordVectors


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The policy for words, the space before debiasing, and how progress is reported.

    ``baseline`` is for measures that take their words or labels from the space before debiasing;
    without one, the vectors are their own baseline. ``neighbours`` finds the nearest words.
    ``values_only`` asks for values without intervals and exhibits, as random controls need them.
    """

    policy: WordPolicy = field(default_factory=WordPolicy)
    baseline: WordVectors | None = None
    progress: Progress | None = None
    neighbours: Neighbours = top_cosines
    values_only: bool = False
