"""P-values corrected for how many tests of the same kind there are."""

from collections.abc import Sequence

from unslant.core.measurement import Measurement
from unslant.core.record import Corrected
from unslant.measures.registry import score_of
from unslant.numerics.multiplicity import benjamini_hochberg, holm


def corrected(found: Sequence[Measurement]) -> list[Corrected | None]:
    """For each measurement with a p-value, that value corrected within its score's family."""
    families: dict[str, list[int]] = {}
    for place, item in enumerate(found):
        if item.p is not None:
            families.setdefault(score_of(item.metric), []).append(place)
    results: list[Corrected | None] = [None] * len(found)
    for places in families.values():
        values = [p.value for place in places if (p := found[place].p) is not None]
        for place, strict, loose in zip(
            places, holm(values).tolist(), benjamini_hochberg(values).tolist(), strict=True
        ):
            results[place] = Corrected(holm=strict, benjamini_hochberg=loose)
    return results
