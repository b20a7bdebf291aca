"""F1 of GAP: two decisions for each example, whether the pronoun refers to A and whether to B."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Measurement
from unslant.core.types import Array
from unslant.datasets.coreference.document import Clusters
from unslant.datasets.coreference.gap import GapExample
from unslant.probes.coreference.comparison import measurement
from unslant.probes.coreference.resampling import Resampling, of_items

HOW = "percentile bootstrap over examples of each gender"
FEMALE, MALE = "female", "male"
PARTS = {"all": "", FEMALE: ", female pronouns", MALE: ", male pronouns"}


def said_of(example: GapExample, clusters: Clusters) -> tuple[bool, bool]:
    """Whether the pronoun's cluster has a mention that ends with the last word of A, and of B."""
    ends = {
        end
        for cluster in clusters
        if example.pronoun in cluster
        for first, end in cluster
        if (first, end) != example.pronoun
    }
    return example.names[0][1] in ends, example.names[1][1] in ends


@dataclass(frozen=True, eq=False)
class GapScores:
    """What was said of every example."""

    examples: Sequence[GapExample]
    said: Sequence[tuple[bool, bool]]
    resamples: int
    seed: int
    key: str

    @cached_property
    def counts(self) -> Array:
        """Examples × true positives, false positives, false negatives and true negatives."""
        true = np.array([one.is_true for one in self.examples])
        said = np.array(self.said)
        kinds = (true & said, ~true & said, true & ~said, ~true & ~said)
        return np.stack([one.sum(axis=1) for one in kinds], axis=1).astype(np.float64)

    @property
    def is_female(self) -> NDArray[np.bool_]:
        """Whether each example has a female pronoun."""
        return np.array([one.gender == FEMALE for one in self.examples])

    @cached_property
    def resampling(self) -> Resampling:
        """Examples are drawn again within each gender."""
        strata = self.is_female.astype(np.int64)
        _, strata = np.unique(strata, return_inverse=True)
        return of_items(
            strata, resamples=self.resamples, seed=self.seed, key=f"gap {self.key}", how=HOW
        )

    def of(self, part: str) -> Array:
        """The counts of a part, with 0 for the other examples."""
        women = self.is_female[:, None]
        masks = {"all": np.ones_like(women), FEMALE: women, MALE: ~women}
        found: Array = self.counts * masks[part]
        return found

    def measurements(self) -> Iterator[Measurement]:
        """The ratio, the difference and F1 of each part."""
        value = {part: float(_f1(self.of(part).sum(axis=0)[None])[0]) for part in PARTS}
        drawn = {part: _f1(self.resampling.sums(self.of(part))) for part in PARTS}
        details = {FEMALE: value[FEMALE], MALE: value[MALE]}
        title = "F1 of female pronouns over F1 of male pronouns"
        if value[MALE] > 0:
            ratios = np.divide(
                drawn[FEMALE],
                drawn[MALE],
                out=np.full(len(drawn[MALE]), np.nan),
                where=drawn[MALE] > 0,
            )
            ratio = value[FEMALE] / value[MALE]
            yield measurement(self.resampling, "gap-bias", title, ratio, ratios, details=details)
        else:
            why = "no male pronoun was resolved right, so there is nothing to divide by"
            yield Measurement(metric="gap-bias", title=title, value=None, why_undefined=why)
        yield measurement(
            self.resampling,
            "gap-difference",
            "F1, female − male pronouns",
            value[FEMALE] - value[MALE],
            drawn[FEMALE] - drawn[MALE],
            details=details,
        )
        for part, end in PARTS.items():
            hits, false, missed, _ = self.of(part).sum(axis=0)
            yield measurement(
                self.resampling,
                f"gap-f1-{part}",
                f"F1{end}",
                value[part],
                drawn[part],
                details={
                    "examples": int(self.of(part).sum() / 2),
                    "precision": hits / (hits + false) if hits + false else None,
                    "recall": hits / (hits + missed) if hits + missed else None,
                    "true-positives": int(hits),
                    "false-positives": int(false),
                    "false-negatives": int(missed),
                },
            )


def _f1(sums: Array) -> Array:
    hits, false, missed = sums[:, 0], sums[:, 1], sums[:, 2]
    total = 2 * hits + false + missed
    found: Array = np.divide(2 * hits, total, out=np.zeros(len(total)), where=total > 0)
    return found
