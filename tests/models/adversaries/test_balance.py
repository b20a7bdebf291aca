"""Weights under which chance is known."""

import numpy as np
import pytest

from unslant.models.adversaries.network import balanced, chance_loss

LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
GROUPS = np.array([0, 0, 0, 1, 1, 1, 0, 1, -1])


def test_within_each_label_every_group_counts_the_same() -> None:
    found = balanced(LABELS, GROUPS, 2, "odds")
    assert found.left_out == 1  # label 2 has one group only; the row without a group is no example
    assert found.rows.tolist() == [0, 1, 2, 3, 4, 5, 6]
    sums = np.bincount(found.cells, found.weights)
    assert sums.tolist() == pytest.approx([2.0, 2.0, 1.5, 1.5])


def test_for_parity_labels_do_not_matter() -> None:
    found = balanced(LABELS, GROUPS, 2, "parity")
    assert found.left_out == 0
    sums = np.bincount(GROUPS[found.rows], found.weights)
    assert sums.tolist() == pytest.approx([4.0, 4.0])


def test_guessing_the_group_from_the_label_gains_nothing() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 5_000)
    groups = np.where(rng.random(5_000) < 0.9, labels, 1 - labels)
    found = balanced(labels, groups, 2, "odds")
    right = (labels == groups)[found.rows]
    assert right.mean() > 0.88
    assert np.average(right, weights=found.weights) == pytest.approx(0.5)


def test_nobody_with_a_group_leaves_nothing() -> None:
    found = balanced(LABELS, np.full(9, -1), 2, "odds")
    assert (len(found.rows), found.left_out) == (0, 0)
    assert chance_loss(LABELS, np.full(9, -1), "odds") == 0


def test_the_loss_of_guessing_by_frequency_is_the_entropy() -> None:
    groups = np.array([0, 0, 0, 1, 0, 1, -1])
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    of_first = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert chance_loss(labels, groups, "odds") == pytest.approx((4 * of_first + 2 * np.log(2)) / 6)
    assert chance_loss(labels, groups, "parity") == pytest.approx(
        -(4 / 6 * np.log(4 / 6) + 2 / 6 * np.log(2 / 6))
    )
