"""GP: its losses by hand, and what its encoder does to real vectors."""

from typing import Any

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.types import Array
from unslant.erasers import Eraser
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import words_for_gp
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

torch: Any = pytest.importorskip("torch", reason="gp needs torch, which is not installed")

from unslant.methods.gp import Coder, accuracies, direction_of, leaning, misdecoded, mistold  # noqa: E402

DROP = WordPolicy(missing="drop")


def random_coder(seed: int, dim: int = 4) -> tuple[Coder, dict[str, Array]]:
    """A coder with random parameters, and the same parameters as arrays."""
    rng = np.random.default_rng(seed)
    coder = Coder(torch, dim, rng)
    for value in coder.coding + coder.telling:
        value.data = torch.tensor(rng.normal(size=tuple(value.shape)), dtype=torch.float64)
    names = ("We", "be", "Wd", "bd", "u", "c")
    values = [value.detach().numpy() for value in coder.coding + coder.telling]
    return coder, dict(zip(names, values, strict=True))


def encoded(p: dict[str, Array], row: Array) -> Array:
    return np.tanh(row @ p["We"] + p["be"])


def sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


@pytest.mark.parametrize("seed", range(3))
def test_the_losses_are_those_of_the_paper_word_by_word(seed: int) -> None:
    coder, p = random_coder(seed)
    rng = np.random.default_rng(100 + seed)
    kinds = [rng.normal(size=(n, 4)) for n in (3, 3, 2, 5)]
    codes = [coder.encoded(torch.tensor(kind)) for kind in kinds]

    decoding = np.mean(
        [np.sum((np.tanh(encoded(p, w) @ p["Wd"] + p["bd"]) - w) ** 2) for w in kinds[3]]
    )
    found = misdecoded(coder, codes[3], torch.tensor(kinds[3])).item()
    assert found == pytest.approx(decoding, rel=1e-12)

    wrong = 0.0
    for place, kind in enumerate(kinds):
        errors = []
        for w in kind:
            sure = [sigmoid(float(encoded(p, w) @ p["u"][:, k] + p["c"][k])) for k in (0, 1)]
            errors.append((sure[0] - (place == 0)) ** 2 + (sure[1] - (place == 1)) ** 2)
        wrong += float(np.mean(errors))
    assert mistold(coder, codes).item() == pytest.approx(wrong, rel=1e-6)

    pairs = np.stack(kinds[:2], axis=1)
    v = np.mean([encoded(p, b) - encoded(p, a) for a, b in pairs], axis=0)
    length = np.sqrt(np.mean([np.sum(encoded(p, w) ** 2) for w in kinds[3]]))
    lean = np.mean([abs(v @ encoded(p, w)) for w in kinds[3]]) / np.linalg.norm(v) / length
    with torch.no_grad():
        assert leaning(coder, torch.tensor(pairs), torch.tensor(kinds[3])) == pytest.approx(lean)


def test_accuracy_counts_its_own_group_for_one_half() -> None:
    coder, _ = random_coder(0, dim=2)
    coder.coding[0].data = torch.eye(2, dtype=torch.float64)
    coder.coding[1].data *= 0
    coder.telling[0].data = torch.tensor([[10.0, -10.0], [0.0, 0.0]], dtype=torch.float64)
    coder.telling[1].data *= 0
    pairs = torch.tensor([[[1.0, 0.0], [-1.0, 0.0]], [[-1.0, 0.0], [-1.0, 0.0]]]).double()
    others = [torch.tensor([[1.0, 0.0], [-1.0, 0.0]]).double()]
    with torch.no_grad():
        first, second = accuracies(coder, pairs, others)
    assert first == pytest.approx((1 / 2 + 3 / 4) / 2)  # one of two found; one of four others too
    assert second == pytest.approx((1 + 2 / 4) / 2)  # both found; two of four others too


def test_pairs_that_do_not_differ_give_no_direction_and_no_nan() -> None:
    coder, _ = random_coder(1)
    same = torch.ones((2, 2, 4), dtype=torch.float64)
    assert not direction_of(coder, same, same[:, 0]).any()


@pytest.fixture(scope="module")
def fitted() -> tuple[WordVectors, Eraser, WordVectors]:
    vectors = load()
    eraser = fit("gp(vocabulary=8000, epochs=8, joint_epochs=15)", vectors, concept("gender"))
    return vectors, eraser, debiased(vectors, eraser)


Fit = tuple[WordVectors, Eraser, WordVectors]


def test_on_real_vectors_it_decodes_and_hides(fitted: Fit) -> None:
    details: dict[str, Any] = dict(fitted[1].stages[0].details)
    assert details["relative-error-of-decoding,-autoencoder-alone"] < 0.005
    assert details["relative-error-of-decoding"] < 0.01
    before, after = (details[f"mean-|v·h|-of-neutral-words-{when}"] for when in ("before", "after"))
    assert after < 0.7 * before
    assert details["accuracy-on-the-first-group"] > 0.6
    assert fitted[1].stages[0].warnings == ()


