"""Half-sibling regression changes names: they are no words that carry gender by definition."""

import numpy as np

from unslant.concepts import concept
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import load


def test_names_are_changed_and_words_of_the_groups_are_spared() -> None:
    vectors, gender = load(), concept("gender")
    places = (gender.words, gender.sets, gender.specific)
    by_definition = {
        word.lower() for place in places for item in place.values() for word in item.all_words
    }
    listed = [word for item in gender.names.values() for word in item.all_words]
    names = [n for n in listed if n in vectors and n.lower() not in by_definition]
    assert len(names) > 50
    after = debiased(vectors, fit("half-sibling", vectors, gender))
    assert not [name for name in names if np.array_equal(after[name], vectors[name])]
    for word in ("he", "she", "mother", "father"):
        np.testing.assert_array_equal(after[word], vectors[word])
