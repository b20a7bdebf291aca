"""What linear classifiers still recover after erasure, on words the eraser has not seen."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.strata import parted

Labels = NDArray[np.int64]

SHARES = (0.49, 0.21, 0.30)
"""Training, validation and held-out words: the split of Ravfogel et al. 2020."""
TRAIN, JUDGE, HELD_OUT = range(3)


def scale_of(rows: Array) -> float:
    """The root mean square of all components: classifiers see rows divided by this one number.

    With one number for all rows, a linear map learned from them is also valid for the unscaled
    rows; it only makes the strength of regularisation mean the same in every space.
    """
    scale = float(np.sqrt((rows**2).mean()))
    return scale if scale > 0 else 1.0


def chance_of(labels: Labels) -> float:
    """The accuracy of always predicting the most frequent label."""
    return float(np.bincount(labels).max() / len(labels))


def support_vectors(rows: Array, labels: Labels, *, intercept: bool) -> Any:
    """A linear support vector machine trained on rows of about unit scale."""
    from sklearn.svm import LinearSVC

    made = LinearSVC(dual=False, fit_intercept=intercept, tol=1e-3, random_state=0)
    return _trained(made, rows, labels)


def logistic(rows: Array, labels: Labels) -> Any:
    """A logistic regression trained on rows of about unit scale."""
    from sklearn.linear_model import LogisticRegression

    return _trained(LogisticRegression(max_iter=300), rows, labels)


def best_accuracy(rows: Array, labels: Labels, test_rows: Array, test_labels: Labels) -> float:
    """The better accuracy of two linear classifiers, with intercept, on the test rows."""
    probes = support_vectors(rows, labels, intercept=True), logistic(rows, labels)
    return max(float(probe.score(test_rows, test_labels)) for probe in probes)


def held_out_accuracies(
    before: Array, after: Array, labels: Labels, part: Labels, seed: int
) -> dict[str, float | int | str | None]:
    """How well linear classifiers predict the labels of held-out words, before and after.

    They learn from the words that the eraser was trained on. Since a good eraser leaves nothing to
    learn there, classifiers also learn from one half of the held-out words and are tested on the
    other. This reveals an attribute that was erased only for the training words.
    """
    is_held, is_seen = part == HELD_OUT, part == TRAIN
    if not is_held.any():
        return {}
    scale = scale_of(before)
    seen, held = labels[is_seen], labels[is_held]
    found: dict[str, float | int | str | None] = {"chance": chance_of(held)}
    half = parted(held, (0.5, 0.5), generator(seed, "halves of held-out words"))
    for when, rows in (("before", before / scale), ("after", after / scale)):
        mine, theirs = rows[is_seen], rows[is_held]
        found[f"accuracy-on-held-out-words-{when}"] = best_accuracy(mine, seen, theirs, held)
        if min(np.bincount(held)) >= 4:
            found[f"the-same,-learned-from-half-of-them,-{when}"] = best_accuracy(
                theirs[half == 0], held[half == 0], theirs[half == 1], held[half == 1]
            )
    return found


def _trained(probe: Any, rows: Array, labels: Labels) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return probe.fit(rows, labels)
