"""GIPE: a slow second implementation with a graph of edges, its weights, and real vectors."""

import pytest

from tests.metrics.test_proximity_bias import slow_shares
from tests.spaces import small_concept
from tests.wide import letter_words, moved, wide_space, without_direction, without_sides
from unslant.concepts import WordPolicy, concept
from unslant.measures.running import measure
from unslant.vectors import WordVectors

TOY = small_concept()


def slow_gipe(
    after: WordVectors, before: WordVectors, words: list[str], n: int, t: float, alone: int
) -> float:
    """The weighted mean over a dictionary of edges."""
    edges: dict[str, list[bool]] = {word: [] for word in words}
    shares = slow_shares(after, before, words, words, n, t)
    for word in words:
        # A neighbour is found by asking who enters when one more is allowed.
        near = nearest(after, word, words, n)
        for other in near:
            one = slow_shares(after, before, [word], [word, other], 1, t)[word]
            edges[other].append(bool(one))
    weights = {
        word: 1 + sum(found) / len(found) if found else float(alone)
        for word, found in edges.items()
    }
    total = sum(weights.values())
    return sum(weights[word] * shares[word] for word in words) / total


def nearest(vectors: WordVectors, word: str, words: list[str], n: int) -> list[str]:
    def cosine(other: str) -> float:
        a, b = vectors[word].astype(float), vectors[other].astype(float)
        return float(a @ b / ((a @ a) * (b @ b)) ** 0.5)

    return sorted((w for w in words if w != word), key=cosine, reverse=True)[:n]


@pytest.mark.parametrize("alone", [0, 1])
@pytest.mark.parametrize("seed", range(2))
def test_it_equals_the_definition_written_out(seed: int, alone: int) -> None:
    after, before = wide_space(seed, 40, dim=4), wide_space(seed + 9, 40, dim=4)
    expected = slow_gipe(after, before, letter_words(40), 3, 0.03, alone)
    result = measure(f"gipe(n=3, no_incoming={alone})", after, TOY, baseline=before)
    assert result.value == pytest.approx(expected)
    assert int(result.details["words-that-are-no-neighbour"] or 0) > 0


def test_words_that_nobody_neighbours_count_only_by_the_definition() -> None:
    vectors = wide_space(0, 60, dim=4)
    values = [measure(f"gipe(n=2, no_incoming={k})", vectors, TOY).value for k in (0, 1)]
    assert values[0] != values[1]


def test_it_does_not_change_when_the_space_is_turned_or_scaled() -> None:
    vectors = wide_space(4, 80, dim=5)
    one = measure("gipe(n=10)", vectors, TOY).value
    assert one == pytest.approx(measure("gipe(n=10)", moved(vectors, 5, 7.0), TOY).value)


def test_a_list_in_place_of_the_vocabulary_has_neighbours_outside_itself() -> None:
    result = measure("gipe(n=10, words=things)", wide_space(0, 60), TOY)
    assert result.words[0].used == ("n0", "n1", "n2", "n3")
    assert len(result.points) == 4


def test_progress_is_told_and_ends_at_the_number_of_words() -> None:
    told: list[tuple[str, int, int]] = []
    measure(
        "gipe(n=3)",
        wide_space(0, 60),
        TOY,
        progress=lambda what, n, all: told.append((what, n, all)),
    )
    assert told[-1] == ("Finding neighbours", 60, 60)


def test_missing_and_degenerate_inputs_say_so() -> None:
    vectors = wide_space(0, 60)
    fewer = vectors.only([word for word in vectors.words if word != "aaac"])
    result = measure("gipe(n=5)", vectors, TOY, baseline=fewer)
    assert result.details["words-that-the-baseline-lacks"] == 1
    assert result.words[0].missing == ("aaac",)
    assert "same vector" in measure("gipe", without_sides(vectors), TOY).why_undefined


def test_real_vectors_give_about_a_tenth_and_less_without_the_direction(
    glove: WordVectors,
) -> None:
    gender, policy = concept("gender"), WordPolicy(missing="drop")
    expression = "gipe(vocabulary=8000)"
    before = measure(expression, glove, gender, policy)
    after = measure(expression, without_direction(glove, gender), gender, baseline=glove)
    assert before.value is not None
    assert after.value is not None
    assert 0.05 < before.value < 0.2
    assert after.value < 0.8 * before.value
    higher = measure("gipe(vocabulary=8000, threshold=0.05)", glove, gender, policy)
    assert higher.value is not None
    assert higher.value < before.value
