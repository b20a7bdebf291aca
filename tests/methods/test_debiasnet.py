"""DebiasNet: its losses by hand, and what it does to real vectors."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError, UnknownNameError
from unslant.core.types import Array
from unslant.erasers import Eraser
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

torch: Any = pytest.importorskip("torch", reason="debiasnet needs torch, which is not installed")

from unslant.methods.debiasnet import (  # noqa: E402
    passed,
    reverse_gradient,
    unequal,
)

Fit = tuple[WordVectors, Eraser, WordVectors]


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def over_triples(first: Array, second: Array, attributes: Array) -> float:
    triples = product(first, second, attributes)
    return float(np.mean([(cosine(a, c) - cosine(b, c)) ** 2 for a, b, c in triples]))


@pytest.mark.parametrize("seed", range(3))
def test_the_explicit_loss_is_the_mean_over_all_triples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [rng.normal(size=(n, 5)) for n in (3, 4, 6)]
    found = unequal(torch, *map(torch.tensor, sets)).item()
    assert found == pytest.approx(over_triples(*sets), rel=1e-10)


def test_the_gradient_is_reversed_and_the_value_is_not() -> None:
    rows = torch.tensor([[1.0, -2.0]], requires_grad=True)
    after = reverse_gradient(rows)
    (3 * after).sum().backward()
    assert torch.equal(after, rows)
    assert rows.grad.tolist() == [[-3.0, -3.0]]


def words_of(eraser: Eraser, vectors: WordVectors, name: str) -> Array:
    [use] = [use for use in eraser.stages[0].words if use.set == name]
    forms = use.spelt or use.used
    return np.stack([vectors[word] for word in forms]).astype(np.float64)


@pytest.fixture(scope="module")
def fitted() -> Fit:
    vectors = load(limit=12_000)
    eraser = fit("debiasnet(steps=600, learning_rate=0.0003)", vectors, concept("gender"))
    return vectors, eraser, debiased(vectors, eraser)


def test_targets_become_equally_near_and_words_stay_close(fitted: Fit) -> None:
    before, eraser, after = fitted
    details: dict[str, Any] = dict(eraser.stages[0].details)
    assert details["explicit-loss-after"] < 0.1 * details["explicit-loss-before"]
    sets = ("targets: male names", "targets: female names", "attributes")
    for vectors, when in ((before, "before"), (after, "after")):
        loss = over_triples(*(words_of(eraser, vectors, name) for name in sets))
        assert details[f"explicit-loss-{when}"] == pytest.approx(loss, rel=1e-3, abs=1e-7)
    kept = [
        cosine(a, b)
        for a, b in zip(
            before.matrix.astype(np.float64)[::10],
            after.matrix.astype(np.float64)[::10],
            strict=True,
        )
    ]
    assert np.mean(kept) > 0.9
    assert details["mean-cosine-of-words-with-themselves"] == pytest.approx(np.mean(kept), abs=0.01)
    assert eraser.stages[0].warnings == ()


def test_the_eraser_does_what_torch_did(fitted: Fit) -> None:
    _, eraser, _ = fitted
    network: Any = eraser.steps[0].transform  # type: ignore[union-attr]
    layers = [
        (torch.tensor(w.copy()), torch.tensor(b.copy()))
        for w, b in zip(network.weights, network.biases, strict=True)
    ]
    rows = np.random.default_rng(0).normal(size=(7, eraser.dim))
    expected = passed(torch, layers, torch.tensor(rows) * network.scale) * network.scale_out
    np.testing.assert_allclose(eraser.apply(rows), expected.numpy(), rtol=1e-10)


def test_a_larger_weight_on_keeping_keeps_more() -> None:
    vectors = load(limit=12_000)
    kept = []
    for keep in ("0.0", "1.0"):
        expression = f"debiasnet(steps=150, learning_rate=0.0005, keep={keep})"
        details = fit(expression, vectors, concept("gender")).stages[0].details
        kept.append(details["mean-cosine-of-words-with-themselves"])
    assert kept[1] > kept[0]  # type: ignore[operator]


def test_a_seed_gives_the_same_bits_and_another_seed_others() -> None:
    vectors = wide_space(seed=1)
    hashes = [
        debiased(
            vectors, fit(f"debiasnet(steps=5, seed={seed})", vectors, small_concept())
        ).content_hash
        for seed in (0, 0, 1)
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_another_test_can_be_named() -> None:
    stage = fit("debiasnet(math-arts, steps=1)", load(limit=6000), concept("gender")).stages[0]
    assert stage.details["test"] == "gender/math-arts"
    assert {use.set for use in stage.words} == {"targets: math", "targets: arts", "attributes"}


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(ExpressionError, match=r'debiasnet needs an association test.*"race-multi"'):
        fit("debiasnet", load(), concept("race-multi"))
    with pytest.raises(UnknownNameError, match="no-such"):
        fit("debiasnet(no-such)", load(), concept("gender"))
    with pytest.raises(ExpressionError, match="layers"):
        fit("debiasnet(layers=0)", load(), concept("gender"))
    vectors = wide_space(seed=1)
    matrix = vectors.matrix.copy()
    matrix[list(vectors.words).index("n0")] = 0
    holed = WordVectors(vectors.words, matrix, vectors.lineage)
    with pytest.raises(UndefinedMeasureError, match='"n0" has the zero vector'):
        fit("debiasnet", holed, small_concept())
