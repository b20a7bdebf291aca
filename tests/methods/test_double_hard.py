"""Double-Hard Debias agrees with a plain computation on whole arrays, and removes what it says."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import ExpressionError
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.running import measure
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

PAIRS = [("l0", "r0"), ("l1", "r1"), ("l2", "r2")]


def scaled(rows: Array) -> Array:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def plainly(
    vectors: WordVectors, candidates: int, n: int, *, centred: bool
) -> tuple[dict[int, float], int, Array]:
    """Accuracy of each component, the chosen one, and all vectors after it."""
    e = vectors.matrix.astype(np.float64)
    row = {word: number for number, word in enumerate(vectors.words)}
    mean = e.mean(axis=0)
    components = np.linalg.svd(e - mean, full_matrices=False)[2]
    direction = e[row["l0"]] - e[row["r0"]]
    lean = scaled(e)[10:] @ direction  # the first ten words are the concept's own and neutral
    plain = np.arange(10, len(e))
    order = plain[np.argsort(-lean)]
    biased = np.concatenate([order[:n], order[::-1][:n]])
    side = np.repeat([1, 0], n)
    state = int(generator(0, "double-hard").integers(2**31))
    scores, results = {}, {}
    for number in range(1, candidates + 1):
        u = components[number - 1]
        part = (e - mean) @ u if centred else e @ u
        first = e - mean - np.outer(part, u)
        differences = np.array([first[row[a]] - first[row[b]] for a, b in PAIRS])
        g = np.linalg.svd(differences)[2][0]
        results[number] = first - np.outer(first @ g, g)
        with threadpool_limits(1):
            clusters = KMeans(2, n_init=10, random_state=state).fit_predict(results[number][biased])
        hits = float((clusters == side).mean())
        scores[number] = max(hits, 1 - hits)
    best = min(scores, key=lambda number: scores[number])
    return scores, best, results[best]


def told(details: object) -> dict[int, float]:
    parts = (part.split(": ") for part in str(details).split(", "))
    return {int(number): float(score) for number, score in parts}


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_equals_a_plain_computation_on_whole_arrays(seed: int, centred: bool) -> None:
    space = wide_space(seed, count=800, dim=8, lean=0.7)
    shifted = space.matrix + np.linspace(-1, 1, 8, dtype=np.float32)
    vectors = WordVectors(space.words, shifted, space.lineage)
    asked = f"double-hard(candidates=4, n=150, centred={str(centred).lower()})"
    eraser = fit(asked, vectors, small_concept())
    scores, best, expected = plainly(vectors, 4, 150, centred=centred)
    details = eraser.stages[0].details
    by_component = told(details["clustering-accuracy-by-component"])
    assert by_component == pytest.approx(scores, abs=1e-4)
    assert details["component"] == best
    assert details["clustering-accuracy-after"] == pytest.approx(scores[best], abs=1e-9)
    np.testing.assert_allclose(debiased(vectors, eraser).matrix, expected, atol=1e-5)


def test_a_named_component_is_taken_without_a_search() -> None:
    vectors, toy = wide_space(seed=3, count=800, lean=0.7), small_concept()
    every = fit("double-hard(candidates=4, n=100)", vectors, toy).stages[0].details
    one = fit("double-hard(component=3, n=100)", vectors, toy).stages[0].details
    assert one["component"] == 3
    by_component = told(every["clustering-accuracy-by-component"])
    assert told(one["clustering-accuracy-by-component"]) == {3: by_component[3]}


def test_real_words_cluster_less_by_gender_and_the_chosen_component_is_the_best() -> None:
    vectors = load()
    eraser = fit("double-hard(candidates=5)", vectors, concept("gender"))
    details = eraser.stages[0].details
    scores = told(details["clustering-accuracy-by-component"])
    assert scores[int(str(details["component"]))] == min(scores.values())
    before = details["clustering-accuracy-before"]
    assert isinstance(before, float)
    assert before > 0.95
    assert min(scores.values()) < 0.75
    removed = eraser.stages[0].removed
    assert removed is not None
    assert np.abs(debiased(vectors, eraser).matrix @ removed.T).max() < 1e-5


def test_groups_without_pairs_use_the_concepts_own_direction() -> None:
    eraser = fit("double-hard(candidates=2, n=200)", load(), concept("age"))
    assert eraser.stages[0].details["subspace"] == "two-means(names)"


def test_fewer_components_and_fewer_words_than_asked_for_are_said() -> None:
    vectors = wide_space(seed=4, count=800, lean=0.7)
    stage = fit("double-hard(n=600)", vectors, small_concept()).stages[0]
    assert any("8 components" in warning for warning in stage.warnings)
    assert any("words per side" in warning for warning in stage.warnings)


def test_three_groups_and_components_that_there_are_not_are_refused() -> None:
    with pytest.raises(ExpressionError, match="double-hard separates the words of two groups"):
        fit("double-hard", load(), concept("religion"))
    for wrong, says in (
        ("component=101", "between 1 and 100 for"),
        ("component=-1", "at least 0"),
        ("candidates=0", "at least 1"),
    ):
        with pytest.raises(ExpressionError, match=f"parameter of double-hard must be {says}"):
            fit(f"double-hard({wrong})", load(), concept("gender"))


def test_on_glove_it_takes_the_published_component_and_clusters_nearly_as_published(
    full_glove: WordVectors,
) -> None:
    """Wang et al. (2020) take the second component of GloVe; Dawkins (2023) prints V = .258."""
    gender = concept("gender")
    eraser = fit("double-hard", full_glove, gender)
    assert eraser.stages[0].details["component"] == 2
    after = debiased(full_glove, eraser)
    found = measure("clustering", after, gender, baseline=full_glove)
    assert 0 < float(str(found.details["V-measure"])) <= 0.30
