"""GN-GloVe: its groups, its terms against the written objective, and what they promise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.models.glove.made import PAIRS, leaning_text
from tests.models.glove.test_training import finite_differences, objective
from unslant.concepts import concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ConceptError, UnslantError
from unslant.models.glove.counts import CELL, Counts, counts_of
from unslant.models.glove.neutral import Groups, directions_of, groups_of
from unslant.models.glove.settings import CountSettings, GloveSettings, NeutralSettings
from unslant.models.glove.training import Neutrality, Trained, fresh, leaning, pass_over, train

pytest.importorskip("numba")

WORDS = ("the", "man", "woman", "king", "queen", "nurse", "mary", "uncle", "she")
THREE = parse_concept(
    """
name = "pets"
groups = ["cat", "dog", "bird"]
[words]
cat = ["cat", "kitten", "paw"]
dog = ["dog", "puppy", "paw"]
bird = ["bird", "chick", "missing"]
""",
    "pets",
)


def test_words_of_a_table_are_groups_and_other_words_of_the_concept_are_free() -> None:
    groups = groups_of(concept("gender"), WORDS, NeutralSettings())
    kinds = dict(zip(WORDS, groups.kinds.tolist(), strict=True))
    assert groups.names == ("female", "male")
    assert kinds == {
        **dict.fromkeys(("the", "nurse"), 0),
        **dict.fromkeys(("woman", "queen", "she"), 1),
        **dict.fromkeys(("man", "king", "uncle"), 2),
        "mary": -1,  # a name in the concept's lists
    }
    # "uncle" is without "aunt" here and "she" without "he": only complete pairs have a direction.
    assert [sorted(WORDS[row] for row in rows) for rows in groups.members] == [
        ["queen", "woman"],
        ["king", "man"],
    ]
    assert groups.facts["rows_used"] == 2
    assert "aunt" in groups.facts["missing"]
    assert groups.targets.tolist() == [[1.0], [-1.0]]


def test_more_groups_have_a_coordinate_each_and_shared_words_belong_to_none() -> None:
    words = ("cat", "dog", "bird", "kitten", "puppy", "chick", "paw", "sky")
    groups = groups_of(THREE, words, NeutralSettings(form="l2"))
    assert groups.kinds.tolist() == [1, 2, 3, 1, 2, 3, -1, 0]
    assert groups.coordinates == 3
    assert groups.targets.tolist() == [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    assert groups.facts["missing"] == ["missing"]
    with pytest.raises(UnslantError, match="has 3 groups, and the l1 form"):
        groups_of(THREE, words, NeutralSettings())


def test_groups_without_words_in_the_text_are_refused() -> None:
    with pytest.raises(ConceptError, match='no complete rows of "gendered" in gender'):
        groups_of(concept("gender"), ("the", "king", "woman"), NeutralSettings())
    with pytest.raises(ConceptError, match="no words of bird"):
        groups_of(THREE, ("cat", "dog"), NeutralSettings(form="l2"))
    with pytest.raises(UnslantError, match="no minimum without a clip"):
        NeutralSettings(clip=0)


def made_groups(coordinates: int) -> Groups:
    several = 2 if coordinates == 1 else coordinates
    kinds = np.array([0, *range(1, several + 1), -1])
    members = tuple(np.array([row]) for row in range(1, several + 1))
    return Groups(tuple("abcd"[:several]), kinds, members, several, {})


@pytest.mark.parametrize("coordinates", [1, 3])
def test_a_direction_is_the_difference_of_means_in_both_roles(coordinates: int) -> None:
    groups = made_groups(coordinates)
    n = len(groups.kinds)
    Q = np.random.default_rng(0).normal(size=(2 * n, 2, 8))
    found = directions_of(groups, Q, NeutralSettings(form="l2"), None)
    means = [
        (Q[k, 0] + Q[n + k, 0])[: 7 - coordinates] / 2 for k in range(1, len(groups.names) + 1)
    ]
    if coordinates == 1:
        np.testing.assert_allclose(found, [means[0] - means[1]])
    else:
        np.testing.assert_allclose(found, means - np.mean(means, axis=0))
        np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)


def test_the_published_sum_of_directions_is_an_option() -> None:
    groups = replace(made_groups(1), listed=10)
    Q = np.random.default_rng(0).normal(size=(8, 2, 8))
    plain = directions_of(groups, Q, NeutralSettings(), None)
    how = NeutralSettings(accumulates=True)
    first = directions_of(groups, Q, how, None)
    np.testing.assert_allclose(first, plain / 10)
    np.testing.assert_allclose(directions_of(groups, Q, how, first), (first + plain) / 10)


@pytest.mark.parametrize(("form", "coordinates"), [("l1", 1), ("l2", 1), ("l2", 3)])
@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (0, 3), (2, 3)])
def test_a_step_is_the_gradient_of_the_three_terms(
    form: str, coordinates: int, pair: tuple[int, int]
) -> None:
    groups = made_groups(coordinates)
    n, d = len(groups.kinds), 7
    terms = NeutralSettings(
        form=form, group_weight=0.7, neutral_weight=0.9, clip=100.0 if form == "l1" else 0.0
    )
    how = GloveSettings(dimensions=d, adagrad=False, learning_rate=1e-7)
    rng = np.random.default_rng(1)
    Q = rng.normal(size=(2 * n, 2, d + 1))
    Q[:, 0, d - 1] = np.where(np.tile(groups.kinds, 2) == 1, 1, -1)  # Σ over a above Σ over b
    v = directions_of(groups, Q, terms, None)
    before, (i, j), log_x = Q[:, 0].copy(), pair, 1.5
    cells = np.array([(i, j, log_x)], dtype=CELL)
    pass_over(Q, how, Neutrality(groups, terms), v)(cells)

    def whole(W: np.ndarray) -> float:
        """J of a cell in both roles, with the terms of the four vectors, as written in the docs."""
        made = W[:, None, :]
        total = objective(made, i, n + j, log_x, how) + objective(made, j, n + i, log_x, how)
        first = second = 0.0
        for row in (i, j, n + i, n + j):
            kind, w_a, w_g = (
                groups.kinds[row % n],
                W[row, : d - coordinates],
                W[row, d - coordinates : d],
            )
            if kind == 0:
                total += terms.neutral_weight * ((v @ w_a) ** 2).sum()
            elif kind > 0 and form == "l2":
                total += terms.group_weight * ((groups.targets[kind - 1] - w_g) ** 2).sum()
            elif kind > 0:
                first, second = first + w_g[0] * (kind == 1), second + w_g[0] * (kind == 2)
        offset = 10.0  # the other words of the groups, which keep the difference positive
        return total - terms.group_weight * abs(offset + first - second) * (form == "l1")

    gradient = finite_differences(whole, before)
    np.testing.assert_allclose((before - Q[:, 0]) / 1e-7, gradient, rtol=1e-4, atol=2e-5)


def test_coordinates_are_clipped_and_biases_are_not() -> None:
    groups, terms = made_groups(1), NeutralSettings(clip=0.5)
    Q = np.random.default_rng(0).normal(size=(8, 2, 6)).astype(np.float32) * 3
    Q[:, 1] = 1
    v = directions_of(groups, Q, terms, None)
    biases, untouched = Q[:, 0, -1].copy(), Q[2:4].copy()
    pass_over(Q, GloveSettings(dimensions=5, learning_rate=1e-6), Neutrality(groups, terms), v)(
        np.array([(0, 1, 0.0)], dtype=CELL)
    )
    assert np.abs(Q[[0, 1, 4, 5], 0, :-1]).max() == np.float32(0.5)
    np.testing.assert_allclose(Q[:, 0, -1], biases, atol=1e-3)
    assert (Q[2:4] == untouched).all()


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Counts:
    folder = tmp_path_factory.mktemp("glove")
    (folder / "text.txt").write_text(leaning_text())
    return counts_of(folder / "text.txt", CountSettings(window=7), folder / "counts")


HOW = GloveSettings(dimensions=12, iterations=25)


@pytest.fixture(scope="module")
def plain(counts: Counts) -> Trained:
    return train(counts, HOW)


def along(vectors: np.ndarray, groups: Groups, kept: int) -> float:
    """The mean of |v·w_a| over neutral words, by its definition."""
    v = np.mean([vectors[r, :kept] for r in groups.members[0]], axis=0)
    v = v - np.mean([vectors[r, :kept] for r in groups.members[1]], axis=0)
    return float(np.mean([abs(v @ w[:kept]) for w in vectors[groups.kinds == 0]]))


@pytest.mark.parametrize("form", ["l1", "l2"])
@pytest.mark.parametrize("adagrad", [True, False])
def test_w_g_separates_the_groups_and_w_a_hardly_has_the_attribute(
    counts: Counts, plain: Trained, form: str, adagrad: bool
) -> None:
    terms = NeutralSettings(form=form)
    groups = groups_of(concept("gender"), counts.words, terms)
    assert groups.facts["words"] == {"female": 6, "male": 6}
    made = train(
        counts, replace(HOW, adagrad=adagrad), Neutrality(groups, NeutralSettings(form=form))
    )
    vectors, w_g = made.vectors, made.vectors[:, -1]
    assert w_g[groups.kinds == 1].min() > 1
    assert w_g[groups.kinds == 2].max() < -1
    assert np.abs(w_g[groups.kinds > 0]).min() > np.abs(w_g[groups.kinds == 0]).mean()
    assert along(vectors, groups, 11) < 0.25 * along(plain.vectors, groups, 12)
    last = made.curve[-1]
    assert last["apart"] > 2
    unit = leaning(vectors, groups)["leaning"]
    assert unit == last["leaning"]
    assert made.curve[-1]["loss"] < made.curve[0]["loss"]


def test_without_its_terms_gn_glove_is_glove_with_other_first_values(counts: Counts) -> None:
    none = NeutralSettings(group_weight=0, neutral_weight=0, clip=0)
    groups = groups_of(concept("gender"), counts.words, none)
    begun = fresh(len(counts.words), HOW, Neutrality(groups, none))
    held, free = begun.copy(), begun.copy()
    v = directions_of(groups, held, none, None)
    pass_over(held, HOW, Neutrality(groups, none), v)(counts.cells)
    pass_over(free, HOW)(counts.cells)
    np.testing.assert_allclose(held, free, rtol=1e-4, atol=1e-5)
    assert begun[counts.words.index(PAIRS[0][0]), 0, -2] == 1
    assert begun[len(counts.words) + counts.words.index(PAIRS[0][1]), 0, -2] == -1


def test_a_neutral_training_that_was_stopped_ends_in_the_same_bytes(
    counts: Counts, tmp_path: Path
) -> None:
    how, terms = replace(HOW, iterations=4), NeutralSettings(accumulates=True, refreshes=3)
    groups = groups_of(concept("gender"), counts.words, terms)
    whole = train(counts, how, Neutrality(groups, terms))
    kept, calls = tmp_path / "checkpoint", 0

    def stop(what: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 8:  # in the third iteration of three parts each
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(counts, how, Neutrality(groups, terms), checkpoint=kept, progress=stop)
    resumed = train(counts, how, Neutrality(groups, terms), checkpoint=kept)
    assert resumed.parameters.tobytes() == whole.parameters.tobytes()


def test_three_groups_are_kept_apart(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    group = [["cat", "kitten"], ["dog", "puppy"], ["bird", "chick"]]
    words = [f"n{chr(97 + n)}" for n in range(24)]
    lines = []
    for _ in range(3000):
        which = int(rng.integers(3))
        chance = np.where(np.arange(24) // 8 == which, 4.0, 1.0)
        drawn = rng.choice(words, size=6, p=chance / chance.sum()).tolist()
        lines.append(" ".join([group[which][int(rng.integers(2))], *drawn]))
    (tmp_path / "text.txt").write_text("\n".join(lines))
    counts = counts_of(tmp_path / "text.txt", CountSettings(), tmp_path / "counts")
    terms = NeutralSettings(form="l2")
    groups = groups_of(THREE, counts.words, terms)
    made = train(counts, HOW, Neutrality(groups, terms)).vectors
    for number in (1, 2, 3):
        own = made[groups.kinds == number, -3:]
        assert (own.argmax(axis=1) == number - 1).all()
        assert (np.delete(own, number - 1, axis=1) < 0).all()
    with pytest.raises(UnslantError, match="must be more than 3, not 3"):
        fresh(len(counts.words), replace(HOW, dimensions=3), Neutrality(groups, terms))
