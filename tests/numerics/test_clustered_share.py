"""Shares of rows in clusters: the interval covers, and is Wilson's if rows are independent."""

import numpy as np
import pytest

from unslant.numerics.bootstrap import clustered_share, wilson_interval


def test_independent_rows_have_wilsons_interval() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random(4_000) < 0.6).astype(float)
    found = clustered_share(right, np.ones(4_000), np.zeros(4_000, int), np.arange(4_000))
    assert found.value == pytest.approx(right.mean())
    assert found.interval == pytest.approx(wilson_interval(right.sum(), 4_000), abs=2e-4)


def test_rows_that_repeat_their_cluster_count_as_the_clusters() -> None:
    rng = np.random.default_rng(0)
    once = (rng.random(400) < 0.6).astype(float)
    right, clusters = once.repeat(10), np.arange(400).repeat(10)
    found = clustered_share(right, np.ones(4_000), np.zeros(4_000, int), clusters)
    assert found.clusters == 400
    assert found.interval == pytest.approx(wilson_interval(once.sum(), 400), abs=2e-3)
    careless = clustered_share(right, np.ones(4_000), np.zeros(4_000, int), np.arange(4_000))
    assert careless.interval is not None
    assert found.interval is not None
    wide, narrow = (ends[1] - ends[0] for ends in (found.interval, careless.interval))
    assert wide > 3 * narrow


@pytest.mark.parametrize(("clusters", "spread"), [(40, 0.3), (12, 0.15), (300, 0.0)])
def test_intervals_cover_the_truth(clusters: int, spread: float) -> None:
    """Names of two groups, each recognised with a probability of its own; weights make up for
    groups of different sizes."""
    rng = np.random.default_rng(1)
    groups = np.arange(clusters) % 2
    sizes = np.where(groups == 0, 30, 10)
    covered = 0
    for _ in range(400):
        own = np.clip(0.55 + spread * rng.uniform(-1, 1, clusters), 0, 1)
        cluster = np.arange(clusters).repeat(sizes)
        right = (rng.random(len(cluster)) < own[cluster]).astype(float)
        weights = np.where(groups[cluster] == 0, 2 / 3, 2.0)
        found = clustered_share(right, weights, groups[cluster], cluster)
        assert found.interval is not None
        covered += found.interval[0] <= 0.55 <= found.interval[1]
    assert covered / 400 > 0.92
    if spread:
        assert covered / 400 < 1.0  # it is not simply wide


def test_one_cluster_in_each_group_gives_no_interval() -> None:
    cells = np.array([0, 0, 1, 1])
    found = clustered_share(np.array([1.0, 0, 1, 1]), np.ones(4), cells, cells)
    assert (found.value, found.interval, found.clusters) == (0.75, None, 2)


def test_a_guesser_that_always_says_one_group_is_surely_at_chance() -> None:
    cells = np.arange(1_000) % 2
    found = clustered_share((cells == 0).astype(float), np.ones(1_000), cells, np.arange(1_000))
    assert found.value == 0.5
    assert found.interval == pytest.approx(wilson_interval(500, 1_000), abs=1e-3)
