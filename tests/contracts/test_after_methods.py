"""For every measure after every method on two spaces: the value lies in its interval."""

import math
from functools import cache

import numpy as np
import pytest

from tests.spaces import space
from tests.wide import letter_words
from unslant.concepts import Concept, WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.measures.registry import metrics
from unslant.measures.running import measure
from unslant.methods.method import DEBIASERS
from unslant.methods.pipeline import debias
from unslant.vectors import WordVectors, load

FAST = {
    "ran": "ran(steps=20, vocabulary=2000)",
    "gp": "gp(epochs=2, classifier_epochs=5, joint_epochs=2)",
    "debiasnet": "debiasnet(steps=20, vocabulary=2000)",
    "adversarial": "adversarial(steps=200)",
    "rlace": "rlace(iterations=200, n=1000)",
}
SMALL = {
    "gipe": "gipe(vocabulary=2000)",
    "midb": "midb(vocabulary=2000)",
    "mdl": "mdl(n=200)",
    "recoverability": "recoverability(n=200)",
    "clustering": "clustering(n=200)",
    "biased-analogies": "biased-analogies(candidates=1500)",
    "bias-by-neighbours": "bias-by-neighbours(vocabulary=2000)",
    "proximity-bias": "proximity-bias(vocabulary=2000)",
    "weat": "weat(random_lists=0)",
    "generalised-weat": "generalised-weat(resamples=200)",
}
DROP = WordPolicy(missing="drop")
METHODS = sorted(e.name for e in DEBIASERS if not e.facts.acts_on.only_places)
ON_CONCEPT = [e.name for e in metrics() if e.facts.takes == "concept"]
ON_TESTS = [e.name for e in metrics() if e.facts.takes == "test"]


@cache
def space_of(name: str) -> tuple[WordVectors, Concept]:
    if name == "glove":
        return load(limit=6000), concept("gender")
    pairs = 6
    left, right = ([f"{side}{n}" for n in range(pairs)] for side in "lr")
    rows = [[a, b] for a, b in zip(left, right, strict=True)]
    subject = parse_concept(
        f"""
name = "toy"
groups = ["left", "right"]
direction = "pair-difference(l0, r0)"
[words]
left = {left}
right = {right}
[names]
left = {left}
right = {right}
[sets]
definitional = {{ columns = ["left", "right"], rows = {rows} }}
[neutral]
things = {[f"n{n}" for n in range(12)]}
[tests.one]
targets = {{ x = {[f"n{n}" for n in range(6)]}, y = {[f"n{n}" for n in range(6, 12)]} }}
attributes = {{ a = {left}, b = {right} }}
""",
        "toy.toml",
    )
    return made_space([*left, *right], [f"n{n}" for n in range(12)]), subject


def made_space(own: list[str], neutral: list[str], count: int = 900, dim: int = 12) -> WordVectors:
    """Two sides along the first component, to which half of the other words lean."""
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(len(own) + len(neutral) + count, dim))
    matrix[: len(own)] *= 0.3
    matrix[: len(own), 0] += np.repeat([2.0, -2.0], len(own) // 2)
    matrix[len(own) :, 0] += np.where(np.arange(len(matrix) - len(own)) % 2, 0.8, -0.8)
    return space([*own, *neutral, *letter_words(count)], matrix)


@cache
def after(method: str, name: str) -> WordVectors:
    vectors, subject = space_of(name)
    return debias(FAST.get(method, method), vectors, subject, DROP)


def measured(method: str, name: str) -> list[Measurement]:
    vectors, subject = space_of(name)
    try:
        changed = after(method, name)
    except UnslantError as error:  # such as a method that needs data that are not here
        pytest.skip(f"{method} does not go with {name}: {error}")
    found = []
    tests = list(subject.tests.values())[:2]
    jobs = [(text, subject) for text in ON_CONCEPT]
    jobs += [(text, test) for text in ON_TESTS for test in tests]  # type: ignore[misc]
    for text, asked in jobs:
        try:
            found.append(measure(SMALL.get(text, text), changed, asked, DROP, baseline=vectors))
        except UnslantError:
            continue  # a measure that does not go with this concept says so in its own tests
    return found


@pytest.mark.parametrize("name", ["glove", "made"])
@pytest.mark.parametrize("method", METHODS)
def test_a_value_lies_in_its_interval_and_its_sides_have_names(method: str, name: str) -> None:
    results = measured(method, name)
    assert len(results) >= 12
    assert sum(item.interval is not None for item in results) >= 6
    groups = set(space_of(name)[1].groups)
    for item in results:
        if item.interval is not None:
            assert item.value is not None
            assert item.interval.low <= item.value <= item.interval.high, item.metric
            assert math.isfinite(item.interval.low + item.interval.high)
            varies = len({point["without"] for point in item.influence}) > 1
            assert item.interval.low < item.interval.high or not varies, item.metric
        for side in ("positive-side", "negative-side"):
            assert item.details.get(side, next(iter(groups))) in groups, item.metric
