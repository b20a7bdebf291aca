"""Scores of links and of mentions: MUC, B³ and LEA.

With the key's clusters k, the response's r and links(n) = n (n − 1) / 2, recall is

* MUC (Vilain et al. 1995): Σ_k (|k| − parts(k)) / Σ_k (|k| − 1), where parts(k) counts the pieces
  into which the response cuts k, a mention that the response does not have being one;
* B³ (Bagga and Baldwin 1998): Σ_k Σ_r |k ∩ r|² / |k|, divided by Σ_k |k|;
* LEA (Moosavi and Strube 2016): Σ_k |k| Σ_r links(|k ∩ r|) / links(|k|), divided by Σ_k |k|; a
  singleton has one link, to itself, which a singleton of the other side shares.

Precision exchanges key and response.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

from unslant.datasets.coreference.counts import Counts
from unslant.datasets.coreference.overlap import Overlap

Side = Callable[[Overlap], tuple[Fraction, Fraction]]
"""What was found of the key, and what there is."""


def muc(overlap: Overlap) -> Counts:
    """Links that join the clusters' mentions; singletons have none."""
    return _both(_muc, overlap)


def b_cubed(overlap: Overlap) -> Counts:
    """For every mention, the share of its cluster that is also in its other cluster."""
    return _both(_b_cubed, overlap)


def lea(overlap: Overlap) -> Counts:
    """For every cluster, weighted by its size, the share of its links that were found."""
    return _both(_lea, overlap)


def links(mentions: int) -> int:
    """The number of pairs of mentions."""
    return mentions * (mentions - 1) // 2


def _both(side: Side, overlap: Overlap) -> Counts:
    return Counts(*side(overlap), *side(overlap.reversed()))


def _muc(overlap: Overlap) -> tuple[Fraction, Fraction]:
    # |k| − parts(k) is the shared mentions of k less the response's clusters that share them.
    found = overlap.mentions - len(overlap.shared)
    return Fraction(found), Fraction(sum(overlap.key) - len(overlap.key))


def _b_cubed(overlap: Overlap) -> tuple[Fraction, Fraction]:
    squares = [0] * len(overlap.key)
    for (mine, _), size in overlap.shared.items():
        squares[mine] += size * size
    found = _total(zip(squares, overlap.key, strict=True))
    return found, Fraction(sum(overlap.key))


def _lea(overlap: Overlap) -> tuple[Fraction, Fraction]:
    common = [0] * len(overlap.key)
    for (mine, theirs), size in overlap.shared.items():
        if overlap.key[mine] == 1:
            common[mine] = int(overlap.response[theirs] == 1)
        else:
            common[mine] += links(size)
    pairs = (
        (found * size, links(size) or 1) for found, size in zip(common, overlap.key, strict=True)
    )
    return _total(pairs), Fraction(sum(overlap.key))


def _total(pairs: Iterable[tuple[int, int]]) -> Fraction:
    """The sum of fractions; those of one denominator are added first, which is much faster."""
    sums: dict[int, int] = {}
    for numerator, denominator in pairs:
        sums[denominator] = sums.get(denominator, 0) + numerator
    return sum((Fraction(*reversed(one)) for one in sums.items()), Fraction(0))
