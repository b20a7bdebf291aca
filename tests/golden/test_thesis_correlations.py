"""The correlations of a thesis, made again from the table that it printed.

H. Dawkins (2023), chapter 3: intrinsic measures of 16 embeddings beside E, the error of an NLI
model on marked attributes, and Pearson's correlation of each measure with E. NA is as printed.

Every number of the table has three decimals, so the true one lies within .0005 of it. The
coefficients of 20,000 tables drawn within that range say how far off a coefficient made from the
printed table may be; the published ones are rounded to three decimals themselves.
"""

import numpy as np
import pytest

from tests.correlations import correlation_matrix
from unslant.core.study_record import CorrelatedPair, Correlations
from unslant.core.types import Array
from unslant.studies.answers import Row, correlate

MEASURES = ("DB", "MIDB", "clustering", "recoverability", "SB def", "SB stereo", "GIPE", "E")
TABLE = """
w2v           -     .052  .023 .933  .992 .830 .134 .021 .206
w2v           HD    .000  .007 .440  .887 .759 .114 .014 .163
w2v           DHD   NA    .025 .271  .881 .295 .373 .014 .164
w2v           BAM   .061  .038 .844  .974 .814 .136 .023 .131
w2v           OSCaR .050  .024 .928  .993 .830 .134 .021 .188
GloVe         -     .055 -.032 .984 1.000 .802 .109 .115 .198
GloVe         HD    .000 -.004 .302  .927 .786 .130 .070 .155
GN-GloVe      -     .038  .172 .588  .999 .977 .014 .141 .301
GN-GloVe(w_a) -     .068 -.096 .497  .989 .939 .011 .117 .149
GloVe         DHD   NA    .201 .258  .903 .250 .123 .064 .247
GloVe         GP    .059  .068 .996 1.000 .843 .080 .145 .336
GN-GloVe      GP    .036  .006 .601  .999 .984 .011 .118 .179
GloVe         BAM   .068 -.019 .964  .999 .775 .145 .137 .175
GloVe         OSCaR .056 -.012 .984 1.000 .814 .102 .117 .154
GloVe         RAN   .044 -.001 .419  .951 .927 .011 .040 .193
GloVe         INLP  NA   -.001 .015  .660 .198 .160 .080 .167
"""
PUBLISHED = {
    "MIDB": 0.667,
    "GIPE": 0.432,
    "recoverability": 0.223,
    "clustering": 0.184,
    "DB": 0.104,
    "SB def": 0.091,
    "SB stereo": -0.270,
}
BY_HAND = {"MIDB": 0.668, "GIPE": 0.429, "recoverability": 0.219}
LINES = [line.split() for line in TABLE.strip().splitlines()]
VALUES = np.array(
    [[np.nan if cell == "NA" else float(cell) for cell in line[2:]] for line in LINES]
)


@pytest.fixture(scope="module")
def answer() -> Correlations:
    rows = [
        Row(
            resource=resource,
            method=method,
            measure=measure,
            concept="gender",
            seed=0,
            value=None if cell == "NA" else float(cell),
            state="undefined" if cell == "NA" else "done",
            why="not printed" if cell == "NA" else "",
        )
        for resource, method, *cells in LINES
        for measure, cell in zip(MEASURES, cells, strict=True)
    ]
    return correlate(rows, against="E")


def pearson_with_e(answer: Correlations, measure: str) -> CorrelatedPair:
    [pair] = [p for p in answer.pairs if p.kind == "pearson" and p.first == measure]
    return pair


def as_far_as_the_print_tells(measure: str, draws: int = 20_000) -> Array:
    rng = np.random.default_rng(0)
    place = MEASURES.index(measure)
    pair = VALUES[~np.isnan(VALUES[:, place])][:, [place, -1]]
    x, y = np.moveaxis(pair + rng.uniform(-0.0005, 0.0005, (draws, *pair.shape)), 2, 0)
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.asarray((x * y).sum(axis=1) / scale)


@pytest.mark.parametrize("measure", PUBLISHED)
def test_the_published_coefficient_comes_out_within_rounding(
    answer: Correlations, measure: str
) -> None:
    possible = as_far_as_the_print_tells(measure)
    low, high = possible.min() - 0.0005, possible.max() + 0.0005
    assert low <= PUBLISHED[measure] <= high
    assert pearson_with_e(answer, measure).value == pytest.approx(possible.mean(), abs=5e-4)
    assert high - low < 0.035  # the check has a bite: a table with a wrong entry would fail


@pytest.mark.parametrize("measure", BY_HAND)
def test_it_is_the_coefficient_that_the_table_gives_by_hand(
    answer: Correlations, measure: str
) -> None:
    value = pearson_with_e(answer, measure).value
    assert value is not None
    assert round(value, 3) == BY_HAND[measure]


def test_rows_without_a_number_are_left_out_for_their_measure_only(answer: Correlations) -> None:
    counts = {measure: pearson_with_e(answer, measure).n for measure in PUBLISHED}
    assert counts.pop("DB") == 13
    assert set(counts.values()) == {16}


def test_the_two_measures_that_stand_out_in_the_thesis_are_said_with_their_doubt(
    answer: Correlations,
) -> None:
    midb, gipe = (pearson_with_e(answer, measure) for measure in ("MIDB", "GIPE"))
    assert midb.p is not None
    assert midb.p < 0.02
    assert gipe.p is not None
    assert gipe.p > 0.05
    assert gipe.low is not None
    assert gipe.high is not None
    assert gipe.low < 0.1 < 0.6 < gipe.high
    assert any("could be anywhere from" in sentence for sentence in answer.sentences)


def test_numpy_agrees_on_the_whole_matrix() -> None:
    whole = VALUES[:, 1:]
    ours = [[found.value for found in line] for line in correlation_matrix(whole, resamples=100)]
    assert np.allclose(np.array(ours, dtype=float), np.corrcoef(whole.T), atol=1e-12)
