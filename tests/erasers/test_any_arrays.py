"""Erasers on arrays of any shape, of numpy and torch; and as a matrix and an offset."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.made_erasers import made_of
from unslant.core.errors import UnslantError
from unslant.erasers import (
    Dense,
    EachVector,
    Eraser,
    GradedRotation,
    LowRank,
    Network,
    TheseWords,
    UnitLength,
    projection,
)
from unslant.erasers.transform import Transform

WIDTH = 4


def maps(rng: np.random.Generator) -> dict[str, EachVector]:
    """One transform of each kind, all of one width."""
    unit, other = np.linalg.qr(rng.normal(size=(WIDTH, 2)))[0].T
    square, offset = rng.normal(size=(WIDTH, WIDTH)), rng.normal(size=WIDTH)
    found: dict[str, Transform] = {
        "projection": projection(unit[None]),
        "oblique": LowRank(rng.normal(size=(2, WIDTH)), rng.normal(size=(2, WIDTH)), offset),
        "dense": Dense(square, offset),
        "matrix": Dense(square),
        "network": Network((square, square), (offset, offset), 0.5, 2.0, "linear"),
        "rotation": GradedRotation(unit, (unit + other) / np.sqrt(2)),
        "about a centre": GradedRotation(unit, (unit + 2 * other) / np.sqrt(5), offset),
        "length": UnitLength(),
    }
    return {kind: EachVector(transform) for kind, transform in found.items()}


KINDS = tuple(maps(np.random.default_rng(0)))
AFFINE = KINDS[:4]
seeds = st.integers(0, 2**32)
shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def chain(kinds: list[str], rng: np.random.Generator) -> Eraser:
    """A chain of kinds, in which a matrix sees to a definite width."""
    return made_of(EachVector(Dense(np.eye(WIDTH))), *(maps(rng)[kind] for kind in kinds))


@given(st.lists(st.sampled_from(AFFINE), max_size=4), seeds)
def test_what_is_affine_does_what_its_matrix_and_offset_do(kinds: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    eraser, rows = chain(kinds, rng), rng.normal(size=(5, WIDTH))
    assert eraser.affine is not None
    matrix, offset = eraser.affine
    size = 1 + np.abs(matrix).max() + np.abs(offset).max()
    np.testing.assert_allclose(eraser.apply(rows), rows @ matrix + offset, atol=1e-10 * size)


def test_matrix_and_offset_of_a_chain_by_hand() -> None:
    """x → x − (x·(1, 0)) (1, 1) + (2, 3), then (x, y) → x + 10 y: 10 y − 11 x + 32."""
    first = LowRank(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]), np.array([2.0, 3.0]))
    eraser = made_of(EachVector(first), EachVector(Dense(np.array([[1.0], [10.0]]))))
    assert eraser.affine is not None
    matrix, offset = eraser.affine
    assert (matrix.tolist(), offset.tolist()) == ([[-10], [10]], [32])
    assert eraser.apply(np.array([[[5.0, 7.0]]])).tolist() == [[[52]]]


@pytest.mark.parametrize("kind", KINDS[4:])
def test_what_bends_is_not_affine(kind: str) -> None:
    assert chain([kind], np.random.default_rng(1)).affine is None


def test_single_words_are_no_part_of_the_affine_map() -> None:
    eraser = made_of(EachVector(projection(np.eye(1, 3)), ("a",)), TheseWords(("b",), np.eye(1, 3)))
    assert eraser.affine is not None
    assert eraser.affine[0].tolist() == np.diag([0, 1, 1]).tolist()


@given(st.lists(st.sampled_from(KINDS), max_size=3), shapes, seeds)
def test_any_leading_shape_is_kept_and_changes_nothing(
    kinds: list[str], shape: tuple[int, ...], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    eraser, vectors = chain(kinds, rng), rng.normal(size=(*shape, WIDTH))
    after = eraser.apply(vectors)
    assert after.shape == vectors.shape
    for place in np.ndindex(shape):
        np.testing.assert_allclose(after[place], eraser.apply(vectors[place][None])[0], rtol=1e-9)


def test_words_go_with_the_vectors_in_their_order() -> None:
    eraser = made_of(EachVector(projection(np.eye(1, 3)), spared=("b",)))
    after = eraser.apply(np.ones((2, 2, 3)), ["a", "b", "c", "d"])
    assert after[..., 0].tolist() == [[0, 1], [0, 0]]


def test_half_precision_is_computed_in_single_precision() -> None:
    far = made_of(EachVector(Dense(np.diag([1e6, 1]))), EachVector(Dense(np.diag([1e-6, 1]))))
    rows = np.array([[2.0, 3.0]], dtype=np.float16)
    after = far.apply(rows)
    assert after.dtype == np.float16
    assert after.tolist() == [[2, 3]], "6e4 is the largest number of half precision"
    with pytest.raises(UnslantError, match="vector 0 a number that does not fit into float16"):
        made_of(EachVector(Dense(np.diag([1e6, 1])))).apply(rows)


@settings(deadline=None)
@given(st.lists(st.sampled_from(KINDS), max_size=3), shapes, seeds, st.booleans())
def test_torch_does_what_numpy_does(
    kinds: list[str], shape: tuple[int, ...], seed: int, with_words: bool
) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    spared = EachVector(projection(np.eye(1, WIDTH)), ("w0", "w2", "absent"))
    these = TheseWords(("w1", "nowhere"), rng.normal(size=(2, WIDTH)))
    eraser = made_of(*chain(kinds, rng).steps, spared, these)
    vectors = rng.normal(size=(*shape, WIDTH))
    vectors.reshape(-1, WIDTH)[::4] = 0
    words = [f"w{n}" for n in range(vectors.size // WIDTH)] if with_words else None
    expected = eraser.apply(vectors, words)
    after = eraser.apply(torch.tensor(vectors), words)
    assert (after.dtype, after.shape) == (torch.float64, torch.Size(vectors.shape))
    np.testing.assert_allclose(after.numpy(), expected, rtol=1e-7, atol=1e-9)


def near(eraser: Eraser, rows: NDArray[np.float64], tensor: object, atol: float) -> None:
    after = eraser.apply(tensor)
    assert after.dtype == tensor.dtype  # type: ignore[attr-defined]
    np.testing.assert_allclose(after.float().detach().numpy(), eraser.apply(rows), atol=atol)


@pytest.mark.parametrize("kind", ["projection", "oblique", "dense"])
def test_a_tensor_keeps_its_precision_and_lets_gradients_through(kind: str) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    eraser, rows = chain([kind], rng), rng.normal(size=(2, 3, WIDTH))
    for name, atol in (("float64", 1e-9), ("float32", 1e-5), ("bfloat16", 0.1), ("float16", 0.02)):
        near(eraser, rows, torch.tensor(rows, dtype=getattr(torch, name)), atol)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        near(eraser, rows, torch.tensor(rows, dtype=torch.float32), 1e-5)
    tensor = torch.tensor(rows, requires_grad=True)
    eraser.apply(tensor).sum().backward()
    assert eraser.affine is not None
    expected = np.broadcast_to(eraser.affine[0].sum(axis=1), rows.shape)
    np.testing.assert_allclose(tensor.grad.numpy(), expected, atol=1e-9)


def test_tensors_that_it_cannot_act_on_are_refused() -> None:
    torch = pytest.importorskip("torch")
    eraser = made_of(EachVector(projection(np.eye(1, 3))))
    for tensor, says in (
        (torch.ones(2, 3, dtype=torch.int64), "not torch.int64"),
        (torch.ones(2, 4), r"the shape \(2, 4\)"),
        (torch.full((2, 2, 3), torch.nan), "Vector 0, 0 contains a number that is not finite"),
    ):
        with pytest.raises(UnslantError, match=says):
            eraser.apply(tensor)
    huge = made_of(EachVector(Dense(np.eye(3) * 1e39)))
    with pytest.raises(
        UnslantError, match=r"vector 0 a number that does not fit into torch.float32"
    ):
        huge.apply(torch.ones(2, 3))


def test_arrays_of_numpy_do_not_load_torch() -> None:
    code = (
        "import sys, numpy as np; from unslant.erasers import *; "
        "from unslant.core.expression import Call, Step; "
        "steps = (EachVector(projection(np.eye(1, 3))),); "
        "Eraser((Stage(method=Step(Call('x')), name='x', steps=steps),)).apply(np.ones((2, 3))); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
