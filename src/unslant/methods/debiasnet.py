"""DebiasNet: a network that makes two target sets equally close to all attributes."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from unslant.concepts import AssociationTest, Concept, WordPolicy, resolve
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.example import Example
from unslant.core.extras import torch_for, torch_threads
from unslant.core.files import Progress
from unslant.core.measurement import WordUse
from unslant.core.parameters import SHARE, above, at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.erasers import EachVector, Network
from unslant.methods.lazy_torch import descend, dropout, free, tensor
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.vectors import WordVectors

SPREAD = 0.25
"""The root mean square of a component inside the network, where tanh is nearly linear."""

FEWEST = 20


@debiaser(
    "debiasnet",
    cites="lauscher-2020",
    example=Example(call="debiasnet(steps=100)", quick=True),
    guarantees={"needs-no-words"},
    acts_on=words_only("is trained on the most frequent words of a vocabulary"),
    misleads="It equalises the attributes that it is given, so measuring it with the same "
    "test proves nothing, and other measures may get worse: on GloVe the mean "
    "|cosine| of professions with she − he rises from 0.11 to 0.17.",
)
class DebiasNet:
    """Train a tanh network that makes two target sets equally close to all attributes.

        loss = explicit · mean (cos(t1', a') − cos(t2', a'))²
             + implicit · (− loss of a classifier of t1' against t2')
             + keep · mean (1 − cos(x, x'))

    x' is the output of the network for x. The first mean is over the targets t1 and t2 and all
    attributes a of ``test`` (the concept's first with two target sets); the classifier is trained
    too, with its gradient reversed; the last mean is over the targets, the attributes and, in equal
    part, ``batch`` words drawn at each step from the first ``vocabulary`` ones.

    We use means instead of the published sums over batches. Two choices make the result usable
    beyond the words of the test: the words drawn from the vocabulary, and layers that start as the
    identity, on vectors scaled to where tanh is nearly linear. The last layer is linear.
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
        sets = first * scale, second * scale, attributes * scale
        layers, details = _trained(torch, self, sets, frequent * scale, setting.progress)
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


def _trained(
    torch: Any,
    how: DebiasNet,
    targets_and_attributes: Sequence[Array],
    words: Array,
    progress: Progress | None,
) -> tuple[list[tuple[Array, Array]], dict[str, float | int | str | None]]:
    """Matrix and offset of each layer, and the results of the network."""
    rng = generator(how.seed, "debiasnet")
    dim = words.shape[1]
    held = max(1, min(1000, len(words) // 10))
    order = rng.permutation(len(words))
    with torch_threads(torch):
        first, second, attributes = (tensor(torch, part) for part in targets_and_attributes)
        own = torch.cat([first, second, attributes])
        dev, ordinary = (tensor(torch, words[n]) for n in (order[:held], order[held:]))
        network = [
            (free(torch, np.eye(dim)), free(torch, np.zeros(dim))) for _ in range(how.layers + 1)
        ]
        teller = [
            free(torch, rng.normal(size=(dim, dim)) / np.sqrt(dim)),
            free(torch, np.zeros(dim)),
            free(torch, rng.normal(size=dim) / np.sqrt(dim)),
        ]
        adam = torch.optim.Adam(
            [value for layer in network for value in layer] + teller, lr=how.learning_rate
        )
        noisy = dropout(torch, rng, how.dropout)
        sizes = [len(first), len(second), len(attributes)]
        answers = torch.cat([torch.ones(sizes[0]), torch.zeros(sizes[1])])
        for step in range(how.steps):
            if progress is not None and step % 100 == 0:
                progress("Training DebiasNet", step, how.steps)
            some = ordinary[rng.integers(len(ordinary), size=how.batch)]
            after = passed(torch, network, torch.cat([own, some]), noisy)
            changed, changed_some = after[: len(own)], after[len(own) :]
            t1, t2, a = changed.split(sizes)
            told = _told(torch, teller, reverse_gradient(changed[: sizes[0] + sizes[1]]))
            telling = torch.nn.functional.binary_cross_entropy_with_logits(told, answers)
            moved = (_distance(torch, own, changed) + _distance(torch, some, changed_some)) / 2
            descend(
                adam,
                how.explicit * unequal(torch, t1, t2, a)
                + how.implicit * telling
                + how.keep * moved,
            )
        with torch.no_grad():
            after = passed(torch, network, own)
            told = _told(torch, teller, after[: sizes[0] + sizes[1]])
            details: dict[str, float | int | str | None] = {
                "explicit-loss-before": float(unequal(torch, first, second, attributes)),
                "explicit-loss-after": float(unequal(torch, *after.split(sizes))),
                "accuracy-of-the-classifier": float(
                    ((told > 0) == (answers > 0.5)).double().mean()
                ),
                "mean-cosine-of-words-with-themselves": 1
                - float(_distance(torch, dev, passed(torch, network, dev))),
                "words-held-out": held,
            }
        layers = [(w.detach().double().numpy(), b.detach().double().numpy()) for w, b in network]
    return layers, details


def passed(torch: Any, network: list[tuple[Any, Any]], rows: Any, noisy: Any = None) -> Any:
    """Rows through all layers, the last of which is linear."""
    for place, (weight, bias) in enumerate(network, 1):
        rows = rows @ weight + bias
        if place < len(network):
            rows = torch.tanh(rows)
            rows = noisy(rows) if noisy is not None else rows
    return rows


def unequal(torch: Any, first: Any, second: Any, attributes: Any) -> Any:
    """The mean of (cos(t1, a) − cos(t2, a))² over all triples, without enumerating them.

    For each attribute it is the mean squares of both sides minus twice the product of the means.
    """
    one, other, a = (torch.nn.functional.normalize(x) for x in (first, second, attributes))
    x, y = one @ a.T, other @ a.T
    squares = (x**2).mean(dim=0) + (y**2).mean(dim=0)
    return (squares - 2 * x.mean(dim=0) * y.mean(dim=0)).mean()


def _told(torch: Any, teller: list[Any], rows: Any) -> Any:
    """The classifier's score for the first set, one number per row."""
    return torch.tanh(rows @ teller[0] + teller[1]) @ teller[2]


def reverse_gradient(rows: Any) -> Any:
    """The same numbers with a reversed gradient."""
    return 2 * rows.detach() - rows


def _distance(torch: Any, rows: Any, after: Any) -> Any:
    return 1 - torch.nn.functional.cosine_similarity(rows, after).mean()
