"""Names in sentences through an ELMo, whose tokens are the words between spaces."""

import numpy as np

from unslant.models.elmo import ElmoModel
from unslant.predictors.protocols import NameInContext

TEXT = "Ann Lee met Tia ."


def test_the_name_is_the_mean_of_its_words_and_the_rest_the_sum_of_all_others(
    elmo: ElmoModel,
) -> None:
    vectors = elmo.predictor(NameInContext)
    names, rests = vectors.name_and_rest([TEXT], [((0, 7),)])
    marked = [f"{TEXT.replace(word, f'[[{word}]]')}" for word in TEXT.split()]
    rows = elmo.vectors(marked, ["lstm:-1[word]"]).popitem()[1]
    np.testing.assert_allclose(names[0], rows[:2].mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(rests[0], rows[2:].sum(axis=0), atol=1e-5)


def test_every_place_of_an_elmo_can_be_asked(elmo: ElmoModel) -> None:
    vectors = elmo.predictor(NameInContext)
    assert str(vectors.place("last")) == "lstm:-1"
    for place in elmo.layout.places():
        names, rests = vectors.name_and_rest([TEXT], [((12, 15),)], str(place))
        assert names.shape == rests.shape == (1, elmo.site(place).width)
        assert np.isfinite(names).all()
