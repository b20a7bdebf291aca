"""Clusters from links."""

from hypothesis import given
from hypothesis import strategies as st

from unslant.models.coreference.decoding import clusters_of


def test_links_join_spans_and_singletons_are_only_those_named() -> None:
    spans = [(place, place + 1) for place in range(6)]
    found = clusters_of(spans, [-1, -1, 0, 2, -1, -1], singletons=[3, 5])
    assert found == [[(0, 1), (2, 3), (3, 4)], [(5, 6)]]


@given(st.lists(st.integers(-1, 8), max_size=9))
def test_clusters_are_the_connected_parts(links: list[int]) -> None:
    links = [min(that, this - 1) for this, that in enumerate(links)]
    spans = [(place, place + 1) for place in range(len(links))]
    parts = {place: {place} for place in range(len(links))}
    for this, that in enumerate(links):
        if that >= 0:
            joined = parts[this] | parts[that]
            for place in joined:
                parts[place] = joined
    expected = {frozenset((place, place + 1) for place in part) for part in parts.values()}
    found = clusters_of(spans, links, singletons=range(len(links)))
    assert {frozenset(cluster) for cluster in found} == expected
    assert sum(map(len, found)) == len(spans)
