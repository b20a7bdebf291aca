"""The crossed bootstrap: equal to drawing by index, kept within strata, and it covers."""

import numpy as np
import pytest

from unslant.numerics.bootstrap import (
    CrossedDraws,
    over_contexts,
    percentile_bounds,
    stratified_counts,
    weighted_means,
)


def draws(rng: np.random.Generator, shape: tuple[int, int, int], resamples: int) -> CrossedDraws:
    counts = [stratified_counts(np.zeros(n, dtype=np.int64), resamples, rng) for n in shape]
    return CrossedDraws(*counts)


def means_of(
    table: np.ndarray, drawn: CrossedDraws, counted: np.ndarray | None = None
) -> np.ndarray:
    p, h, c = table.shape
    mask = np.ones((p, h), dtype=bool) if counted is None else counted
    cells = over_contexts(lambda some: table[some], (p, h, c), drawn.contexts)
    weights = drawn.premises.astype(float), drawn.hypotheses.astype(float)
    return weighted_means([cells], *weights, mask)[:, 0]


def test_weights_give_what_drawing_by_index_gives() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((4, 3, 7))
    drawn = draws(rng, table.shape, 25)
    for number, value in enumerate(means_of(table, drawn)):
        rows, columns, layers = (
            np.repeat(np.arange(len(counts[number])), counts[number])
            for counts in (drawn.premises, drawn.hypotheses, drawn.contexts)
        )
        assert value == pytest.approx(table[np.ix_(rows, columns, layers)].mean(), rel=1e-12)


def test_cells_that_do_not_count_are_left_out_as_often_as_they_are_drawn() -> None:
    rng = np.random.default_rng(1)
    table, counted = rng.random((3, 3, 5)), ~np.eye(3, dtype=bool)
    drawn = draws(rng, table.shape, 40)
    for number, value in enumerate(means_of(table, drawn, counted)):
        rows, columns, layers = (
            np.repeat(np.arange(len(counts[number])), counts[number]).tolist()
            for counts in (drawn.premises, drawn.hypotheses, drawn.contexts)
        )
        seen = [table[i, j, k] for i in rows for j in columns for k in layers if i != j]
        assert np.isnan(value) if not seen else value == pytest.approx(np.mean(seen), rel=1e-12)


def test_blocks_of_premises_do_not_change_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    table = rng.random((9, 2, 6))
    contexts = stratified_counts(np.zeros(6, dtype=np.int64), 10, rng)
    whole = over_contexts(lambda some: table[some], table.shape, contexts)
    monkeypatch.setattr("unslant.numerics.bootstrap._BLOCK_BYTES", 8 * 2 * 6 * 4)
    parts = over_contexts(lambda some: table[some], table.shape, contexts)
    assert np.allclose(whole, parts, rtol=1e-14)


def test_every_stratum_keeps_its_size_and_a_stratum_of_one_its_word() -> None:
    strata = np.array([0, 1, 0, 1, 2, 1])
    counts = stratified_counts(strata, 500, np.random.default_rng(3))
    for stratum, size in enumerate([2, 3, 1]):
        assert (counts[:, strata == stratum].sum(axis=1) == size).all()
    assert (counts[:, 4] == 1).all()
    assert counts[:, 0].max() == 2  # else nothing was drawn at all
    assert counts[:, strata == 1].mean() == pytest.approx(1.0)
    assert counts[:, 1].mean() == pytest.approx(1.0, abs=0.1)


def test_the_interval_covers_the_mean_of_crossed_effects_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    hits, naive = 0, 0
    for _ in range(200):
        table = (
            rng.normal(size=(20, 1, 1))
            + rng.normal(size=(1, 20, 1))
            + rng.normal(size=(1, 1, 30))
            + rng.normal(size=(20, 20, 30))
        )
        bounds = percentile_bounds(means_of(table, draws(rng, table.shape, 300)))
        assert bounds is not None
        hits += bounds[0] <= 0 <= bounds[1]
        # What treating the 12,000 numbers as independent would have claimed.
        naive += abs(table.mean()) <= 1.96 * table.std() / np.sqrt(table.size)
    assert 0.87 <= hits / 200 <= 0.99
    assert naive / 200 < 0.4


def test_with_three_words_a_group_the_interval_is_too_narrow_as_the_records_warn() -> None:
    rng, strata, hits = np.random.default_rng(5), np.array([0, 0, 0, 1, 1, 1]), 0
    for _ in range(300):
        table = rng.normal(size=(1, 6, 1)) + 0.1 * rng.normal(size=(1, 6, 10))
        one, layers = np.zeros(1, dtype=np.int64), np.zeros(10, dtype=np.int64)
        drawn = CrossedDraws(*(stratified_counts(s, 300, rng) for s in (one, strata, layers)))
        bounds = percentile_bounds(means_of(table, drawn))
        assert bounds is not None
        hits += bounds[0] <= 0 <= bounds[1]
    assert 0.68 <= hits / 300 <= 0.88


def test_many_draws_without_a_value_leave_no_interval() -> None:
    assert percentile_bounds(np.array([np.nan] * 6 + [1.0] * 94)) is None
    assert percentile_bounds(np.array([np.nan] * 5 + [1.0] * 95)) == (1.0, 1.0)
    assert percentile_bounds(np.empty(0)) is None
