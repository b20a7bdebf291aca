"""The setting of a measurement: everything that is not a parameter of the measure."""

from dataclasses import dataclass, field

from unslant.concepts import WordPolicy
from unslant.core.exhibits import Exhibit
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.record import LeftOut
from unslant.numerics.neighbours import Neighbours, top_cosines
from unslant.vectors import Space, WordVectors


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The policy for words, the space before debiasing, and how progress is reported.

    ``baseline`` is for measures that take their words or labels from the space before debiasing;
    without one, the space is its own baseline. ``neighbours`` finds the nearest words.
    ``values_only`` asks for values without intervals and exhibits, as random controls need them.
    """

    policy: WordPolicy = field(default_factory=WordPolicy)
    baseline: Space | None = None
    progress: Progress | None = None
    neighbours: Neighbours = top_cosines
    values_only: bool = False

    def vectors_before(self, vectors: WordVectors) -> WordVectors:
        """The baseline of a measure that needs a vocabulary, by default the vectors themselves."""
        if self.baseline is None:
            return vectors
        assert isinstance(self.baseline, WordVectors), "the runner refuses any other"
        return self.baseline


# The findings of a measure with several scores.


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The measurements of one run, with their tables and figures."""

    measurements: tuple[Measurement, ...]
    exhibits: tuple[Exhibit, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOut, ...] = field(default=())
