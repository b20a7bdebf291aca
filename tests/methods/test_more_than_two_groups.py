"""What compares two groups names a choice of two that works where a concept has more."""

import re

import pytest

import unslant as us
from unslant.concepts import WordPolicy
from unslant.core.errors import UnslantError
from unslant.vectors import WordVectors, load

MANY = ("nationality", "race-multi", "religion")
DROP = WordPolicy(missing="drop")


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return load()


@pytest.mark.parametrize("concept", MANY)
@pytest.mark.parametrize("method", ["misp", "mhd"])
def test_a_method_that_refuses_more_groups_names_subspaces_that_work(
    method: str, concept: str, vectors: WordVectors
) -> None:
    with pytest.raises(UnslantError) as refused:
        us.fit(method, vectors, concept, DROP)
    ways_out = re.findall(r"subspace=\"[^\"]+\"", str(refused.value))
    assert ways_out
    for way_out in ways_out:
        assert us.fit(f"{method}({way_out})", vectors, concept, DROP).dim == vectors.dim


@pytest.mark.parametrize("concept", MANY)
def test_midb_names_a_measure_of_two_groups_that_works(concept: str, vectors: WordVectors) -> None:
    with pytest.raises(UnslantError) as refused:
        us.measure("midb", vectors, us.concept(concept), DROP)
    [way_out] = re.findall(r"direct-bias\(.*\"\)", str(refused.value))
    assert us.measure(way_out, vectors, us.concept(concept), DROP).value is not None