def test_what_it_reports_is_found_again_in_the_vectors(fitted: Fit) -> None:
    _, eraser, after = fitted
    uses = {use.set: use for use in eraser.stages[0].words}
    pairs = uses["zhao-2018/gendered-pairs"].used
    first = np.stack([after[word] for word in pairs[0::2]]).astype(np.float64)
    second = np.stack([after[word] for word in pairs[1::2]]).astype(np.float64)
    neutral = np.stack([after[word] for word in uses["neutral"].used]).astype(np.float64)
    v = (second - first).mean(axis=0)
    length = np.sqrt((neutral**2).sum(axis=1).mean())
    expected = np.abs(neutral @ v).mean() / np.linalg.norm(v) / length
    shown = eraser.stages[0].details["mean-|v·h|-of-neutral-words-after"]
    assert shown == pytest.approx(expected, rel=1e-3)


def test_the_codes_keep_the_scale_of_the_vectors_and_most_of_their_cosines(fitted: Fit) -> None:
    before, _, after = fitted
    rows = np.random.default_rng(0).integers(2000, 8000, size=(2, 3000))

    def cosines(vectors: WordVectors) -> Array:
        matrix = vectors.matrix.astype(np.float64)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        return np.asarray((matrix[rows[0]] * matrix[rows[1]]).sum(axis=1))

    assert np.corrcoef(cosines(before), cosines(after))[0, 1] > 0.85
    lengths = [np.linalg.norm(vectors.matrix, axis=1).mean() for vectors in (before, after)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.5)


def test_without_weights_it_stays_an_autoencoder_and_hides_little() -> None:
    vectors = load(limit=4000)
    expression = "gp(epochs=5, joint_epochs=10, preserve=0.0, remove={})"
    lean = []
    for remove in ("0.0", "3.0"):
        details = fit(expression.format(remove), vectors, concept("gender")).stages[0].details
        lean.append(details["mean-|v·h|-of-neutral-words-after"])
    assert lean[1] < 0.7 * lean[0]  # type: ignore[operator]


def test_a_seed_gives_the_same_bits_and_another_seed_others() -> None:
    vectors = wide_space(seed=1)
    expression = "gp(epochs=2, joint_epochs=2, seed={})"
    hashes = [
        debiased(vectors, fit(expression.format(seed), vectors, small_concept())).content_hash
        for seed in (0, 0, 1)
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_few_pairs_are_warned_of() -> None:
    stage = fit("gp(epochs=1, joint_epochs=1)", wide_space(seed=1), small_concept()).stages[0]
    assert stage.details["pairs"] == 3
    assert "only 3 pairs" in stage.warnings[0]


def test_a_fit_that_hides_nothing_is_warned_of() -> None:
    expression = "gp(epochs=1, joint_epochs=10, preserve=3.0, remove=0.0)"
    stage = fit(expression, load(limit=4000), concept("gender")).stages[0]
    details: dict[str, Any] = dict(stage.details)
    before, after = (details[f"mean-|v·h|-of-neutral-words-{when}"] for when in ("before", "after"))
    assert after >= before
    assert "lean as much as before" in stage.warnings[0]


def test_pairs_are_turned_to_the_order_of_the_groups() -> None:
    vectors = wide_space(seed=1)
    turned = small_concept("""
[sets.other]
columns = ["right", "left"]
rows = [["r0", "l0"], ["r1", "l1"]]
""")
    words = words_for_gp(vectors, turned, DROP, "other", "", "")
    np.testing.assert_array_equal(words.pairs[:, 0], [vectors["l0"], vectors["l1"]])
    np.testing.assert_array_equal(words.pairs[:, 1], [vectors["r0"], vectors["r1"]])


def test_words_of_the_pairs_are_not_neutral_words() -> None:
    words = words_for_gp(load(), concept("gender"), DROP, "gendered", "", "professions")
    neutral = words.uses[-1]
    assert "actress" in neutral.set_aside
    assert "actress" not in neutral.used
    assert len(neutral.used) == len(words.neutral)
    assert "nurse" in neutral.used


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(ExpressionError, match='gp keeps two groups apart, but "religion" has 3'):
        fit("gp", load(), concept("religion"))
    with pytest.raises(ExpressionError, match=r'gp needs a table of pairs.*"age"'):
        fit("gp", load(), concept("age"))
    with pytest.raises(ExpressionError, match="dropout"):
        fit("gp(dropout=1.0)", load(), concept("gender"))
    with pytest.raises(UndefinedMeasureError, match="gp finds all stereotyped words"):
        fit("gp(stereotypes=all)", wide_space(seed=1), small_concept())
    with pytest.raises(UndefinedMeasureError, match="gp needs at least 20 words"):
        fit("gp", wide_space(seed=1, count=5), small_concept())


def test_a_concept_without_neutral_words_is_refused() -> None:
    bare = parse_concept(
        """
name = "bare"
title = "Bare"
groups = ["left", "right"]
[words]
left = ["l0"]
right = ["r0"]
[sets]
definitional = { columns = ["left", "right"], rows = [["l0", "r0"]] }
""",
        "bare.toml",
    )
    with pytest.raises(ExpressionError, match='gp needs neutral words, but "bare" has none'):
        fit("gp", wide_space(seed=1), bare)
