"""Scores of coreference agree with independent implementations, and keep their promises."""

import random
from fractions import Fraction
from itertools import combinations, permutations, zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language_models import data_folder
from unslant.core.errors import UnknownNameError
from unslant.datasets.coreference.conll2012 import read_documents
from unslant.datasets.coreference.document import Clusters, CorefDocument
from unslant.measures.coreference_scores import NAMES, CorefScores

BOOKS = ("1023_bleak_house", "514_little_women", "1342_pride_and_prejudice", "4300_ulysses")


def clusterings(size: int = 6) -> Any:
    """Random clusterings: a cluster, or none, for each of a few mentions."""
    labels = st.lists(st.integers(-1, 3), min_size=size, max_size=size)
    return labels.map(lambda given: grouped(list(enumerate(given))))


def grouped(labelled: list[tuple[int, int]]) -> Clusters:
    found: dict[int, list[tuple[int, int]]] = {}
    for place, label in labelled:
        if label >= 0:
            found.setdefault(label, []).append((place, place + 1))
    return tuple(map(tuple, found.values()))


def scored(key: Clusters, response: Clusters, *, singletons: bool = True) -> CorefScores:
    scores = CorefScores(singletons=singletons)
    scores.add(key, response)
    return scores


def by_hand(key: Clusters, response: Clusters) -> dict[str, tuple[Fraction, Fraction]]:
    """Recall and precision from the definitions, by enumeration of mentions, links and matches."""
    return {
        name: (side(key, response), side(response, key))
        for name, side in {"muc": _muc, "b_cubed": _b_cubed, "lea": _lea}.items()
    } | {
        "ceaf_m": _ceaf(key, response, lambda a, b: Fraction(len(a & b)), len),
        "ceaf_e": _ceaf(
            key, response, lambda a, b: Fraction(2 * len(a & b), len(a) + len(b)), lambda _: 1
        ),
    }


def _share(part: Fraction | int, whole: int) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def _muc(key: Clusters, response: Clusters) -> Fraction:
    found = 0
    for cluster in key:
        pieces = {next((n for n, r in enumerate(response) if m in r), m) for m in cluster}
        found += len(cluster) - len(pieces)
    return _share(found, sum(len(cluster) - 1 for cluster in key))


def _b_cubed(key: Clusters, response: Clusters) -> Fraction:
    total = Fraction(0)
    for cluster in key:
        for mention in cluster:
            other = next((set(r) for r in response if mention in r), set())
            total += Fraction(len(other & set(cluster)), len(cluster))
    return _share(total, sum(map(len, key)))


def _lea(key: Clusters, response: Clusters) -> Fraction:
    total = Fraction(0)
    for cluster in key:
        if len(cluster) == 1:
            total += int(any(tuple(cluster) == tuple(r) for r in response))
            continue
        pairs = [frozenset(pair) for pair in combinations(cluster, 2)]
        theirs = {frozenset(pair) for r in response for pair in combinations(r, 2)}
        total += Fraction(len(cluster) * sum(pair in theirs for pair in pairs), len(pairs))
    return _share(total, sum(map(len, key)))


def _ceaf(key: Clusters, response: Clusters, like: Any, size: Any) -> tuple[Fraction, Fraction]:
    fewer, more = sorted((list(map(set, key)), list(map(set, response))), key=len)
    best = max(
        (
            sum((like(a, b) for a, b in zip_longest(fewer, order[: len(fewer)])), Fraction(0))
            for order in permutations(more)
        ),
        default=Fraction(0),
    )
    return tuple(_share(best, sum(map(size, side))) for side in (key, response))  # type: ignore[return-value]


@given(clusterings(), clusterings())
def test_scores_are_those_of_the_definitions(key: Clusters, response: Clusters) -> None:
    scores = scored(key, response)
    for name, (recall, precision) in by_hand(key, response).items():
        assert (scores[name].recall, scores[name].precision) == (recall, precision), name


@given(clusterings(), clusterings())
def test_exchanging_both_sides_exchanges_recall_and_precision(
    key: Clusters, response: Clusters
) -> None:
    ahead, back = scored(key, response), scored(response, key)
    for name in NAMES:
        if name != "blanc":  # which asks the key which kinds of links there are
            assert (ahead[name].recall, ahead[name].f1) == (back[name].precision, back[name].f1)


@given(clusterings())
def test_a_perfect_response_has_every_score_but_the_links_that_singletons_lack(
    key: Clusters,
) -> None:
    scores = scored(key, tuple(reversed(key)))
    for name in NAMES:
        expected = bool(key) and (name != "muc" or any(len(one) > 1 for one in key))
        assert scores[name].f1 == int(expected), name


