"""Word vectors with a bias of known size, and vectors without any.

*Association.* Words of two target sets lean along one axis by x = c (±r + z), z standard normal;
attributes lie around its two ends. With very many words the WEAT effect size is 2r / √(1 + r²),
so r = D / √(4 − D²) plants the effect D.

*Recovery.* In the vectors before, words lean to either side of an axis. In the vectors after, that
axis is noise, and another component is ±m + z by the side that a word had: the best classifier is
right for Φ(m) of the words.
"""

from functools import cache
from itertools import product
from string import ascii_lowercase

import numpy as np
from scipy.special import ndtri

from unslant.concepts import Concept
from unslant.concepts.read import parse_concept
from unslant.core.lineage import Lineage
from unslant.core.record import Record
from unslant.core.types import Array
from unslant.studies.audit import audit
from unslant.vectors import Vocabulary, WordVectors

ATTRIBUTES = 100
_DIM = 40
_LEAN = 0.1
_RECOVERED = 6_000
_WEAT = "weat(random_lists=0, resamples=9999)"


def association(seed: int, effect: float, size: int) -> Record:
    """An audit of WEAT with ``size`` words in each target set and a planted effect size."""
    rng = np.random.default_rng([seed, round(1000 * effect), size])
    ratio = effect / np.sqrt(4 - effect**2)
    targets = [_leaning(rng, side * ratio, size) for side in (1, -1)]
    ends = [_near(rng, side) for side in (1, -1)]
    vectors = _vectors(np.concatenate([*targets, *ends]), "planted")
    subject = _association_concept(size)
    return audit(
        vectors,
        subject,
        jobs=[("weat(random_lists=0, resamples=9999)", subject.test("planted"))],
        quality=False,
    ).record


def recovery(seed: int, accuracy: float) -> Record:
    """An audit of recoverability whose best possible accuracy is planted, against a baseline."""
    rng = np.random.default_rng([seed, round(1000 * accuracy)])
    matrix = rng.normal(size=(_RECOVERED + 4, 6))
    side = np.where(np.arange(len(matrix)) % 2, 1.0, -1.0)
    before = matrix.copy()
    before[:, 0] = 4 * side + rng.normal(size=len(side))
    after = matrix.copy()
    after[:, 1] += ndtri(accuracy) * side
    for vectors in (before, after):
        vectors[:4] = 0.01 * matrix[:4]
        vectors[:4, 0] += side[:4]
    subject = _recovery_concept()
    return audit(
        _vectors(after, "after"),
        subject,
        baseline=_vectors(before, "before"),
        jobs=[("recoverability", subject)],
        quality=False,
    ).record


def _leaning(rng: np.random.Generator, shift: float, size: int) -> Array:
    lean = _LEAN * (shift + rng.normal(size=size))
    return _with_first(lean, rng)


def _near(rng: np.random.Generator, side: int) -> Array:
    return _with_first(np.full(ATTRIBUTES, 0.8 * side), rng)


def _with_first(first: Array, rng: np.random.Generator) -> Array:
    """Vectors of length 1 with this first component and the others at random."""
    rest = rng.normal(size=(len(first), _DIM - 1))
    rest *= (np.sqrt(1 - first**2) / np.linalg.norm(rest, axis=1))[:, None]
    return np.column_stack([first, rest])


@cache
def _words(count: int) -> list[str]:
    letters = product(ascii_lowercase, repeat=4)
    return ["".join(four) for four, _ in zip(letters, range(count), strict=False)]


def _vectors(matrix: Array, name: str) -> WordVectors:
    words = Vocabulary.of(_words(len(matrix)))
    return WordVectors(words, matrix.astype(np.float32), Lineage(name))


@cache
def _association_concept(size: int) -> Concept:
    words = _words(2 * size + 2 * ATTRIBUTES)
    x, y, rest = words[:size], words[size : 2 * size], words[2 * size :]
    return parse_concept(
        f"""
name = "planted"
groups = ["a", "b"]
[words]
a = {rest[:ATTRIBUTES]}
b = {rest[ATTRIBUTES:]}
[tests.planted]
title = "Planted"
targets = {{ x = {x}, y = {y} }}
attributes = {{ a = {rest[:ATTRIBUTES]}, b = {rest[ATTRIBUTES:]} }}
""",
        "planted.toml",
    )


@cache
def _recovery_concept() -> Concept:
    b, a, d, c = _words(4)  # by their sides
    return parse_concept(
        f"""
name = "planted"
groups = ["a", "b"]
direction = "pair-difference({a}, {b})"
[words]
a = ["{a}", "{c}"]
b = ["{b}", "{d}"]
[sets]
definitional = {{ columns = ["a", "b"], rows = [["{a}", "{b}"], ["{c}", "{d}"]] }}
""",
        "planted.toml",
    )
