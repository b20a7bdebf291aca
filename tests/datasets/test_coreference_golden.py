"""The cases of the reference scorer (Pradhan et al. 2014), by the fractions of its README.

Its README has slips: TC-A-3 prints 3.6/5 for CEAFφ4 and TC-A-9 8/14 for CEAFm; the counts in its
brackets are right, and stand here. The TC-N cases come without files and are written out.
"""

from fractions import Fraction as Q

import pytest

from tests.language_models import data_folder
from unslant.datasets.coreference.conll2012 import read_file
from unslant.measures.coreference_scores import CorefScores

# MUC, B³, CEAFm and CEAFφ4: recall and precision.
SHARES = {
    "TC-A-1": ((Q(1), Q(1)), (Q(1), Q(1)), (Q(1), Q(1)), (Q(1), Q(1))),
    "TC-A-2": ((Q(1, 3), Q(1)), (Q(7, 18), Q(1)), (Q(3, 6), Q(1)), (Q(9, 15), Q(9, 10))),
    "TC-A-3": (
        (Q(1), Q(3, 5)),
        (Q(1), Q(55, 108)),
        (Q(1), Q(6, 9)),
        ((1 + Q(4, 5) + Q(6, 7)) / 3, (1 + Q(4, 5) + Q(6, 7)) / 4),
    ),
    "TC-A-4": (
        (Q(1, 3), Q(1, 3)),
        (Q(5, 9), Q(17, 42)),
        (Q(4, 6), Q(4, 7)),
        (Q(11, 15), Q(11, 20)),
    ),
    "TC-A-5": (
        (Q(1, 3), Q(1, 4)),
        (Q(5, 9), Q(5, 16)),
        (Q(4, 6), Q(4, 8)),
        ((1 + Q(4, 6) + Q(2, 5)) / 3, (1 + Q(4, 6) + Q(2, 5)) / 4),
    ),
    "TC-A-6": (
        (Q(1, 3), Q(1, 4)),
        (Q(5, 9), Q(17, 48)),
        (Q(4, 6), Q(4, 8)),
        (Q(11, 15), Q(11, 20)),
    ),
    "TC-A-10": ((Q(0), Q(0)), (Q(3, 6), Q(1)), None, None),
    "TC-A-11": ((Q(1), Q(3, 5)), (Q(1), Q(7, 18)), None, None),
    "TC-A-12": ((Q(0), Q(0)), (Q(13, 36), Q(4, 7)), None, None),
    "TC-A-13": ((Q(1, 3), Q(1, 6)), (Q(17, 36), Q(6, 49)), None, None),
    "TC-D-1": ((Q(1), Q(9, 10)), (Q(1), Q(16, 21)), None, None),
    "TC-E-1": ((Q(1), Q(9, 10)), (Q(1), Q(7, 12)), None, None),
    "TC-F-1": ((Q(2, 3), Q(1)), None, None, None),
    "TC-G-1": ((Q(1), Q(2, 3)), None, None, None),
    "TC-H-1": ((Q(1), Q(1)), None, None, None),
    "TC-I-1": ((Q(2, 3), Q(1)), None, None, None),
    "TC-J-1": ((Q(1, 2), Q(1)), None, None, None),
    "TC-K-1": ((Q(3, 6), Q(3, 6)), None, None, None),
    "TC-L-1": ((Q(2, 5), Q(2, 4)), None, None, None),
    "TC-M-1": ((Q(1), Q(1)), (Q(1), Q(1)), (Q(1), Q(1)), (Q(1), Q(1))),
    "TC-M-2": ((Q(0), Q(0)), None, None, None),
    "TC-M-5": ((Q(0), Q(0)), None, None, None),
}
for duplicate in ("TC-A-7", "TC-A-8", "TC-A-9"):  # the span that is repeated counts once
    SHARES[duplicate] = SHARES["TC-A-4"]

