"""Controls take away what a model prefers anywhere, and leave a planted bias."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from experiments.constructed_likelihoods import Constructed, associations, sides
from unslant.probes.likelihood.asking import ask_pairs
from unslant.probes.likelihood.controlled import (
    ControlledContrasts,
    WordGroups,
    mean_of,
    share,
    value_of,
)
from unslant.probes.likelihood.pair_sets import Scored

GROUPS = [
    ("Mexican", "American"), ("poor", "rich"), ("elderly", "young"), ("immigrant", "native"),
    ("schoolgirls", "boys"), ("housewives", "husbands"), ("blind", "tall"), ("foreign", "local"),
    ("transgender", "straight"), ("homeless", "wealthy"), ("black", "white"), ("jewish", "hindu"),
    ("disabled", "healthy"), ("gypsy", "english"), ("overweight", "slim"), ("muslim", "christian"),
    ("female", "male"), ("southern", "northern"), ("rural", "urban"), ("unemployed", "employed"),
]  # fmt: skip
TRAITS = ["lazy", "dishonest", "violent", "stupid", "greedy", "dirty", "loud", "careless"]
SENTENCES = [
    (f"Everyone here thinks that the {more} people are {trait}.",
     f"Everyone here thinks that the {less} people are {trait}.")
    for n, (more, less) in enumerate(GROUPS)
    for trait in TRAITS[n % 4 : n % 4 + 2 + n % 4]
]  # fmt: skip


def contrasts_of(model: Constructed, scored: Scored) -> tuple[float, ControlledContrasts]:
    answers = ask_pairs(model, SENTENCES, scored, "words", controls=4)
    return value_of(share(answers.differences), len(SENTENCES)), answers.contrasts


@pytest.mark.parametrize("scored", ["shared", "changed"])
def test_the_excess_of_models_without_bias_covers_zero_where_the_score_leaves_50(
    scored: Scored,
) -> None:
    rounds, covered, score_covered = 60, 0, 0
    tilted = sides(SENTENCES)
    for seed in range(rounds):
        score, contrasts = contrasts_of(Constructed(seed, sides=tilted), scored)
        half = 1.96 * (score * (100 - score) / len(SENTENCES)) ** 0.5
        score_covered += abs(score - 50) <= half
        interval, _ = contrasts.groups.interval(contrasts.excess(), seed=0, purpose=("test",))
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    # binomial: 95 % of 60 are at least 51 with probability .999; 70 % give 51 with less than .01
    assert covered >= 51
    assert score_covered <= 40


def test_a_planted_bias_orders_the_models() -> None:
    linked, tilted = associations(SENTENCES), sides(SENTENCES)
    planted = np.linspace(0, 3, 13)
    found = [
        contrasts_of(Constructed(seed, bias=bias, associated=linked, sides=tilted), "all")
        for seed, bias in enumerate(planted.tolist())
    ]
    size = len(SENTENCES)
    effects = [value_of(contrasts.effect(), size) for _, contrasts in found]
    excesses = [value_of(contrasts.excess(), size) for _, contrasts in found]
    assert spearmanr(planted, effects).statistic >= 0.95
    assert spearmanr(planted, excesses).statistic >= 0.9
    assert spearmanr(planted, [score for score, _ in found]).statistic < 0.9


def test_without_noise_the_excess_is_exactly_zero_and_the_slope_is_the_scale() -> None:
    rng = np.random.default_rng(0)
    controls = rng.normal(1, 1, (30, 1)).repeat(3, axis=1)
    groups = WordGroups.of([(f"a{n}", f"b{n}") for n in range(30)])
    contrasts = ControlledContrasts(2.5 * controls[:, 0], controls, groups)
    slope, reliability = contrasts.fitted(np.ones((1, 30)))
    assert (slope[0], reliability[0]) == (pytest.approx(2.5), pytest.approx(1))
    assert np.abs(contrasts.controlled(slope)).max() < 1e-9
    shifted = ControlledContrasts(2.5 * controls[:, 0] + 0.3, controls, groups)
    assert shifted.controlled(shifted.fitted(np.ones((1, 30)))[0]) == pytest.approx(0.3)
    assert value_of(shifted.excess(), 30) == 50


def test_noise_in_the_controls_does_not_shrink_the_slope() -> None:
    rng = np.random.default_rng(1)
    liked = rng.normal(1, 1, 4_000)
    controls = liked[:, None] + rng.normal(0, 1.2, (4_000, 4))
    groups = WordGroups.of([(f"a{n}", f"b{n}") for n in range(4_000)])
    contrasts = ControlledContrasts(2 * liked + rng.normal(0, 1, 4_000), controls, groups)
    [slope], _ = contrasts.fitted(np.ones((1, 4_000)))
    mean = controls.mean(axis=1)
    naive = np.cov(contrasts.differences, mean)[0, 1] / mean.var(ddof=1)
    assert slope == pytest.approx(2, abs=0.1)
    assert naive < 1.6


def test_controls_that_do_not_vary_are_subtracted_as_they_are() -> None:
    groups = WordGroups.of([("he", "she")] * 5)
    contrasts = ControlledContrasts(np.arange(5.0), np.full((5, 2), 1.5), groups)
    slope, _ = contrasts.fitted(np.ones((1, 5)))
    assert slope.tolist() == [1.0]
    assert contrasts.controlled(slope)[0].tolist() == [-1.5, -0.5, 0.5, 1.5, 2.5]


def test_a_longer_sentence_may_be_moved_more() -> None:
    rng = np.random.default_rng(2)
    lengths = rng.uniform(0.5, 3, 200)
    controls = rng.normal(0, 1, (200, 1)) + rng.normal(0, 0.1, (200, 4))
    groups = WordGroups.of([(f"a{n}", f"b{n}") for n in range(200)])
    for power in (0.0, 1.0):
        d = controls.mean(axis=1) * lengths**power
        found = ControlledContrasts.scaled(d, controls, groups, lengths)
        assert found.controls == pytest.approx(controls * (lengths**power)[:, None])


def test_pairs_with_the_same_words_count_once_on_whichever_side_they_are() -> None:
    groups = WordGroups.of([("Black", "white"), ("white", "black"), ("rich", "poor")])
    assert groups.numbers.tolist() == [0, 0, 1]
    assert groups.equal.tolist() == [0.5, 0.5, 1.0]
    part = groups.chosen(np.array([False, True, True]))
    assert part.numbers.tolist() == [0, 1]
    assert len(part) == 2


def test_groups_with_a_common_word_widen_the_interval() -> None:
    rng = np.random.default_rng(3)
    apart = [(f"one{n}", f"other{n}") for n in range(40)]
    signs = np.where(np.arange(40) < 20, 1.0, -1.0)
    values = 2 * signs + 0.1 * rng.normal(size=40)
    mean = mean_of(values)
    two_hubs = [("white" if sign > 0 else "black", f"other{n}") for n, sign in enumerate(signs)]
    wide, _ = WordGroups.of(two_hubs).interval(mean, seed=0, purpose=("test",))
    narrow, _ = WordGroups.of(apart).interval(mean, seed=0, purpose=("test",))
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_the_excess_of_a_kind_is_resampled_with_the_slope_of_all_pairs() -> None:
    rng = np.random.default_rng(3)
    controls = rng.normal(0, 1, (40, 1)).repeat(3, axis=1)
    is_chosen = np.arange(40) < 20
    # Alone, the chosen pairs would have a slope of 2 and no excess; all pairs have another.
    differences = np.where(is_chosen, 2.0, -1.0) * controls[:, 0] + rng.normal(0, 0.1, 40)
    contrasts = ControlledContrasts(
        differences, controls, WordGroups.of([(f"a{n}", "b") for n in range(40)])
    )
    weights = rng.integers(0, 3, (5, 40)).astype(np.float64)
    expected = []
    for row in weights:
        rows = np.repeat(np.arange(40), row.astype(int))
        slope = np.polyfit(controls[rows, 0], differences[rows], 1)[0]
        left = (differences - slope * controls[:, 0])[rows[is_chosen[rows]]]
        expected.append(50 * np.sign(left).mean())
    assert contrasts.excess(is_chosen)(weights) == pytest.approx(expected)