def test_singletons_are_dropped_on_both_sides_and_that_is_stated() -> None:
    key, response = (((0, 1),), ((1, 2), (2, 3))), (((0, 1),), ((5, 6),), ((1, 2), (2, 3)))
    kept, dropped = scored(key, response), scored(key, response, singletons=False)
    assert kept["b_cubed"].precision == Fraction(3, 4)
    assert dropped["b_cubed"].precision == dropped["ceaf_e"].precision == 1
    assert (kept.to_dict()["singletons"], kept.key_mentions) == ("kept", 3)
    assert dropped.to_dict()["singletons"] == "dropped on both sides"


def test_a_mention_in_two_clusters_of_a_response_counts_in_the_first() -> None:
    key = (((0, 1), (1, 2)),)
    twice = (((0, 1), (1, 2)), ((1, 2), (1, 2)))
    assert scored(key, twice).to_dict() == scored(key, key).to_dict()


def test_counts_are_added_over_documents() -> None:
    both = CorefScores()
    both.add((((0, 1), (1, 2)),), ())
    both.add((((0, 1), (1, 2), (2, 3)),), (((0, 1), (1, 2), (2, 3)),))
    assert (both["muc"].recall, both["muc"].precision) == (Fraction(2, 3), Fraction(1))
    assert both.documents == 2


def test_an_unknown_score_is_named() -> None:
    with pytest.raises(UnknownNameError, match="bcub"):
        CorefScores()["bcub"]


def test_thousands_of_clusters_take_a_moment() -> None:
    # Dense matching of all clusters would need 8,000³ steps.
    key = tuple(((n, n + 1), (n + 20_000, n + 20_001)) for n in range(8_000))
    response = tuple(((n, n + 1), (n + 20_001, n + 20_002)) for n in range(0, 8_000, 2))
    scores = scored(key, response)
    assert scores["ceaf_m"].recall == Fraction(4_000, 16_000)


def randomised(document: CorefDocument, rng: random.Random) -> Clusters:
    """Clusters with mentions moved, lost and made up."""
    moved = []
    for number, cluster in enumerate(document.clusters):
        for mention in cluster:
            chance = rng.random()
            if chance < 0.6:
                moved.append((mention, number))
            elif chance < 0.8:
                moved.append((mention, rng.randrange(len(document.clusters) + 20)))
    known = set(document.mentions)
    for _ in range(60):
        first = rng.randrange(len(document.words) - 3)
        span = (first, first + rng.randrange(1, 3))
        if span not in known:
            known.add(span)
            moved.append((span, rng.randrange(len(document.clusters) + 20)))
    found: dict[int, list[tuple[int, int]]] = {}
    for mention, label in moved:
        found.setdefault(label, []).append(mention)
    return tuple(map(tuple, found.values()))


@pytest.fixture(scope="module")
def books() -> list[tuple[CorefDocument, Clusters]]:
    folder = data_folder("coref/litbank")
    documents = [read_documents(folder / f"{name}_brat.conll")[0] for name in BOOKS]
    rng = random.Random(18)
    return [(one, randomised(one, rng)) for one in documents]


def test_scores_on_litbank_are_those_of_scorch(
    books: list[tuple[CorefDocument, Clusters]],
) -> None:
    peer = pytest.importorskip("scorch.scores")
    names = ("muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc")
    for document, response in books:
        sides = [[set(one) for one in side] for side in (document.clusters, response)]
        scores = scored(document.clusters, response)
        for name in names:
            extra = {"fast": False} if name == "blanc" else {}
            expected = getattr(peer, name)(*sides, **extra)
            mine = scores[name]
            given_here = [float(part) for part in (mine.recall, mine.precision, mine.f1)]
            assert given_here == pytest.approx(expected, abs=1e-12), (document.name, name)
        assert scores.conll == pytest.approx(peer.conll2012(*sides), abs=1e-12)


def test_scores_on_litbank_without_singletons_are_those_of_coreference_eval(
    books: list[tuple[CorefDocument, Clusters]],
) -> None:
    corefeval = pytest.importorskip("corefeval")
    scores, peer = CorefScores(singletons=False), corefeval.Scorer()
    for document, response in books:
        kept = [[one for one in side if len(one) > 1] for side in (document.clusters, response)]
        scores.add(document.clusters, response)
        peer.update(corefeval.Document(kept[1], kept[0]))
    _, expected = peer.detailed_score("", "", verbose=False)
    for name, theirs in (
        ("muc", "muc"),
        ("b_cubed", "b_cubed"),
        ("ceaf_e", "ceafe"),
        ("lea", "lea"),
    ):
        assert scores[name].to_dict() == pytest.approx(expected[theirs], abs=1e-12), name
