"""Erasers: steps by hand, words that are spared or set, blocks, chains and arrays without words."""

import numpy as np
import pytest

from tests.made_erasers import made_of
from unslant.core.errors import UnslantError
from unslant.erasers import (
    Dense,
    EachVector,
    LowRank,
    TheseWords,
    UnitLength,
    linear_map,
    projection,
)
from unslant.erasers import eraser as eraser_module
from unslant.erasers.transform import Rows

RNG = np.random.default_rng(7)
FIRST = np.array([[1.0, 0.0, 0.0]])


def test_a_projection_takes_out_the_components_by_hand() -> None:
    rows = np.array([[3.0, 4.0, 5.0], [-1.0, 0.0, 2.0]])
    eraser = made_of(EachVector(projection(FIRST)))
    assert eraser.apply(rows).tolist() == [[0, 4, 5], [0, 0, 2]]
    half = made_of(EachVector(projection(FIRST, np.array([0.5]))))
    assert half.apply(rows).tolist() == [[1.5, 4, 5], [-0.5, 0, 2]]


def test_spared_words_keep_their_vectors_and_set_words_get_theirs() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3) + 1
    eraser = made_of(
        EachVector(projection(FIRST), spared=("b", "absent")),
        TheseWords(("d", "nowhere"), np.array([[9.0, 9, 9], [8, 8, 8]])),
    )
    after = eraser.apply(rows, ["a", "b", "c", "d"])
    assert after.tolist() == [[0, 2, 3], [4, 5, 6], [0, 8, 9], [9, 9, 9]]
    assert after.dtype == np.float32
    assert rows[0, 0] == 1, "what is given is not touched"


def test_without_words_the_map_acts_on_every_row() -> None:
    rows = RNG.normal(size=(5, 3))
    eraser = made_of(EachVector(projection(FIRST), spared=("a",)), TheseWords(("b",), np.eye(1, 3)))
    assert not eraser.apply(rows)[:, 0].any()


def test_an_eraser_of_single_words_needs_the_words() -> None:
    eraser = made_of(TheseWords(("b",), np.eye(1, 3)))
    with pytest.raises(UnslantError, match="only sets the vectors of individual words"):
        eraser.apply(np.zeros((2, 3)))
    assert eraser.affine is None
    assert eraser.apply(np.ones((2, 3)), ["a", "b"]).tolist() == [[1, 1, 1], [1, 0, 0]]


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"w{n}" for n in range(1000)]
    rows = RNG.normal(size=(1000, 3)).astype(np.float32)
    chosen = tuple(words[::7])
    eraser = made_of(
        EachVector(UnitLength()),
        EachVector(projection(FIRST), spared=tuple(words[::5])),
        TheseWords(chosen, RNG.normal(size=(len(chosen), 3))),
    )
    whole = eraser.apply(rows, words)
    for size in (12, 600, 5000):
        monkeypatch.setattr(eraser_module, "BLOCK_BYTES", size)
        assert np.array_equal(eraser.apply(rows, words), whole)


def test_an_offset_leaves_the_zero_vector_alone() -> None:
    eraser = made_of(EachVector(Dense(np.eye(3), np.ones(3))))
    assert eraser.apply(np.array([[0.0, 0, 0], [1, 0, 0]])).tolist() == [[0, 0, 0], [2, 1, 1]]


@pytest.mark.parametrize("rank", [0, 1, 3, 12])
def test_a_matrix_is_kept_in_the_cheaper_form_and_does_the_same(rank: int) -> None:
    change = RNG.normal(size=(12, rank)) @ RNG.normal(size=(rank, 12))
    matrix, rows = np.eye(12) - change, RNG.normal(size=(20, 12))
    made = linear_map(matrix, np.ones(12))
    assert isinstance(made, LowRank if rank <= 3 else Dense)
    np.testing.assert_allclose(made.apply(rows), rows @ matrix + 1, atol=1e-11)
    np.testing.assert_allclose(made.matrix, matrix, atol=1e-11)


def test_a_chain_does_one_thing_after_the_other() -> None:
    one, two = (made_of(EachVector(Dense(RNG.normal(size=(4, 4)))), name=n) for n in "ab")
    rows = RNG.normal(size=(6, 4))
    both = one.then(two)
    np.testing.assert_allclose(both.apply(rows), two.apply(one.apply(rows)), atol=1e-12)
    assert str(both) == "a | b"


def test_the_width_may_change_but_must_fit() -> None:
    narrow = made_of(EachVector(Dense(np.eye(4, 3))))
    assert (narrow.dim, narrow.dim_out) == (4, 3)
    with pytest.raises(UnslantError, match="width 4 cannot follow one of width 3"):
        narrow.then(narrow)
    with pytest.raises(UnslantError, match=r"width 4, but these have the shape \(2, 3\)"):
        narrow.apply(np.zeros((2, 3)))
    with pytest.raises(UnslantError, match="definite width"):
        made_of(EachVector(UnitLength()))


def test_unit_length_survives_tiny_and_huge_numbers() -> None:
    rows = np.array([[3e-30, 4e-30], [3e30, -4e30], [0, 0]], dtype=np.float32)
    expected = np.array([[0.6, 0.8], [0.6, -0.8], [0, 0]])
    np.testing.assert_allclose(UnitLength().apply(rows), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (np.ones((2, 3), dtype=np.int64), "32 or 64 bits, not int64"),
        (np.array([[1.0, 2, 3], [1, np.nan, 3]]), "Vector 1 contains a number that is not finite"),
        (np.full((2, 2, 3), np.inf), "Vector 0, 0 contains a number"),
        (np.array([np.nan, 0, 0]), "Vector 0 contains a number"),
        (np.ones((3, 2)), r"width 3, but these have the shape \(3, 2\)"),
        (np.float64(1), r"shape \(\)"),
    ],
)
def test_rows_that_it_cannot_act_on_are_refused(rows: Rows, says: str) -> None:
    with pytest.raises(UnslantError, match=says):
        made_of(EachVector(projection(FIRST))).apply(rows)


def test_as_many_words_as_rows_are_needed() -> None:
    with pytest.raises(UnslantError, match="2 vectors need as many words, not 1"):
        made_of(EachVector(projection(FIRST))).apply(np.ones((2, 3)), ["a"])


def test_arrays_of_an_eraser_cannot_be_changed() -> None:
    basis = FIRST.copy()
    transform = projection(basis)
    basis[0, 0] = 5
    assert transform.write[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        transform.write[0, 0] = 5
