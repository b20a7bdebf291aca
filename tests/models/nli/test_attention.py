"""Decomposable attention in NumPy, against its definition written out word by word."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.random_nli import DrawnRows, random_model, random_tensors
from unslant.core.errors import UnslantError
from unslant.datasets.nli.text import tokenise
from unslant.models.nli.attention import DecomposableAttention
from unslant.models.nli.batches import Embedding
from unslant.models.nli.settings import Shape
from unslant.predictors.protocols import GridModel
from unslant.vectors import WordVectors

Vector = NDArray[np.float64]

PREMISES = [
    "The nurse bought a car .",
    "Dogs run",
    "run",
    "the the the cat and the dog saw the other cat !",
    "A man in a red coat who rides an old bicycle crosses the wide street before noon .",
]
HYPOTHESES = ["The man bought a car .", "cats", "run", "the the dog", "Nobody is outside ."]


def layer(tensors: Mapping[str, NDArray[np.float32]], name: str, x: Vector) -> Vector:
    weight, bias = tensors[f"{name}.weight"].tolist(), tensors[f"{name}.bias"].tolist()
    return np.array(
        [
            sum(w * v for w, v in zip(row, x.tolist(), strict=True)) + b
            for row, b in zip(weight, bias, strict=True)
        ]
    )


def relu(x: Vector) -> Vector:
    return np.array([max(0.0, value) for value in x])


def softmax(scores: Sequence[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def by_definition(
    tensors: Mapping[str, NDArray[np.float32]], a: list[Vector], b: list[Vector]
) -> list[float]:
    """One pair of sentences, given as the vectors of their words."""
    project = tensors["project.weight"].astype(float)
    sides = [[project @ word for word in side] for side in (a, b)]
    seen = [
        [relu(layer(tensors, "attend.1", relu(layer(tensors, "attend.0", x)))) for x in side]
        for side in sides
    ]
    sums = []
    for this, other in ((0, 1), (1, 0)):
        total: Vector = np.zeros(len(project))
        for x, f in zip(sides[this], seen[this], strict=True):
            weights = softmax([float(f @ g) for g in seen[other]])
            aligned = sum(
                (w * y for w, y in zip(weights, sides[other], strict=True)), np.zeros(len(x))
            )
            inner = relu(layer(tensors, "compare.0", np.concatenate([x, aligned])))
            total = total + relu(layer(tensors, "compare.1", inner))
        sums.append(total)
    inner = relu(layer(tensors, "aggregate.0", np.concatenate(sums)))
    return softmax(layer(tensors, "aggregate.1", inner).tolist())


def largest_score(tensors: Mapping[str, NDArray[np.float32]], words: Sequence[str]) -> float:
    x = DrawnRows(7).rows(words) @ tensors["project.weight"].T
    for name in ("attend.0", "attend.1"):
        x = np.maximum(x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"], 0)
    return float((x @ x.T).max())


@pytest.mark.parametrize("attend", [0.0, 1.0, 10.0])
def test_each_pair_gets_what_the_definition_says(attend: float) -> None:
    tensors = random_tensors(Shape(dim=7, hidden=12), seed=3, attend=attend)
    if attend == 10.0:
        assert largest_score(tensors, tokenise(" ".join(PREMISES))) > 200
    rows = DrawnRows(7)
    found = DecomposableAttention(tensors, rows).predict(PREMISES, HYPOTHESES)
    assert found.dtype == np.float32
    for answer, premise, hypothesis in zip(found, PREMISES, HYPOTHESES, strict=True):
        a, b = (list(rows.rows(tokenise(text)).astype(float)) for text in (premise, hypothesis))
        assert answer == pytest.approx(by_definition(tensors, a, b), abs=2e-6)


def test_the_answer_to_a_pair_does_not_depend_on_the_pairs_beside_it() -> None:
    model = random_model()
    rng = np.random.default_rng(0)
    words = tokenise(" ".join(PREMISES))
    sentences = [" ".join(rng.choice(words, rng.integers(1, 12))) for _ in range(1400)]
    premises, hypotheses = sentences[:700], sentences[700:]
    together = model.predict(premises, hypotheses)
    for place in (0, 1, 300, 699):
        alone = model.predict([premises[place]], [hypotheses[place]])
        np.testing.assert_allclose(together[place], alone[0], atol=1e-6)


def test_the_order_of_words_does_not_matter_and_the_order_of_sentences_does() -> None:
    model = random_model()
    one, turned, swapped = (
        model.predict([a], [b])[0]
        for a, b in (
            ("the man saw a dog", "a dog ran"),
            ("a dog saw the man", "ran a dog"),
            ("a dog ran", "the man saw a dog"),
        )
    )
    np.testing.assert_allclose(one, turned, atol=1e-6)
    assert np.abs(one - swapped).max() > 1e-3


def test_scores_that_would_overflow_give_probabilities() -> None:
    found = random_model(attend=1e4).predict(PREMISES, HYPOTHESES)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)


def test_no_pairs_give_no_answers() -> None:
    assert random_model().predict([], []).shape == (0, 3)


@pytest.mark.parametrize("empty", ["", "  \t"])
def test_an_empty_sentence_is_refused(empty: str) -> None:
    with pytest.raises(UnslantError, match="at least one word"):
        random_model().predict(["a man", "a dog"], ["a man", empty])


def test_sentences_without_a_partner_are_refused() -> None:
    with pytest.raises(UnslantError, match="2 premises and 1 hypotheses"):
        random_model().predict(["a man", "a dog"], ["a man"])


def test_the_model_answers_as_torch_does_on_real_vectors(glove: WordVectors) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from unslant.models.nli.network import NliNetwork, Padded

    shape = Shape(dim=glove.dim)
    tensors = random_tensors(shape)
    network = NliNetwork(shape)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in tensors.items()})
    words = sorted({word for text in PREMISES + HYPOTHESES for word in tokenise(text)})
    embedding = Embedding(glove)

    def padded(texts: list[str]) -> Padded:
        rows = [[words.index(word) for word in tokenise(text)] for text in texts]
        most = max(map(len, rows))
        return Padded(
            torch.tensor([row + [0] * (most - len(row)) for row in rows]),
            torch.tensor([[place < len(row) for place in range(most)] for row in rows]),
        )

    with torch.no_grad():
        logits = network.eval()(
            torch.from_numpy(embedding.rows(words)), padded(PREMISES), padded(HYPOTHESES)
        )
    model = DecomposableAttention(tensors, embedding)
    assert isinstance(model, GridModel)
    found = model.predict(PREMISES, HYPOTHESES)
    np.testing.assert_allclose(found, torch.softmax(logits, 1).numpy(), atol=1e-5)
