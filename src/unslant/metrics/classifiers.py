"""Classifiers that try to recover the sides of biased words from their vectors."""

import warnings
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.core.types import Array
from unslant.measures.setting import Setting
from unslant.subspaces.most_biased import BiasedWords, most_biased
from unslant.vectors import WordVectors

Labels = NDArray[np.bool_]

Classifier = Literal["logistic", "linear-svm", "rbf-svm", "network"]

PROBES: dict[Classifier, str] = {
    "logistic": "logistic regression",
    "linear-svm": "support vector machine with a linear boundary",
    "rbf-svm": "support vector machine with a radial basis kernel",
    "network": "network with one hidden layer of 100 units",
}


def fitted_probe(
    name: Classifier, rows: Array, labels: Labels, state: int, c: float = 1.0
) -> tuple[Any, tuple[str, ...]]:
    """A classifier trained on rows, and warnings if its training did not converge.

    ``c`` is the inverse strength of regularisation, for vectors of length 1 if the classifier
    is linear: rows have the length √d, which a network learns from more easily.
    """
    from sklearn.exceptions import ConvergenceWarning

    probe = _build_classifier(name, state, c, rows.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        probe.fit(rows, labels)
    rounds = int(np.max(probe.n_iter_))
    most = probe.max_iter
    ended = most < 0 or rounds < most
    return probe, () if ended else (f"training of the {PROBES[name]} stopped after {most} rounds",)


def _build_classifier(name: Classifier, state: int, c: float, dim: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC

    if name == "logistic":
        return LogisticRegression(C=c / dim, max_iter=1_000)
    if name == "network":
        return MLPClassifier((100,), max_iter=500, random_state=state)
    if name == "linear-svm":
        return SVC(kernel="linear", C=c / dim)
    return SVC(kernel="rbf", C=c)


def log2_probabilities(probe: Any, rows: Array, labels: Labels) -> Array:
    """The log probability of the correct labels under a logistic regression.

    Taken from the margins: the probabilities themselves may round to 0.
    """
    margins = np.where(labels, 1.0, -1.0) * probe.decision_function(rows)
    return np.asarray(-np.logaddexp(0.0, -margins) / np.log(2))


# The most biased words, selected by a metric's parameters.


class Chooser(Protocol):
    """A metric whose parameters select its words."""

    @property
    def subspace(self) -> str:
        """The direction along which words lean."""

    @property
    def n(self) -> int:
        """The number of words per side."""

    @property
    def vocabulary(self) -> int:
        """The number of first words to choose from."""


def biased_words(
    metric: Chooser, by: str, vectors: WordVectors, concept: Concept, setting: Setting
) -> BiasedWords:
    """The words, chosen in the baseline."""
    return most_biased(
        vectors,
        concept,
        setting.policy,
        by=by,
        baseline=setting.vectors_before(vectors),
        subspace=metric.subspace,
        n=metric.n,
        vocabulary=metric.vocabulary,
    )
