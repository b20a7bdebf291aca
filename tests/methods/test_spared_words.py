"""Methods that spare words spare those that carry the attribute by definition, and name them."""

import numpy as np
import pytest

from tests.spaces import small_concept
from unslant.concepts import concept
from unslant.methods.method import DEBIASERS
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import LEFT_ALONE, specific_words
from unslant.methods.streaming import debiased
from unslant.vectors import load

GENDER = concept("gender")
SPARING = sorted(e.name for e in DEBIASERS if "spares-specific-words" in e.facts.guarantees)
PAIRED_SOMEWHERE = ("manager", "mayor", "governor", "poet", "hunter", "host", "hero", "author")
BY_DEFINITION = ("she", "he", "woman", "man", "mother", "father", "queen", "king", "daughter")


def test_a_word_that_some_list_pairs_is_not_specific() -> None:
    specific = set(specific_words(GENDER))
    paired = {word for item in GENDER.sets.values() for word in item.all_words}
    assert {"manager", "mayor", "governor", "poet", "hunter"} <= paired
    assert not specific & set(PAIRED_SOMEWHERE)
    assert specific >= set(BY_DEFINITION)


def test_an_own_concept_has_its_groups_definitional_pairs_and_specific_lists_spared() -> None:
    toy = small_concept(
        """[specific]
own = ["special"]
[sets.other]
columns = ["left", "right"]
rows = [["x", "y"]]"""
    )
    specific = set(specific_words(toy))
    assert "special" in specific
    assert not specific & {"x", "y"}


@pytest.mark.parametrize("name", SPARING)
def test_paired_words_change_specific_ones_do_not_and_the_record_names_these(name: str) -> None:
    vectors = load(limit=9000)
    eraser = fit("ran(steps=5)" if name == "ran" else name, vectors, GENDER)
    [left] = [use for use in eraser.stages[0].words if use.set == LEFT_ALONE]
    assert set(left.used) >= set(BY_DEFINITION)
    assert not set(left.used) & set(PAIRED_SOMEWHERE)
    after = debiased(vectors, eraser)
    for word in PAIRED_SOMEWHERE:
        cosine = after[word] @ vectors[word]
        cosine /= np.linalg.norm(after[word]) * np.linalg.norm(vectors[word])
        assert cosine < 1 - 1e-6, word
