"""Clusters from links: spans joined to the antecedents that were chosen for them."""

from collections.abc import Iterable, Sequence

from unslant.predictors.coreference import Span


def clusters_of(
    spans: Sequence[Span], antecedents: Sequence[int], singletons: Iterable[int]
) -> list[list[Span]]:
    """Every span with its antecedent (-1 for none); spans without links only if in ``singletons``.

    >>> clusters_of([(0, 1), (2, 3), (4, 5)], [-1, 0, -1], singletons=[])
    [[(0, 1), (2, 3)]]
    """
    cluster = list(range(len(spans)))
    alone = set(range(len(spans)))
    for this, that in enumerate(antecedents):  # an antecedent is earlier, so its cluster is known
        if that >= 0:
            cluster[this] = cluster[that]
            alone -= {this, that}
    left_out = alone - set(singletons)
    found: dict[int, list[Span]] = {}
    for place, number in enumerate(cluster):
        if place not in left_out:
            found.setdefault(number, []).append(spans[place])
    return list(found.values())