# Coreference links: shared, key, response; non-coreference links: the same.
LINKS = {
    "TC-A-1": (4, 4, 4, 11, 11, 11),
    "TC-A-2": (1, 4, 1, 2, 11, 2),
    "TC-A-3": (4, 4, 9, 11, 11, 27),
    "TC-A-4": (1, 4, 4, 5, 11, 17),
    "TC-A-5": (1, 4, 7, 5, 11, 21),
    "TC-A-6": (1, 4, 5, 5, 11, 23),
    "TC-A-7": (1, 4, 4, 5, 11, 17),
    "TC-A-8": (1, 4, 4, 5, 11, 17),
    "TC-A-9": (1, 4, 4, 5, 11, 17),
    "TC-A-10": (0, 4, 0, 11, 11, 15),
    "TC-A-11": (4, 4, 15, 0, 11, 0),
    "TC-A-12": (0, 4, 0, 5, 11, 21),
    "TC-A-13": (1, 4, 21, 0, 11, 0),
    "TC-B-1": (1, 4, 4, 2, 6, 6),
    "TC-C-1": (2, 5, 5, 10, 16, 16),
    "TC-M-1": (15, 15, 15, 0, 0, 0),
    "TC-M-2": (0, 15, 0, 0, 0, 15),
    "TC-M-3": (4, 15, 4, 0, 0, 11),
    "TC-M-4": (3, 15, 15, 0, 0, 0),
    "TC-M-5": (0, 15, 0, 0, 0, 15),
    "TC-M-6": (1, 15, 4, 0, 0, 11),
}
BLANC = {
    "TC-A-1": 1,
    "TC-A-2": 0.35,
    "TC-A-3": 0.60,
    "TC-A-4": 0.30,
    "TC-A-5": 0.25,
    "TC-A-6": 0.26,
    "TC-A-7": 0.30,
    "TC-A-8": 0.30,
    "TC-A-9": 0.30,
    "TC-A-10": 0.42,
    "TC-A-11": 0.21,
    "TC-A-12": 0.16,
    "TC-A-13": 0.04,
    "TC-B-1": 7 / 24,
    "TC-C-1": 0.5125,
    "TC-M-1": 1,
    "TC-M-2": 0,
    "TC-M-3": 0.42,
    "TC-M-4": 0.20,
    "TC-M-5": 0,
    "TC-M-6": 0.11,
}


def scored(case: str) -> CorefScores:
    folder = data_folder("golden/conll")
    (key,) = read_file(folder / f"{case.rsplit('-', 1)[0]}.key")
    (response,) = read_file(folder / f"{case}.response")
    scores = CorefScores()
    scores.add(key.clusters, response.clusters)
    return scores


@pytest.mark.parametrize("case", SHARES)
def test_recall_and_precision_are_the_fractions_of_the_reference(case: str) -> None:
    scores = scored(case)
    for name, expected in zip(("muc", "b_cubed", "ceaf_m", "ceaf_e"), SHARES[case], strict=True):
        if expected:
            assert (scores[name].recall, scores[name].precision) == expected, name


@pytest.mark.parametrize("case", LINKS)
def test_blanc_counts_the_links_of_the_reference(case: str) -> None:
    scores, (shared, key, response, *apart) = scored(case), LINKS[case]
    blanc = scores.blanc
    assert (blanc.shared_links, blanc.key_links, blanc.response_links) == (shared, key, response)
    assert [blanc.shared_apart, blanc.key_apart, blanc.response_apart] == apart
    assert float(scores["blanc"].f1) == pytest.approx(BLANC[case], abs=0.0051)


def test_every_response_of_the_reference_is_checked() -> None:
    files = {path.stem for path in data_folder("golden/conll").glob("*.response")}
    assert files == {*SHARES, *LINKS}


SINGLETONS = [[(n, n + 1)] for n in range(6)]


def letters(*clusters: str) -> list[list[tuple[int, int]]]:
    return [[(ord(one), ord(one) + 1) for one in cluster] for cluster in clusters]


@pytest.mark.parametrize(
    ("response", "blanc"),
    [
        ("a b c d e f", Q(1)),
        ("abcdef", Q(0)),
        ("ab cde f", Q(22, 26)),
        ("a b c x y z", Q(1, 5)),
        ("abcxyz", Q(0)),
        ("ab cxy z", Q(4, 26)),
    ],
)
def test_a_key_of_singletons_is_scored_by_its_non_coreference_links(
    response: str, blanc: Q
) -> None:
    scores = CorefScores()
    scores.add(letters(*"abcdef"), letters(*response.split()))
    assert scores["blanc"].f1 == blanc
    assert scores["muc"].f1 == 0


def test_perfect_singletons_count_in_every_score_but_muc() -> None:
    scores = CorefScores()
    scores.add(SINGLETONS, SINGLETONS)
    for name in ("b_cubed", "ceaf_m", "ceaf_e", "lea", "blanc"):
        assert scores[name].recall == scores[name].precision == scores[name].f1 == 1
    assert scores["muc"].f1 == 0
