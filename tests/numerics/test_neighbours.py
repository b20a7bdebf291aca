"""Nearest neighbours, against a full sort."""

import numpy as np
import pytest
from numpy.typing import NDArray

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
    [longer] = list(top_cosines(rows, queries, 60))
    for k in (1, 10, 59):
        [(_, found, cosines)] = list(top_cosines(rows, queries, k))
        assert found.tobytes() == longer[1][:, :k].tobytes()
        assert cosines.tobytes() == longer[2][:, :k].tobytes()
