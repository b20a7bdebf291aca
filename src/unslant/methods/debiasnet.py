"""DebiasNet: a network that makes two target sets equally close to all attributes."""

from typing import Annotated

import numpy as np

from unslant.concepts import AssociationTest, Concept, WordPolicy, resolve
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.extras import torch_for
from unslant.core.measurement import WordUse
from unslant.core.parameters import SHARE, above, at_least
from unslant.core.seeds import generator
from unslant.erasers import EachVector, Network
from unslant.erasers.transform import Array
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.training.debiasnet import Sets, Terms, trained
from unslant.vectors import WordVectors

SPREAD = 0.25
"""The root mean square of a component inside the network, where tanh is nearly linear."""
FEWEST = 20


@debiaser(
    "debiasnet",
    cites="lauscher-2020",
    guarantees={"needs-no-words"},
    acts_on=words_only("is trained on the most frequent words of a vocabulary"),
)
class DebiasNet:
    """Train a tanh network that makes two target sets equally close to all attributes.

    With x' the output of the network for x, the loss is ``explicit`` times the mean of
    (cos(t1', a') − cos(t2', a'))² over the targets t1 and t2 and all attributes a of ``test`` (the
    concept's first with two target sets), plus ``implicit`` times the loss of a classifier that
    separates t1' from t2', whose gradient is reversed, plus ``keep`` times the
    mean of 1 − cos(x, x') over the targets, the attributes and, in equal part, ``batch`` words
    drawn at each step from the first ``vocabulary`` ones.

    We use means instead of the published sums over batches. Two choices make the result usable
    beyond the words of the test: the words drawn from the vocabulary, and layers that start as the
    identity, on vectors scaled to where tanh is nearly linear. The last layer is linear.
    It equalises the given attributes, and other measures may get worse: on GloVe the mean
    |cosine| of professions with she − he rises from 0.11 to 0.17.
    """

    test: str = ""
    explicit: Annotated[float, at_least(0)] = 1.0
    implicit: Annotated[float, at_least(0)] = 0.01
    keep: Annotated[float, at_least(0)] = 0.2
    layers: Annotated[int, at_least(1)] = 2
    vocabulary: Annotated[int, at_least(100)] = 50_000
    steps: Annotated[int, at_least(1)] = 2_000
    batch: Annotated[int, at_least(1)] = 512
    learning_rate: Annotated[float, above(0)] = 1e-4
    dropout: Annotated[float, SHARE] = 0.1
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Train the network on the words of one test."""
        test = self._test_of(concept)
        torch = torch_for("debiasnet")
        (first, second, attributes), uses = _words_of(vectors, test, setting.policy)
        first_words = vectors.matrix[: self.vocabulary]
        frequent = first_words[first_words.any(axis=1)].astype(np.float64)
        if len(frequent) < FEWEST:
            raise UndefinedMeasureError(
                f"debiasnet needs at least {FEWEST} words with a vector to preserve, but "
                f"{vectors.name} has {len(frequent)}. Use vectors with more words."
            )
        scale = SPREAD / float(np.sqrt((frequent**2).mean()))
        sets = Sets(first * scale, second * scale, attributes * scale, frequent * scale)
        terms = Terms(
            explicit=self.explicit,
            implicit=self.implicit,
            keep=self.keep,
            layers=self.layers + 1,
            steps=self.steps,
            batch=self.batch,
            learning_rate=self.learning_rate,
            dropout=self.dropout,
        )
        rng = generator(self.seed, "debiasnet")
        layers, details = trained(torch, sets, terms, rng, setting.progress)
        weights, biases = zip(*layers, strict=True)
        kept = float(str(details["mean-cosine-of-words-with-themselves"]))
        return Fitted(
            steps=(EachVector(Network(weights, biases, scale, 1 / scale, "linear")),),
            words=uses,
            details={"test": str(test), "scale": scale, **details},
            warnings=(f"words have a mean cosine of only {kept:.2f} with their original vectors",)
            if kept < 0.8
            else (),
        )

    def _test_of(self, concept: Concept) -> AssociationTest:
        if self.test:
            test = concept.test(self.test)
            if len(test.targets) == 2:
                return test
            raise ExpressionError(
                f'debiasnet needs a test with two target sets, but "{test}" has '
                f"{len(test.targets)}. Use another test."
            )
        for test in concept.tests.values():
            if len(test.targets) == 2:
                return test
        raise ExpressionError(
            f'debiasnet needs an association test with two target sets, but "{concept.name}" '
            f"has none. Add one to the concept, or use another method."
        )


def _words_of(
    vectors: WordVectors, test: AssociationTest, policy: WordPolicy
) -> tuple[tuple[Array, Array, Array], tuple[WordUse, ...]]:
    """Vectors of both targets and of all attributes; a zero vector raises an error."""
    asked = {f"targets: {name}": item.all_words for name, item in test.targets.items()}
    first, second = asked
    every = tuple(word for item in test.attributes.values() for word in item.all_words)
    sets = resolve(vectors, {**asked, "attributes": every}, policy)
    for name in (first, second, "attributes"):
        sets.directions(name)
    return (sets.matrix(first), sets.matrix(second), sets.matrix("attributes")), sets.uses
