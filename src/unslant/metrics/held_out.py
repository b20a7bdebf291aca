"""Classifiers of groups, always tested on words that they were not trained on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array
from unslant.metrics.classifiers import Classifier, fitted_probe
from unslant.metrics.group_texts import Groups, GroupTexts

_FIRST = 16
_SMALLEST = 1e-12


def held_out_shares(
    data: GroupTexts,
    labels: Groups,
    folds: int,
    classifier: Classifier,
    c: float,
    rng: np.random.Generator,
) -> Array:
    """For each word the share of its texts that a classifier gets right that never saw the word.

    Folds have the same share of every group.
    """
    fold = np.empty(len(labels), dtype=np.int64)
    for group in np.unique(labels):
        places = rng.permutation(np.flatnonzero(labels == group))
        fold[places] = np.arange(len(places)) % folds
    shares = np.empty(len(labels))
    for number in range(folds):
        is_tested = fold == number
        shares[is_tested] = _shares(
            data.rows[~is_tested],
            labels[~is_tested],
            data.rows[is_tested],
            labels[is_tested],
            classifier,
            c,
        )
    return shares


def same_words_share(data: GroupTexts, labels: Groups, classifier: Classifier, c: float) -> float:
    """The share right on the words of the training in contexts that were not in it."""
    half = data.contexts // 2
    shares = _shares(data.rows[:, :half], labels, data.rows[:, half:], labels, classifier, c)
    return float(np.mean([shares[labels == group].mean() for group in np.unique(labels)]))


def shuffled(labels: Groups, rng: np.random.Generator) -> Groups:
    """The labels dealt to other words, as many of each group as there are."""
    return rng.permutation(labels)


def online_bits(data: GroupTexts, labels: Groups, c: float, rng: np.random.Generator) -> float:
    """The bits that the groups of the words cost, each told by a classifier of those before.

    A word costs the mean over its texts of −log2 p(group). The first words cost log2 K each. No
    probability counts as less than 1/1000 of an equal share, so that a group that has not been
    seen yet has a price.
    """
    kinds = len(data.groups)
    order = rng.permutation(len(labels))
    rows, labels = data.rows[order], labels[order]
    known = min(_FIRST, len(labels))
    while len(np.unique(labels[:known])) < kinds and known < len(labels):
        known += 1
    bits = known * float(np.log2(kinds))
    while known < len(labels):
        end = min(2 * known, len(labels))
        train, test = _scaled(rows[:known], rows[known:end])
        flat, told = _flat(train, labels[:known])
        probe, _ = fitted_probe("logistic", flat, told, 0, c)
        later, right = _flat(test, labels[known:end])
        chances = probe.predict_proba(later)[np.arange(len(later)), right.astype(np.int64)]
        floor = 1e-3 / kinds
        mixed = (1 - kinds * floor) * chances + floor
        bits += float(-np.log2(mixed).reshape(end - known, -1).mean(axis=1).sum())
        known = end
    return bits


def _shares(
    train: Array, known: Groups, test: Array, labels: Groups, classifier: Classifier, c: float
) -> Array:
    train, test = _scaled(train, test)
    flat, told = _flat(train, known)
    probe, _ = fitted_probe(classifier, flat, told, 0, c)
    later, right = _flat(test, labels)
    is_right: NDArray[np.bool_] = probe.predict(later) == right
    return np.asarray(is_right.reshape(len(test), -1).mean(axis=1))


def _flat(rows: Array, labels: Groups) -> tuple[Array, Any]:
    """Texts below each other, each with the label of its word."""
    return rows.reshape(-1, rows.shape[2]), np.repeat(labels, rows.shape[1])


def _scaled(train: Array, test: Array) -> tuple[Array, Array]:
    """Both around the mean of the training and with its mean length as √width.

    A space whose vectors all share a large part, as hidden layers do, is not harder for that.
    """
    mean = train.mean(axis=(0, 1))
    centred = train - mean
    length = float(np.sqrt((centred**2).sum(axis=2).mean()))
    scale = np.sqrt(train.shape[2]) / max(length, _SMALLEST)
    return centred * scale, (test - mean) * scale
