"""p-values corrected for the number of tests by the same measure."""

from collections.abc import Sequence
from dataclasses import replace

from unslant.core.record import Corrected, Result
from unslant.numerics.multiplicity import benjamini_hochberg, holm


def corrected(results: Sequence[Result]) -> list[Result]:
    """The results, each p-value with its correction within the family of its metric."""
    found = list(results)
    for name in dict.fromkeys(result.now.metric for result in results):
        family = [
            (place, result.now.p.value)
            for place, result in enumerate(results)
            if result.now.metric == name and result.now.p is not None
        ]
        p_values = [value for _, value in family]
        both = zip(holm(p_values).tolist(), benjamini_hochberg(p_values).tolist(), strict=True)
        for (place, _), (by_holm, by_bh) in zip(family, both if family else (), strict=True):
            both_ways = Corrected(holm=by_holm, benjamini_hochberg=by_bh)
            found[place] = replace(found[place], corrected=both_ways)
    return found
