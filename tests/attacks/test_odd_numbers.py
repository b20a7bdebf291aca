"""Numbers that are none, too large, tiny or 0 in any word: nothing computed from them is NaN."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from tests.attacks.sentences import is_one_sentence
from tests.contracts.test_after_methods import DROP, SMALL
from tests.contracts.test_methods import METHODS, NEEDS_TORCH, expression
from tests.spaces import small_concept
from tests.tallies import Tally
from tests.wide import wide_space
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.measures.registry import metrics
from unslant.measures.running import measure
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save

T = TypeVar("T")
ON_WORDS = [entry for entry in metrics() if entry.facts.takes in ("concept", "test")]
USED, UNUSED = "n0", "aaaa"
BAD = (math.nan, math.inf, -math.inf, 1e39)
ENDINGS = (".txt", ".vec", ".bin", ".npz")


def with_row(word: str, row: list[float]) -> WordVectors:
    vectors = wide_space(seed=3, count=1200, dim=12, lean=1.0)
    matrix = vectors.matrix.copy()
    matrix[list(vectors.words).index(word)] = row
    return WordVectors(vectors.words, matrix, vectors.lineage)


ODD = {
    "subnormal": [1e-42] * 12,
    "tiny": [1e-30, *[0.0] * 11],
    "huge": [3e38, -3e38, *[1.0] * 10],
    "zero": [0.0] * 12,
}


@pytest.mark.parametrize("word", [USED, UNUSED])
@pytest.mark.parametrize(
    "odd", ["zero", *(pytest.param(odd, marks=pytest.mark.full) for odd in ODD if odd != "zero")]
)
@pytest.mark.parametrize("name", [entry.name for entry in ON_WORDS])
def test_a_metric_of_odd_vectors_is_finite_undefined_or_refused(
    name: str, odd: str, word: str, tally: Tally
) -> None:
    vectors, concept = with_row(word, ODD[odd]), small_concept()
    takes = next(entry.facts.takes for entry in ON_WORDS if entry.name == name)
    subject = concept.tests["one"] if takes == "test" else concept
    before = wide_space(seed=3, count=1200, dim=12, lean=1.0)
    tally(1)
    found = outcome(lambda: measure(SMALL.get(name, name), vectors, subject, DROP, baseline=before))
    assert is_one_sentence(found) if isinstance(found, UnslantError) else is_finite(found)


def outcome(work: Callable[[], T]) -> T | UnslantError:
    try:
        return work()
    except UnslantError as error:
        return error


def is_finite(found: Measurement) -> bool:
    """Whether every number is one; a value that is undefined has a reason."""
    numbers: list[object] = [*found.details.values()]
    numbers += [value for point in found.points for value in point.values()]
    if found.interval is not None:
        numbers += [found.interval.low, found.interval.high]
    is_told = found.why_undefined if found.value is None else math.isfinite(found.value)
    return bool(is_told) and all(math.isfinite(n) for n in numbers if isinstance(n, float))


@pytest.mark.full
@pytest.mark.parametrize("word", [USED, UNUSED, "l1"])
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", METHODS)
def test_a_method_on_odd_vectors_gives_finite_ones_or_is_refused(
    name: str, odd: str, word: str, tally: Tally
) -> None:
    if name in NEEDS_TORCH:
        pytest.importorskip("torch")
    vectors = with_row(word, ODD[odd])
    tally(1)
    concept = small_concept()
    after = outcome(lambda: debiased(vectors, fit(expression(name), vectors, concept)))
    if isinstance(after, UnslantError):
        assert is_one_sentence(after)
    else:
        assert np.isfinite(after.matrix).all()


@pytest.mark.parametrize("word", [USED, UNUSED])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("bad", BAD, ids=str)
def test_no_number_that_is_not_finite_gets_past_loading(
    bad: float, ending: str, word: str, tmp_path: Path, tally: Tally
) -> None:
    """So no metric or method ever sees one."""
    vectors = with_row(word, [0.123456789, *[1.0] * 11])
    path = save(vectors, tmp_path / f"vectors{ending}")
    tally(1)
    if ending in (".txt", ".vec"):
        content = path.read_bytes()
        row = content[content.index(f"\n{word} ".encode()) + 1 :].split(b"\n", 1)[0]
        fields = row.split(b" ")
        path.write_bytes(
            content.replace(row, b" ".join([fields[0], repr(bad).encode(), *fields[2:]]))
        )
    elif bad == 1e39:
        with pytest.raises(UnslantError):  # no float32 holds it
            WordVectors.of({"a": [bad, 1.0]})
        return
    else:
        old, new = (np.float32(value).tobytes() for value in (0.123456789, bad))
        content = path.read_bytes()
        assert content.count(old) == 1
        if ending == ".npz":
            with np.load(path) as opened:
                arrays = {name: opened[name].copy() for name in opened.files}
            arrays["vectors"][arrays["vectors"] == np.float32(0.123456789)] = bad
            np.savez(path, **arrays)
        else:
            path.write_bytes(content.replace(old, new))
    with pytest.raises(UnslantError, match=r"finite|NaN|nan|inf|large|number") as refused:
        load(path, cache=False)
    assert path.name in str(refused.value)
