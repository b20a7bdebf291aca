"""The exponent of MISP's weights: 0 removes every axis, 1 is the method, others lie between."""

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.erasers import EachVector, LowRank
from unslant.methods.pipeline import fit
from unslant.vectors import load

AXES = "pair-pca(definitional, k=2, unit_length=false)"


def _weights(expression: str) -> np.ndarray:
    eraser = fit(expression, load(limit=4000), "gender")
    [step] = eraser.steps
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, LowRank)
    return np.asarray(np.linalg.norm(step.transform.read, axis=1))


def test_zero_removes_every_axis_as_mhd_does() -> None:
    plain, none = (_weights(f"misp(subspace={AXES}{more})") for more in ("", ", exponent=0"))
    assert none == pytest.approx([1, 1])
    assert (plain < 1).all()
    mhd, hard = (fit(text, load(limit=4000), "gender") for text in (
        f"mhd(subspace={AXES})", f"misp(subspace={AXES}, exponent=0)",
    ))  # fmt: skip
    assert mhd.affine is not None
    assert hard.affine is not None
    assert np.array_equal(mhd.affine[0], hard.affine[0])
    assert hard.stages[0].removed is not None


def test_weights_are_shares_to_the_power() -> None:
    shares = _weights(f"misp(subspace={AXES})")
    assert _weights(f"misp(subspace={AXES}, exponent=2)") == pytest.approx(shares**2)
    assert _weights(f"misp(subspace={AXES}, exponent=0.5)") == pytest.approx(shares**0.5)
    assert shares[0] > shares[1] > 0


def test_a_negative_exponent_is_refused() -> None:
    with pytest.raises(UnslantError, match="exponent"):
        fit("misp(exponent=-1)", load(limit=4000), "gender")
