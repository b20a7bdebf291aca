"""Recoverability: whether a classifier can still recover the side that words leaned to."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Draws, Interval, Measurement
from unslant.core.parameters import Limits, above, at_least
from unslant.core.score import Range, Score, share_of_chance, toward
from unslant.core.seeds import generator
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.classifiers import PROBES, Classifier, Labels, biased_words, fitted_probe
from unslant.metrics.uncertainty import LEVEL
from unslant.numerics.bootstrap import RESAMPLES, wilson_interval
from unslant.subspaces.most_biased import FEWEST, probe_features
from unslant.vectors import WordVectors

_MOST_POINTS = 500


@metric(
    "recoverability",
    cites="gonen-goldberg-2019",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=toward(0.5),
        scale=replace(share_of_chance(), needs_baseline=True, only_above=True),
        range=Range(low=0, high=1, text="0 to 1, 0.5 is chance"),
        misleads="These are the most biased words, which are the easiest. A classifier that fails "
        "shows that it found nothing, not that no bias is left; one that succeeds may use the "
        "words' topic.",
    ),
)
class Recoverability:
    """Accuracy of a classifier that recovers from vectors the side that words leaned to before.

        side(w) = sign of g · w/‖w‖ in the baseline, for the words with the largest |g · w/‖w‖|
        accuracy = share of held-out words whose side a classifier predicts from their new vectors

    The ``n`` words per side with the largest projections on the direction ``subspace`` of the
    baseline get that side as label; a classifier learns from a ``train`` share of each side and
    is tested on the rest. ``classifier`` is "logistic", "linear-svm", "rbf-svm" or "network".
    Words are plain words among the ``vocabulary`` most frequent that are not in the concept
    itself; vectors are scaled to length 1, and ``c`` is the inverse strength of regularisation of
    all classifiers except the network. The interval (Wilson) is over the test words, for this one
    split into training and test.
    """

    classifier: Classifier = "logistic"
    subspace: str = ""
    n: Annotated[int, at_least(FEWEST)] = 2_500
    train: Annotated[float, Limits(0, 1, is_open=True)] = 0.2
    c: Annotated[float, above(0)] = 1.0
    vocabulary: Annotated[int, at_least(1)] = 50_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The accuracy on test words, and the misclassified words."""
        title = f"{subject.name.capitalize()} recovered by {PROBES[self.classifier]}"
        try:
            biased = biased_words(self, "recoverability", vectors, subject, setting)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        rng = generator(self.seed, "recoverability")
        is_training = _balanced_share(biased.is_positive, self.train, rng)
        rows, labels = probe_features(vectors, biased.rows), biased.is_positive
        probe, warnings = fitted_probe(
            self.classifier,
            rows[is_training],
            labels[is_training],
            int(rng.integers(2**31)),
            float(self.c),
        )
        tested = np.flatnonzero(~is_training)
        is_right = probe.predict(rows[tested]) == labels[tested]
        if setting.values_only:
            return Measurement(title=title, value=float(is_right.mean()), words=biased.uses)
        low, high = wilson_interval(int(is_right.sum()), len(tested), LEVEL)
        escaped = tested[~is_right][:_MOST_POINTS].tolist()
        return Measurement(
            title=title,
            value=float(is_right.mean()),
            interval=Interval(low=low, high=high, level=LEVEL, how="Wilson, over words tested"),
            draws=self._draws(is_right, [biased.words[place] for place in tested.tolist()]),
            details={
                "classifier": PROBES[self.classifier],
                "accuracy-in-training": float(
                    (probe.predict(rows[is_training]) == labels[is_training]).mean()
                ),
                "words-in-training": int(is_training.sum()),
                "words-tested": len(tested),
                **biased.details,
            },
            words=biased.uses,
            points=tuple(
                {
                    "word": biased.words[place],
                    "side": biased.side(place),
                    "projection": float(biased.projections[place]),
                }
                for place in escaped
            ),
            warnings=(*biased.warnings, *warnings),
        )

    def _draws(self, is_right: Labels, tested: Sequence[str]) -> Draws:
        """Shares on resamples of the words tested, to measure a change on the same words."""
        key = hashlib.sha256("\n".join(tested).encode()).hexdigest()
        rng = generator(self.seed, "bootstrap", "recoverability", key)
        drawn = rng.integers(0, len(tested), (RESAMPLES, len(tested)))
        how = "percentile bootstrap over words tested"
        shares = is_right[drawn].mean(axis=1)
        return Draws(key=f"recoverability {self.seed} {key}", values=shares, how=how)


def _balanced_share(labels: Labels, share: float, rng: np.random.Generator) -> Labels:
    """A random choice of the same share of each side, at least one word and not all."""
    chosen = np.zeros(len(labels), dtype=bool)
    for side in (True, False):
        places = np.flatnonzero(labels == side)
        count = min(max(1, round(share * len(places))), len(places) - 1)
        chosen[rng.permutation(places)[:count]] = True
    return chosen
