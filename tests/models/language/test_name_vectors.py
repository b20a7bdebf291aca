"""Names in sentences: the vectors of name and rest are those of the pieces, and of no others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.made_erasers import made_of
from tests.models.language.erasers import with_eraser
from unslant.core.errors import UnslantError
from unslant.erasers import EachVector, projection
from unslant.models.language.model import TransformerModel
from unslant.models.language.name_vectors import NameVectors
from unslant.predictors.protocols import NameInContext

TEXTS = ("the nurses is here .", "nurses", "he is an unwork and she is a nurse .")
SPANS = (((4, 10),), ((0, 6),), ((9, 15), (29, 34)))


def by_hand(folder: Path, text: str, name: list[int], rest: list[int], layer: int) -> list[Any]:
    """From transformers itself: the places of pieces are written down by whoever read them."""
    import torch
    import transformers

    network = transformers.AutoModel.from_pretrained(folder).eval()
    tokens = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    with torch.no_grad():
        state = network(**tokens(text, return_tensors="pt"), output_hidden_states=True)
    hidden = state.hidden_states[layer][0].numpy()
    return [hidden[name].mean(axis=0), hidden[rest].sum(axis=0)]


@pytest.mark.parametrize("place", ["last", "layer:-2"])
def test_the_name_is_the_mean_of_its_pieces_and_the_rest_the_sum_of_all_others(
    place: str, folder_of: Callable[..., Path], model_of: Callable[..., TransformerModel]
) -> None:
    vectors = model_of("bert", False).predictor(NameInContext)
    names, rests = vectors.name_and_rest(TEXTS, SPANS, place)
    # [CLS] the nurse ##s is here . [SEP]; he is an un ##work and she is a nurse .
    places = [([2, 3], [1, 4, 5, 6]), ([1, 2], []), ([4, 5, 10], [1, 2, 3, 6, 7, 8, 9, 11])]
    for row, (text, (name, rest)) in enumerate(zip(TEXTS, places, strict=True)):
        layer = -1 if place == "last" else -2
        first, second = by_hand(folder_of("bert", False), text, name, rest, layer)
        np.testing.assert_allclose(names[row], first, atol=1e-5)
        np.testing.assert_allclose(rests[row], second, atol=1e-5)
    assert not rests[1].any()


@pytest.mark.parametrize("kind", ["roberta", "distilbert", "llama", "modernbert", "albert"])
def test_what_else_is_asked_changes_nothing(
    kind: str, model_of: Callable[..., TransformerModel]
) -> None:
    vectors = NameVectors(model_of(kind))
    together = vectors.name_and_rest(TEXTS, SPANS)
    for row, (text, spans) in enumerate(zip(TEXTS, SPANS, strict=True)):
        alone = vectors.name_and_rest([text], [spans])
        for one, all_of_them in zip(alone, together, strict=True):
            np.testing.assert_allclose(one[0], all_of_them[row], atol=1e-5)


def test_all_pieces_but_added_ones_are_in_the_name_or_in_the_rest(
    model_of: Callable[..., TransformerModel],
) -> None:
    model = model_of("bert", False)
    text, spans = TEXTS[0], SPANS[0]
    names, rests = NameVectors(model).name_and_rest([text], [spans], "embeddings")
    every = model.vectors([text], ["embeddings[all]"]).popitem()[1][0] * 8
    added = by_hand(model.folder.path, text, [0], [0, 7], 0)[1]
    np.testing.assert_allclose(2 * names[0] + rests[0], every - added, atol=1e-5)


def test_texts_that_cannot_be_read_have_no_vectors_and_leave_the_others_alone(
    model_of: Callable[..., TransformerModel],
) -> None:
    vectors = NameVectors(model_of("bert", False))
    texts = [TEXTS[0], "nurse " * 50, "nurse [[ is ]] here", "the nurse"]
    names, rests = vectors.name_and_rest(texts, [SPANS[0], ((0, 5),), ((0, 5),), ((40, 44),)])
    assert np.isfinite(names[0]).all()
    assert np.isfinite(rests[0]).all()
    assert np.isnan(names[1:]).all()
    assert np.isnan(rests[1:]).all()


def test_places_without_a_vector_for_each_token_are_refused(
    model_of: Callable[..., TransformerModel],
) -> None:
    vectors = NameVectors(model_of("bert", False))
    for place in ("pooled", "layer:-1[cls]", "wordpieces"):
        with pytest.raises(UnslantError, match="does not have a vector for each token"):
            vectors.place(place)
    with pytest.raises(UnslantError, match="has no place layer:9"):
        vectors.place("layer:9")


def test_interventions_act_on_names_and_rest(model_of: Callable[..., TransformerModel]) -> None:
    model = model_of("bert", False)
    eraser = made_of(EachVector(projection(np.eye(16)[3:4])))
    treated = with_eraser(model, eraser, "layer:-1")
    assert abs(NameVectors(model).name_and_rest(TEXTS[:1], SPANS[:1])[0][0, 3]) > 1e-3
    for rows in treated.predictor(NameInContext).name_and_rest(TEXTS[:1], SPANS[:1]):
        assert abs(rows[0, 3]) < 1e-5
