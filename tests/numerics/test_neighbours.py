"""Nearest neighbours, against a full sort."""

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_info, threadpool_limits

from unslant.numerics.neighbours import top_cosines
from unslant.vectors import WordVectors


def unit_rows(matrix: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def by_sorting(rows: NDArray[np.float32], queries: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    cosines = rows[queries] @ rows.T
    cosines[np.arange(len(queries)), queries] = -np.inf
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]


def together(rows: NDArray[np.float32], queries: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    return np.concatenate([found for _, found, _ in top_cosines(rows, queries, k)])


@pytest.mark.parametrize(("count", "k"), [(3, 2), (50, 10), (5000, 100), (5000, 1), (400, 399)])
def test_the_nearest_are_those_of_a_full_sort(count: int, k: int) -> None:
    rows = unit_rows(np.random.default_rng(count).normal(size=(count, 12)))
    queries = np.arange(0, count, max(1, count // 40))
    assert np.array_equal(together(rows, queries, k), by_sorting(rows, queries, k))


def test_a_space_where_neighbours_come_in_runs_is_still_exact() -> None:
    # The sample of a row sees one column in a stride; here it sees none of the near ones.
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(40_000, 8))
    matrix[101:140] = matrix[100] + rng.normal(scale=0.01, size=(39, 8))
    rows = unit_rows(matrix)
    queries = np.array([100, 39_999])
    assert np.array_equal(together(rows, queries, 60), by_sorting(rows, queries, 60))


def test_equal_cosines_are_ordered_by_row() -> None:
    rows = unit_rows(np.ones((10, 3)))
    assert together(rows, np.array([4]), 3).tolist() == [[0, 1, 2]]


def test_more_neighbours_than_words_gives_all_the_others() -> None:
    rows = unit_rows(np.random.default_rng(1).normal(size=(5, 3)))
    assert together(rows, np.array([0]), 100).shape == (1, 4)


def test_on_real_vectors_the_nearest_are_those_of_a_full_sort(glove: WordVectors) -> None:
    rows = unit_rows(glove.matrix)
    queries = glove.words.rows_of(["she", "he", "nurse", "doctor", "king", "paris"])
    steps: list[tuple[int, int]] = []
    found = np.concatenate(
        [r for _, r, _ in top_cosines(rows, queries, 100, lambda *step: steps.append(step))]
    )
    assert np.array_equal(found, by_sorting(rows, queries, 100))
    assert steps[-1] == (6, 6)


def test_shorter_lists_are_the_beginning_of_longer_ones_to_the_last_bit(glove: WordVectors) -> None:
    rows = unit_rows(np.concatenate([glove.matrix[:6000], glove.matrix[:300]]))  # with equal ones
    queries = np.arange(0, 6300, 7)
    longer = list(top_cosines(rows, queries, 60))
    assert len(longer) > 1
    for k in (1, 10, 59):
        shorter = list(top_cosines(rows, queries, k))
        for (_, found, cosines), (_, all_found, all_cosines) in zip(shorter, longer, strict=True):
            assert found.tobytes() == all_found[:, :k].tobytes()
            assert cosines.tobytes() == all_cosines[:, :k].tobytes()


def by_counting(rows: NDArray[np.int64], query: int, k: int) -> list[tuple[int, int]]:
    """Rows and products of the k nearest others, in whole numbers and without any matrix."""
    found = ((int(rows[other] @ rows[query]), other) for other in range(len(rows)))
    ordered = sorted((-product, other) for product, other in found if other != query)
    return [(other, -product) for product, other in ordered[:k]]


@pytest.mark.parametrize("k", [1, 7, 100, 9_500])
def test_ties_and_zero_vectors_across_tiles_are_those_of_whole_numbers(k: int) -> None:
    # Products of small whole numbers are exact whatever the order of their sums, so ties are ties
    # on both sides of a tile, and most of these are.
    rng = np.random.default_rng(2)
    rows = rng.integers(-1, 2, size=(9_501, 6))
    rows[rng.choice(9_501, 3_000, replace=False)] = 0
    rows[5_000] = rows[2_047] = rows[2_048] = (1, 1, 1, 1, 1, 1)
    zero = int(np.flatnonzero(~rows.any(axis=1))[5])
    queries = np.array([0, 2_047, 2_048, 5_000, 4_095, 4_096, 9_500, zero])
    [(places, found, products)] = list(top_cosines(rows.astype(np.float32), queries, k))
    assert (places.start, places.stop) == (0, len(queries))
    for place, query in enumerate(queries.tolist()):
        pairs = list(zip(found[place].tolist(), products[place].tolist(), strict=True))
        assert pairs == by_counting(rows, query, k), query


def test_negative_zeros_tie_with_zeros() -> None:
    rows = np.array([[1, 0], [-0.0, 1], [0, 1], [-0.0, -1], [-1, 0]], dtype=np.float32)
    [(_, found, cosines)] = list(top_cosines(rows, np.array([0]), 4))
    assert found.tolist() == [[1, 2, 3, 4]]
    assert cosines.tolist() == [[0, 0, 0, -1]]


def test_every_block_of_queries_has_the_rows_of_a_full_sort() -> None:
    rows = unit_rows(np.random.default_rng(3).normal(size=(4_500, 12)))
    queries = np.random.default_rng(4).permutation(4_500)[:1_000]
    blocks = list(top_cosines(rows, queries, 30))
    assert len(blocks) > 1
    found = np.concatenate([near for _, near, _ in blocks])
    assert np.array_equal(found, by_sorting(rows, queries, 30))


def test_a_last_block_of_few_queries_has_nothing_of_the_block_before_it() -> None:
    # Every cosine ties here, so the larger block before has set every flag in its memory.
    rows = np.zeros((4_501, 2), dtype=np.float32)
    blocks = list(top_cosines(rows, np.arange(259), 5))
    places, found, _ = blocks[-1]
    assert found.shape == (places.stop - places.start, 5) == (3, 5)
    assert found.tolist() == [[0, 1, 2, 3, 4]] * 3


def test_any_number_of_threads_finds_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = unit_rows(np.random.default_rng(5).normal(size=(5_000, 100)))
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("UNSLANT_THREADS", threads)
        with threadpool_limits(int(threads)):
            blocks = list(top_cosines(rows, np.arange(1_001), 50))
        found.append([near.tobytes() + cosines.tobytes() for _, near, cosines in blocks])
    assert found[0] == found[1]


def test_products_have_their_threads_back_after_the_last_block() -> None:
    rows = unit_rows(np.random.default_rng(6).normal(size=(600, 8)))
    with threadpool_limits(2, user_api="blas"):
        for _ in top_cosines(rows, np.arange(600), 5):
            pass
        assert {
            pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
        } == {2}
